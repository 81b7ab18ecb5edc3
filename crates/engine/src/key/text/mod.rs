//! Keys of text records: what a line is ordered by, and its key as bytes that compare with memcmp.
//!
//! [`TextOrder`] says how lines divide into fields and which of them matter, as what. It becomes a
//! key of one of two shapes: [`LineKey`], whose bytes lie in the record, or [`TextKey`], which
//! finds, translates and encodes part after part:
//!
//! ```text
//!     record    Smith:  -12.50 kg\n          specs 2:decimal, 1:desc; then the whole record
//!                  |       '-------------.
//!                  '----------.          |
//!     key       7d e7 9b   !S !m !i !t !h ff   S m i t h : ...
//!               |-12.5 |   |   descending   |  |   open end
//! ```
//!
//! Keys of text are *open*: as long as they turn out, and made anew each time they are asked for,
//! no further than the word that is wanted. Every part but an ascending last one ends itself, so
//! that no part runs into the next (`encode`).

mod collate;
mod columns;
mod content;
mod date_format;
mod difference;
mod encode;
mod fault;
mod field;
mod key;
mod leading;
mod line;
mod order;
mod part;
mod sink;
mod text_type;
mod translate;
mod turns;
mod typed;
mod typed_key;
mod watch;

pub use collate::collation;
pub(crate) use columns::find as column_number;
pub use date_format::DateFormat;
pub(super) use encode::TYPES;
pub(crate) use encode::fixed::FixedNumber;
pub(super) use encode::list::VALUES_MAX;
pub use encode::list::ValueList;
pub(super) use encode::machine::NumberClass;
pub use encode::machine::NumberType;
#[cfg(test)]
pub(super) use encode::machine_numbers;
pub(crate) use encode::number::trimmed;
pub use encode::written::NumberStyle;
pub use encode::zoned::Zoned;
pub use key::TextKey;
pub use line::LineKey;
pub use order::{
    Body, Collation, End, Invalid, InvalidPlace, LastResort, Months, NumberFormat, Position,
    Separator, TextOrder, TextSpec, Translation,
};
pub use part::ValueKey;
pub(super) use text_type::Traits;
pub use text_type::{ByteMeaning, KeyTypeRow, TextType};
pub(crate) use turns::LONG_BYTES;
pub use typed_key::{TypedKey, TypedValue, ValueType};
