//! Instants: five bytes for the second, then its fraction as in `time`.
//!
//! ```text
//!     2026-11-22T13:45:06.789Z     RFC 3339; T and Z in either case
//!     2026-11-22 13:45:06+02:00    a blank for the T; +02 and +0200 too, and a blank before it
//!     2026-11-22T13:45  20261122T134506  2026-11-22     ISO 8601, as in `date` and `time`
//! ```
//!
//! Times with an offset from UTC are compared as instants, whatever their offsets. Those without
//! one count as UTC, and a day as its first second. Seconds are counted from 1970 without leap
//! seconds, which follow the second 59 that they belong to (see `time`).

use super::time::Fraction;
use super::{Class, Day, Detail, KeySink, KeyType, Traits, TypeNames, Typed};
use super::{date, time};

/// A day and a time, compared as instants: with an offset from UTC, or without one as if it were
/// UTC.
#[derive(Debug)]
pub struct Timestamp;

impl KeyType for Timestamp {
    const NAMES: TypeNames = &[("timestamp", Detail::None)];
    const EXPECTED: &'static str = "a timestamp, as in 2026-11-22T13:45:06Z";
    const TRAITS: Traits = Traits {
        day: Some(Day { has_date: true, has_time: true }),
        ..Traits::of(Class::Strict).spares_ends().is_suggested()
    };

    #[inline]
    fn append<S: KeySink>(text: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let by_format;
        let (second, fraction) = match &of.options.date_format {
            None => parse(text)?,
            Some(format) => {
                by_format = format.timestamp(text)?;
                let (second, part) = &by_format;
                (*second, Fraction { is_leap: part.is_leap, digits: &part.digits })
            }
        };
        let [_, _, _, bytes @ ..] = (second + BIAS).to_be_bytes();
        out.extend(&bytes);
        time::append_fraction(fraction, out);
        Some(())
    }
}

const BIAS: i64 = 1 << 39;

/// Returns the instant that is all of `text`: its second since 1970, and the fraction.
#[inline]
fn parse(text: &[u8]) -> Option<(i64, Fraction<'_>)> {
    let (days, rest) = date::begins(text)?;
    let midnight = 86_400 * i64::from(days);
    let rest = match rest {
        [] => return Some((midnight, Fraction::default())),
        [b'T' | b't' | b' ', rest @ ..] => rest,
        _ => return None,
    };
    let (second, fraction, rest) = time::begins(rest)?;
    Some((midnight + i64::from(second) - i64::from(time::offset(rest)?), fraction))
}
