//! Batches as records for the sort, and records as batches.
//!
//! The schema decides the form of the records: `fixed` if all columns have a fixed width and the
//! keys are no dictionaries, `keyed` otherwise.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, SchemaRef};
use sortwell::unstable_sort::{BlockSort, RecordsInOrder};
use sortwell::{Error, Progress};

use super::dictionary::UnionDictionary;
use super::fault::BatchFault;
use super::fixed::FixedLayout;
use super::keyed::KeyedLayout;
use super::order::{self, BatchKeyOrder};
use super::{pieces, texts};

/// Bytes of rows of fixed width that are pushed at once.
const PUSHED_BYTES: usize = 8 << 20;

/// Most rows of a batch, and about as many bytes, unless the program says how many rows.
const BATCH_ROWS: usize = 1 << 16;
const BATCH_BYTES: usize = 4 << 20;
/// Bytes of a batch of rows in Arrow's row format, which are copied several times on their way to
/// columns.
const KEYED_BATCH_BYTES: usize = 1 << 20;
/// Most bytes of a batch in any case: offsets of 32 bits reach further.
const BATCH_BYTES_MAX: usize = 1 << 30;

/// Most rows of a batch that has run ends of 16 bits.
const SHORT_RUNS_ROWS: usize = i16::MAX as usize;

/// Most columns that a message names.
const NAMES_MAX: usize = 40;

/// Form of the records.
#[derive(Debug)]
enum RowForm {
    Fixed(FixedLayout),
    Keyed(KeyedLayout),
}

/// Conversion of batches to records and back.
#[derive(Debug)]
pub struct BatchRows {
    schema: SchemaRef,
    form: RowForm,
    /// The dictionary of each column that has one.
    dictionaries: Vec<Option<UnionDictionary>>,
    /// Columns with texts, apart from dictionaries.
    texts: Vec<usize>,
    rows_max: usize,
    bytes_max: usize,
    /// Records of the last batch, whose memory is used again.
    taken: TakenRecords,
}

/// Records that become a batch.
#[derive(Debug, Default)]
struct TakenRecords {
    bytes: Vec<u8>,
    /// Their ends.
    ends: Vec<usize>,
}

impl BatchRows {
    /// Returns the conversion for batches of a schema. A key is the name of a column, and true if
    /// its order is descending.
    ///
    /// # Errors
    ///
    /// A usage error for a key that is not one column, and for a type that is not supported.
    pub fn plan(
        schema: &SchemaRef,
        by: Vec<(String, bool)>,
        is_null_first: bool,
        rows: Option<usize>,
    ) -> Result<Self, BatchFault> {
        let mut keys: Vec<(usize, BatchKeyOrder)> = Vec::new();
        for (name, is_descending) in by {
            let column = key_column(schema, &name)?;
            // A key that occurs again compares equal values.
            if keys.iter().all(|key| key.0 != column) {
                keys.push((column, BatchKeyOrder { is_descending, is_null_first }));
            }
        }
        let mut dictionaries = Vec::new();
        let mut stored = Vec::new();
        let mut rows_max = rows.unwrap_or(BATCH_ROWS);
        for field in schema.fields() {
            check_payload(field)?;
            if has_short_runs(field.data_type()) {
                rows_max = rows_max.min(SHORT_RUNS_ROWS);
            }
            let dictionary = UnionDictionary::of(field)?;
            let kind = if dictionary.is_some() { &DataType::UInt32 } else { field.data_type() };
            stored.push(Field::new(field.name(), kind.clone(), field.is_nullable()));
            dictionaries.push(dictionary);
        }
        let has_fixed_keys = keys.iter().all(|(column, _)| dictionaries[*column].is_none());
        let fixed = has_fixed_keys.then(|| FixedLayout::of(&stored, &keys)).flatten();
        let form = match fixed {
            Some(layout) => RowForm::Fixed(layout),
            None => {
                let types: Vec<_> = schema.fields().iter().map(|field| field.data_type()).collect();
                let stored: Vec<_> = stored.iter().map(Field::data_type).collect();
                RowForm::Keyed(KeyedLayout::new(&types, &stored, &keys)?)
            }
        };
        let bytes_max = match (&form, rows) {
            (_, Some(_)) => BATCH_BYTES_MAX,
            (RowForm::Fixed(_), None) => BATCH_BYTES,
            (RowForm::Keyed(_), None) => KEYED_BATCH_BYTES,
        };
        let has_texts = |column: &usize| texts::has_texts(schema.field(*column).data_type());
        let texts = (0..schema.fields().len()).filter(has_texts).collect();
        let (schema, taken) = (Arc::clone(schema), TakenRecords::default());
        Ok(Self { schema, form, dictionaries, texts, rows_max, bytes_max, taken })
    }

    /// Returns the schema of the batches.
    pub const fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the options `format` and `key` of the sort.
    pub fn options(&self) -> (String, Option<String>) {
        match &self.form {
            RowForm::Fixed(layout) => {
                let (key_bytes, record_bytes) = layout.lengths();
                (format!("fixed:{record_bytes}"), Some(format!("0..{key_bytes}")))
            }
            RowForm::Keyed(_) => ("keyed".to_owned(), None),
        }
    }

    /// Pushes the rows of a batch.
    ///
    /// # Errors
    ///
    /// Those of the sort; an interruption after a stop; a usage error of a dictionary; that of a
    /// source for a text that is not UTF-8.
    pub fn push(
        &mut self,
        batch: &RecordBatch,
        sort: &mut BlockSort,
        progress: &Progress,
    ) -> Result<(), BatchFault> {
        let (mut start, mut count) = (0, batch.num_rows());
        while start < batch.num_rows() {
            if progress.is_stopping() {
                return Err(Error::Interrupted.into());
            }
            let rest = batch.num_rows() - start;
            count = match &self.form {
                RowForm::Fixed(layout) => (PUSHED_BYTES / layout.lengths().1).max(1).min(rest),
                RowForm::Keyed(layout) => {
                    layout.rows_at_once(batch.columns(), start, rest.min(2 * count))
                }
            };
            self.check_texts(batch, start..start + count)?;
            let columns = batch.columns().iter();
            let columns = columns.map(|column| pieces::piece(column, start..start + count));
            self.push_piece(&columns.collect::<Result<Vec<_>, _>>()?, count, sort)?;
            start += count;
        }
        Ok(())
    }

    /// Checks that all texts of some rows are UTF-8.
    fn check_texts(&self, batch: &RecordBatch, rows: Range<usize>) -> Result<(), BatchFault> {
        for column in &self.texts {
            let Some(row) = texts::first_broken(batch.column(*column), rows.clone()) else {
                continue;
            };
            return Err(BatchFault::Source(format!(
                "column '{}' has a text that is not UTF-8 in row {row} of a batch, counted from \
                 0; cast the column to binary",
                self.schema.field(*column).name()
            )));
        }
        Ok(())
    }

    /// Pushes rows that are converted at once.
    fn push_piece(
        &mut self,
        columns: &[ArrayRef],
        count: usize,
        sort: &mut BlockSort,
    ) -> Result<(), BatchFault> {
        let mut stored = Vec::with_capacity(columns.len());
        for (column, dictionary) in columns.iter().zip(&mut self.dictionaries) {
            stored.push(match dictionary {
                Some(dictionary) => dictionary.indices(column)?,
                None => Arc::clone(column),
            });
        }
        match &self.form {
            RowForm::Fixed(layout) => {
                let write = |rows, records: &mut [u8]| layout.write(&stored, rows, records);
                Ok(sort.push_records(layout.lengths().1, count, write)?)
            }
            RowForm::Keyed(layout) => layout.push(columns, &stored, sort),
        }
    }

    /// Takes the next records, and returns their batch; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Those of the sort.
    pub fn next_batch(
        &mut self,
        records: &mut RecordsInOrder,
    ) -> Result<Option<RecordBatch>, BatchFault> {
        let columns = match &self.form {
            RowForm::Fixed(layout) => {
                let length = layout.lengths().1;
                let rows = self.rows_max.min((self.bytes_max / length).max(1));
                if !records.advance_some(rows)? {
                    return Ok(None);
                }
                let mut columns = layout.columns(rows.min(BATCH_ROWS));
                columns.extend(records.lent());
                while columns.rows() < rows && records.advance_some(rows - columns.rows())? {
                    columns.extend(records.lent());
                }
                columns.finish()?
            }
            RowForm::Keyed(layout) => {
                self.taken.fill(records, self.rows_max, self.bytes_max)?;
                if self.taken.ends.is_empty() {
                    return Ok(None);
                }
                layout.columns(&self.taken.bytes, &self.taken.ends)?
            }
        };
        let dictionaries = self.dictionaries.iter_mut().zip(columns);
        let columns = dictionaries.map(|(dictionary, column)| match dictionary {
            Some(dictionary) => dictionary.column(&column),
            None => Ok(column),
        });
        let columns = columns.collect::<Result<_, BatchFault>>()?;
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?))
    }
}

impl TakenRecords {
    /// Takes the next records: about as many bytes.
    fn fill(
        &mut self,
        records: &mut RecordsInOrder,
        rows_max: usize,
        bytes_max: usize,
    ) -> Result<(), Error> {
        self.ends.clear();
        self.bytes.clear();
        // Longer records than most have left more memory.
        self.bytes.shrink_to(bytes_max.min(KEYED_BATCH_BYTES));
        while self.ends.len() < rows_max && self.bytes.len() < bytes_max && records.advance()? {
            self.bytes.extend_from_slice(records.lent());
            self.ends.push(self.bytes.len());
        }
        Ok(())
    }
}

/// Returns the number of the column with this name.
fn key_column(schema: &SchemaRef, name: &str) -> Result<usize, BatchFault> {
    let fields = schema.fields();
    let mut found = fields.iter().enumerate().filter(|(_, field)| field.name() == name);
    let Some((column, field)) = found.next() else {
        let names: Vec<_> =
            fields.iter().take(NAMES_MAX).map(|field| format!("'{}'", field.name())).collect();
        let more = match fields.len().saturating_sub(NAMES_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(BatchFault::Usage(format!(
            "by: there is no column '{name}'; the columns are {}{more}",
            names.join(", ")
        )));
    };
    if found.next().is_some() {
        return Err(BatchFault::Usage(format!(
            "by: several columns have the name '{name}'; rename all but one"
        )));
    }
    if !order::is_ordered(field.data_type()) {
        return Err(BatchFault::Usage(format!(
            "by: column '{name}' of type {} has no order here; sort by numbers, times, texts, \
             bytes or booleans",
            field.data_type()
        )));
    }
    Ok(column)
}

/// Checks that the type of a column can move with a row.
fn check_payload(field: &Field) -> Result<(), BatchFault> {
    let has_dictionary_inside = match field.data_type() {
        DataType::Dictionary(_, values) => has_dictionary(values),
        other => has_dictionary(other),
    };
    let fault = if has_dictionary_inside {
        "a dictionary inside another type, which is not supported; cast it to the type of the \
         values"
    } else if has_short_runs_in_list(field.data_type()) {
        "run ends of 16 bits inside a list or map, which may be too short for a batch; cast the \
         run ends to 32 bits"
    } else if has_hidden_nulls_in_list(field.data_type()) {
        "a list or map of unions or run ends that are not nullable, although their values are; \
         make them nullable"
    } else {
        return Ok(());
    };
    let (name, data_type) = (field.name(), field.data_type());
    Err(BatchFault::Usage(format!("column '{name}' of type {data_type} has {fault}")))
}

/// Returns the types inside a type.
pub fn types_inside(data_type: &DataType) -> Vec<&DataType> {
    match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _)
        | DataType::Map(field, _) => vec![field.data_type()],
        DataType::RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        _ => Vec::new(),
    }
}

fn has_dictionary(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Dictionary(..))
        || types_inside(data_type).into_iter().any(has_dictionary)
}

/// Returns true if the type has run ends that number no more than [`SHORT_RUNS_ROWS`] rows.
fn has_short_runs(data_type: &DataType) -> bool {
    matches!(data_type, DataType::RunEndEncoded(ends, _) if ends.data_type() == &DataType::Int16)
        || types_inside(data_type).into_iter().any(has_short_runs)
}

/// Returns true if the type has such run ends where a row may have any number of values.
fn has_short_runs_in_list(data_type: &DataType) -> bool {
    let is_list = data_type.is_list() || matches!(data_type, DataType::Map(..));
    let is_inside = if is_list { has_short_runs } else { has_short_runs_in_list };
    types_inside(data_type).into_iter().any(is_inside)
}

/// Returns true for lists that Arrow does not build if an element is null only by what it holds.
fn has_hidden_nulls_in_list(data_type: &DataType) -> bool {
    let elements = match data_type {
        DataType::List(field)
        | DataType::LargeList(field)
        | DataType::ListView(field)
        | DataType::LargeListView(field)
        | DataType::FixedSizeList(field, _) => std::slice::from_ref(field),
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => &fields[..],
            _ => &[],
        },
        _ => &[],
    };
    let is_broken = |field: &FieldRef| !field.is_nullable() && may_hide_nulls(field.data_type());
    elements.iter().any(is_broken)
        || types_inside(data_type).into_iter().any(has_hidden_nulls_in_list)
}

/// Returns true if elements of the type may be null without a mark of their own.
fn may_hide_nulls(data_type: &DataType) -> bool {
    let is_nullable = |field: &Field| field.is_nullable() || may_hide_nulls(field.data_type());
    match data_type {
        DataType::Union(fields, _) => fields.iter().any(|(_, field)| is_nullable(field)),
        DataType::RunEndEncoded(_, values) => is_nullable(values),
        _ => false,
    }
}
