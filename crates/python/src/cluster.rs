//! Steps of a cluster sort that one node does: `sortwell.cluster`.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use sortwell::unstable::job::SortJob;
use sortwell::{Progress, Result};
use sortwell_cli::embed::EmbeddedCommand;
use sortwell_cluster::{
    CutSide, InputSplit, RunCut, RunJob, SearchedRun, SplitCutter, read_top, row_keys,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::faults;
use crate::job::{OptionWords, job_words};
use crate::waiting::Wait;

/// Most records of a run whose keys are returned.
const KEYS_MAX: usize = 2048;

/// A record of a run: its key, its offset, the bytes from it to the next one.
type PlacedKey<'py> = (Bound<'py, PyBytes>, u64, u64);

/// A run: bytes, records, checksum, some of its keys, statistics as JSON.
type RunResult<'py> = (u64, u64, String, Vec<PlacedKey<'py>>, String);

fn sort_job(
    py: Python<'_>,
    options: Vec<OptionWords>,
) -> PyResult<(SortJob, impl Fn(&sortwell::Statistics) -> String)> {
    let words = job_words(py, EmbeddedCommand::Sort, options)?;
    let job = words.pushed_job().map_err(|error| faults::exception(py, &error))?;
    Ok((job, move |statistics: &sortwell::Statistics| words.statistics(statistics, None)))
}

/// Does work without the interpreter lock, until it is done or a signal stops it.
fn waited<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Progress) -> Result<T> + Send,
) -> PyResult<T> {
    let wait = Wait::new(Arc::<Progress>::default(), progress);
    wait.run(py, || work(wait.progress()))?.map_err(|error| faults::exception(py, &error))
}

/// Returns the bytes of an input file, and the lines at its top that are not records. Keys that its
/// records cannot have are an error.
#[pyfunction]
pub fn read_input_top(
    py: Python<'_>,
    options: Vec<OptionWords>,
    path: PathBuf,
) -> PyResult<(u64, Bound<'_, PyBytes>)> {
    let (job, _) = sort_job(py, options)?;
    let top = waited(py, None, move |_| {
        let top = read_top(&job, &path)?;
        if top.bytes > 0 {
            row_keys(&job, &top.header)?;
        }
        Ok(top)
    })?;
    Ok((top.bytes, PyBytes::new(py, &top.header)))
}

/// Returns the beginnings of parts of about `length` bytes of an input file, the first of which
/// begins at `start`.
#[pyfunction]
pub fn cut_input(
    py: Python<'_>,
    options: Vec<OptionWords>,
    path: PathBuf,
    start: u64,
    length: u64,
) -> PyResult<Vec<u64>> {
    let (job, _) = sort_job(py, options)?;
    let splits = waited(py, None, move |progress| {
        SplitCutter::new(&path, job.format.framing())?.splits(start, length, progress)
    })?;
    Ok(splits.into_iter().map(|split| split.start).collect())
}

/// Sorts a part of an input file into a run.
#[pyfunction]
pub fn make_run<'py>(
    py: Python<'py>,
    options: Vec<OptionWords>,
    part: (PathBuf, u64, u64),
    header: Vec<u8>,
    run: PathBuf,
    progress: Option<Py<PyAny>>,
) -> PyResult<RunResult<'py>> {
    let (job, statistics) = sort_job(py, options)?;
    let (path, start, end) = part;
    let split = InputSplit { path, start, end };
    let made =
        waited(py, progress, |progress| RunJob { job: &job, split, header, run }.run(progress))?;
    let proof = made.statistics.proof.as_ref();
    let (records, checksum) = proof.map_or((0, 0), |proof| (proof.records, proof.checksum));
    let keys = made.index.some(KEYS_MAX).into_iter();
    let keys = keys.map(|(entry, bytes)| (PyBytes::new(py, &entry.key), entry.offset, bytes));
    let (checksum, keys) = (format!("{checksum:032x}"), keys.collect());
    Ok((made.bytes, records, checksum, keys, statistics(&made.statistics)))
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
    let (job, _) = sort_job(py, options)?;
    waited(py, None, move |_| {
        let (rows, searched) = (row_keys(&job, &header)?, SearchedRun::open(&run)?);
        let offset = |(key, is_after): &(PyBackedBytes, bool)| {
            let side = if *is_after { CutSide::After } else { CutSide::Before };
            searched.offset(&rows, &RunCut { key: key.to_vec(), side })
        };
        cuts.iter().map(offset).collect()
    })
}

/// Returns the XXH3 of bytes.
#[pyfunction]
pub fn block_checksum(py: Python<'_>, block: &[u8]) -> u64 {
    py.detach(|| xxh3_64(block))
}
