//! Times of day: three bytes for the second, then its fraction, exact however long.
//!
//! ```text
//!     13:45    13:45:06    13:45:06.789    23:59:60    13:45:06Z    13:45:06+02:00
//!
//!     second   from midnight UTC, and 2^22                          3 bytes
//!     leap     c8, between all fractions of :59 and the next minute
//!     fraction two digits a byte: 2 x (10 d1 + d2), and 1 more where others follow
//! ```
//!
//! A second 60, in which now and then a minute ends, is told as a leap second behind :59. Without a
//! fraction stands one byte of zero, so that digits at the end that are zero do not count.

use super::date::two;
use super::{Class, Day, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A time of day, `13:45`, `13:45:06` or `13:45:06.789`, with any number of digits; as an instant
/// of one day where it has an offset from UTC.
#[derive(Debug)]
pub struct Time;

impl KeyType for Time {
    const NAMES: TypeNames = &[("time", Detail::None)];
    const EXPECTED: &'static str = "a time, as in 13:45:06";
    const TRAITS: Traits = Traits {
        day: Some(Day { has_date: false, has_time: true }),
        ..Traits::of(Class::Strict).is_coarse().spares_ends().is_suggested()
    };

    #[inline]
    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let by_format;
        let (second, fraction) = match &of.options.date_format {
            None => parse(text)?,
            Some(format) => {
                by_format = format.time(text)?;
                let (second, part) = &by_format;
                (*second, Fraction { is_leap: part.is_leap, digits: &part.digits })
            }
        };
        let [_, bytes @ ..] = (second + BIAS).to_be_bytes();
        out.extend(&bytes);
        append_fraction(fraction, out);
        Some(())
    }
}

/// Seconds are at most a day before midnight or two after.
const BIAS: i32 = 1 << 22;

/// More than any two digits of a fraction.
const LEAP: u8 = 200;

/// Fraction of a second of a time, and whether it is in a leap second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fraction<'a> {
    /// True if a leap second has begun after the second that it belongs to.
    pub is_leap: bool,
    /// Digits after the point.
    pub digits: &'a [u8],
}

/// Appends a fraction; it ends itself.
#[inline]
pub fn append_fraction<S: KeySink>(fraction: Fraction<'_>, out: &mut S) {
    if fraction.is_leap {
        out.push(LEAP);
    }
    let last = fraction.digits.iter().rposition(|&digit| digit != b'0');
    let digits = &fraction.digits[..last.map_or(0, |last| last + 1)];
    if digits.is_empty() {
        out.push(0);
    }
    for (index, pair) in digits.chunks(2).enumerate() {
        let low = pair.get(1).map_or(0, |digit| digit - b'0');
        let follows = u8::from(2 * index + 2 < digits.len());
        out.push(2 * (10 * (pair[0] - b'0') + low) + follows);
    }
}

/// Reads the time that is all of `text`: its second from midnight UTC, and the fraction. Clocks of
/// all offsets show times of one day, so that 00:30+02:00 comes before 00:00Z.
#[inline]
fn parse(text: &[u8]) -> Option<(i32, Fraction<'_>)> {
    let (second, fraction, rest) = begins(text)?;
    let ahead = if rest.is_empty() { 0 } else { offset(rest)? };
    Some((second.cast_signed() - ahead, fraction))
}

/// Returns the number of seconds that a clock is ahead of UTC if it shows a time with `rest` after
/// it.
#[inline]
pub fn offset(rest: &[u8]) -> Option<i32> {
    let rest = rest.strip_prefix(b" ").unwrap_or(rest);
    let (is_behind, hours, minutes) = match *rest {
        [] | [b'Z' | b'z'] => return Some(0),
        [sign @ (b'+' | b'-'), a, b] => (sign == b'-', two([a, b])?, 0),
        [sign @ (b'+' | b'-'), a, b, c, d] | [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
            (sign == b'-', two([a, b])?, two([c, d])?)
        }
        _ => return None,
    };
    let seconds = (60 * (60 * hours + minutes)).cast_signed();
    (hours < 24 && minutes < 60).then_some(if is_behind { -seconds } else { seconds })
}

/// Returns the time that `text` begins with, and what follows it. Colons may be left out, but only
/// all of them.
#[inline]
pub fn begins(text: &[u8]) -> Option<(u32, Fraction<'_>, &[u8])> {
    let &[a, b, ref rest @ ..] = text else { return None };
    let (has_colons, rest) = match rest {
        [b':', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let &[c, d, ref rest @ ..] = rest else { return None };
    let (hour, minute) = (two([a, b])?, two([c, d])?);
    if hour > 23 || minute > 59 {
        return None;
    }
    let minutes = 60 * hour + minute;
    let (second, rest) = match (has_colons, rest) {
        (true, &[b':', e, f, ref rest @ ..]) => (two([e, f])?, rest),
        (false, &[e, f, ref rest @ ..]) if e.is_ascii_digit() => (two([e, f])?, rest),
        _ => return Some((60 * minutes, Fraction::default(), rest)),
    };
    let (digits, rest) = match rest {
        [b'.' | b',', rest @ ..] => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            rest.split_at_checked(digits).filter(|(digits, _)| !digits.is_empty())?
        }
        rest => (&[][..], rest),
    };
    let is_leap = second == 60;
    let second = if is_leap { 59 } else { second };
    (second < 60).then_some((60 * minutes + second, Fraction { is_leap, digits }, rest))
}
