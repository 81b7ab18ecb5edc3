//! Work without the interpreter lock, while the calling thread looks after Python.
//!
//! ```text
//!   calling thread:  detach --> wait 100 ms --> signals, progress --> wait ... --> attach
//!   other thread:    work ------------------------------------> done
//! ```
//!
//! Python runs signal handlers in its main thread alone. So the work moves to another thread, and
//! the calling thread stays free to run them. An exception from a handler or from the callback
//! stops the job; the call ends as soon as the job has.

use std::any::Any;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{PyTraverseError, PyVisit};
use sortwell::unstable::key::panic_message;
use sortwell::{Error, Progress};

use crate::ending::{OpenCall, at_work, is_locked_out, unlocked};
use crate::faults;

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(100);

/// The class of what a progress callback receives.
static PROGRESS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Fault of the thread that works.
enum WorkFault {
    Panic(String),
    NoThread(Error),
}

/// Progress as a callback receives it. The bytes are those of all passes.
struct ShownProgress {
    done: u64,
    total: Option<u64>,
    share: Option<f64>,
    seconds_left: Option<f64>,
}

/// Wait for work, with the callback that shows its progress.
pub struct Wait {
    progress: Arc<Progress>,
    callback: Option<Py<PyAny>>,
    /// Time of the last call.
    called: Mutex<Instant>,
}

impl Wait {
    /// Returns a wait for a job that has not begun.
    ///
    /// # Errors
    ///
    /// `TypeError` for a callback that cannot be called.
    pub fn new(
        py: Python<'_>,
        progress: Arc<Progress>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        if let Some(object) = callback.as_ref().filter(|object| !object.bind(py).is_callable()) {
            let kind = object.bind(py).get_type().fully_qualified_name()?;
            let message = format!("progress= must be a function, and has the type {kind}");
            return Err(PyTypeError::new_err(message));
        }
        Ok(Self { progress, callback, called: Mutex::new(Instant::now()) })
    }

    /// Visits the callback for the garbage collector of Python. It has to be called by the only
    /// object that has the wait.
    ///
    /// # Errors
    ///
    /// Those of the visit.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.callback)
    }

    /// Returns the progress of the job.
    pub const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Notes the call that waits, until the value is dropped.
    ///
    /// # Errors
    ///
    /// Those of [`OpenCall::begin`].
    pub fn begin_call(&self, py: Python<'_>) -> PyResult<Arc<OpenCall>> {
        OpenCall::begin(py, Some(&self.progress))
    }

    /// Does `work` without the interpreter lock, and returns its value.
    ///
    /// # Errors
    ///
    /// The exception of a signal handler or of the callback, after `work` has ended. A bug if
    /// `work` panics.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.run_until(py, work, |_| None)
    }

    /// Does the work of a job, as [`run`](Self::run) does, and shows the end of its progress.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run), with `success` as a note if the job has succeeded all the same.
    pub fn run_job<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce() -> sortwell::Result<T> + Send,
        success: &str,
    ) -> PyResult<sortwell::Result<T>> {
        let ended = self.run_until(py, job, |ended| ended.is_ok().then_some(success))?;
        if ended.is_ok() {
            self.show_end(py).map_err(|raised| faults::too_late(py, raised, success))?;
        }
        Ok(ended)
    }

    /// Does `work`. `late` returns the note for an exception that comes after its success.
    fn run_until<'n, T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send,
        late: impl FnOnce(&T) -> Option<&'n str>,
    ) -> PyResult<T> {
        self.look(py)?;
        let (value, raised) = unlocked(py, || self.attended(|| at_work(work)));
        match (value, raised) {
            (Ok(value), Some(raised)) => Err(match late(&value) {
                Some(note) => faults::too_late(py, raised, note),
                None => raised,
            }),
            (Err(_), Some(raised)) => Err(raised),
            (Ok(value), None) => Ok(value),
            (Err(WorkFault::Panic(words)), None) => Err(faults::bug(py, &words)),
            (Err(WorkFault::NoThread(error)), None) => Err(faults::exception(py, &error)),
        }
    }

    fn attended<T: Send>(
        &self,
        work: impl FnOnce() -> T + Send,
    ) -> (Result<T, WorkFault>, Option<PyErr>) {
        thread::scope(|scope| {
            let (alive, ended) = channel::<()>();
            let worker = thread::Builder::new().spawn_scoped(scope, move || {
                // Dropped at the end, also by a panic.
                let _alive = alive;
                work()
            });
            let worker = match worker {
                Ok(worker) => worker,
                Err(error) => {
                    let error = Error::io("start a thread for", Path::new("a sort"), error);
                    return (Err(WorkFault::NoThread(error)), None);
                }
            };
            let mut raised = None;
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() && !is_locked_out() {
                    raised = Python::attach(|py| self.look(py)).err();
                    if raised.is_some() {
                        self.progress.request_stop();
                    }
                }
            }
            let panicked = |panic: Box<dyn Any + Send>| panic_message(panic.as_ref());
            (worker.join().map_err(|panic| WorkFault::Panic(panicked(panic))), raised)
        })
    }

    /// Runs signal handlers, and the callback if it is due.
    fn look(&self, py: Python<'_>) -> PyResult<()> {
        self.look_at_python(py).map_err(|raised| faults::interruption(py, raised))
    }

    fn look_at_python(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        self.show_if_due(py)
    }

    /// Calls the callback if it is due. This takes some nanoseconds if it is not.
    ///
    /// # Errors
    ///
    /// Its exception.
    pub fn show_if_due(&self, py: Python<'_>) -> PyResult<()> {
        if self.callback.is_none() {
            return Ok(());
        }
        let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
        if called.elapsed() < LOOK {
            return Ok(());
        }
        *called = Instant::now();
        drop(called);
        self.show(py)
    }

    /// Calls the callback while the job runs.
    fn show(&self, py: Python<'_>) -> PyResult<()> {
        let (done, total) = self.progress.bytes();
        let seconds_left = self.progress.left().map(|left| left.as_secs_f64());
        self.call(py, &ShownProgress { done, total, share: self.progress.done(), seconds_left })
    }

    /// Calls the callback at the end of a job that has succeeded: all of it is done, although less
    /// may have been moved than was expected.
    ///
    /// # Errors
    ///
    /// Its exception.
    pub fn show_end(&self, py: Python<'_>) -> PyResult<()> {
        let (done, _) = self.progress.bytes();
        let (total, share, seconds_left) = (Some(done), Some(1.0), Some(0.0));
        self.call(py, &ShownProgress { done, total, share, seconds_left })
    }

    fn call(&self, py: Python<'_>, shown: &ShownProgress) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let ShownProgress { done, total, share, seconds_left } = *shown;
        let class = PROGRESS.import(py, "sortwell._progress", "Progress")?;
        let phase = self.progress.phase().words();
        callback.call1(py, (class.call1((phase, done, total, share, seconds_left))?,))?;
        Ok(())
    }
}
