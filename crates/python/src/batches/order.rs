//! The order of a key column, and keys for Arrow's row format.
//!
//! Nulls are first or last in both directions. NaN stands between the numbers and the nulls, also
//! in both directions, and -0.0 equals 0.0. These are the rules of pyarrow.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use arrow_row::SortField;
use arrow_schema::{DataType, SortOptions};

/// Order of a key column.
#[derive(Debug, Clone, Copy)]
pub struct BatchKeyOrder {
    pub is_descending: bool,
    pub is_null_first: bool,
}

impl BatchKeyOrder {
    /// Returns the field of a key column of this type.
    pub fn field(self, data_type: &DataType) -> SortField {
        let options =
            SortOptions { descending: self.is_descending, nulls_first: self.is_null_first };
        SortField::new_with_options(data_type.clone(), options)
    }

    /// Returns a key column whose floats are normalized: the row format compares them by their
    /// bits.
    pub fn normalized(self, column: &ArrayRef) -> ArrayRef {
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
            DataType::Dictionary(..) => {
                let dictionary = column.as_any_dictionary();
                dictionary.with_values(self.normalized(dictionary.values()))
            }
            _ => Arc::clone(column),
        }
    }
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
