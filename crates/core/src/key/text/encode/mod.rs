//! The encoders: one file per family of types, from text to bytes that compare with memcmp.
//!
//! Three things hold for every one of them. Texts that are equal as their type give equal bytes. No
//! text's bytes are the beginning of another's that is not equal to it (so that keys can follow one
//! another, and so that complementing them reverses the order), except where the caller says that
//! the key is *open*: the last, and ascending. And a sink that wants no more may be left short.

pub mod bytes;
pub mod digits;
pub mod extended;
pub mod float;
pub mod general;
pub mod month;
pub mod natural;
pub mod number;
pub mod random;
pub mod size;
pub mod version;

#[cfg(test)]
mod tests;
