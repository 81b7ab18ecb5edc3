//! Zoned decimals of mainframes, COBOL's `DISPLAY`: by value.
//!
//! ```text
//!                                  EBCDIC                ASCII
//!     digits                       F0 .. F9              30 .. 39
//!     sign in the zone of a digit  + A C E F, - B D      + 0..9, { A..I    - } J..R, p..y
//!     sign of its own              4E +, 60 -            2B +, 2D -
//! ```
//!
//! The digit with the sign is the last, or the first. Of EBCDIC the zones are those of IBM,
//! "z/Architecture Principles of Operation", chapter 8. In ASCII `{ABCDEFGHI}JKLMNOPQR` are what a
//! translation of characters makes of C0..C9 and D0..D9, and `pqrstuvwxy` are the negative digits
//! of COBOL on other machines (Micro Focus, GnuCOBOL), which set a bit of the digit.

use super::{BufferSink, Class, Detail, KeySink, KeyType, Traits, TypeNames, Typed};
use super::{digits, number};

/// Sign position and character set of a zoned decimal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zoned {
    /// True if the sign is at the beginning, not at the end.
    pub is_leading: bool,
    /// True if the sign has a byte of its own, `+` or `-`; else it is in the zone of a digit.
    pub is_separate: bool,
    /// True if digits are those of EBCDIC, not of ASCII.
    pub is_ebcdic: bool,
}

/// A zoned decimal of mainframes (COBOL's `DISPLAY`): one digit a byte.
#[derive(Debug)]
pub struct ZonedType;

const fn detail(is_leading: bool, is_separate: bool, is_ebcdic: bool) -> Detail {
    Detail::Zoned(Zoned { is_leading, is_separate, is_ebcdic })
}

impl KeyType for ZonedType {
    const NAMES: TypeNames = &[
        ("zoned", detail(false, false, false)),
        ("zoned-leading", detail(true, false, false)),
        ("zoned-separate", detail(false, true, false)),
        ("zoned-leading-separate", detail(true, true, false)),
        ("zoned=ebcdic", detail(false, false, true)),
        ("zoned-leading=ebcdic", detail(true, false, true)),
        ("zoned-separate=ebcdic", detail(false, true, true)),
        ("zoned-leading-separate=ebcdic", detail(true, true, true)),
        ("zoned=ascii", detail(false, false, false)),
    ];
    const TRAITS: Traits = Traits::of(Class::StrictBytes).fills_word().spares_ends();

    fn append<S: KeySink>(bytes: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        let Detail::Zoned(form) = of.text_type.detail else { return None };
        let Parts { is_negative, signed, others } = parts(bytes, form)?;
        let (first, last) = if form.is_leading { (signed, None) } else { (None, signed) };
        let others = others.iter().map(|byte| byte & 15);
        digits::append_value(is_negative, first.into_iter().chain(others).chain(last), out);
        Some(())
    }

    fn is_value(bytes: &[u8], of: &Typed) -> bool {
        matches!(of.text_type.detail, Detail::Zoned(form) if is_valid(bytes, form))
    }

    fn expected(detail: &Detail) -> String {
        let Detail::Zoned(Zoned { is_leading, is_separate, is_ebcdic }) = *detail else {
            return String::new();
        };
        format!(
            "a zoned decimal in {} with {} {} sign",
            if is_ebcdic { "EBCDIC" } else { "ASCII" },
            if is_leading { "a leading" } else { "a trailing" },
            if is_separate { "separate" } else { "overpunched" },
        )
    }

    fn append_number(text: &str, of: &Typed, out: &mut BufferSink<'_>) -> Option<bool> {
        Some(number::append_decimal(text, of.options.numbers, out))
    }
}

/// A number taken apart: whether it is negative, the digit with the sign where there is one, and
/// the bytes of the others.
struct Parts<'a> {
    is_negative: bool,
    signed: Option<u8>,
    others: &'a [u8],
}

/// Returns the parts of a number; `None` if its sign is not valid. The other digits are not
/// checked.
#[inline]
fn parts(bytes: &[u8], form: Zoned) -> Option<Parts<'_>> {
    let (&sign, others) = if form.is_leading { bytes.split_first() } else { bytes.split_last() }?;
    let (is_negative, signed) = match (form.is_separate, form.is_ebcdic) {
        (true, true) => (negative(sign, 0x4e, 0x60)?, None),
        (true, false) => (negative(sign, b'+', b'-')?, None),
        (false, true) => {
            let digit = Some(sign & 15).filter(|digit| *digit < 10)?;
            match sign >> 4 {
                0xa | 0xc | 0xe | 0xf => (false, Some(digit)),
                0xb | 0xd => (true, Some(digit)),
                _ => return None,
            }
        }
        (false, false) => match sign {
            b'0'..=b'9' => (false, Some(sign - b'0')),
            b'{' => (false, Some(0)),
            b'A'..=b'I' => (false, Some(sign - b'A' + 1)),
            b'}' => (true, Some(0)),
            b'J'..=b'R' => (true, Some(sign - b'J' + 1)),
            b'p'..=b'y' => (true, Some(sign - b'p')),
            _ => return None,
        },
    };
    Some(Parts { is_negative, signed, others })
}

fn negative(sign: u8, plus: u8, minus: u8) -> Option<bool> {
    (sign == plus || sign == minus).then_some(sign == minus)
}

/// Returns whether all of `bytes` is a number.
fn is_valid(bytes: &[u8], form: Zoned) -> bool {
    let zone = if form.is_ebcdic { 0xf0 } else { b'0' };
    parts(bytes, form).is_some_and(|parts| {
        let has_digits = parts.signed.is_some() || !parts.others.is_empty();
        has_digits && parts.others.iter().all(|byte| byte.wrapping_sub(zone) < 10)
    })
}

impl Zoned {
    /// Returns the value of a number of up to 38 digits; `None` where the bytes are no number.
    pub fn value(self, bytes: &[u8]) -> Option<i128> {
        let Parts { is_negative, signed, others } =
            parts(bytes, self).filter(|_| is_valid(bytes, self))?;
        let (first, last) = if self.is_leading { (signed, None) } else { (None, signed) };
        let digits = first.into_iter().chain(others.iter().map(|byte| byte & 15)).chain(last);
        let value = digits.fold(0, |value: i128, digit| 10 * value + i128::from(digit));
        Some(if is_negative { -value } else { value })
    }

    /// Returns the number of digits that `width` bytes hold.
    pub fn digits(self, width: usize) -> usize {
        width.saturating_sub(usize::from(self.is_separate))
    }

    /// Writes a value that fits. Plus is written as digits alone, which fields without a sign have,
    /// too; minus as `}JKLMNOPQR`, D0 to D9 in EBCDIC.
    pub fn write(self, value: i128, bytes: &mut [u8]) {
        let zone = if self.is_ebcdic { 0xf0 } else { b'0' };
        let is_negative = value < 0;
        let place = match (self.is_separate, self.is_leading) {
            (false, _) => 0..bytes.len(),
            (true, true) => 1..bytes.len(),
            (true, false) => 0..bytes.len().saturating_sub(1),
        };
        let mut rest = value.unsigned_abs();
        for byte in bytes[place].iter_mut().rev() {
            *byte = zone | (rest % 10) as u8;
            rest /= 10;
        }
        let sign = if self.is_leading { bytes.first_mut() } else { bytes.last_mut() };
        let Some(sign) = sign else { return };
        match (self.is_separate, self.is_ebcdic) {
            (true, true) => *sign = if is_negative { 0x60 } else { 0x4e },
            (true, false) => *sign = if is_negative { b'-' } else { b'+' },
            (false, true) if is_negative => *sign = 0xd0 | *sign & 15,
            (false, false) if is_negative => {
                *sign = if *sign == b'0' { b'}' } else { b'J' + (*sign & 15) - 1 };
            }
            (false, _) => {}
        }
    }
}
