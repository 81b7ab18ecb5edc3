//! The types a key can have, and their names in a key spec.
//!
//! A new type is one row of [`TYPES`] and, where it is no number, one more encoding.

/// What the bytes of a key mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyType {
    /// Unsigned bytes, compared from the first to the last.
    Bytes,
    /// A number of fixed width.
    Number(NumberType),
}

/// A machine number of 1, 2, 4 or 8 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberType {
    pub(super) class: NumberClass,
    pub(super) width_bytes: usize,
    pub(super) is_little_endian: bool,
}

impl NumberType {
    /// The number of this name in a key spec, such as `u32le`.
    pub fn named(name: &str) -> Option<Self> {
        match KeyType::named(name)? {
            KeyType::Number(number) => Some(number),
            KeyType::Bytes => None,
        }
    }

    /// Its bytes.
    pub fn width_bytes(self) -> usize {
        self.width_bytes
    }
}

/// How the bits of a number are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberClass {
    Unsigned,
    /// Two's complement.
    Signed,
    /// IEEE 754 binary32 or binary64 in its totalOrder: -NaN < -inf < ... < -0 < +0 < ... < +inf <
    /// +NaN, NaNs among themselves by payload. It is a total order, and unequal bits are unequal.
    Float,
}

/// Every type under its name, in the order they are listed to people.
pub(super) const TYPES: [(&str, KeyType); 19] = [
    ("bytes", KeyType::Bytes),
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

const fn number(class: NumberClass, width_bytes: usize, is_little_endian: bool) -> KeyType {
    KeyType::Number(NumberType { class, width_bytes, is_little_endian })
}

impl KeyType {
    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|(_, key_type)| *key_type)
    }

    /// Its name in a key spec.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// All names, for a message.
    pub fn names() -> String {
        TYPES.map(|(name, _)| name).join(" ")
    }
}
