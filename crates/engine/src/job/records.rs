//! Records as the format and the keys of a job define them: their bounds, their form, their order
//! and their equality.

use std::borrow::Cow;

use super::Budget;
use crate::error::{ConfigErrorKind, Result, config};
use crate::format::{Format, Framing, Ragged};
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, ListMemory, OrderOptions};
use crate::pipeline::{Columns, Gate, RowShape, Shape};

/// Returns how records of this format are cut from bytes.
///
/// # Errors
///
/// [`Error::Config`](crate::Error::Config) for a record length of 0.
pub fn framing(format: Format) -> Result<Framing> {
    match format.framing() {
        Framing::Fixed(0) => {
            Err(config!(ConfigErrorKind::InvalidValue, "the record length is 0; give 1 or more",))
        }
        framing => Ok(framing),
    }
}

/// Returns the gate for records of this format, given the columns of its first row.
pub fn gate(format: Format, columns: Option<&Columns>) -> Gate {
    let csv = match format {
        Format::Csv(csv) => csv,
        Format::JsonLines => return Gate { shape: Shape::Json, ..Gate::default() },
        _ => return Gate::default(),
    };
    // A first row without anything in it does not say how many cells others have.
    let tells = |columns: &&Columns| csv.ragged != Ragged::Keep && columns.cells != [b""];
    let cells = columns.filter(tells).map(|columns| columns.cells.len());
    let shape = RowShape {
        dialect: csv.dialect,
        cells,
        is_of_header: csv.has_header,
        is_of_union: csv.union_by_name,
        drops_ragged: csv.ragged == Ragged::Drop,
    };
    Gate { shape: Shape::Row(shape), ..Gate::default() }
}

/// Returns the order of records of this format by `keys`, most significant first.
///
/// # Errors
///
/// The errors of [`OrderOptions::bind`].
pub fn bound(
    format: Format,
    keys: &[Key],
    options: &OrderOptions,
    memory: Budget,
) -> Result<TextOrder> {
    // Asking for memory reads several files of the system, which is most of a short sort.
    let memory = match keys.iter().any(Key::has_list) {
        true => ListMemory { budget: memory.resolve()?, taken: 0 },
        false => ListMemory::UNBOUNDED,
    };
    options.bind(keys, format, memory)
}

/// Returns the key of records in this order, given the columns of the first row.
///
/// # Errors
///
/// [`Error::Config`] for an order that contradicts itself, or that names a missing column.
pub fn key(order: &TextOrder, columns: Option<&Columns>) -> Result<CompiledKey> {
    match columns {
        Some(columns) => CompiledKey::new(&columns.resolved(order)?),
        None => CompiledKey::new(order),
    }
}

/// Returns the order of records whose first `count` keys make them equal, if some do: equal
/// records stay together, for any values of their further keys.
pub fn grouped(order: &TextOrder, count: Option<usize>) -> Cow<'_, TextOrder> {
    match count {
        None => Cow::Borrowed(order),
        Some(placing_keys) => Cow::Owned(TextOrder { placing_keys, ..order.clone() }),
    }
}

/// Returns the key that makes records equal: the first `count` keys of the order. `None` if all
/// keys do.
///
/// # Errors
///
/// [`Error::Config`](crate::Error::Config) for a number of keys that the order does not have.
pub fn group_key(
    order: &TextOrder,
    columns: Option<&Columns>,
    count: Option<usize>,
) -> Result<Option<CompiledKey>> {
    let Some(count) = count else { return Ok(None) };
    let all = order.specs.len();
    if !(1..=all).contains(&count) {
        return Err(config!(
            ConfigErrorKind::InvalidValue,
            "records cannot be unique by {} of {} keys; give a number from 1 to the number of \
             keys",
            count,
            all,
        ));
    }
    let specs = order.specs[..count].to_vec();
    let first = TextOrder { specs, ..order.clone() }.with(|options| options.then_whole = None);
    key(&first, columns).map(Some)
}
