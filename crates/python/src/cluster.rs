//! Steps of a cluster sort that one node does: `sortwell.cluster`.

use std::cmp::Ordering;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::json;
use sortwell::unstable::format::Format;
use sortwell::unstable::format::csv::BYTE_ORDER_MARK;
use sortwell::unstable::job::SortJob;
use sortwell::unstable::operator::Select;
use sortwell::unstable::stats::{KeyTally, Statistics};
use sortwell::{Progress, Result};
use sortwell_cli::embed::{self, EmbeddedCommand, FileJob};
use sortwell_cluster::{
    CutSide, IndexEntry, InputSplit, RangeMerge, RunCut, RunIndex, RunJob, SearchedRun,
    SplitCutter, index_path, read_top, row_keys, same_columns,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::buffer::Block;
use crate::ending::{Guarded, OpenCall, detached};
use crate::faults;
use crate::job::{JobResult, NamedInput, OptionWords, job_words, run_changed};
use crate::waiting::Wait;

/// Most records of a run whose keys are returned.
const KEYS_MAX: usize = 2048;

/// Length up to which a key is returned whole.
const WHOLE_KEY: usize = 1024;

/// A record of a run: its key, its offset, the bytes from it to the next one. There is no offset if
/// the key is only the beginning of a long one.
type PlacedKey<'py> = (Bound<'py, PyBytes>, Option<u64>, u64);

/// A run: bytes, records, checksum of these, some of its keys, findings as JSON.
type RunResult<'py> = (u64, u64, String, Vec<PlacedKey<'py>>, String);

/// Findings about the records that a run is made of: rows that were left out for the number of
/// their cells, where some may be, and counts of keys.
type RunFindings = (Option<u64>, KeyTally);

/// Settings of a task that are no options of the command. They stand among its options.
#[derive(Default)]
struct TaskSettings {
    /// `order-only`: all records are written in the order of a job that combines them.
    is_order_only: bool,
    /// `has-comments`: lines of a header are known by their prefix.
    has_comments: bool,
    /// `first-row-cells`, as in [`CsvFormat::first_row_cells`].
    first_row_cells: Option<usize>,
}

impl TaskSettings {
    /// Takes the settings from the options of a task.
    fn take_from(options: &mut Vec<OptionWords>) -> PyResult<Self> {
        let mut settings = Self::default();
        for (name, value) in std::mem::take(options) {
            match (name.to_str(), value) {
                (Some("order-only"), _) => settings.is_order_only = true,
                (Some("has-comments"), _) => settings.has_comments = true,
                (Some("first-row-cells"), value) => {
                    let number = value.as_ref().and_then(|value| value.to_str()?.parse().ok());
                    let wrong = || PyValueError::new_err(format!("{value:?} is not a number"));
                    settings.first_row_cells = Some(number.ok_or_else(wrong)?);
                }
                (_, value) => options.push((name, value)),
            }
        }
        Ok(settings)
    }

    /// Sets the format and the selection of a job.
    fn apply(&self, format: &mut Format, select: &mut Select) {
        if let Format::Csv(csv) = format {
            csv.first_row_cells = self.first_row_cells;
        }
        if self.is_order_only {
            // The other keys do not place an invalid record.
            *select = Select { unique_by: select.unique_by, ..Select::default() };
        }
        select.has_comments = self.has_comments;
    }
}

fn sort_job(py: Python<'_>, mut options: Vec<OptionWords>) -> PyResult<SortJob> {
    let settings = TaskSettings::take_from(&mut options)?;
    let words = job_words(py, EmbeddedCommand::Sort, options)?;
    let mut job = words.pushed_job().map_err(|error| faults::exception(py, &error))?;
    settings.apply(&mut job.format, &mut job.select);
    Ok(job)
}

/// Does work without the interpreter lock, until it is done or a signal stops it, and shows the end
/// of its progress.
fn waited<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Progress) -> Result<T> + Send,
) -> PyResult<T> {
    let wait = Wait::new(py, Arc::<Progress>::default(), progress)?;
    let _call = wait.begin_call(py)?;
    let ended = wait.run_job(py, || work(wait.progress()), "the work had ended")?;
    ended.map_err(|error| faults::exception(py, &error))
}

/// Returns the format that the names of the inputs say, if no option sets it.
#[pyfunction]
pub fn format_by_names(
    py: Python<'_>,
    options: Vec<OptionWords>,
    names: Vec<OsString>,
) -> PyResult<Option<&'static str>> {
    let mut words = job_words(py, EmbeddedCommand::Sort, options)?;
    for name in names {
        words.input(&name).map_err(|error| faults::exception(py, &error))?;
    }
    Ok(words.format_by_names())
}

/// Returns the files that options name, as lists of values.
#[pyfunction]
pub fn named_files(py: Python<'_>, options: Vec<OptionWords>) -> PyResult<Vec<String>> {
    Ok(sort_job(py, options)?.named_files())
}

/// Returns a checksum of the files that options name, as lists of values. It is zero without any.
#[pyfunction]
pub fn named_files_checksum(py: Python<'_>, options: Vec<OptionWords>) -> PyResult<String> {
    let job = sort_job(py, options)?;
    let checksum = waited(py, None, move |_| job.named_files_checksum())?;
    Ok(format!("{checksum:032x}"))
}

/// The top of an input file: bytes of the file, the lines at its top that are not records, true if
/// it is compressed, and the cells of the first row of a table without a header.
type TopResult<'py> = (u64, Bound<'py, PyBytes>, bool, Option<usize>);

/// Returns the top of an input file. Keys that its records cannot have are an error.
#[pyfunction]
pub fn read_input_top(
    py: Python<'_>,
    options: Vec<OptionWords>,
    path: PathBuf,
) -> PyResult<TopResult<'_>> {
    let job = sort_job(py, options)?;
    let top = waited(py, None, move |progress| {
        let top = read_top(&job, &path, progress)?;
        // A file that consists of a mark of the byte order has no row, either.
        let is_mark = top.header == BYTE_ORDER_MARK;
        let has_rows = if top.is_compressed && matches!(job.format, Format::Csv(_)) {
            top.first_row_cells.is_some() || !top.header.is_empty() && !is_mark
        } else {
            top.bytes > if is_mark { BYTE_ORDER_MARK.len() as u64 } else { 0 }
        };
        if has_rows {
            row_keys(&job, &top.header)?;
        }
        Ok(top)
    })?;
    Ok((top.bytes, PyBytes::new(py, &top.header), top.is_compressed, top.first_row_cells))
}

/// Returns whether the headers of two inputs name the same columns.
#[pyfunction]
pub fn has_same_columns(
    py: Python<'_>,
    options: Vec<OptionWords>,
    header: &[u8],
    other: &[u8],
) -> PyResult<bool> {
    let job = sort_job(py, options)?;
    same_columns(&job, header, other).map_err(|error| faults::exception(py, &error))
}

/// Returns the beginnings of parts of about `length` bytes of an input file, the first of which
/// begins at `start`. No record has more than `record_bytes_max` bytes.
#[pyfunction]
pub fn cut_input(
    py: Python<'_>,
    options: Vec<OptionWords>,
    path: PathBuf,
    start: u64,
    length: u64,
    record_bytes_max: usize,
) -> PyResult<Vec<u64>> {
    let job = sort_job(py, options)?;
    let splits = waited(py, None, move |progress| {
        let cutter = SplitCutter::new(&path, job.format.framing(), record_bytes_max)?;
        cutter.splits(start, length, progress)
    })?;
    Ok(splits.into_iter().map(|split| split.start).collect())
}

/// A part of an input file, a tuple in Python: a path, a start, an end, and true for all of a
/// compressed file.
#[derive(FromPyObject)]
pub struct InputPart(PathBuf, u64, u64, bool);

/// Runs a job of files as a task of a cluster sort.
#[pyfunction]
pub fn run_task(
    py: Python<'_>,
    command: &str,
    mut options: Vec<OptionWords>,
    inputs: Vec<NamedInput<'_>>,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<JobResult> {
    let settings = TaskSettings::take_from(&mut options)?;
    run_changed(py, command, options, inputs, output, progress, |job| match job {
        FileJob::Sort(job) => settings.apply(&mut job.format, &mut job.select),
        FileJob::Merge(job) => settings.apply(&mut job.format, &mut job.select),
        FileJob::Check(..) | FileJob::IndexBuild(_) | FileJob::IndexAppend(_) => {}
    })
}

/// Sorts a part of an input file into a run, which `cut_by` says how to cut later. The keys that
/// are returned have at most `key_bytes` bytes, if that is possible without long ones.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an object of Python would have the same fields")]
pub fn make_run<'py>(
    py: Python<'py>,
    options: Vec<OptionWords>,
    cut_by: Vec<OptionWords>,
    part: InputPart,
    header: Vec<u8>,
    run: PathBuf,
    key_bytes: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<RunResult<'py>> {
    let (job, cut_by) = (sort_job(py, options)?, sort_job(py, cut_by)?);
    let InputPart(path, start, end, is_compressed) = part;
    let split = InputSplit { path, start, end, is_compressed };
    let run = RunJob { job: &job, cut_by: &cut_by, split, header, run };
    let made = waited(py, progress, |progress| run.run(progress))?;
    let checksum = format!("{:032x}", made.written.checksum);
    let found = (made.statistics.ragged_rows_dropped, &made.statistics.keys.tally);
    let found = json!(found).to_string();
    Ok((made.bytes, made.written.records, checksum, some_keys(py, &made.index, key_bytes), found))
}

/// Returns what the findings of runs add up to, as the statistics of a sort have it in JSON, and as
/// the lines of the command. `options` are those of the runs.
#[pyfunction]
pub fn sum_findings(
    py: Python<'_>,
    options: Vec<OptionWords>,
    header: &[u8],
    findings: Vec<String>,
) -> PyResult<(String, String)> {
    let job = sort_job(py, options)?;
    let (mut rows, mut tally) = (None, KeyTally::default());
    for found in findings {
        let found: RunFindings = serde_json::from_str(&found)
            .map_err(|wrong| PyValueError::new_err(wrong.to_string()))?;
        rows = found.0.map_or(rows, |more| Some(rows.unwrap_or(0) + more));
        tally.add(&found.1);
    }
    let keys = row_keys(&job, header).map_err(|error| faults::exception(py, &error))?;
    let mut of = Statistics::default();
    (of.ragged_rows_dropped, of.keys) = (rows, keys.findings(&tally));
    let values = json!({ "ragged_rows_dropped": rows, "keys": of.keys });
    Ok((values.to_string(), embed::finding_lines(&of)))
}

/// Returns the offsets in a run of the first records after cuts: keys, and true for a cut after the
/// records with the key.
#[pyfunction]
pub fn find_cuts(
    py: Python<'_>,
    options: Vec<OptionWords>,
    header: Vec<u8>,
    run: PathBuf,
    cuts: Vec<(PyBackedBytes, bool)>,
) -> PyResult<Vec<u64>> {
    let job = sort_job(py, options)?;
    waited(py, None, move |_| {
        let (rows, searched) = (row_keys(&job, &header)?, SearchedRun::open(&run)?);
        let offset = |(key, is_after): &(PyBackedBytes, bool)| {
            let side = if *is_after { CutSide::After } else { CutSide::Before };
            searched.offset(&rows, &RunCut { key: key.to_vec(), side })
        };
        cuts.iter().map(offset).collect()
    })
}

/// Returns some of the keys of a run from its index, as [`make_run`] does.
#[pyfunction]
pub fn run_keys(py: Python<'_>, run: PathBuf, key_bytes: usize) -> PyResult<Vec<PlacedKey<'_>>> {
    let index = waited(py, None, move |_| RunIndex::read(&index_path(&run)))?;
    Ok(some_keys(py, &index, key_bytes))
}

fn some_keys<'py>(py: Python<'py>, index: &RunIndex, key_bytes: usize) -> Vec<PlacedKey<'py>> {
    let some = index.some(KEYS_MAX);
    let length = (key_bytes / some.len().max(1)).max(WHOLE_KEY);
    let placed = |(entry, bytes): (&IndexEntry, u64)| {
        let key = &entry.key[..entry.key.len().min(length)];
        let is_whole = key.len() == entry.key.len();
        (PyBytes::new(py, key), is_whole.then_some(entry.offset), bytes)
    };
    some.into_iter().map(placed).collect()
}

/// A cut of a run, a tuple in Python: its offset, its key, and whether the record before it and the
/// one after it may have this key.
#[derive(FromPyObject)]
pub struct MadeCut(u64, PyBackedBytes, bool, bool);

impl MadeCut {
    /// Returns whether the key is between those of the records around the cut.
    fn separates(&self, [before, after]: [Option<Vec<u8>>; 2]) -> bool {
        let Self(_, key, may_equal_before, may_equal_after) = self;
        let is_after_it = |before: Vec<u8>| match before.as_slice().cmp(key) {
            Ordering::Equal => *may_equal_before,
            order => order.is_lt(),
        };
        let is_before_it = |after: Vec<u8>| match after.as_slice().cmp(key) {
            Ordering::Equal => *may_equal_after,
            order => order.is_gt(),
        };
        before.is_none_or(is_after_it) && after.is_none_or(is_before_it)
    }
}

/// Returns for each cut of a run whether its key is between those of the records around it.
#[pyfunction]
pub fn check_cuts(
    py: Python<'_>,
    options: Vec<OptionWords>,
    header: Vec<u8>,
    run: PathBuf,
    cuts: Vec<MadeCut>,
) -> PyResult<Vec<bool>> {
    let job = sort_job(py, options)?;
    waited(py, None, move |_| {
        let (rows, searched) = (row_keys(&job, &header)?, SearchedRun::open(&run)?);
        let check = |cut: &MadeCut| Ok(cut.separates(searched.neighbours(&rows, cut.0)?));
        cuts.iter().map(check).collect()
    })
}

/// Returns the XXH3 of the bytes of a run from `start` to `end`.
#[pyfunction]
pub fn range_checksum(py: Python<'_>, run: PathBuf, start: u64, end: u64) -> PyResult<u64> {
    let _call = OpenCall::begin(py, None)?;
    detached(py, move || sortwell_cluster::range_checksum(&run, start, end))
        .map_err(|error| faults::exception(py, &error))
}

/// Returns the XXH3 of bytes.
#[pyfunction]
pub fn block_checksum(py: Python<'_>, block: &[u8]) -> PyResult<u64> {
    let _call = OpenCall::begin(py, None)?;
    Ok(detached(py, || xxh3_64(block)))
}

/// A merge of ranges of runs, block by block. Another thread merges.
#[pyclass(frozen, module = "sortwell._native")]
pub struct MergedRanges(Arc<Guarded<RangeMerge>>);

#[pymethods]
impl MergedRanges {
    /// Begins to merge ranges: a path, a start and an end each.
    #[new]
    fn new(
        py: Python<'_>,
        mut options: Vec<OptionWords>,
        header: &[u8],
        ranges: Vec<(PathBuf, u64, u64)>,
        block_bytes: usize,
    ) -> PyResult<Self> {
        let raised = |error: &sortwell::Error| faults::exception(py, error);
        let settings = TaskSettings::take_from(&mut options)?;
        let mut words = job_words(py, EmbeddedCommand::Merge, options)?;
        for (path, ..) in &ranges {
            words.input(path.as_os_str()).map_err(|error| raised(&error))?;
        }
        let mut job = words.pulled_merge().map_err(|error| raised(&error))?;
        settings.apply(&mut job.format, &mut job.select);
        let split = |(path, start, end)| InputSplit { path, start, end, is_compressed: false };
        let ranges: Vec<_> = ranges.into_iter().map(split).collect();
        let merge = RangeMerge::begin(job, &ranges, header, block_bytes.max(1));
        let merge = merge.map_err(|error| raised(&error))?;
        let progress = Arc::clone(merge.progress());
        Ok(Self(Guarded::new(merge, &progress)))
    }

    /// Returns the next block and its XXH3; `None` after the last one.
    fn next_block(&self, py: Python<'_>) -> PyResult<Option<(Block, u64)>> {
        let mut state = self.0.lock(py, "next_block")?;
        let Some(merge) = state.as_mut() else { return Ok(None) };
        let block = detached(py, || merge.next_block());
        let block = block.map_err(|error| faults::exception(py, &error))?;
        Ok(block.map(|block| {
            let checksum = block.checksum;
            (Block::new(block), checksum)
        }))
    }

    /// Ends the merge.
    fn close(&self) {
        self.0.close_detached();
    }
}
