//! The order of cells by a type of keys: of dates, versions, addresses and the like.
//!
//! Values compare as a key of that type orders them, and only what is a value of it takes part.

use std::cmp::Ordering;

use crate::key::text::{Body, Separator, TextKeySpec, TextOrder, ValueKey};

/// The order of values of one type.
#[derive(Clone, Debug)]
pub struct CellOrder {
    type_name: String,
    key: ValueKey,
}

impl CellOrder {
    /// Returns the order of values of a type in records of `order`; `None` for bytes, which compare
    /// as they are.
    ///
    /// # Errors
    ///
    /// A description of what is wrong with the name.
    pub fn named(type_name: &str, order: Option<&TextOrder>) -> Result<Option<Self>, String> {
        if matches!(type_name, "text" | "bytes") {
            return Ok(None);
        }
        let spec = format!("..:{type_name}").parse::<TextKeySpec>()?.spec(None);
        let spec = spec.map_err(|error| error.to_string())?;
        let (separator, body) = (Separator::Blanks, Body::Whole);
        let bare = TextOrder::by_bytes(b'\n');
        let order = TextOrder { separator, body, ..order.unwrap_or(&bare).clone() };
        let key = ValueKey::new(&spec, &order);
        Ok(Some(Self { type_name: type_name.to_owned(), key }))
    }

    /// Makes sure that what a cell of the column called `column` says is of the type.
    ///
    /// # Errors
    ///
    /// A description of the invalid value.
    pub fn check(&self, text: &[u8], column: &str) -> Result<(), String> {
        if self.key.is_of_type(text) {
            return Ok(());
        }
        let text = String::from_utf8_lossy(text);
        let type_name = &self.type_name;
        Err(format!("'{}' in column {column} is not of type {type_name}", text.escape_debug()))
    }

    /// Compares two values of the type.
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        self.key.compare(a, (&self.key, b))
    }
}
