//! Numbers of a machine in a range of bytes, whatever they are made of.

use std::ops::Range;

use super::integer::IntegerPlace;
use super::packed::{Packed, WIDTH_MAX};
use crate::key::Key;
use crate::key::text::Zoned;

/// Place of a number, and the meaning of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineNumber {
    /// A binary integer.
    Integer(IntegerPlace),
    /// A packed decimal.
    Packed(Packed),
    /// A zoned decimal.
    Zoned(ZonedPlace),
}

/// Place of a zoned decimal, and its notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZonedPlace {
    start: usize,
    width: usize,
    form: Zoned,
}

/// Digits of the longest zoned decimal, as many as a packed one has.
const DIGITS_MAX: usize = 31;

/// The type of packed decimals.
const PACKED: &str = "packed";

impl MachineNumber {
    /// Returns whether this is the name of a binary integer.
    pub fn is_integer(name: &str) -> bool {
        IntegerPlace::named(name, 0).is_some()
    }

    /// Returns all names, for a message.
    pub fn names() -> String {
        format!("{} {PACKED} zoned", IntegerPlace::names())
    }

    /// Returns the number of this kind from byte `start` to `end`, both of which `place` says.
    ///
    /// # Errors
    ///
    /// What is wrong with that, in words.
    pub fn at(
        name: Option<&str>,
        (start, end): (usize, Option<usize>),
        place: &str,
    ) -> Result<Self, String> {
        let width = end.map(|end| end.saturating_sub(start));
        if name == Some(PACKED) {
            return match width {
                Some(width @ 1..=WIDTH_MAX) => Ok(Self::Packed(Packed { start, width })),
                _ => Err(format!(
                    "'{place}' needs an end: packed decimals have up to {WIDTH_MAX} bytes"
                )),
            };
        }
        if let Some(form) = name.and_then(Key::zoned) {
            let digits = width.map_or(0, |width| form.digits(width));
            return match width {
                Some(width) if (1..=DIGITS_MAX).contains(&digits) => {
                    Ok(Self::Zoned(ZonedPlace { start, width, form }))
                }
                _ => Err(format!(
                    "'{place}' needs an end: zoned decimals have 1 to {DIGITS_MAX} digits"
                )),
            };
        }
        let Some(integer) = name.and_then(|name| IntegerPlace::named(name, start)) else {
            let names = Self::names();
            return Err(format!("'{place}' needs a type of machine numbers: {names}"));
        };
        if width != Some(integer.width) {
            let end = start + integer.width;
            return Err(format!("'{place}' is not as wide as its type; write {start}..{end}"));
        }
        Ok(Self::Integer(integer))
    }

    /// Returns its bytes.
    pub fn range(self) -> Range<usize> {
        match self {
            Self::Integer(IntegerPlace { start, width, .. })
            | Self::Packed(Packed { start, width })
            | Self::Zoned(ZonedPlace { start, width, .. }) => start..start + width,
        }
    }

    /// Returns its values, in words that follow "are not".
    pub fn kind(self) -> &'static str {
        match self {
            Self::Integer(_) => "an integer",
            Self::Packed(_) => "a packed decimal",
            Self::Zoned(_) => "a zoned decimal",
        }
    }

    /// Returns its value in `bytes`, which hold it; `None` where they say no number.
    pub fn read(self, bytes: &[u8]) -> Option<i128> {
        match self {
            Self::Integer(integer) => integer.read(bytes),
            Self::Packed(_) => Packed::read(&bytes[self.range()]),
            Self::Zoned(ZonedPlace { form, .. }) => form.value(&bytes[self.range()]),
        }
    }

    /// Returns whether a value fits.
    pub fn holds(self, value: i128) -> bool {
        match self {
            Self::Integer(integer) => integer.holds(value),
            Self::Packed(packed) => packed.holds(value),
            Self::Zoned(place) => value.unsigned_abs() < 10_u128.pow(place.digits()),
        }
    }

    /// Returns what it has room for, in words.
    pub fn room(self) -> String {
        match self {
            Self::Integer(integer) => format!("{} bits", 8 * integer.width),
            Self::Packed(packed) => format!("{} digits", packed.digits()),
            Self::Zoned(place) => format!("{} digits", place.digits()),
        }
    }

    /// Puts a value that fits into `bytes`, which hold it.
    pub fn write(self, value: i128, bytes: &mut [u8]) {
        match self {
            Self::Integer(integer) => integer.write(value, bytes),
            Self::Packed(_) => Packed::write(value, &mut bytes[self.range()]),
            Self::Zoned(ZonedPlace { form, .. }) => form.write(value, &mut bytes[self.range()]),
        }
    }
}

impl ZonedPlace {
    /// Digits that it has room for.
    fn digits(self) -> u32 {
        self.form.digits(self.width) as u32
    }
}
