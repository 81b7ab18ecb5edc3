//! Pieces of batches that are converted at once, and the bytes that they take.
//!
//! A piece has about the bytes of its rows, whatever else their columns share or hold: a value of
//! many rows counts once for each row, and values of other rows do not count. The row format of
//! Arrow would also convert other rows of dense unions and list views. So a piece of them is a
//! copy.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{
    Array, ArrayRef, GenericListViewArray, OffsetSizeTrait, RunArray, UnionArray, make_array,
};
use arrow_buffer::ArrowNativeType;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, UnionMode};

/// Bytes of an element of a list beside its value: the row format has a row for each, and pads it.
const ELEMENT_BYTES: usize = 24;

/// Returns rows of a column.
///
/// # Errors
///
/// An error of Arrow for values that are too long together.
pub fn piece(column: &ArrayRef, rows: Range<usize>) -> Result<ArrayRef, ArrowError> {
    if !has_scattered_values(column.data_type()) {
        return Ok(column.slice(rows.start, rows.len()));
    }
    let data = column.to_data();
    let mut copied = MutableArrayData::new(vec![&data], false, rows.len());
    copied.try_extend(0, rows.start, rows.end)?;
    Ok(make_array(copied.freeze()))
}

/// Returns true if the values of following rows may lie far from each other.
fn has_scattered_values(data_type: &DataType) -> bool {
    match data_type {
        DataType::ListView(_) | DataType::LargeListView(_) => true,
        DataType::Union(_, UnionMode::Dense) => true,
        DataType::Union(fields, UnionMode::Sparse) => {
            fields.iter().any(|(_, field)| has_scattered_values(field.data_type()))
        }
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _)
        | DataType::RunEndEncoded(_, field) => has_scattered_values(field.data_type()),
        DataType::Struct(fields) => {
            fields.iter().any(|field| has_scattered_values(field.data_type()))
        }
        _ => false,
    }
}

/// Returns about the bytes of the values of some rows.
pub fn bytes_of(column: &dyn Array, rows: Range<usize>) -> usize {
    if let Some((values, elements)) = elements_of(column, rows.clone()) {
        return bytes_of_elements(values, elements);
    }
    match column.data_type() {
        DataType::Utf8 => bytes_of_texts(column.as_string::<i32>().value_offsets(), rows),
        DataType::LargeUtf8 => bytes_of_texts(column.as_string::<i64>().value_offsets(), rows),
        DataType::Binary => bytes_of_texts(column.as_binary::<i32>().value_offsets(), rows),
        DataType::LargeBinary => bytes_of_texts(column.as_binary::<i64>().value_offsets(), rows),
        DataType::Utf8View => bytes_of_views(&column.as_string_view().views()[rows]),
        DataType::BinaryView => bytes_of_views(&column.as_binary_view().views()[rows]),
        DataType::FixedSizeBinary(width) => rows.len() * width.as_usize(),
        DataType::ListView(_) => bytes_of_list_views(column.as_list_view::<i32>(), rows),
        DataType::LargeListView(_) => bytes_of_list_views(column.as_list_view::<i64>(), rows),
        DataType::Struct(_) => {
            let columns = column.as_struct().columns().iter();
            columns.map(|column| bytes_of(column, rows.clone())).sum()
        }
        DataType::Union(_, mode) => bytes_of_union(column.as_union(), *mode, rows),
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => bytes_of_runs(column.as_run::<Int16Type>(), rows),
            DataType::Int32 => bytes_of_runs(column.as_run::<Int32Type>(), rows),
            _ => bytes_of_runs(column.as_run::<Int64Type>(), rows),
        },
        DataType::Dictionary(..) => bytes_of_dictionary(column, rows),
        other => rows.len() * other.primitive_width().unwrap_or(1),
    }
}

/// Returns the array inside of lists whose elements follow each other, and those that some rows
/// have; `None` for another column.
pub fn elements_of(column: &dyn Array, rows: Range<usize>) -> Option<(&dyn Array, Range<usize>)> {
    Some(match column.data_type() {
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            (lists.values(), range_of(lists.value_offsets(), rows))
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            (lists.values(), range_of(lists.value_offsets(), rows))
        }
        DataType::Map(..) => {
            let maps = column.as_map();
            (maps.entries(), range_of(maps.value_offsets(), rows))
        }
        DataType::FixedSizeList(_, length) => {
            let length = length.as_usize();
            let elements = rows.start * length..rows.end * length;
            (column.as_fixed_size_list().values(), elements)
        }
        _ => return None,
    })
}

/// Returns the values that some rows have.
pub fn range_of<O: OffsetSizeTrait>(offsets: &[O], rows: Range<usize>) -> Range<usize> {
    offsets[rows.start].as_usize()..offsets[rows.end].as_usize()
}

fn bytes_of_texts<O: OffsetSizeTrait>(offsets: &[O], rows: Range<usize>) -> usize {
    range_of(offsets, rows).len()
}

/// Returns the bytes of texts, whose length is in the lowest bits of a view.
fn bytes_of_views(views: &[u128]) -> usize {
    views.iter().map(|view| *view as u32 as usize).sum()
}

fn bytes_of_elements(values: &dyn Array, elements: Range<usize>) -> usize {
    elements.len() * ELEMENT_BYTES + bytes_of(values, elements)
}

fn bytes_of_list_views<O: OffsetSizeTrait>(
    lists: &GenericListViewArray<O>,
    rows: Range<usize>,
) -> usize {
    let bytes = |row: usize| {
        let start = lists.value_offsets()[row].as_usize();
        bytes_of_elements(lists.values(), start..start + lists.value_sizes()[row].as_usize())
    };
    rows.filter(|row| lists.is_valid(*row)).map(bytes).sum()
}

/// Returns the bytes of a union. A sparse one also has values of the other types in each row.
fn bytes_of_union(union: &UnionArray, mode: UnionMode, rows: Range<usize>) -> usize {
    match mode {
        UnionMode::Sparse => {
            let fields = union.fields().iter();
            fields.map(|(number, _)| bytes_of(union.child(number), rows.clone())).sum()
        }
        UnionMode::Dense => rows
            .map(|row| {
                let place = union.value_offset(row);
                bytes_of(union.child(union.type_id(row)), place..place + 1)
            })
            .sum(),
    }
}

fn bytes_of_runs<R: RunEndIndexType>(runs: &RunArray<R>, rows: Range<usize>) -> usize {
    let (ends, mut row, mut bytes) = (runs.run_ends(), rows.start, 0);
    while row < rows.end {
        let run = ends.get_physical_index(row);
        let end = (ends.values()[run].as_usize() - ends.offset()).min(rows.end);
        bytes += (end - row) * bytes_of(runs.values(), run..run + 1);
        row = end;
    }
    bytes
}

fn bytes_of_dictionary(column: &dyn Array, rows: Range<usize>) -> usize {
    let slice = column.slice(rows.start, rows.len());
    let dictionary = slice.as_any_dictionary();
    let values = dictionary.values();
    if values.is_empty() {
        return 0;
    }
    let places = dictionary.normalized_keys().into_iter();
    places.map(|place| bytes_of(values, place..place + 1)).sum()
}
