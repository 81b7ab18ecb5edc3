//! The questions that a plan asks of an order: how wide its entries are, and what keys may take.

use std::sync::Arc;

use super::{Collation, Separator, TextOrder, TextSpec};
use crate::key::part;
use crate::key::text::LineKey;

impl TextOrder {
    /// Returns whether a word tells little of a key, so that more of it is worth having at hand
    /// while records are sorted. Keys of languages cost more to make than that gains, and a
    /// record's own bytes are at hand anyway.
    pub fn is_wide(&self) -> bool {
        let Some(TextSpec { text_type, collation: None, .. }) = self.specs.first() else {
            return false;
        };
        let goes_on = self.specs.len() > 1 || self.options.then_whole.is_some();
        let is_made = LineKey::for_order(self).is_none() && part::resolve(self).is_none();
        let traits = text_type.traits();
        is_made && !traits.fills_word && (goes_on || !traits.is_coarse)
    }

    /// Returns whether a key may take memory in proportion to its record, as far as that can be
    /// said of all records.
    pub fn may_take_memory(&self) -> bool {
        // Some collations make keys piece by piece, of text that stands in the record as it is.
        let is_held = |order: &Arc<dyn Collation>| order.piece_bytes(b"a") > 0;
        let is_long = |spec: &TextSpec| {
            let is_written = !spec.translation.is_identity()
                || matches!(self.separator, Separator::Cells(_) | Separator::Members)
                || spec.pad.or(self.options.pad).is_some();
            match &spec.collation {
                Some(collation) => is_written || is_held(collation),
                None => spec.pad.or(self.options.pad).is_some() && !spec.is_plain(),
            }
        };
        let last = self.options.then_whole.as_ref().and_then(|last| last.collation.as_ref());
        last.is_some_and(is_held) || self.specs.iter().any(is_long)
    }
}
