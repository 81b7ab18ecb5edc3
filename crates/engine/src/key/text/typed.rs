//! Text as a value of its type: whether it is one, and its bytes of the key.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::OrderOptions;
use super::content::Content;
use super::encode::bytes;
use super::encode::number::{self, Number};
use super::order::{Collation, TextOrder, TextSpec};
use super::sink::KeySink;
use super::text_type::{Class, TextType, Usual};

/// A type, and all that its values depend on.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub text_type: TextType,
    pub collation: Option<Arc<dyn Collation>>,
    /// True if nothing need end the key of a value.
    pub is_open: bool,
    /// True if nothing but values is taken.
    pub is_checked: bool,
    pub options: OrderOptions,
    /// True if small letters stand for capitals.
    pub folds_case: bool,
}

/// Longest text that is read as a day or time in a user-defined form.
const DATE_BYTES_MAX: usize = 64 << 10;

impl Typed {
    /// Creates the type of `spec` within `order`.
    pub fn new(spec: &TextSpec, order: &TextOrder, is_open: bool, is_checked: bool) -> Self {
        Self {
            text_type: spec.text_type.clone(),
            collation: spec.collation.clone(),
            is_open,
            is_checked,
            options: order.options.clone(),
            folds_case: spec.translation.folds_case,
        }
    }

    /// Appends the bytes of a value. Of checked text that is no value, anything.
    #[inline]
    pub fn append<'a, S: KeySink>(&self, text: impl Into<Content<'a>>, out: &mut S) {
        let text = text.into();
        match (self.text_type.traits().usual, text.as_slice(), &self.collation) {
            (Usual::Numbers(grammar), Some(text), _) => {
                Number::read(text, self.options.numbers, grammar).append(0, out);
            }
            (Usual::Bytes, _, None) => bytes::append(text, self.is_open, out),
            _ => out.append_value(text, self),
        }
    }

    /// Shows the text of a type whose values are short to `body`, or as much of it as tells what
    /// value it is.
    #[inline]
    pub fn with_slice<T>(&self, text: Content<'_>, body: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(text) = text.as_slice() {
            return body(text);
        }
        match self.text_type.list() {
            Some(values) => text.with_value(values.longest_bytes(), body),
            None if self.options.date_format.is_some() && self.text_type.is_day() => {
                text.with_value(DATE_BYTES_MAX, body)
            }
            None => text.up_to_quote().with_slice(usize::MAX, body),
        }
    }

    /// Returns the number of bytes of memory that making the key of a long text takes in proportion
    /// to it.
    pub fn scratch_bytes(&self, text: &Content<'_>) -> usize {
        match (self.text_type.traits().class, &self.collation) {
            (Class::Text, None) => 0,
            (Class::Text, Some(collation)) => bytes::collated_scratch(&**collation, text),
            _ if self.text_type.list().is_some() => 0,
            _ => text.up_to_quote().written_bytes(),
        }
    }

    /// Returns the order of two values that agree in their first `agreed` bytes, if it can be found
    /// without making keys. Numbers are compared digit by digit. A collation skips the bytes in
    /// which its texts agree. If names differ within a number, the longer number is the larger.
    pub fn order_of(&self, texts: &[Content<'_>; 2], agreed: usize) -> Option<Ordering> {
        let [a, b] = texts.each_ref().map(Content::as_slice);
        (self.text_type.row.order_of)([a?, b?], agreed, self)
    }

    /// Returns the byte from which two texts that agree in their first `agreed` bytes have to be
    /// compared. The keys of the rest are in the order of the whole keys. Returns 0 if the whole
    /// texts have to be compared.
    pub fn restart(&self, texts: &[Content<'_>; 2], agreed: usize) -> usize {
        (self.text_type.row.restart)(texts, agreed, self)
    }

    /// Returns whether all of `text` is a value.
    #[inline]
    pub fn is_valid<'a>(&self, text: impl Into<Content<'a>>) -> bool {
        let text = text.into();
        match (self.text_type.traits(), text.as_slice()) {
            (traits, _) if traits.class == Class::Text => true,
            (traits, Some(text)) if traits.is_number() => {
                number::is_value(text, traits.is_whole(), self.options.numbers)
            }
            _ => (self.text_type.row.is_value)(text, self),
        }
    }
}

#[cfg(test)]
mod tests;
