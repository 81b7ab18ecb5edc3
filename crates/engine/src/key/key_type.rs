//! Numbers as machines have them, and their names in a key.

/// A machine number of 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberType {
    pub(super) class: NumberClass,
    pub(super) width_bytes: usize,
    pub(super) is_little_endian: bool,
}

/// The order of the bits of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberClass {
    Unsigned,
    /// Two's complement.
    Signed,
    /// IEEE 754 binary32 or binary64 in its totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf <
    /// +NaN, NaNs among themselves by payload. It is a total order, and unequal bits are unequal.
    Float,
}

/// Every number under its name, in the order they are listed to people.
pub(super) const NUMBERS: [(&str, NumberType); 18] = [
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

const fn number(class: NumberClass, width_bytes: usize, is_little_endian: bool) -> NumberType {
    NumberType { class, width_bytes, is_little_endian }
}

impl NumberType {
    /// Returns the number of this name in a key, such as `u32le`.
    pub fn named(name: &str) -> Option<Self> {
        NUMBERS.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
    }

    /// Returns its name in a key.
    pub fn name(self) -> &'static str {
        NUMBERS.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// Returns its bytes.
    pub fn width_bytes(self) -> usize {
        self.width_bytes
    }
}
