//! The encoders: one file per family of types, from text to bytes that compare with memcmp.
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
pub mod float;
pub mod general;
pub mod ip;
pub mod list;
pub mod machine;
pub mod month;
pub mod natural;
pub mod number;
pub mod packed;
pub mod random;
pub mod semver;
pub mod size;
pub mod time;
pub mod timestamp;
pub mod uuid;
pub mod version;
pub mod written;
pub mod zoned;

use super::notation::row;
use super::text_type::{CodePage, TextType, Zoned};

const fn zoned(is_leading: bool, is_separate: bool, is_ebcdic: bool) -> TextType {
    TextType::Zoned(Zoned { is_leading, is_separate, is_ebcdic })
}

/// Every type under its name in a key, in the order they are listed to people. A type that reads a
/// value as a whole is one row here, and a file that implements [`Notation`](super::notation).
pub static TYPES: [(&str, TextType); 32] = [
    ("bytes", TextType::Bytes),
    ("text", TextType::Bytes),
    ("int", TextType::Int),
    ("decimal", TextType::Decimal),
    ("float", TextType::Float),
    ("size", TextType::Size),
    ("month", TextType::Month),
    ("version", TextType::Version),
    row::<semver::Semver>(),
    ("natural", TextType::Natural),
    ("random", TextType::Random),
    row::<date::Date>(),
    row::<time::Time>(),
    row::<timestamp::Timestamp>(),
    row::<ip::Ip>(),
    row::<uuid::Uuid>(),
    row::<boolean::Bool>(),
    ("packed", TextType::Packed),
    ("zoned", zoned(false, false, false)),
    ("zoned-leading", zoned(true, false, false)),
    ("zoned-separate", zoned(false, true, false)),
    ("zoned-leading-separate", zoned(true, true, false)),
    ("zoned=ebcdic", zoned(false, false, true)),
    ("zoned-leading=ebcdic", zoned(true, false, true)),
    ("zoned-separate=ebcdic", zoned(false, true, true)),
    ("zoned-leading-separate=ebcdic", zoned(true, true, true)),
    ("zoned=ascii", zoned(false, false, false)),
    ("ebcdic", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=037", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=37", TextType::Ebcdic(CodePage::Cp037)),
    ("ebcdic=500", TextType::Ebcdic(CodePage::Cp500)),
    ("ebcdic=1047", TextType::Ebcdic(CodePage::Cp1047)),
];

#[cfg(test)]
mod tests;
