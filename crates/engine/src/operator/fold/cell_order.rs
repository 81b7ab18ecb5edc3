//! The order of values by a type of keys: of dates, versions, addresses, text in a language and the
//! like.
//!
//! Values compare as a key of that type orders them, and only what is a value of it takes part.

use std::cmp::Ordering;

use crate::key::text::{Body, Separator, TextOrder, TextSpec, ValueKey};

/// The order of values of one type.
#[derive(Clone, Debug)]
pub struct CellOrder {
    /// The type, as it was written.
    words: String,
    key: ValueKey,
}

impl CellOrder {
    /// Returns the order of values as `spec`, a key of all of a text, has it in records of `order`;
    /// `None` for bytes, which compare as they are.
    pub fn new(words: &str, spec: &TextSpec, order: Option<&TextOrder>) -> Option<Self> {
        let (separator, body) = (Separator::Blanks, Body::Whole);
        let bare = TextOrder::by_bytes(b'\n');
        let order = TextOrder { separator, body, ..order.unwrap_or(&bare).clone() };
        let order = order.with(|options| options.pad = None);
        let key = ValueKey::new(spec, &order);
        let is_plain = key.is_plain() && !spec.trims;
        (!is_plain).then(|| Self { words: words.to_owned(), key })
    }

    /// Returns whether a value is present: blanks are no value of a type with a notation.
    pub fn is_there(&self, text: &[u8]) -> bool {
        self.key.with_value(text, |value| !self.key.is_blank(value))
    }

    /// Returns whether text is a value of the type.
    pub fn holds(&self, text: &[u8]) -> bool {
        self.key.with_value(text, |value| self.key.is_of_type(value))
    }

    /// Returns the type, as it was written.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Compares two values of the type.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let key = &self.key;
        key.with_value(a, |a| key.with_value(b, |b| key.compare(a, key, b)))
    }

    /// Returns the number of bytes of memory that comparing a value with another as long takes.
    pub fn scratch_bytes(&self, text: &[u8]) -> usize {
        2 * self.key.scratch_bytes(text)
    }

    /// Returns the number of bytes of memory that its list of values takes.
    pub fn list_bytes(&self) -> usize {
        self.key.list_bytes()
    }
}
