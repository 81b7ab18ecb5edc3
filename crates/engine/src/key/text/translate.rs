//! The bytes of a key before they are looked at: some left out, letters made upper-case.
//!
//! What a byte is, the locale says (`ByteClasses`); it is asked once, and a table of all bytes
//! answers from then on. Blanks are those that separate fields, so that dictionary order keeps
//! newlines too.

use std::array;

use super::encode::number::is_blank;
use super::order::{TextSpec, Translation};
use crate::locale::ByteClasses;

/// Translation of each byte.
#[derive(Clone, Debug)]
pub(super) struct TranslationTable {
    is_kept: [bool; 256],
    /// Replacement of each byte that is kept.
    becomes: [u8; 256],
}

impl TranslationTable {
    /// Returns the table that the bytes of `spec` go through, where bytes are what `classes` says;
    /// `None` where it changes nothing. Characters of EBCDIC are translated as what they stand for,
    /// and in a sequence of one's own a byte sorts as what its translation sorts as.
    pub fn of(spec: &TextSpec, classes: &ByteClasses) -> Option<Self> {
        let upper = spec.translation.folds_case.then_some(&classes.upper);
        match (spec.text_type.row.table)(&spec.text_type.detail, upper) {
            Some(becomes) => Some(Self { is_kept: [true; 256], becomes }),
            None => Self::new(spec.translation, classes),
        }
    }

    /// Creates the table of a translation where bytes are what `classes` says; `None` where it
    /// changes nothing.
    pub fn new(translation: Translation, classes: &ByteClasses) -> Option<Self> {
        let is_kept = |byte: u8| {
            let place = usize::from(byte);
            if translation.only_dictionary {
                classes.is_alphanumeric[place] || is_blank(byte)
            } else {
                !translation.only_printing || classes.is_printable[place]
            }
        };
        let table = Self {
            is_kept: array::from_fn(|byte| is_kept(byte as u8)),
            becomes: match translation.folds_case {
                true => classes.upper,
                false => array::from_fn(|byte| byte as u8),
            },
        };
        (!translation.is_identity()).then_some(table)
    }

    /// Returns whether a byte remains.
    #[inline]
    pub fn keeps(&self, byte: u8) -> bool {
        self.is_kept[usize::from(byte)]
    }

    /// Returns the byte that stands for a byte that remains.
    #[inline]
    pub fn of_byte(&self, byte: u8) -> u8 {
        self.becomes[usize::from(byte)]
    }

    /// Writes the bytes of `text` that are kept to the beginning of `out`, which has room for all
    /// of them. Returns their number.
    pub fn translate(&self, text: &[u8], out: &mut [u8]) -> usize {
        let out = &mut out[..text.len()];
        let mut end = 0;
        // Every byte is written, and one that is left out is written over by the next.
        for &byte in text {
            out[end] = self.becomes[usize::from(byte)];
            end += usize::from(self.is_kept[usize::from(byte)]);
        }
        end
    }
}

#[cfg(test)]
mod tests;
