//! Jobs that read and write files, and the report page.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::Borrowed;
use pyo3::prelude::*;
use sortwell::Progress;
use sortwell::unstable::job::Input;
use sortwell_cli::embed::{self, EmbeddedCommand, FileJob, FileJobEnd, JobWords, SwitchForm};

use crate::faults;
use crate::fed::FedInput;
use crate::waiting::Wait;

/// An option: its long name without dashes, and its value if it has one.
pub type OptionWords = (OsString, Option<OsString>);

/// Result of a check: records, bytes, rows that were left out, and the first disorder.
type CheckResult = (u64, u64, u64, Option<DisorderResult>);

/// A disorder: the message, the file, the offset in bytes, the number of the record from 1.
type DisorderResult = (String, OsString, u64, u64);

/// Input of a job.
pub enum NamedInput<'py> {
    /// Bytes that other threads pass, for a merge.
    Fed(Bound<'py, FedInput>),
    /// A path.
    File(OsString),
}

impl<'py> FromPyObject<'_, 'py> for NamedInput<'py> {
    type Error = PyErr;

    fn extract(input: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match input.cast::<FedInput>() {
            Ok(fed) => Ok(Self::Fed(fed.to_owned())),
            Err(_) => Ok(Self::File(input.extract()?)),
        }
    }
}

/// Result of a job for the package.
#[derive(IntoPyObject)]
pub enum JobResult {
    /// The statistics as JSON.
    Statistics(String),
    /// The result of a check.
    Checked(CheckResult),
}

/// Returns the words of a job with these options.
///
/// # Errors
///
/// A usage error for an option that does not exist, or a value that it does not take.
pub fn job_words(
    py: Python<'_>,
    command: EmbeddedCommand,
    options: Vec<OptionWords>,
) -> PyResult<JobWords> {
    let mut words = JobWords::new(command);
    for (name, value) in options {
        words.set(&name, value.as_deref()).map_err(|error| faults::exception(py, &error))?;
    }
    Ok(words)
}

/// Returns the words of an option that is true or false: one, or none.
#[pyfunction]
pub fn switch_words(
    py: Python<'_>,
    command: &str,
    name: String,
    is_on: bool,
) -> PyResult<Vec<(String, Option<&'static str>)>> {
    let command: Vec<_> = command.split(' ').collect();
    let form = embed::switch_form(&command, &name, is_on);
    Ok(match form.map_err(|error| faults::exception(py, &error))? {
        SwitchForm::Absent => Vec::new(),
        SwitchForm::Bare => vec![(name, None)],
        SwitchForm::Value(word) => vec![(name, Some(word))],
    })
}

/// Checks the name of an option for an operation that the packaged command does.
#[pyfunction]
pub fn check_option(py: Python<'_>, name: &str) -> PyResult<()> {
    embed::check_runnable(name).map_err(|error| faults::exception(py, &error))
}

/// Runs a job of files.
#[pyfunction]
pub fn run_job(
    py: Python<'_>,
    command: &str,
    options: Vec<OptionWords>,
    inputs: Vec<NamedInput<'_>>,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
) -> PyResult<JobResult> {
    run_changed(py, command, options, inputs, output, progress, |_| {})
}

/// Runs a job of files after a change of its settings.
///
/// # Errors
///
/// The exceptions of wrong options, and of the job.
pub fn run_changed(
    py: Python<'_>,
    command: &str,
    options: Vec<OptionWords>,
    inputs: Vec<NamedInput<'_>>,
    output: Option<PathBuf>,
    progress: Option<Py<PyAny>>,
    change: impl FnOnce(&mut FileJob),
) -> PyResult<JobResult> {
    let command = match command {
        "merge" => EmbeddedCommand::Merge,
        "check" => EmbeddedCommand::Check,
        "index build" => EmbeddedCommand::IndexBuild,
        "index append" => EmbeddedCommand::IndexAppend,
        _ => EmbeddedCommand::Sort,
    };
    let raised = |error: &sortwell::Error| faults::exception(py, error);
    let mut words = job_words(py, command, options)?;
    for input in &inputs {
        let name = match input {
            NamedInput::Fed(fed) => fed.get().name().as_os_str(),
            NamedInput::File(path) => path,
        };
        words.input(name).map_err(|error| raised(&error))?;
    }
    let mut job = words.file_job(output.as_deref()).map_err(|error| raised(&error))?;
    change(&mut job);
    if let FileJob::Merge(merge) = &mut job {
        for (place, input) in merge.inputs.iter_mut().zip(inputs) {
            if let NamedInput::Fed(fed) = input {
                let used = || faults::usage(py, "an input that is passed can be merged once");
                *place = Input::Supplied(fed.get().stream().ok_or_else(used)?);
            }
        }
    }
    let wait = Wait::new(py, Arc::<Progress>::default(), progress)?;
    let _call = wait.begin_call(py)?;
    let success = match &job {
        FileJob::Check(..) => "the check had ended",
        _ => "the job had succeeded: its output is complete",
    };
    let end = wait.run_job(py, || job.run(wait.progress()), success)?;
    let end = end.map_err(|error| raised(&error))?;
    Ok(match end {
        FileJobEnd::Done(statistics) => {
            let json = |output: Option<&Path>| words.statistics(&statistics, output);
            JobResult::Statistics(output.map_or_else(|| json(None), |output| json(Some(&output))))
        }
        FileJobEnd::Checked(checked) => {
            let disorder = match (&checked.disorder, &job) {
                (Some(disorder), FileJob::Check(_, sentence)) => Some((
                    sentence(disorder),
                    disorder.path.clone().into_os_string(),
                    disorder.offset,
                    disorder.record_number,
                )),
                _ => None,
            };
            let sortwell::Checked { records, bytes, ragged_rows_dropped, .. } = checked;
            JobResult::Checked((records, bytes, ragged_rows_dropped, disorder))
        }
    })
}

/// Returns the report page of statistics, which are JSON, as HTML.
#[pyfunction]
pub fn report_page(py: Python<'_>, statistics: &str) -> PyResult<String> {
    embed::report_page("the statistics", statistics).map_err(|error| faults::exception(py, &error))
}
