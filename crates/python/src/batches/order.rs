//! The order of a key column, and keys for Arrow's row format.
//!
//! Nulls are first or last in both directions. NaN stands between the numbers and the nulls, also
//! in both directions, and -0.0 equals 0.0. These are the rules of pyarrow.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type};
use arrow_array::{AnyDictionaryArray, Array, ArrayRef, make_array, new_null_array};
use arrow_data::transform::MutableArrayData;
use arrow_row::SortField;
use arrow_schema::{ArrowError, DataType, SortOptions};

/// Order of a key column.
#[derive(Debug, Clone, Copy)]
pub struct BatchKeyOrder {
    pub is_descending: bool,
    pub is_null_first: bool,
}

impl BatchKeyOrder {
    /// Returns the field of a key column of this type. Rows of a dictionary have their values.
    pub fn field(self, data_type: &DataType) -> SortField {
        let options =
            SortOptions { descending: self.is_descending, nulls_first: self.is_null_first };
        let values = match data_type {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        SortField::new_with_options(values.clone(), options)
    }

    /// Returns the values of the rows of a key column, for [`field`](Self::field).
    ///
    /// # Errors
    ///
    /// An error of Arrow for values that are too long together.
    pub fn values(self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let values = match column.as_any_dictionary_opt() {
            Some(dictionary) => values_of_rows(dictionary)?,
            None => Arc::clone(column),
        };
        Ok(self.normalized(values))
    }

    /// Returns values whose floats are normalized: the row format compares them by their bits.
    fn normalized(self, column: ArrayRef) -> ArrayRef {
        // A descending order flips all bits of the row format.
        let is_positive = self.is_descending == self.is_null_first;
        match column.data_type() {
            DataType::Float16 => {
                type Half = <Float16Type as ArrowPrimitiveType>::Native;
                let nan = Half::from_bits(if is_positive { 0x7FFF } else { 0xFFFF });
                let zero = Half::from_bits(0);
                Arc::new(column.as_primitive::<Float16Type>().unary::<_, Float16Type>(|value| {
                    match value {
                        _ if value.is_nan() => nan,
                        _ if value == zero => zero,
                        _ => value,
                    }
                }))
            }
            DataType::Float32 => {
                let nan = f32::from_bits(if is_positive { 0x7FFF_FFFF } else { u32::MAX });
                Arc::new(column.as_primitive::<Float32Type>().unary::<_, Float32Type>(|value| {
                    if value.is_nan() { nan } else { value + 0.0 }
                }))
            }
            DataType::Float64 => {
                let nan = f64::from_bits(if is_positive { u64::MAX >> 1 } else { u64::MAX });
                Arc::new(column.as_primitive::<Float64Type>().unary::<_, Float64Type>(|value| {
                    if value.is_nan() { nan } else { value + 0.0 }
                }))
            }
            _ => column,
        }
    }
}

/// Returns the value of each row of a dictionary. The row format would convert the whole dictionary
/// for each piece of a batch.
fn values_of_rows(rows: &dyn AnyDictionaryArray) -> Result<ArrayRef, ArrowError> {
    let values = rows.values().to_data();
    if values.is_empty() {
        return Ok(new_null_array(values.data_type(), rows.len()));
    }
    let mut taken = MutableArrayData::new(vec![&values], true, rows.len());
    for (row, place) in rows.normalized_keys().into_iter().enumerate() {
        match rows.is_valid(row) {
            true => taken.try_extend(0, place, place + 1)?,
            false => taken.try_extend_nulls(1)?,
        }
    }
    Ok(make_array(taken.freeze()))
}

/// Returns true if keys may have this type.
pub fn is_ordered(data_type: &DataType) -> bool {
    match data_type {
        DataType::Interval(_) | DataType::RunEndEncoded(..) => false,
        DataType::Dictionary(_, values) => !values.is_nested() && is_ordered(values),
        other => !other.is_nested(),
    }
}

/// Returns true if the bytes of a key give the value back.
pub fn is_given_back(data_type: &DataType) -> bool {
    !data_type.is_floating() && !matches!(data_type, DataType::Dictionary(..))
}
