//! Checks of whether keys look at folded values.
//!
//! What comes of a part of a group may have another key than the group, or than all of it together
//! has: 1 and 2 make 3, and with -2 again 1. Such records would go astray in runs, so that they are
//! folded in the end only, where a changed key is an error of the whole group.

use super::{Field, Folds};
use crate::key::text::{End, TextOrder, TextSpec};

impl Folds {
    /// Returns whether the key of records ordered by `order` may depend on a value that is folded.
    pub fn may_change_key(&self, order: &TextOrder) -> bool {
        self.0.iter().any(|fold| {
            let looks = |spec: &TextSpec| looks_at(spec, fold.field);
            order.specs.is_empty()
                || order.options.then_whole.is_some()
                || order.specs.iter().any(looks)
        })
    }
}

/// Returns whether a key of records with fields, or of bytes, looks at a field; rather yes than no.
fn looks_at(spec: &TextSpec, field: Field) -> bool {
    if let (Some(line), Field::Number { column, .. } | Field::Text { column }) = (spec.line, field)
    {
        return line == column;
    }
    match (field, spec.end) {
        (Field::Range { .. }, End::Record) => overlaps(spec.start.byte, None, field),
        (Field::Range { .. }, End::At(end)) => overlaps(spec.start.byte, Some(end.byte), field),
        (
            Field::Number { column, .. } | Field::Text { column },
            End::Field(last) | End::Within(_, last),
        ) => (spec.start.field..=last).contains(&column),
        _ => true,
    }
}

fn overlaps(start: usize, end: Option<usize>, field: Field) -> bool {
    let Some(range) = field.range() else { return true };
    start < range.end && end.is_none_or(|end| range.start < end)
}
