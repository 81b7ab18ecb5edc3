//! Reading of days and times by patterns.

use std::ops::Range;

use jiff::civil;
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};

use super::{DateFormat, Nanoseconds};

impl DateFormat {
    /// Creates the form of this pattern.
    ///
    /// # Errors
    ///
    /// The fault of the pattern, in words: a directive that is not known, that cannot be read, or
    /// whose value would not count.
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
        if let Some(part) = ignored_part(pattern, &read) {
            return Err(format!("'{pattern}' has a part that does not count: {part}"));
        }
        let alternatives = alternatives(pattern);
        Ok(Self { pattern: pattern.to_owned(), alternatives, has_date, has_time })
    }

    /// Returns the moment that is all of `text`, and the form of the pattern that has read it.
    fn read(&self, text: &[u8]) -> Option<(BrokenDownTime, &str)> {
        if let Ok(read) = strtime::parse(&self.pattern, text) {
            return Some((read, &self.pattern));
        }
        let mut others = self.alternatives.iter();
        others.find_map(|other| Some((strtime::parse(other, text).ok()?, other.as_str())))
    }

    /// Returns the days from 1970-01-01 to the day that is all of `text`. With an offset it is the
    /// day of the moment in UTC.
    pub(in crate::key::text) fn date(&self, text: &[u8]) -> Option<i32> {
        let (read, _) = self.read(text)?;
        if let Some(instant) = read.timestamp() {
            return Some(days(instant.to_zoned(TimeZone::UTC).date()));
        }
        let day = days(read.to_date().ok()?);
        let Some(offset) = read.offset() else { return Some(day) };
        let (second, _) = seconds(read.to_time().unwrap_or(civil::Time::midnight()));
        Some(day + (second - offset.seconds()).div_euclid(86_400))
    }

    /// Returns the second from midnight UTC, and the part of it; without an offset the time is UTC.
    pub(in crate::key::text) fn time(&self, text: &[u8]) -> Option<(i32, Nanoseconds)> {
        let (read, pattern) = self.read(text)?;
        let (time, ahead) = match read.timestamp() {
            Some(instant) => (instant.to_zoned(TimeZone::UTC).time(), 0),
            None => (read.to_time().ok()?, read.offset().map_or(0, Offset::seconds)),
        };
        let (second, digits) = seconds(time);
        Some((second - ahead, Nanoseconds { is_leap: is_leap(&read, pattern, text), digits }))
    }

    /// Returns the second since 1970, and the part of it. Without an offset the time is UTC.
    ///
    /// It is computed from the day and the time, because instants of `jiff` end 26 hours before its
    /// days do: 9999-12-31 23:59:59 is none of them.
    pub(in crate::key::text) fn timestamp(&self, text: &[u8]) -> Option<(i64, Nanoseconds)> {
        let (read, pattern) = self.read(text)?;
        let (moment, ahead) = match read.timestamp() {
            Some(instant) => (instant.to_zoned(TimeZone::UTC).datetime(), 0),
            None => (read.to_datetime().ok()?, read.offset().map_or(0, Offset::seconds)),
        };
        let (second, digits) = seconds(moment.time());
        let second = 86_400 * i64::from(days(moment.date())) + i64::from(second - ahead);
        Some((second, Nanoseconds { is_leap: is_leap(&read, pattern, text), digits }))
    }
}

/// Returns whether the second in `text`, of which `read` is the moment by `pattern`, is 60.
///
/// `jiff` makes it 59, so the part of the text up to the second is read again, to see its digits.
fn is_leap(read: &BrokenDownTime, pattern: &str, text: &[u8]) -> bool {
    if read.timestamp().is_some() || read.second() != Some(59) {
        return false;
    }
    // Of several seconds, the last counts.
    let second = directives(pattern).filter(|(_, letter)| matches!(letter, b'S' | b'T')).last();
    let Some((place, _)) = second else { return false };
    BrokenDownTime::parse_prefix(&pattern[..place.end], text)
        .is_ok_and(|(_, length)| text[..length].ends_with(b"60"))
}

/// Returns the places of the directives of a pattern, with their letters.
fn directives(pattern: &str) -> impl Iterator<Item = (Range<usize>, u8)> {
    let mut bytes = pattern.bytes().enumerate();
    std::iter::from_fn(move || {
        let (start, _) = bytes.find(|(_, byte)| *byte == b'%')?;
        // Flags, a width, and the point of `%.3f` stand before the letter.
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'%';
        let (at, letter) = bytes.find(|(_, byte)| is_letter(*byte))?;
        Some((start..at + 1, letter))
    })
}

/// Returns the pattern with each other form of its names of months, of its names of days, and of
/// its offsets. Z alone has no directive, and a moment without an offset is one of UTC.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut all = vec![pattern.to_owned()];
    for (letters, others) in
        [("bhB", &["%b", "%B"][..]), ("aA", &["%a", "%A"]), ("z", &["%:::z", "%z", "Z"])]
    {
        for index in 0..all.len() {
            for other in others {
                let changed = with_directive(&all[index], letters, other);
                if !all.contains(&changed) {
                    all.push(changed);
                }
            }
        }
    }
    all.remove(0);
    all
}

/// Returns a pattern in which the directives of these letters are `other`. An offset with two
/// colons or three says itself what it accepts.
fn with_directive(pattern: &str, letters: &str, other: &str) -> String {
    let mut changed = pattern.to_owned();
    let places: Vec<(Range<usize>, u8)> = directives(pattern).collect();
    for (place, letter) in places.into_iter().rev() {
        let has_form = letter == b'z' && pattern[place.clone()].contains("::");
        if letters.as_bytes().contains(&letter) && !has_form {
            changed.replace_range(place, other);
        }
    }
    changed
}

/// Returns the part of a pattern whose value `jiff` reads and then leaves out of the moment, and
/// what to write instead. `read` is a moment that the pattern has read.
fn ignored_part(pattern: &str, read: &BrokenDownTime) -> Option<&'static str> {
    if read.iana_time_zone().is_some() {
        return Some("the name of a time zone; write its offset with %z");
    }
    if read.timestamp().is_some() && read.subsec_nanosecond().is_some() {
        return Some("digits after the seconds of %s; sort such numbers by the type decimal");
    }
    // The hour that was written is 23.
    if read.timestamp().is_none() && read.hour().is_some_and(|hour| hour != 23) {
        return Some("the half of the day of %I or %l; write the hour with %H, or add %p");
    }
    // Years that agree in their last two digits are the same only if nothing else is written.
    let of_year = |year| {
        let noon = civil::date(year, 7, 1).at(12, 0, 0, 0).to_zoned(TimeZone::UTC).ok()?;
        let written = strtime::format(pattern, &noon).ok()?;
        let read = strtime::parse(pattern, &written).ok()?.to_date().ok()?;
        Some((written, read))
    };
    let ((old, old_day), (new, new_day)) = of_year(1868).zip(of_year(2068))?;
    (old != new && old_day == new_day).then_some("the century of %C; write the year with %Y")
}

/// Returns the days from 1970-01-01 to a date.
fn days(date: civil::Date) -> i32 {
    let since = date.duration_since(civil::date(1970, 1, 1));
    (since.as_hours() / 24) as i32
}

/// Returns the second from midnight, and the digits after it.
fn seconds(time: civil::Time) -> (i32, [u8; 9]) {
    let since = time.duration_since(civil::Time::midnight());
    (since.as_secs() as i32, digits(since.subsec_nanos()))
}

fn digits(nanoseconds: i32) -> [u8; 9] {
    let mut digits = [b'0'; 9];
    let mut rest = nanoseconds;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    digits
}
