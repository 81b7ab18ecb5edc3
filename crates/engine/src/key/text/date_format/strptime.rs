//! Reading of days and times by patterns.

use jiff::civil;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};

use super::{DateFormat, Nanoseconds};

impl DateFormat {
    /// Creates the form of this pattern.
    ///
    /// # Errors
    ///
    /// The fault of the pattern, in words: a directive that is not known, or that cannot be read.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let wrong = |error: jiff::Error| {
            format!("'{pattern}' is not a date format: {error}; write, for example, %d.%m.%Y")
        };
        // A moment of which no two numbers are the same, written and read again.
        let moment = civil::date(2001, 12, 31).at(23, 59, 58, 123_456_789);
        let moment = moment.to_zoned(TimeZone::UTC).map_err(wrong)?;
        let written = strtime::format(pattern, &moment).map_err(wrong)?;
        let read = strtime::parse(pattern, &written).map_err(wrong)?;
        let is_instant = read.timestamp().is_some();
        let has_date = is_instant || read.to_date().is_ok();
        let has_time = is_instant || read.hour().is_some() && read.to_time().is_ok();
        if !has_date && !has_time {
            return Err(format!(
                "'{pattern}' has neither a day nor a time; write, for example, %d.%m.%Y"
            ));
        }
        Ok(Self { pattern: pattern.to_owned(), has_date, has_time })
    }

    fn read(&self, text: &[u8]) -> Option<BrokenDownTime> {
        strtime::parse(&self.pattern, text).ok()
    }

    /// Days from 1970-01-01 to the day that is all of `text`.
    pub(in crate::key::text) fn date(&self, text: &[u8]) -> Option<i32> {
        let read = self.read(text)?;
        let date = match read.timestamp() {
            Some(instant) => instant.to_zoned(TimeZone::UTC).date(),
            None => read.to_date().ok()?,
        };
        let since = date.duration_since(civil::date(1970, 1, 1));
        Some((since.as_hours() / 24) as i32)
    }

    /// Returns the second from midnight UTC, and the digits after it; without an offset the time is
    /// UTC.
    pub(in crate::key::text) fn time(&self, text: &[u8]) -> Option<(i32, Nanoseconds)> {
        let read = self.read(text)?;
        let (time, ahead) = match read.timestamp() {
            Some(instant) => (instant.to_zoned(TimeZone::UTC).time(), 0),
            None => (read.to_time().ok()?, read.offset().map_or(0, Offset::seconds)),
        };
        let since = time.duration_since(civil::Time::midnight());
        Some((since.as_secs() as i32 - ahead, digits(since.subsec_nanos())))
    }

    /// Returns the second since 1970, and the digits after it. Without an offset the time is UTC.
    pub(in crate::key::text) fn timestamp(&self, text: &[u8]) -> Option<(i64, Nanoseconds)> {
        let read = self.read(text)?;
        let instant = match read.to_timestamp() {
            Ok(instant) => instant,
            Err(_) if read.offset().is_some() => return None,
            Err(_) => read.to_datetime().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp(),
        };
        // Before 1970 both parts are negative.
        let nanoseconds = instant.as_nanosecond();
        let second = nanoseconds.div_euclid(1_000_000_000);
        let behind = nanoseconds.rem_euclid(1_000_000_000);
        Some((second as i64, digits(behind as i32)))
    }
}

fn digits(nanoseconds: i32) -> Nanoseconds {
    let mut digits = [b'0'; 9];
    let mut rest = nanoseconds;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    digits
}
