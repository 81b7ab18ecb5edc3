//! `sortwell.sort_batches`: record batches of Arrow in the order of some columns.
//!
//! ```text
//!   batches   the calls of Python, and the sorted batches as a stream of C
//!   rows      batches as records, and back; the schema decides their form
//!   fixed     rows of fixed width: columns are transposed
//!   keyed     other rows, in the row format of Arrow
//!   pieces    rows that are converted at once
//!   order     the order of key columns
//!   texts     the check of texts
//!   dictionary  columns of dictionaries
//!   capsule   the structures of C; the only unsafe code
//!   fault     errors
//! ```
//!
//! All batches are read before the first one is returned. A stream that was handed over owns the
//! sort. It works in any thread, with or without the interpreter lock.

#[expect(unsafe_code, reason = "the interface of Arrow consists of structures of C")]
mod capsule;
mod dictionary;
mod fault;
mod fixed;
mod keyed;
mod order;
mod pieces;
mod rows;
mod texts;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::{PyTraverseError, PyVisit};
use sortwell::unstable::key::panic_message;
use sortwell::unstable_sort::{BlockSort, RecordsInOrder};
use sortwell_cli::embed::{EmbeddedCommand, JobWords};

use self::capsule::BatchReader;
pub use self::capsule::stream_capsule;
pub use self::fault::BatchFault;
use self::rows::BatchRows;
use crate::ending::{Guarded, off_work};
use crate::faults;
use crate::job::{OptionWords, job_words};
use crate::waiting::Wait;

/// Function of the package, for messages.
const FUNCTION: &str = "sort_batches";

/// Sorted batches that wait to be taken.
#[pyclass(frozen, module = "sortwell._native")]
pub struct SortedBatchStream {
    feed: BatchFeed,
    /// True after the batches were handed over as a stream of C.
    is_handed_over: AtomicBool,
}

/// Batches on their way to a consumer.
#[derive(Clone)]
struct BatchFeed {
    state: Arc<Guarded<BatchesState>>,
    /// The statistics as JSON, once the last batch was taken.
    statistics: Arc<OnceLock<String>>,
    wait: Arc<Wait>,
    schema: SchemaRef,
    /// The main thread, which runs signal handlers, if the sort was made in it.
    main_thread: Option<ThreadId>,
}

/// State of sorted batches between two calls.
struct BatchesState {
    words: JobWords,
    rows: BatchRows,
    stage: BatchesStage,
}

/// Stage of sorted batches.
enum BatchesStage {
    Pulling(Box<RecordsInOrder>),
    Ended,
    Failed,
}

/// Sorts the batches of an object with the interface of Arrow. A key is the name of a column, and
/// true if its order is descending.
#[pyfunction]
#[pyo3(signature = (data, by, is_null_first, batch_rows, options, progress))]
pub fn sort_batches(
    data: &Bound<'_, PyAny>,
    by: Vec<(String, bool)>,
    is_null_first: bool,
    batch_rows: Option<usize>,
    options: Vec<OptionWords>,
    progress: Option<Py<PyAny>>,
) -> PyResult<SortedBatchStream> {
    let py = data.py();
    let wait = Arc::new(Wait::new(py, Arc::default(), progress)?);
    let _call = wait.begin_call(py)?;
    let words = job_words(py, EmbeddedCommand::Sort, options)?;
    let main_thread = is_main_thread(py)?.then(|| thread::current().id());
    let reader = capsule::reader_of(data).map_err(|raised| faults::interruption(py, raised))?;
    let reader = reader.ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{FUNCTION}: the data has no method __arrow_c_stream__ or __arrow_c_array__: {}; \
             pass a table of pyarrow, a data frame of Polars, or another object with record \
             batches",
            data.get_type()
        ))
    })?;
    let planned = reader.and_then(|reader| {
        BatchRows::plan(&reader.schema(), by, is_null_first, batch_rows).map(|rows| (reader, rows))
    });
    let (reader, rows) = planned.map_err(|fault| fault.exception(py, FUNCTION))?;
    let schema = SchemaRef::clone(rows.schema());
    let work = || BatchesState::sorted(words, rows, reader, &wait);
    let state = wait.run(py, work)?.map_err(|fault| fault.exception(py, FUNCTION))?;
    let state = Guarded::new(state, wait.progress());
    let feed = BatchFeed { state, statistics: Arc::default(), wait, schema, main_thread };
    Ok(SortedBatchStream { feed, is_handed_over: AtomicBool::new(false) })
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("get_ident")?;
    current.eq(threading.call_method0("main_thread")?.getattr("ident")?)
}

impl BatchesState {
    /// Reads all batches into a sort.
    fn sorted(
        mut words: JobWords,
        mut rows: BatchRows,
        mut reader: BatchReader,
        wait: &Wait,
    ) -> Result<Self, BatchFault> {
        let (format, key) = rows.options();
        words.set("format".as_ref(), Some(format.as_ref()))?;
        if let Some(key) = key {
            words.set("key".as_ref(), Some(key.as_ref()))?;
        }
        let job = words.pushed_job()?;
        let mut sort = BlockSort::new(job, Arc::clone(wait.progress()));
        while let Some(batch) = off_work(|| reader.next()) {
            if wait.progress().is_stopping() {
                return Err(sortwell::Error::Interrupted.into());
            }
            rows.push(&batch?, &mut sort, wait.progress())?;
        }
        let records = RecordsInOrder::of_sort(sort)?;
        Ok(Self { words, rows, stage: BatchesStage::Pulling(Box::new(records)) })
    }

    /// Returns the next batch; `None` after the last one. After an error, the sort has failed.
    fn next_batch(&mut self, json: &OnceLock<String>) -> Result<Option<RecordBatch>, BatchFault> {
        let mut records = match std::mem::replace(&mut self.stage, BatchesStage::Failed) {
            BatchesStage::Pulling(records) => records,
            BatchesStage::Ended => {
                self.stage = BatchesStage::Ended;
                return Ok(None);
            }
            BatchesStage::Failed => return Err(unusable("the sort has failed before")),
        };
        if let Some(batch) = self.rows.next_batch(&mut records)? {
            self.stage = BatchesStage::Pulling(records);
            return Ok(Some(batch));
        }
        let statistics = records.close()?;
        json.get_or_init(|| self.words.statistics(&statistics, None));
        self.stage = BatchesStage::Ended;
        Ok(None)
    }
}

fn unusable(message: &str) -> BatchFault {
    BatchFault::Usage(message.to_owned())
}

impl BatchFeed {
    /// Takes the next batch in this thread.
    fn take(&self) -> Result<Option<RecordBatch>, BatchFault> {
        let mut guard = self.state.claim().map_err(unusable)?;
        let state = guard.as_mut().ok_or_else(|| unusable("the batches were closed"))?;
        state.next_batch(&self.statistics)
    }

    /// Takes the next batch, while the calling thread looks after Python.
    fn take_attended(&self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let _call = self.wait.begin_call(py)?;
        let had_ended = self.statistics.get().is_some();
        let taken = self.wait.run(py, || self.take())?;
        let batch = taken.map_err(|fault| fault.exception(py, FUNCTION))?;
        if batch.is_none() && !had_ended {
            self.wait.show_end(py).map_err(|raised| faults::interruption(py, raised))?;
        }
        Ok(batch)
    }

    /// Takes the next batch for a consumer in C. Only the main thread takes the interpreter lock:
    /// it can always have it, as no other thread waits for the main thread with the lock.
    fn take_for_stream(&self) -> Result<Option<RecordBatch>, ArrowError> {
        let attended = (self.main_thread == Some(thread::current().id())).then(|| {
            Python::try_attach(|py| {
                self.take_attended(py).map_err(|raised| {
                    let words = raised.value(py).to_string().replace('\0', " ");
                    ArrowError::ExternalError(words.into())
                })
            })
        });
        match attended.flatten() {
            Some(taken) => taken,
            None => self.take().map_err(|fault| fault.of_stream()),
        }
    }
}

/// Reader that a stream of C owns. Its end stops the sort.
struct HandedOverBatches(BatchFeed);

impl Iterator for HandedOverBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        // A panic cannot pass through a function of C.
        let taken = catch_unwind(AssertUnwindSafe(|| self.0.take_for_stream()));
        let taken = taken.unwrap_or_else(|panic| {
            let words = panic_message(panic.as_ref()).replace('\0', " ");
            Err(ArrowError::ExternalError(words.into()))
        });
        taken.transpose()
    }
}

impl RecordBatchReader for HandedOverBatches {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.0.schema)
    }
}

impl Drop for HandedOverBatches {
    fn drop(&mut self) {
        self.0.state.close_here();
    }
}

#[pymethods]
impl SortedBatchStream {
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        if self.is_handed_over.load(Ordering::Acquire) {
            return Err(handed_over(py));
        }
        let taken = self.feed.take_attended(py);
        Ok(taken.map_err(|raised| faults::in_iterator(py, raised))?.map(Batch::new))
    }

    /// Returns a capsule that has the batches from now on.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        if self.is_handed_over.swap(true, Ordering::AcqRel) {
            return Err(handed_over(py));
        }
        stream_capsule(py, Box::new(HandedOverBatches(self.feed.clone())))
    }

    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.feed.schema)
    }

    /// Returns the statistics as JSON; `None` before the last batch was taken.
    fn statistics(&self) -> Option<&str> {
        self.feed.statistics.get().map(String::as_str)
    }

    /// Stops the sort and removes its files, unless it has ended.
    fn close(&self) {
        self.feed.state.close_detached();
    }

    /// Visits the callback, which never changes; see [`SortedItems`](crate::items::SortedItems). A
    /// stream of C that also has it keeps it, and all that refers to it.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match Arc::strong_count(&self.feed.wait) {
            1 => self.feed.wait.traverse(&visit),
            _ => Ok(()),
        }
    }
}

impl Drop for SortedBatchStream {
    fn drop(&mut self) {
        if !self.is_handed_over.load(Ordering::Acquire) {
            self.feed.state.close_detached();
        }
    }
}

fn handed_over(py: Python<'_>) -> PyErr {
    faults::usage(
        py,
        format!("{FUNCTION}: the batches were handed over as a stream; they can be taken once"),
    )
}

/// Returns a capsule with a schema.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref());
    let schema = schema.map_err(|error| BatchFault::from(error).exception(py, FUNCTION))?;
    capsule::schema_capsule(py, schema)
}

/// A sorted batch, with the interface of Arrow.
#[pyclass(frozen, module = "sortwell")]
pub struct Batch {
    batch: RecordBatch,
}

impl Batch {
    /// Returns a batch as an object of Python.
    pub const fn new(batch: RecordBatch) -> Self {
        Self { batch }
    }
}

#[pymethods]
impl Batch {
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = (self.batch.num_rows(), self.batch.num_columns());
        format!("<sortwell.Batch of {rows} rows, {columns} columns>")
    }

    /// Returns a capsule with the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.batch.schema())
    }

    /// Returns capsules with the schema and the rows. Another schema than its own is not made.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((schema_capsule(py, &self.batch.schema())?, capsule::array_capsule(py, &self.batch)?))
    }
}
