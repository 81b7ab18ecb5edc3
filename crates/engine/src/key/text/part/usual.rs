//! Values as nearly all are: a whole number of a few digits, or bytes that stand for themselves.
//!
//! They are values of their types, and take a fraction of the time that others do.

use super::super::content::Escapes;
use super::super::encode::{bytes, digits};
use super::super::sink::KeySink;
use super::super::text_type::Usual;
use super::{TextKeyPart, VALUE};

impl TextKeyPart {
    /// Appends the key of bytes that are a usual value; returns whether they are.
    #[inline]
    pub(super) fn append_usual<S: KeySink>(
        &self,
        text: &[u8],
        escapes: Escapes,
        out: &mut S,
    ) -> bool {
        if escapes != Escapes::None || text.is_empty() {
            return false;
        }
        match self.usual {
            Usual::Numbers(_) => digits::append_few(text, self.spec.is_descending, out),
            Usual::Bytes => {
                if self.marks.precede_values {
                    out.push(VALUE);
                }
                out.inverted_if(self.spec.is_descending, |out| {
                    bytes::append_slice(text, self.typed.is_open, out);
                });
                true
            }
            Usual::None => false,
        }
    }
}
