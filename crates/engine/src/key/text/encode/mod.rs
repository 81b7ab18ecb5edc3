//! The encoders: one file per type or family of types, from text to bytes that compare with memcmp.
//!
//! Three things hold for every one of them. Texts that are equal as their type give equal bytes. No
//! text's bytes are the beginning of another's that is not equal to it (so that keys can follow one
//! another, and so that complementing them reverses the order), except where the caller says that
//! the key is *open*: the last, and ascending. And a sink that wants no more may be left short.

pub mod boolean;
pub mod bytes;
pub mod date;
pub mod digits;
pub mod ebcdic;
pub mod extended;
pub mod fixed;
pub mod float;
pub mod general;
pub mod human;
pub mod ip;
pub mod list;
pub mod machine;
pub mod month;
pub mod natural;
pub mod number;
pub mod packed;
pub mod random;
pub mod semver;
pub mod sequence;
pub mod size;
pub mod time;
pub mod timestamp;
pub mod uuid;
pub mod version;
pub mod written;
pub mod zoned;

// What every encoder builds on, as its file names it.
use super::content::Content;
use super::sink::{BufferSink, KeySink};
use super::text_type::{
    ByteMeaning, Class, Day, Detail, KeyType, KeyTypeRow, TextType, Traits, TypeNames, Usual,
};
use super::typed::Typed;

/// Every type, in the order they are listed to people. A type is one row here, and a file that
/// implements [`KeyType`](super::text_type::KeyType).
pub static TYPES: [&KeyTypeRow; 22] = [
    KeyTypeRow::row::<bytes::BytesType>(),
    KeyTypeRow::row::<number::IntType>(),
    KeyTypeRow::row::<number::DecimalType>(),
    KeyTypeRow::row::<float::FloatType>(),
    KeyTypeRow::row::<size::SizeType>(),
    KeyTypeRow::row::<month::MonthType>(),
    KeyTypeRow::row::<version::VersionType>(),
    KeyTypeRow::row::<semver::Semver>(),
    KeyTypeRow::row::<natural::NaturalType>(),
    KeyTypeRow::row::<random::RandomType>(),
    KeyTypeRow::row::<date::Date>(),
    KeyTypeRow::row::<time::Time>(),
    KeyTypeRow::row::<timestamp::Timestamp>(),
    KeyTypeRow::row::<ip::Ip>(),
    KeyTypeRow::row::<uuid::Uuid>(),
    KeyTypeRow::row::<boolean::Bool>(),
    KeyTypeRow::row::<packed::PackedType>(),
    KeyTypeRow::row::<zoned::ZonedType>(),
    KeyTypeRow::row::<ebcdic::EbcdicType>(),
    KeyTypeRow::row::<machine::MachineType>(),
    KeyTypeRow::row::<list::ListType>(),
    KeyTypeRow::row::<sequence::SequenceType>(),
];

/// The types that code names. Those of GNU sort have no name in a key.
impl TextType {
    /// Bytes, or text where there is a collation.
    pub const BYTES: Self = KeyTypeRow::row::<bytes::BytesType>().only();
    /// A whole number.
    pub const INT: Self = KeyTypeRow::row::<number::IntType>().only();
    /// A number with or without a fraction.
    pub const DECIMAL: Self = KeyTypeRow::row::<number::DecimalType>().only();
    /// A number with or without a fraction, but without a plus sign (`-n`).
    pub const NUMERIC: Self = KeyTypeRow::row::<number::NumericType>().only();
    /// A floating-point number as C has it (`-g`).
    pub const GENERAL: Self = KeyTypeRow::row::<general::GeneralType>().only();
    /// A floating-point number.
    pub const FLOAT: Self = KeyTypeRow::row::<float::FloatType>().only();
    /// A size by value.
    pub const SIZE: Self = KeyTypeRow::row::<size::SizeType>().only();
    /// A number with a suffix, by order of magnitude (`-h`).
    pub const HUMAN: Self = KeyTypeRow::row::<human::HumanType>().only();
    /// The name of a month (`-M`).
    pub const MONTH: Self = KeyTypeRow::row::<month::MonthType>().only();
    /// A packed decimal of mainframes.
    pub const PACKED: Self = KeyTypeRow::row::<packed::PackedType>().only();
    /// A file name with a version in it (`-V`).
    pub const VERSION: Self = KeyTypeRow::row::<version::VersionType>().only();
    /// A shuffle (`-R`).
    pub const RANDOM: Self = KeyTypeRow::row::<random::RandomType>().only();
}

/// Returns the machine numbers with their names.
#[cfg(test)]
pub fn machine_numbers() -> impl Iterator<Item = (&'static str, TextType)> {
    machine::NUMBERS.iter().map(|(name, _)| TextType::named(name).expect("a row"))
}

impl Default for TextType {
    fn default() -> Self {
        Self::BYTES
    }
}

#[cfg(test)]
mod tests;
