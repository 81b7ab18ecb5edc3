//! Errors of the library as exceptions of the package.
//!
//! The classes are Python's, in `sortwell/_errors.py`; its function `make` builds one.

use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use sortwell::Error;
use sortwell_cli::embed;

use crate::ending::{self, OpenCall};

/// The function that builds an exception.
static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The class of interruptions.
static INTERRUPTED: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Exit status of the command for a wrong request.
const USAGE: u8 = 2;
/// Code of an error of a source of batches, which the command does not have.
const SOURCE: u8 = 1;
/// Exit status of the command after a fault of its own.
const BUG: u8 = 70;

/// Numbers of Linux for a lack of space and a lack of permission.
const ENOSPC: i32 = 28;
const EACCES: i32 = 13;

/// Content of an exception.
#[derive(Debug)]
struct FaultReport {
    /// Name of the class.
    class: &'static str,
    message: String,
    code: u8,
    file: Option<PathBuf>,
    offset: Option<u64>,
    record: Option<u64>,
    errno: Option<i32>,
}

impl FaultReport {
    fn new(class: &'static str, message: String, code: u8) -> Self {
        Self { class, message, code, file: None, offset: None, record: None, errno: None }
    }

    fn exception(self, py: Python<'_>) -> PyErr {
        if ending::is_ending_elsewhere() {
            return interrupted_plainly(py);
        }
        let _call = OpenCall::note(None);
        let made = MAKE.import(py, "sortwell._errors", "make").and_then(|make| {
            let Self { class, message, code, file, offset, record, errno } = self;
            make.call1((class, message, code, file, offset, record, errno))
        });
        made.map_or_else(|error| error, PyErr::from_value)
    }
}

/// Returns the exception for an error.
pub fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let mut report = FaultReport::new(class_of(error), embed::chain(error), embed::status(error));
    report.file = error.file().map(Path::to_owned);
    (report.offset, report.record) = (error.offset(), error.record());
    report.errno = errno_of(error);
    report.exception(py)
}

/// Returns the exception for a wrong call.
pub fn usage(py: Python<'_>, message: impl Into<String>) -> PyErr {
    FaultReport::new("UsageError", message.into(), USAGE).exception(py)
}

/// Returns the exception for a source of batches that has failed.
pub fn source(py: Python<'_>, function: &str, message: &str) -> PyErr {
    let message = format!("{function}: the source of the batches has failed: {message}");
    FaultReport::new("Error", message, SOURCE).exception(py)
}

/// Returns the exception for a panic.
pub fn bug(py: Python<'_>, panic: &str) -> PyErr {
    FaultReport::new("Error", embed::fault(panic), BUG).exception(py)
}

/// Returns the interruption for a `KeyboardInterrupt`, which the handler of a signal has raised in
/// this thread or in a function of the program, and any other exception as it is.
pub fn interruption(py: Python<'_>, raised: PyErr) -> PyErr {
    if !raised.get_type(py).is(py.get_type::<PyKeyboardInterrupt>()) {
        return raised;
    }
    let exception = exception(py, &Error::Interrupted);
    exception.set_cause(py, Some(raised));
    exception
}

/// Returns the class of interruptions.
///
/// # Errors
///
/// Those of its import.
pub fn interrupted_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    INTERRUPTED.import(py, "sortwell._errors", "Interrupted")
}

/// Returns an interruption that no code in Python makes, and that is complete: PyO3 would complete
/// it without the interpreter lock.
pub fn interrupted_plainly(py: Python<'_>) -> PyErr {
    let message = embed::chain(&Error::Interrupted);
    let made = interrupted_class(py).and_then(|class| class.call1((message,)));
    made.map_or_else(|error| error, PyErr::from_value)
}

/// Returns an exception that came too late to stop a job, with this note. An interruption says that
/// there is no output: its cause takes its place.
pub fn too_late(py: Python<'_>, raised: PyErr, note: &str) -> PyErr {
    let is_interruption = interrupted_class(py).is_ok_and(|class| raised.get_type(py).is(class));
    let cause = if is_interruption { raised.cause(py) } else { None };
    let raised = cause.unwrap_or(raised);
    // An exception with a method of its own for notes may refuse one.
    _ = raised.value(py).call_method1("add_note", (note,));
    raised
}

/// Returns the exception of a call that makes the next element of an iterator. `StopIteration`,
/// which a function of the program raised, would be the end of it. As in a generator of Python, it
/// becomes the cause of a `RuntimeError`.
pub fn in_iterator(py: Python<'_>, raised: PyErr) -> PyErr {
    let _call = OpenCall::note(None);
    if !raised.is_instance_of::<PyStopIteration>(py) {
        return raised;
    }
    let exception = PyRuntimeError::new_err("a function that sortwell called raised StopIteration");
    exception.set_cause(py, Some(raised));
    exception
}

fn class_of(error: &Error) -> &'static str {
    match error {
        Error::Config(_) => "UsageError",
        Error::Malformed { .. } | Error::BudgetExceeded { .. } => "MalformedError",
        Error::NoSpace { .. } | Error::OverLimit { .. } => "NoSpaceError",
        Error::Corrupt { .. }
        | Error::Proof { .. }
        | Error::Changed { .. }
        | Error::Disorder { .. } => "ProofError",
        Error::Interrupted => "Interrupted",
        Error::Kept { error, .. } => class_of(error),
        Error::Io { .. } if error.is_full() => "NoSpaceError",
        Error::Io { .. } | Error::WriteProtected { .. } => "StorageError",
        _ => "Error",
    }
}

/// Returns the number that the system has for the error.
fn errno_of(error: &Error) -> Option<i32> {
    match error {
        Error::Io { source, .. } => source.raw_os_error(),
        Error::NoSpace { .. } | Error::OverLimit { .. } => Some(ENOSPC),
        Error::WriteProtected { .. } => Some(EACCES),
        Error::Kept { error, .. } => errno_of(error),
        _ => None,
    }
}
