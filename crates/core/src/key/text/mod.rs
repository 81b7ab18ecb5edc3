//! Keys of text records: what a line is ordered by, and its key as bytes that compare with memcmp.
//!
//! [`TextOrder`] says how lines divide into fields and which of them matter, as what.
mod order;

pub use order::{
    Collation, End, LastResort, Months, NumberFormat, Position, Separator, TextOrder, TextSpec,
    TextType, Translation,
};
