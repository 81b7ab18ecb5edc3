//! Texts of batches. Rust relies on it that they are UTF-8, and Arrow leaves that to the producer.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, GenericByteArray, GenericListViewArray, OffsetSizeTrait, RunArray};
use arrow_buffer::ArrowNativeType;
use arrow_schema::DataType;

use super::pieces::{elements_of, range_of};

/// Returns true if the type has texts, apart from those of dictionaries.
pub fn has_texts(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
        || super::rows::types_inside(data_type).into_iter().any(has_texts)
}

/// Returns the first of some rows with a text that is not UTF-8. Dictionaries are left out.
pub fn first_broken(column: &dyn Array, mut rows: Range<usize>) -> Option<usize> {
    if are_utf8(column, rows.clone()) {
        return None;
    }
    let first = rows.start;
    Some(rows.find(|row| !are_utf8(column, *row..*row + 1)).unwrap_or(first))
}

fn are_utf8(column: &dyn Array, mut rows: Range<usize>) -> bool {
    if let Some((values, elements)) = elements_of(column, rows.clone()) {
        return are_utf8(values, elements);
    }
    match column.data_type() {
        DataType::Utf8 => is_utf8(column.as_string::<i32>(), rows),
        DataType::LargeUtf8 => is_utf8(column.as_string::<i64>(), rows),
        DataType::Utf8View => {
            let texts = column.as_string_view().clone().to_binary_view();
            rows.all(|row| texts.is_null(row) || std::str::from_utf8(texts.value(row)).is_ok())
        }
        DataType::ListView(_) => are_utf8_lists(column.as_list_view::<i32>(), rows),
        DataType::LargeListView(_) => are_utf8_lists(column.as_list_view::<i64>(), rows),
        DataType::Struct(_) => {
            let mut columns = column.as_struct().columns().iter();
            columns.all(|column| are_utf8(column, rows.clone()))
        }
        DataType::Union(..) => {
            let union = column.as_union();
            rows.all(|row| {
                let place = union.value_offset(row);
                are_utf8(union.child(union.type_id(row)), place..place + 1)
            })
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => are_utf8_runs(column.as_run::<Int16Type>(), rows),
            DataType::Int32 => are_utf8_runs(column.as_run::<Int32Type>(), rows),
            _ => are_utf8_runs(column.as_run::<Int64Type>(), rows),
        },
        _ => true,
    }
}

/// Returns true if texts are UTF-8: all of them together, or else each on its own, as the bytes of
/// a null mean nothing.
fn is_utf8<T: ByteArrayType>(texts: &GenericByteArray<T>, mut rows: Range<usize>) -> bool {
    let (bytes, offsets) = (texts.value_data(), texts.value_offsets());
    let whole = range_of(offsets, rows.clone());
    let is_whole = std::str::from_utf8(&bytes[whole.clone()]).is_ok_and(|text| {
        let mut starts = offsets[rows.clone()].iter();
        starts.all(|start| text.is_char_boundary(start.as_usize() - whole.start))
    });
    let is_text = |row| std::str::from_utf8(&bytes[range_of(offsets, row..row + 1)]).is_ok();
    is_whole || rows.all(|row| texts.is_null(row) || is_text(row))
}

fn are_utf8_lists<O: OffsetSizeTrait>(
    lists: &GenericListViewArray<O>,
    mut rows: Range<usize>,
) -> bool {
    rows.all(|row| {
        let start = lists.value_offsets()[row].as_usize();
        let end = start + lists.value_sizes()[row].as_usize();
        lists.is_null(row) || are_utf8(lists.values(), start..end)
    })
}

fn are_utf8_runs<R: RunEndIndexType>(runs: &RunArray<R>, rows: Range<usize>) -> bool {
    let run_of = |row| runs.run_ends().get_physical_index(row);
    rows.is_empty() || are_utf8(runs.values(), run_of(rows.start)..run_of(rows.end - 1) + 1)
}
