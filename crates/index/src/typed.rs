//! Values of records by their types, as the columns of a table.
//!
//! The values of one record, one after the other: a byte for the kind, then the value.
//!
//! ```text
//!   0              no value
//!   1 | 8 bytes    a whole number, little-endian
//!   2 | 8 bytes    a floating-point number, little-endian
//!   3 | length | bytes     text, or bytes that are none
//! ```

use std::ops::Range;

use sortwell_engine::Result;
use sortwell_engine::format::Format;
use sortwell_engine::key::text::{
    Body, End, Position, Separator, TextOrder, TextSpec, TypedKey, TypedValue, ValueType,
};
use sortwell_engine::pipeline::Columns;

use crate::entry::{read_number, write_number};
use crate::include::{BoundPart, Include, Included, bytes_of};

/// Bytes of a kind and a number, at most.
const NUMBER_MAX: u64 = 11;

/// The parts of records that entries hold after key and place.
#[derive(Clone, Debug)]
pub enum EntryParts {
    /// Parts as they stand in the record.
    Included(Included),
    /// Values by their types.
    Typed(Vec<TypedColumn>),
}

/// A column of a table: its name, and its value in each record.
#[derive(Clone, Debug)]
pub struct TypedColumn {
    /// The name.
    pub name: String,
    /// The type of most values.
    pub value_type: ValueType,
    /// True if letters of either case are alike.
    pub folds_case: bool,
    /// The direction, if it is a column of a key: true if the largest value comes first.
    pub is_descending: Option<bool>,
    source: ColumnSource,
}

/// The place of a value in a record.
#[derive(Clone, Debug)]
enum ColumnSource {
    Key(Box<TypedKey>),
    Bytes(Body, Range<usize>),
}

impl EntryParts {
    /// Returns the columns of values; none of parts as they stand in the record.
    pub fn columns(&self) -> &[TypedColumn] {
        match self {
            Self::Included(_) => &[],
            Self::Typed(columns) => columns,
        }
    }

    /// Returns the number of parts.
    pub fn count(&self) -> usize {
        match self {
            Self::Included(included) => included.count(),
            Self::Typed(columns) => columns.len(),
        }
    }

    /// Returns the bytes of the parts of a record, or a few more.
    pub fn bytes_of(&self, record: &[u8]) -> u64 {
        match self {
            Self::Included(included) => {
                included.parts_of(record).map(|part| NUMBER_MAX + part.len() as u64).sum()
            }
            Self::Typed(columns) => columns.iter().map(|column| column.bytes_of(record)).sum(),
        }
    }

    /// Appends the parts of a record. Returns false if `out` would then have more than `most`
    /// bytes.
    pub fn append(&self, record: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Included(included) => included.append(record, most, out),
            Self::Typed(columns) => columns.iter().all(|column| column.append(record, most, out)),
        }
    }
}

impl TypedColumn {
    /// Returns the columns of the keys of an order, and of included parts of the records.
    ///
    /// # Errors
    ///
    /// Those of [`BoundPart::new`], and [`Error::Config`](sortwell_engine::Error::Config) for a key
    /// of a column that there is not.
    pub fn all(
        order: &TextOrder,
        include: &[Include],
        format: Format,
        columns: Option<&Columns>,
    ) -> Result<Vec<Self>> {
        let order = match columns {
            Some(columns) => columns.resolved(order)?,
            None => order.clone(),
        };
        let keys = (1..).zip(&order.specs).map(|(number, spec)| {
            let name = name_of(spec, &order).unwrap_or_else(|| format!("key{number}"));
            let is_descending = Some(spec.is_descending);
            Ok(Self { is_descending, ..Self::of(spec, &order, name) })
        });
        let included = include.iter().map(|part| match BoundPart::new(part, format, columns)? {
            BoundPart::Cell(number) => {
                let start = Position { field: number, ..Position::default() };
                let spec = TextSpec { start, end: End::Field(number), ..TextSpec::default() };
                let named = columns.filter(|columns| columns.are_named);
                let name = named.and_then(|columns| columns.cells.get(number));
                let name = name.map(|name| String::from_utf8_lossy(name).into_owned());
                Ok(Self::of(&spec, &order, name.unwrap_or_else(|| format!("column{}", number + 1))))
            }
            BoundPart::Bytes(range) => Ok(Self {
                name: format!("bytes{}_{}", range.start, range.end),
                value_type: ValueType::Text,
                folds_case: false,
                is_descending: None,
                source: ColumnSource::Bytes(Body::of(format), range),
            }),
        });
        keys.chain(included).collect()
    }

    fn of(spec: &TextSpec, order: &TextOrder, name: String) -> Self {
        let key = Box::new(TypedKey::new(spec, order));
        Self {
            name,
            value_type: key.value_type(),
            folds_case: spec.translation.folds_case,
            is_descending: None,
            source: ColumnSource::Key(key),
        }
    }

    /// Returns the bytes of the value of a record, or a few more.
    fn bytes_of(&self, record: &[u8]) -> u64 {
        let text = match &self.source {
            ColumnSource::Key(key) => key.with_value(record, |value| match value {
                TypedValue::Text(text) => text.len(),
                _ => 0,
            }),
            ColumnSource::Bytes(body, range) => bytes_of(*body, record, range).len(),
        };
        NUMBER_MAX + text as u64
    }

    /// Appends the value of a record. Returns false if `out` would then have more than `most`
    /// bytes.
    fn append(&self, record: &[u8], most: usize, out: &mut Vec<u8>) -> bool {
        match &self.source {
            ColumnSource::Key(key) => key.with_value(record, |value| write(value, most, out)),
            ColumnSource::Bytes(body, range) => match bytes_of(*body, record, range) {
                b"" => write(TypedValue::Missing, most, out),
                bytes => write(TypedValue::Text(bytes), most, out),
            },
        }
    }
}

/// Returns the name of the column or the member that is the key, if one is.
fn name_of(spec: &TextSpec, order: &TextOrder) -> Option<String> {
    let is_whole = spec.start.byte == 0 && spec.end == End::Field(spec.start.field);
    let is_named = order.separator == Separator::Members || is_whole;
    spec.name.clone().filter(|_| is_named)
}

/// Appends a value. Returns false if `out` would then have more than `most` bytes.
fn write(value: TypedValue<'_>, most: usize, out: &mut Vec<u8>) -> bool {
    match value {
        TypedValue::Missing => out.push(0),
        TypedValue::Whole(number) => {
            out.push(1);
            out.extend_from_slice(&number.to_le_bytes());
        }
        TypedValue::Real(number) => {
            out.push(2);
            out.extend_from_slice(&number.to_le_bytes());
        }
        TypedValue::Text(text) if out.len().saturating_add(text.len()) > most => return false,
        TypedValue::Text(text) => {
            out.push(3);
            write_number(out, text.len() as u64);
            out.extend_from_slice(text);
        }
    }
    true
}

/// Reads a value, and passes it; `None` if there is none.
pub fn read<'a>(bytes: &mut &'a [u8]) -> Option<TypedValue<'a>> {
    let (kind, rest) = bytes.split_first()?;
    *bytes = rest;
    match kind {
        0 => Some(TypedValue::Missing),
        1 | 2 => {
            let (number, rest) = bytes.split_first_chunk()?;
            *bytes = rest;
            Some(match kind {
                1 => TypedValue::Whole(i64::from_le_bytes(*number)),
                _ => TypedValue::Real(f64::from_le_bytes(*number)),
            })
        }
        3 => {
            let length = usize::try_from(read_number(bytes)?).ok()?;
            let (text, rest) = bytes.split_at_checked(length)?;
            *bytes = rest;
            Some(TypedValue::Text(text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
