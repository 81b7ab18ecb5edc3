//! Columns of dictionaries: their rows move as indices into one dictionary for all batches.
//!
//! The batches of a stream may have different dictionaries. Their values are put together in the
//! order in which they come, so the dictionary of a stream that has one is kept as it is. All
//! values are in memory until the sort ends.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, UInt32Array};
use arrow_buffer::ArrowNativeType;
use arrow_data::ArrayData;
use arrow_row::{RowConverter, Rows, SortField};
use arrow_schema::{ArrowError, DataType, Field};

use super::fault::BatchFault;
use super::texts;

/// The dictionary of a column.
#[derive(Debug)]
pub struct UnionDictionary {
    /// Name and type of the column, for messages.
    column: String,
    index_type: DataType,
    converter: RowConverter,
    /// All values in the order of their indices.
    rows: Rows,
    places: HashMap<Box<[u8]>, u32>,
    /// The dictionary that was added last, and the indices of its values.
    last: Option<(ArrayData, Vec<u32>)>,
    /// All values, once the input is complete.
    values: Option<ArrayRef>,
}

impl UnionDictionary {
    /// Returns an empty dictionary for a column; `None` if its type is no dictionary.
    ///
    /// # Errors
    ///
    /// An error of Arrow for a type of values that it cannot compare.
    pub fn of(field: &Field) -> Result<Option<Self>, ArrowError> {
        let DataType::Dictionary(index_type, value_type) = field.data_type() else {
            return Ok(None);
        };
        let converter = RowConverter::new(vec![SortField::new((**value_type).clone())])?;
        Ok(Some(Self {
            column: format!("column '{}' of type {}", field.name(), field.data_type()),
            index_type: (**index_type).clone(),
            rows: converter.empty_rows(0, 0),
            converter,
            places: HashMap::new(),
            last: None,
            values: None,
        }))
    }

    /// Returns the indices of the rows of a column, whose new values are added.
    ///
    /// # Errors
    ///
    /// A usage error if there are more values than the type of the indices can number. That of a
    /// source for a value that is a text and not UTF-8.
    pub fn indices(&mut self, column: &ArrayRef) -> Result<ArrayRef, BatchFault> {
        let dictionary = column.as_any_dictionary();
        let data = dictionary.values().to_data();
        let places = match self.last.take() {
            Some((last, places)) if last.ptr_eq(&data) => places,
            _ => self.add(dictionary.values())?,
        };
        // Without values, all rows are null.
        let keys =
            if places.is_empty() { vec![0; column.len()] } else { dictionary.normalized_keys() };
        let indices = keys.iter().map(|key| places.get(*key).copied().unwrap_or_default());
        let indices = UInt32Array::new(indices.collect(), column.nulls().cloned());
        self.last = Some((data, places));
        Ok(Arc::new(indices))
    }

    fn add(&mut self, values: &ArrayRef) -> Result<Vec<u32>, BatchFault> {
        if let Some(place) = texts::first_broken(values, 0..values.len()) {
            return Err(BatchFault::Source(format!(
                "{}: value {place} of a dictionary, counted from 0, is not UTF-8; cast the column \
                 to binary",
                self.column
            )));
        }
        let rows = self.converter.convert_columns(&[Arc::clone(values)])?;
        let mut places = Vec::with_capacity(rows.num_rows());
        for row in &rows {
            if let Some(place) = self.places.get(row.data()) {
                places.push(*place);
                continue;
            }
            let place = self.places.len();
            if place >= most_values(&self.index_type) {
                return Err(BatchFault::Usage(format!(
                    "{}: the dictionaries of its batches have more than {place} values together; \
                     cast the column to a type with wider indices",
                    self.column,
                )));
            }
            self.places.insert(row.data().into(), place as u32);
            self.rows.push(row);
            places.push(place as u32);
        }
        Ok(places)
    }

    /// Returns the column with these indices, when the input is complete.
    ///
    /// # Errors
    ///
    /// An error of Arrow for an index without a value.
    pub fn column(&mut self, indices: &ArrayRef) -> Result<ArrayRef, BatchFault> {
        let values = match &self.values {
            Some(values) => Arc::clone(values),
            None => {
                let mut columns = self.converter.convert_rows(&self.rows)?;
                let values = columns.swap_remove(0);
                self.rows.clear();
                self.places = HashMap::new();
                self.last = None;
                Arc::clone(self.values.insert(values))
            }
        };
        let indices = indices.as_primitive::<UInt32Type>();
        Ok(match &self.index_type {
            DataType::Int8 => with_keys::<Int8Type>(indices, values)?,
            DataType::Int16 => with_keys::<Int16Type>(indices, values)?,
            DataType::Int32 => with_keys::<Int32Type>(indices, values)?,
            DataType::UInt8 => with_keys::<UInt8Type>(indices, values)?,
            DataType::UInt16 => with_keys::<UInt16Type>(indices, values)?,
            DataType::UInt32 => with_keys::<UInt32Type>(indices, values)?,
            DataType::UInt64 => with_keys::<UInt64Type>(indices, values)?,
            _ => with_keys::<Int64Type>(indices, values)?,
        })
    }
}

fn with_keys<K: ArrowDictionaryKeyType>(
    indices: &UInt32Array,
    values: ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    let keys = indices.unary::<_, K>(|index| K::Native::usize_as(index as usize));
    Ok(Arc::new(DictionaryArray::<K>::try_new(keys, values)?))
}

/// Returns the number of values that indices of a type can number.
fn most_values(index_type: &DataType) -> usize {
    match index_type {
        DataType::Int8 => 1 << 7,
        DataType::UInt8 => 1 << 8,
        DataType::Int16 => 1 << 15,
        DataType::UInt16 => 1 << 16,
        DataType::Int32 => 1 << 31,
        _ => u32::MAX as usize,
    }
}
