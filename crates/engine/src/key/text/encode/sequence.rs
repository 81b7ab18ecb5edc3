//! Text in a collating sequence of the user's own.

use std::array;
use std::sync::Arc;

use super::{ByteMeaning, Class, Detail, KeyType, KeyTypeRow, TextType, Traits, TypeNames};

/// Text in a user-defined collating sequence: the byte `b` sorts as `sequence[b]`.
#[derive(Debug)]
pub struct SequenceType;

impl KeyType for SequenceType {
    const NAMES: TypeNames = &[("sequence=FILE", Detail::None)];
    const TRAITS: Traits = Traits { alphabet: Some(ByteMeaning::Ranks), ..Traits::of(Class::Text) };

    /// Returns the rank of each byte, or of its capital.
    fn table(detail: &Detail, upper: Option<&[u8; 256]>) -> Option<[u8; 256]> {
        let Detail::Ranks(ranks) = detail else { return None };
        let place = |byte: usize| upper.map_or(byte, |upper| usize::from(upper[byte]));
        Some(array::from_fn(|byte| ranks[place(byte)]))
    }
}

impl From<[u8; 256]> for TextType {
    fn from(ranks: [u8; 256]) -> Self {
        Self { row: KeyTypeRow::row::<SequenceType>(), detail: Detail::Ranks(Arc::new(ranks)) }
    }
}
