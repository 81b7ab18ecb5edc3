//! Numbers of fixed width that are read and written where they stand, so that they can be added up.

use super::super::text_type::{Detail, TextType};
use super::machine::{self, NumberClass, NumberType};
use super::packed;
use super::zoned::Zoned;

/// A type of numbers of fixed width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixedNumber {
    /// A binary integer.
    Integer(NumberType),
    /// A packed decimal.
    Packed,
    /// A zoned decimal.
    Zoned(Zoned),
}

/// Bytes of the widest packed decimal: 31 digits, as many as instructions of z/Architecture take.
const PACKED_BYTES_MAX: usize = 16;

/// Digits of the longest zoned decimal, as many as a packed one has.
const ZONED_DIGITS_MAX: usize = 31;

impl FixedNumber {
    /// Returns the type of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::of(&TextType::named(name)?.1)
    }

    /// Returns a type of keys as one of these, if it is one.
    pub fn of(text_type: &TextType) -> Option<Self> {
        match text_type.detail {
            Detail::Zoned(form) => Some(Self::Zoned(form)),
            Detail::Number(NumberType { class: NumberClass::Float, .. }) => None,
            Detail::Number(number) => Some(Self::Integer(number)),
            _ => (*text_type == TextType::PACKED).then_some(Self::Packed),
        }
    }

    /// Returns all names, for a message.
    pub fn names() -> String {
        let names = machine::NUMBERS.iter().map(|(name, _)| *name);
        let integers: Vec<&str> = names.filter(|name| Self::named(name).is_some()).collect();
        format!("{} packed zoned", integers.join(" "))
    }

    /// Returns the end of a number from byte `start` to `end`, both of which `place` says.
    ///
    /// # Errors
    ///
    /// A description of the fault.
    pub fn end(self, start: usize, end: Option<usize>, place: &str) -> Result<usize, String> {
        let width = end.map_or(0, |end| end.saturating_sub(start));
        let (is_right, rule) = match self {
            Self::Integer(number) => {
                let end = start + number.width_bytes();
                let rule = format!("is not as wide as its type; write {start}..{end}");
                (width == number.width_bytes(), rule)
            }
            Self::Packed => {
                let most = PACKED_BYTES_MAX;
                let rule = format!("needs an end: packed decimals have up to {most} bytes");
                ((1..=most).contains(&width), rule)
            }
            Self::Zoned(form) => {
                let most = ZONED_DIGITS_MAX;
                let rule = format!("needs an end: zoned decimals have 1 to {most} digits");
                ((1..=most).contains(&form.digits(width)), rule)
            }
        };
        if is_right { Ok(start + width) } else { Err(format!("'{place}' {rule}")) }
    }

    /// Returns its values, in words that follow "are not".
    pub fn kind(self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Packed => "a packed decimal",
            Self::Zoned(_) => "a zoned decimal",
        }
    }

    /// Returns the value of all of `bytes`; `None` where they say no number.
    pub fn read(self, bytes: &[u8]) -> Option<i128> {
        match self {
            Self::Integer(number) => Some(number.read(bytes)),
            Self::Packed => packed::read(bytes),
            Self::Zoned(form) => form.value(bytes),
        }
    }

    /// Returns whether a value fits into `width` bytes.
    pub fn holds(self, value: i128, width: usize) -> bool {
        match self {
            Self::Integer(number) => number.holds(value),
            _ => value.unsigned_abs() < 10_u128.pow(self.digits(width) as u32),
        }
    }

    /// Returns the room of `width` bytes, in words.
    pub fn room(self, width: usize) -> String {
        match self {
            Self::Integer(_) => format!("{} bits", 8 * width),
            _ => format!("{} digits", self.digits(width)),
        }
    }

    /// Puts a value that fits into its bytes.
    pub fn write(self, value: i128, bytes: &mut [u8]) {
        match self {
            Self::Integer(number) => number.write(value, bytes),
            Self::Packed => packed::write(value, bytes),
            Self::Zoned(form) => form.write(value, bytes),
        }
    }

    /// Returns the bytes of the widest numbers.
    pub fn width_max(self) -> usize {
        match self {
            Self::Integer(number) => number.width_bytes(),
            Self::Packed => PACKED_BYTES_MAX,
            Self::Zoned(form) => ZONED_DIGITS_MAX + usize::from(form.is_separate),
        }
    }

    /// Returns the decimal digits that `width` bytes hold.
    fn digits(self, width: usize) -> usize {
        match self {
            Self::Zoned(form) => form.digits(width),
            _ => (2 * width).saturating_sub(1),
        }
    }
}

#[cfg(test)]
mod tests;
