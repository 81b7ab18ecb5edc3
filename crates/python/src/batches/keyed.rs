//! Rows of any width, in Arrow's row format: a record has the key columns as its key, and as its
//! payload the columns that the key does not give back.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_row::RowConverter;
use arrow_schema::{ArrowError, DataType};
use sortwell::unstable_sort::BlockSort;

use super::fault::BatchFault;
use super::order::{self, BatchKeyOrder};
use super::pieces;

/// Bytes in front of a key: those that follow them, and those of the key, in 32 bits each.
const NUMBERS: usize = 8;

/// Most rows that are converted at once, and about as many bytes unless one row has more.
const ROWS_MAX: usize = 4096;
const BYTES_MAX: usize = 1 << 20;

/// Conversion of rows to records and back.
#[derive(Debug)]
pub struct KeyedLayout {
    keys: Vec<(usize, BatchKeyOrder)>,
    key_converter: RowConverter,
    payloads: Vec<usize>,
    payload_converter: RowConverter,
}

impl KeyedLayout {
    /// Returns the conversion for these key columns. `types` are those of the batches, and
    /// `stored` those of the payload.
    ///
    /// # Errors
    ///
    /// An error of Arrow for a type that the row format does not have.
    pub fn new(
        types: &[&DataType],
        stored: &[&DataType],
        keys: &[(usize, BatchKeyOrder)],
    ) -> Result<Self, ArrowError> {
        let key_fields = keys.iter().map(|(column, order)| order.field(types[*column]));
        let is_in_key = |column: usize| {
            order::is_given_back(types[column]) && keys.iter().any(|key| key.0 == column)
        };
        let payloads: Vec<_> = (0..types.len()).filter(|column| !is_in_key(*column)).collect();
        let plain = BatchKeyOrder { is_descending: false, is_null_first: true };
        let payload_fields = payloads.iter().map(|column| plain.field(stored[*column]));
        Ok(Self {
            key_converter: RowConverter::new(key_fields.collect())?,
            payload_converter: RowConverter::new(payload_fields.collect())?,
            keys: keys.to_vec(),
            payloads,
        })
    }

    /// Returns the number of rows to convert at once from a row on, at most this many.
    pub fn rows_at_once(&self, columns: &[ArrayRef], start: usize, most: usize) -> usize {
        let mut count = most.min(ROWS_MAX);
        while count > 1 && self.bytes_of(columns, start..start + count) > BYTES_MAX {
            count /= 2;
        }
        count
    }

    /// Returns about the bytes of records. A payload has the index of a value in a dictionary.
    fn bytes_of(&self, columns: &[ArrayRef], rows: Range<usize>) -> usize {
        let keys = self.keys.iter().map(|(column, _)| *column);
        let payloads = self.payloads.iter().copied();
        let plain = payloads.filter(|column| columns[*column].as_any_dictionary_opt().is_none());
        keys.chain(plain).map(|column| pieces::bytes_of(&columns[column], rows.clone())).sum()
    }

    /// Pushes rows. `columns` have the types of the batches, and `stored` those of the payload.
    ///
    /// # Errors
    ///
    /// Those of the sort, and an error of Arrow for values that it does not take.
    pub fn push(
        &self,
        columns: &[ArrayRef],
        stored: &[ArrayRef],
        sort: &mut BlockSort,
    ) -> Result<(), BatchFault> {
        let keys = self.keys.iter().map(|(column, order)| order.values(&columns[*column]));
        let keys = self.key_converter.convert_columns(&keys.collect::<Result<Vec<_>, _>>()?)?;
        if self.payloads.is_empty() {
            for key in &keys {
                sort.push_keyed(key.data(), &[])?;
            }
            return Ok(());
        }
        let payloads: Vec<_> =
            self.payloads.iter().map(|column| ArrayRef::clone(&stored[*column])).collect();
        let payloads = self.payload_converter.convert_columns(&payloads)?;
        for (key, payload) in keys.iter().zip(&payloads) {
            sort.push_keyed(key.data(), payload.data())?;
        }
        Ok(())
    }

    /// Returns the columns of records, which end at these places.
    ///
    /// # Errors
    ///
    /// An error of Arrow for values that it does not take.
    pub fn columns(&self, records: &[u8], ends: &[usize]) -> Result<Vec<ArrayRef>, BatchFault> {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let pieces: Vec<_> = starts.zip(ends).map(|(start, end)| &records[start..*end]).collect();
        let parser = self.key_converter.parser();
        let keys = pieces.iter().map(|record| parser.parse(split_record(record).0));
        let keys = self.key_converter.convert_rows(keys)?;
        let mut columns: Vec<_> = self
            .keys
            .iter()
            .map(|key| key.0)
            .zip(keys)
            .filter(|(column, _)| !self.payloads.contains(column))
            .collect();
        if !self.payloads.is_empty() {
            let parser = self.payload_converter.parser();
            let payloads = pieces.iter().map(|record| parser.parse(split_record(record).1));
            let payloads = self.payload_converter.convert_rows(payloads)?;
            columns.extend(self.payloads.iter().copied().zip(payloads));
        }
        columns.sort_by_key(|(column, _)| *column);
        Ok(columns.into_iter().map(|(_, values)| values).collect())
    }
}

/// Returns the key and the payload of a record.
fn split_record(record: &[u8]) -> (&[u8], &[u8]) {
    let key_bytes = u32::from_le_bytes([record[4], record[5], record[6], record[7]]) as usize;
    record[NUMBERS..].split_at(key_bytes)
}
