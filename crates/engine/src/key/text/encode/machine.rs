//! Numbers as machines have them: the bytes that `scalar` makes of them in records of fixed length.

use super::super::super::scalar::Scalar;
use super::{BufferSink, Class, Detail, KeySink, KeyType, TextType, Traits, TypeNames, Typed};

/// A machine number of 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberType {
    pub(in crate::key) class: NumberClass,
    pub(in crate::key) width_bytes: usize,
    pub(in crate::key) is_little_endian: bool,
}

/// The order of the bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberClass {
    Unsigned,
    /// Two's complement.
    Signed,
    /// IEEE 754 binary32 or binary64 in its totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf <
    /// +NaN, NaNs among themselves by payload. It is a total order, and unequal bits are unequal.
    Float,
}

/// Every number under its name, in the order they are listed to people.
pub const NUMBERS: TypeNames = &[
    ("u8", number(NumberClass::Unsigned, 1, false)),
    ("i8", number(NumberClass::Signed, 1, false)),
    ("u16le", number(NumberClass::Unsigned, 2, true)),
    ("u16be", number(NumberClass::Unsigned, 2, false)),
    ("i16le", number(NumberClass::Signed, 2, true)),
    ("i16be", number(NumberClass::Signed, 2, false)),
    ("u32le", number(NumberClass::Unsigned, 4, true)),
    ("u32be", number(NumberClass::Unsigned, 4, false)),
    ("i32le", number(NumberClass::Signed, 4, true)),
    ("i32be", number(NumberClass::Signed, 4, false)),
    ("u64le", number(NumberClass::Unsigned, 8, true)),
    ("u64be", number(NumberClass::Unsigned, 8, false)),
    ("i64le", number(NumberClass::Signed, 8, true)),
    ("i64be", number(NumberClass::Signed, 8, false)),
    ("f32le", number(NumberClass::Float, 4, true)),
    ("f32be", number(NumberClass::Float, 4, false)),
    ("f64le", number(NumberClass::Float, 8, true)),
    ("f64be", number(NumberClass::Float, 8, false)),
];

/// A number as machines have it.
#[derive(Debug)]
pub struct MachineType;

impl KeyType for MachineType {
    const NAMES: TypeNames = NUMBERS;
    const TRAITS: Traits = Traits { is_binary: true, ..Traits::of(Class::StrictBytes) };

    fn append<S: KeySink>(bytes: &[u8], of: &Typed, out: &mut S) -> Option<()> {
        of.text_type.machine_number()?.append(bytes, out);
        Some(())
    }

    fn is_value(bytes: &[u8], of: &Typed) -> bool {
        of.text_type.machine_number().is_some_and(|number| bytes.len() == number.width_bytes)
    }

    fn expected(detail: &Detail) -> String {
        let mut names = Self::NAMES.iter().filter(|(_, known)| known == detail);
        format!("a number of type {}", names.next().map_or("", |(name, _)| name))
    }

    fn append_number(text: &str, of: &Typed, out: &mut BufferSink<'_>) -> Option<bool> {
        let number = of.text_type.machine_number()?;
        let bytes = number.parse(text);
        bytes.iter().for_each(|bytes| number.append(bytes, out));
        Some(bytes.is_some())
    }
}

const fn number(class: NumberClass, width_bytes: usize, is_little_endian: bool) -> Detail {
    Detail::Number(NumberType { class, width_bytes, is_little_endian })
}

impl TextType {
    /// Returns the machine number that it is, if it is one.
    pub(crate) fn machine_number(&self) -> Option<NumberType> {
        if let Detail::Number(number) = self.detail { Some(number) } else { None }
    }

    /// Returns true for a machine number of this width: all bytes are one.
    pub(in crate::key::text) fn takes_all_of(&self, width_bytes: Option<usize>) -> bool {
        self.machine_number().is_some_and(|number| width_bytes == Some(number.width_bytes))
    }
}

impl NumberType {
    /// Returns its bytes.
    pub fn width_bytes(self) -> usize {
        self.width_bytes
    }

    /// Appends the key of a number; nothing of other than its bytes.
    #[inline]
    fn append<S: KeySink>(self, bytes: &[u8], out: &mut S) {
        if bytes.len() == self.width_bytes {
            let word = Scalar::of_number(self).word(bytes);
            out.extend(&word.to_be_bytes()[..self.width_bytes]);
        }
    }

    /// Returns the bytes of a number that is all of `text`.
    fn parse(self, text: &str) -> Option<Vec<u8>> {
        let text = text.trim();
        let mut bytes = match (self.class, self.width_bytes) {
            (NumberClass::Float, 4) => text.parse::<f32>().ok()?.to_be_bytes().to_vec(),
            (NumberClass::Float, _) => text.parse::<f64>().ok()?.to_be_bytes().to_vec(),
            (_, width) => {
                let mut bytes = vec![0; width];
                self.write(text.parse().ok().filter(|value| self.holds(*value))?, &mut bytes);
                return Some(bytes);
            }
        };
        if self.is_little_endian {
            bytes.reverse();
        }
        Some(bytes)
    }

    /// Returns the value of an integer.
    pub fn read(self, bytes: &[u8]) -> i128 {
        let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
        let value = match self.is_little_endian {
            true => bytes.iter().rev().fold(0, add),
            false => bytes.iter().fold(0, add),
        };
        let unused = 64 - 8 * self.width_bytes as u32;
        match self.class {
            NumberClass::Signed => i128::from((value << unused).cast_signed() >> unused),
            _ => i128::from(value),
        }
    }

    /// Returns the value of a floating-point number of as many bytes as it has.
    pub fn read_float(self, bytes: &[u8]) -> Option<f64> {
        let mut bytes = bytes.to_vec();
        if self.is_little_endian {
            bytes.reverse();
        }
        let single = bytes.as_slice().try_into().map(|bytes| f64::from(f32::from_be_bytes(bytes)));
        single.or_else(|_| bytes.try_into().map(f64::from_be_bytes)).ok()
    }

    /// Returns whether a value fits into an integer.
    pub fn holds(self, value: i128) -> bool {
        let bits = 8 * self.width_bytes as u32;
        match self.class {
            NumberClass::Signed => (-1_i128 << (bits - 1)..1 << (bits - 1)).contains(&value),
            _ => (0..1 << bits).contains(&value),
        }
    }

    /// Puts a value that fits into the bytes of an integer.
    pub fn write(self, value: i128, bytes: &mut [u8]) {
        let all = value.to_be_bytes();
        bytes.copy_from_slice(&all[all.len() - self.width_bytes..]);
        if self.is_little_endian {
            bytes.reverse();
        }
    }
}
