//! Days of the Gregorian calendar, also before there was one: three bytes.
//!
//! ```text
//!     2026-11-22    20261122         days since 1970-01-01, and 2^23
//! ```
//!
//! The years are 0000 to 9999, as ISO 8601 has them without further agreement. Days of another form
//! come from `date_format` and reach as far back as the year -9999; those too keep the first byte
//! off the ends of its range, which mark what is no value.

use super::{Class, Day, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A day, `2026-11-22` or `20261122`.
#[derive(Debug)]
pub struct Date;

impl KeyType for Date {
    const NAMES: TypeNames = &[("date", Detail::None)];
    const EXPECTED: &'static str = "a date, as in 2026-11-22";
    const TRAITS: Traits = Traits {
        day: Some(Day { has_date: true, has_time: false }),
        ..Traits::of(Class::Strict).is_coarse().spares_ends().is_suggested()
    };

    #[inline]
    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let days = match &of.options.date_format {
            None => parse(text)?,
            Some(format) => format.date(text)?,
        };
        let [_, bytes @ ..] = (days + BIAS).to_be_bytes();
        out.extend(&bytes);
        Some(())
    }
}

/// Keeps the first byte off the ends of its range: it is 3d hexadecimal for -9999-01-01, the least
/// day of another form (day -4371587), and ac for 9999-12-31 (day 2932896).
const BIAS: i32 = 1 << 23;

/// Returns the number of two digits.
#[inline]
pub fn two(digits: [u8; 2]) -> Option<u32> {
    let [tens, ones] = digits.map(|digit| u32::from(digit.wrapping_sub(b'0')));
    (tens < 10 && ones < 10).then_some(10 * tens + ones)
}

/// Days from 1970-01-01 to the day that is all of `text`.
#[inline]
pub fn parse(text: &[u8]) -> Option<i32> {
    match begins(text)? {
        (days, b"") => Some(days),
        _ => None,
    }
}

/// Returns the day that `text` begins with, and what follows it.
#[inline]
pub fn begins(text: &[u8]) -> Option<(i32, &[u8])> {
    let &[a, b, c, d, ref rest @ ..] = text else { return None };
    let year = 100 * two([a, b])? + two([c, d])?;
    let ([m, n, e, f], rest) = match *rest {
        [b'-', m, n, b'-', e, f, ref rest @ ..] => ([m, n, e, f], rest),
        [m, n, e, f, ref rest @ ..] => ([m, n, e, f], rest),
        _ => return None,
    };
    Some((days(year, two([m, n])?, two([e, f])?)?, rest))
}

/// Days from 1970-01-01 to a day, where there is such a day.
///
/// Years here begin in March, so that the leap day is the last (Hinnant, "chrono-Compatible
/// Low-Level Date Algorithms", `days_from_civil`).
#[inline]
fn days(year: u32, month: u32, day: u32) -> Option<i32> {
    const DAYS: [u32; 13] = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = *DAYS.get(month as usize)? + u32::from(is_leap && month == 2);
    if day == 0 || day > days {
        return None;
    }
    // 400 years more, which are whole cycles of days, so that nothing is negative.
    let year = year + 400 - u32::from(month <= 2);
    let (century, year_of_400) = (year / 400, year % 400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_400 = 365 * year_of_400 + year_of_400 / 4 - year_of_400 / 100 + day_of_year;
    Some((146_097 * century + day_of_400) as i32 - 719_468 - 146_097)
}
