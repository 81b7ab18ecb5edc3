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

#[cfg(test)]
mod tests;
