//! `sortwell.Index`: records found by their keys, one by one or as record batches of Arrow.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Bound as RangeEnd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::builder::{BinaryBuilder, UInt32Builder, UInt64Builder};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyString};
use sortwell::{Error, Index, Matches, Result};

use crate::batches::{Batch, BatchFault, schema_capsule, stream_capsule};
use crate::ending::{OpenCall, detached};
use crate::faults;

/// Bytes of records that one call returns, but for its last record.
const BYTES_AT_ONCE: usize = 1 << 20;

/// Records of a key that one call returns: signals are handled between calls.
const RECORDS_AT_ONCE: usize = 1024;

/// Function of the package that returns batches, for messages.
const FUNCTION: &str = "batches";

/// Bytes of records of a batch, but for its last one.
const BATCH_BYTES: usize = 4 << 20;

/// The value of a key. A text is its UTF-8; half of a surrogate pair stands for a byte that is not
/// UTF-8, as in names of files.
pub struct KeyWord(Vec<u8>);

impl<'py> FromPyObject<'_, 'py> for KeyWord {
    type Error = PyErr;

    fn extract(word: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = word.cast::<PyString>() else { return Ok(Self(word.extract()?)) };
        if let Ok(text) = text.to_str() {
            return Ok(Self(text.as_bytes().to_owned()));
        }
        Ok(Self(text.call_method1("encode", ("utf-8", "surrogateescape"))?.extract()?))
    }
}

impl AsRef<[u8]> for KeyWord {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// An end of a range: the values of keys, and true if they do not belong to it.
type KeyLimit = Option<(Vec<KeyWord>, bool)>;

/// The first records that were found, and the search for the others.
type FirstRecords<'py> = (Vec<Bound<'py, PyBytes>>, Option<IndexSearch>);

/// A place of a record: file, offset, bytes.
type PlaceOfRecord = (OsString, u64, u64);

/// An open index.
#[pyclass(frozen, module = "sortwell._native")]
pub struct OpenIndex {
    index: Index,
}

#[pymethods]
impl OpenIndex {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, may_be_stale: bool) -> PyResult<Self> {
        let _call = OpenCall::begin(py, None)?;
        let opened = detached(py, move || match may_be_stale {
            true => Index::open_stale(&path),
            false => Index::open(&path),
        });
        Ok(Self { index: opened.map_err(|error| faults::exception(py, &error))? })
    }

    /// Returns the number of entries.
    fn entries(&self) -> u64 {
        self.index.description().entries
    }

    /// Returns the keys, in the grammar of the command.
    fn keys(&self) -> Vec<String> {
        self.index.description().keys.iter().map(ToString::to_string).collect()
    }

    /// Returns the names of included parts.
    fn include(&self) -> Vec<String> {
        self.index.description().include.iter().map(ToString::to_string).collect()
    }

    /// Returns the paths of the data files.
    fn data(&self) -> Vec<OsString> {
        let files = &self.index.description().data;
        files.iter().map(|file| file.path.clone().into_os_string()).collect()
    }

    /// Returns the description as text, by name.
    fn meta(&self) -> BTreeMap<String, String> {
        let text = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
        self.index.lines().iter().map(|(name, value)| (name.clone(), text(value))).collect()
    }

    /// Returns the text that a key reads as a number; `None` if it has no such value.
    fn number_text(&self, key: usize, number: &str) -> Option<String> {
        self.index.values().number_text(key, number)
    }

    /// Returns the pattern of the days of a key, if it has one of its own.
    fn day_pattern(&self, key: usize) -> Option<&str> {
        self.index.values().day_pattern(key)
    }

    /// Returns whether a key has a value of this text.
    fn reads(&self, key: usize, text: &str) -> bool {
        self.index.values().reads(key, text)
    }

    /// Returns the first records that have these values, and the search for the others if there
    /// may be some.
    fn records<'py>(&self, py: Python<'py>, values: Vec<KeyWord>) -> PyResult<FirstRecords<'py>> {
        let _call = OpenCall::begin(py, None)?;
        let found = detached(py, move || {
            let mut matches = self.index.get(&values)?;
            Ok((next_records(&mut matches, RECORDS_AT_ONCE)?, matches))
        });
        let (records, matches) = found.map_err(|error| faults::exception(py, &error))?;
        let is_end = records.len() < RECORDS_AT_ONCE && bytes_in(&records) < BYTES_AT_ONCE;
        let others = (!is_end).then(|| IndexSearch { matches: Mutex::new(matches) });
        Ok((bytes_of(py, Ok(records))?, others))
    }

    /// Begins a search: for values (`get`), beginnings (`prefix`), or between two ends (`range`).
    fn search(
        &self,
        py: Python<'_>,
        kind: &str,
        start: KeyLimit,
        end: KeyLimit,
        is_reverse: bool,
    ) -> PyResult<IndexSearch> {
        let _call = OpenCall::begin(py, None)?;
        let matches = detached(py, move || {
            let values = || start.as_ref().map_or(&[][..], |(values, _)| values);
            let found = match kind {
                "get" => self.index.get(values())?,
                "prefix" => self.index.prefix(values())?,
                _ => self.index.range((end_of(&start), end_of(&end)))?,
            };
            if is_reverse { found.reversed() } else { Ok(found) }
        });
        let matches = matches.map_err(|error| faults::exception(py, &error))?;
        Ok(IndexSearch { matches: Mutex::new(matches) })
    }
}

fn end_of(end: &KeyLimit) -> RangeEnd<Vec<&[u8]>> {
    let Some((values, is_excluded)) = end else { return RangeEnd::Unbounded };
    let values = values.iter().map(AsRef::as_ref).collect();
    if *is_excluded { RangeEnd::Excluded(values) } else { RangeEnd::Included(values) }
}

/// Returns the next records, at most this many; none at the end.
fn next_records(matches: &mut Matches, most: usize) -> Result<Vec<Vec<u8>>> {
    let (mut records, mut bytes, mut files) = (Vec::new(), 0, Vec::new());
    while records.len() < most && bytes < BYTES_AT_ONCE {
        let Some(found) = matches.next().transpose()? else { break };
        let mut record = Vec::new();
        matches.index().read_unchecked(&found, &mut record)?;
        note(&mut files, &found);
        bytes += record.len();
        records.push(record);
    }
    matches.index().check_data(&mut files)?;
    Ok(records)
}

/// Notes the data file of a record that was read.
fn note(files: &mut Vec<usize>, found: &sortwell::Found) {
    if files.last() != Some(&found.file) {
        files.push(found.file);
    }
}

fn bytes_in(records: &[Vec<u8>]) -> usize {
    records.iter().map(Vec::len).sum()
}

/// Returns records as objects of Python.
fn bytes_of(py: Python<'_>, records: Result<Vec<Vec<u8>>>) -> PyResult<Vec<Bound<'_, PyBytes>>> {
    let records = records.map_err(|error| faults::exception(py, &error))?;
    Ok(records.iter().map(|record| PyBytes::new(py, record)).collect())
}

/// The entries that a search found.
#[pyclass(frozen, module = "sortwell._native")]
pub struct IndexSearch {
    matches: Mutex<Matches>,
}

impl IndexSearch {
    fn matches(&self) -> MutexGuard<'_, Matches> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl IndexSearch {
    /// Returns the next records, at most this many; none at the end.
    fn next_records<'py>(
        &self,
        py: Python<'py>,
        most: usize,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let _call = OpenCall::begin(py, None)?;
        let records = detached(py, || next_records(&mut self.matches(), most));
        bytes_of(py, records)
    }

    /// Returns the places of the next records, at most this many; none at the end.
    fn next_places(&self, py: Python<'_>, most: usize) -> PyResult<Vec<PlaceOfRecord>> {
        let _call = OpenCall::begin(py, None)?;
        let places = detached(py, || {
            let mut matches = self.matches();
            let found = matches.by_ref().take(most).collect::<Result<Vec<_>>>()?;
            let place = |found: &sortwell::Found| {
                let path = matches.index().data_path(found.file).into_os_string();
                (path, found.offset, found.bytes)
            };
            Ok(found.iter().map(place).collect())
        });
        places.map_err(|error: Error| faults::exception(py, &error))
    }

    /// Returns the included parts of the next entry; `None` at the end.
    fn next_included<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyBytes>>>> {
        let _call = OpenCall::begin(py, None)?;
        let parts = detached(py, || {
            let mut matches = self.matches();
            match matches.next().transpose()? {
                None => Ok(None),
                Some(_) => matches.included().map(Some),
            }
        });
        match parts {
            Ok(None) => Ok(None),
            Ok(Some(parts)) => bytes_of(py, Ok(parts)).map(Some),
            Err(error) => Err(faults::exception(py, &error)),
        }
    }

    /// Passes at most this many entries, and returns how many there were.
    fn pass_(&self, py: Python<'_>, most: usize) -> PyResult<usize> {
        let _call = OpenCall::begin(py, None)?;
        let passed = detached(py, || {
            let mut matches = self.matches();
            let mut passed = 0;
            while passed < most && matches.next().transpose()?.is_some() {
                passed += 1;
            }
            Ok(passed)
        });
        passed.map_err(|error: Error| faults::exception(py, &error))
    }
}

/// Entries as record batches: whole records with their places, or included parts.
#[pyclass(frozen, module = "sortwell._native")]
pub struct FoundBatches {
    /// `None` after the batches were handed over as a stream of C.
    reader: Mutex<Option<FoundReader>>,
    schema: SchemaRef,
}

#[pymethods]
impl FoundBatches {
    /// Returns the rest of a search as batches of at most `rows` rows.
    #[new]
    fn new(search: &IndexSearch, is_of_included: bool, rows: usize) -> Self {
        let matches = search.matches().clone();
        let parts = &matches.index().description().include;
        let schema = SchemaRef::new(Schema::new(match is_of_included {
            true => parts.iter().map(|part| binary(part.name())).collect(),
            false => vec![
                binary("record".to_owned()),
                Field::new("file", DataType::UInt32, false),
                Field::new("offset", DataType::UInt64, false),
            ],
        }));
        let reader = FoundReader {
            matches,
            schema: Arc::clone(&schema),
            is_of_included,
            rows,
            has_failed: false,
        };
        Self { reader: Mutex::new(Some(reader)), schema }
    }

    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let _call = OpenCall::begin(py, None)?;
        let batch = detached(py, || {
            let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
            reader.as_mut().map(FoundReader::next_batch)
        });
        let batch = batch.ok_or_else(|| handed_over(py))?;
        let batch = batch.map_err(|fault| fault.exception(py, FUNCTION))?;
        Ok(batch.map(Batch::new))
    }

    /// Returns a capsule that has the batches from now on.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner).take();
        stream_capsule(py, Box::new(reader.ok_or_else(|| handed_over(py))?))
    }

    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.schema)
    }
}

fn handed_over(py: Python<'_>) -> PyErr {
    let message = "the batches were handed over as a stream; they can be taken once";
    faults::usage(py, format!("{FUNCTION}: {message}"))
}

fn binary(name: String) -> Field {
    Field::new(name, DataType::Binary, false)
}

/// The batches of a search.
struct FoundReader {
    matches: Matches,
    schema: SchemaRef,
    is_of_included: bool,
    rows: usize,
    /// True after an error. Batches after it would lack the entries that were read before it.
    has_failed: bool,
}

impl FoundReader {
    fn next_batch(&mut self) -> std::result::Result<Option<RecordBatch>, BatchFault> {
        if self.has_failed {
            let message = "a batch could not be read before; search again";
            return Err(BatchFault::Usage(message.to_owned()));
        }
        self.has_failed = true;
        let columns = match self.is_of_included {
            true => self.included()?,
            false => self.records()?,
        };
        self.has_failed = false;
        let rows = columns.first().map_or(0, |column| column.len());
        if rows == 0 {
            return Ok(None);
        }
        Ok(Some(RecordBatch::try_new(Arc::clone(&self.schema), columns)?))
    }

    fn records(&mut self) -> Result<Vec<ArrayRef>> {
        let (mut records, mut files) = (BinaryBuilder::new(), UInt32Builder::new());
        let (mut offsets, mut record, mut bytes) = (UInt64Builder::new(), Vec::new(), 0);
        let mut read_files = Vec::new();
        for _ in 0..self.rows {
            let Some(found) = self.matches.next().transpose()? else { break };
            self.matches.index().read_unchecked(&found, &mut record)?;
            note(&mut read_files, &found);
            records.append_value(&record);
            files.append_value(found.file as u32);
            offsets.append_value(found.offset);
            bytes += record.len();
            if bytes >= BATCH_BYTES {
                break;
            }
        }
        self.matches.index().check_data(&mut read_files)?;
        Ok(vec![Arc::new(records.finish()), Arc::new(files.finish()), Arc::new(offsets.finish())])
    }

    fn included(&mut self) -> Result<Vec<ArrayRef>> {
        let mut columns: Vec<BinaryBuilder> =
            self.schema.fields().iter().map(|_| BinaryBuilder::new()).collect();
        let mut bytes = 0;
        for _ in 0..self.rows {
            if self.matches.next().transpose()?.is_none() {
                break;
            }
            let mut parts = self.matches.included()?;
            // A damaged entry may have another number of parts.
            parts.resize(columns.len(), Vec::new());
            for (column, part) in columns.iter_mut().zip(&parts) {
                column.append_value(part);
                bytes += part.len();
            }
            if bytes >= BATCH_BYTES {
                break;
            }
        }
        Ok(columns.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef).collect())
    }
}

impl Iterator for FoundReader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(|fault| fault.of_stream()).transpose()
    }
}

impl RecordBatchReader for FoundReader {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}
