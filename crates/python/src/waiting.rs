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
//!
//! This file also counts forks, and closes what is open when the interpreter ends. It stops the
//! calls of other threads then, and waits for them: Python ends a thread that needs the interpreter
//! later, with what it has on its stack, and a daemon thread may be in any call.

use std::any::Any;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::{PyTraverseError, PyVisit};
use sortwell::unstable::key::panic_message;
use sortwell::{Error, Progress};

use crate::faults;

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(100);

/// Longest wait at the end of the interpreter for the calls of other threads. A stopped job needs
/// some milliseconds on a machine that is not busy, and a function of the program any time.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Time between two looks at these calls.
const CLOSE_LOOK: Duration = Duration::from_millis(5);

/// Number of forks that led to this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Jobs that may have threads and files, and calls that have not returned.
static OPEN: Mutex<Vec<Weak<dyn Closable>>> = Mutex::new(Vec::new());

/// True from the end of the interpreter on.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

/// The class of what a progress callback receives.
static PROGRESS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Counts a fork; the package registers it to run in the process that a fork made.
#[pyfunction]
pub fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Closes all jobs, and waits until the calls of other threads have returned; the package registers
/// it to run when the interpreter ends.
#[pyfunction]
pub fn close_all(py: Python<'_>) {
    IS_ENDING.store(true, Ordering::Release);
    // The calls need the interpreter lock to return.
    py.detach(|| {
        let begun = Instant::now();
        while !is_all_closed() && begun.elapsed() < CLOSE_MAX {
            thread::sleep(CLOSE_LOOK);
        }
    });
}

/// Closes what is open. Returns false if a call has not returned.
fn is_all_closed() -> bool {
    let open: Vec<_> = jobs_and_calls().iter().filter_map(Weak::upgrade).collect();
    let busy = open.iter().filter(|open| !open.close()).count();
    busy == 0
}

fn jobs_and_calls() -> MutexGuard<'static, Vec<Weak<dyn Closable>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes a job or a call until it is dropped.
fn note_open(open: Weak<dyn Closable>) {
    let mut noted = jobs_and_calls();
    noted.retain(|open| open.strong_count() > 0);
    noted.push(open);
}

/// Stopped and freed without a value; that of a parent process is left alone.
trait Closable: Send + Sync {
    /// Requests a stop, and frees what no call uses. Returns false while a call uses it.
    fn close(&self) -> bool;
}

/// Call that has not returned. The end of the interpreter stops it, and waits for it.
pub struct OpenCall {
    progress: Arc<Progress>,
    /// Number of forks when it began.
    forks: u32,
}

impl OpenCall {
    fn begin(progress: &Arc<Progress>) -> Arc<Self> {
        let forks = FORKS.load(Ordering::Relaxed);
        let call = Arc::new(Self { progress: Arc::clone(progress), forks });
        let noted: Arc<dyn Closable> = Arc::<Self>::clone(&call);
        note_open(Arc::downgrade(&noted));
        call
    }
}

impl Closable for OpenCall {
    fn close(&self) -> bool {
        let is_of_parent = self.forks != FORKS.load(Ordering::Relaxed);
        if !is_of_parent {
            self.progress.request_stop();
        }
        is_of_parent
    }
}

/// State of a job that Python objects hold. One call at a time uses it.
pub struct Guarded<S: Send + 'static> {
    state: Mutex<Option<S>>,
    progress: Arc<Progress>,
    /// Number of forks when the job was made.
    forks: u32,
}

impl<S: Send + 'static> Guarded<S> {
    /// Returns a job in this state, which the end of the interpreter closes.
    pub fn new(state: S, progress: &Arc<Progress>) -> Arc<Self> {
        let guarded = Arc::new(Self {
            state: Mutex::new(Some(state)),
            progress: Arc::clone(progress),
            forks: FORKS.load(Ordering::Relaxed),
        });
        let job: Arc<dyn Closable> = Arc::<Self>::clone(&guarded);
        note_open(Arc::downgrade(&job));
        guarded
    }

    /// Returns the state; `None` in it means that the job was closed.
    ///
    /// # Errors
    ///
    /// A usage error during another call, and in a process that a fork made.
    pub fn lock(&self, py: Python<'_>, function: &str) -> PyResult<MutexGuard<'_, Option<S>>> {
        self.claim().map_err(|refusal| faults::usage(py, format!("{function}: {refusal}")))
    }

    /// Returns the state as [`lock`](Self::lock) does, to a thread without the interpreter lock.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub fn claim(&self) -> Result<MutexGuard<'_, Option<S>>, &'static str> {
        if self.is_of_parent() {
            return Err(
                "the sort belongs to the process that made it; after a fork, make a new one",
            );
        }
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(state)) => Ok(state.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err("another call on this sort has not returned; use a sort from one thread at a \
                 time, and not from its own callbacks")
            }
        }
    }

    /// Stops the job and frees it. The interpreter lock may be held or not: no thread of a sort
    /// needs it.
    pub fn close_here(&self) {
        _ = self.close();
    }

    /// Stops the job and frees it, without the interpreter lock.
    pub fn close_detached(&self) {
        // At the end of the interpreter, a thread that gives the lock up may not get it again.
        let is_detached = !IS_ENDING.load(Ordering::Acquire) && {
            let _call = OpenCall::begin(&self.progress);
            Python::try_attach(|py| py.detach(|| self.close())).is_some()
        };
        if !is_detached {
            _ = self.close();
        }
    }

    fn is_of_parent(&self) -> bool {
        self.forks != FORKS.load(Ordering::Relaxed)
    }
}

impl<S: Send + 'static> Closable for Guarded<S> {
    fn close(&self) -> bool {
        let is_of_parent = self.is_of_parent();
        if !is_of_parent {
            self.progress.request_stop();
        }
        let state = match self.state.try_lock() {
            Ok(mut state) => state.take(),
            Err(TryLockError::Poisoned(state)) => state.into_inner().take(),
            // The call that uses it ends after the stop. One of the parent is not in this process.
            Err(TryLockError::WouldBlock) => return is_of_parent,
        };
        if is_of_parent {
            // Its threads and files are those of the parent.
            std::mem::forget(state);
        }
        true
    }
}

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
    pub fn new(progress: Arc<Progress>, callback: Option<Py<PyAny>>) -> Self {
        Self { progress, callback, called: Mutex::new(Instant::now()) }
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

    /// Notes the call that waits, until the value is dropped. It must be the last one that a call
    /// drops, unless the call has a [`Guarded`] state locked for as long.
    pub fn begin_call(&self) -> Arc<OpenCall> {
        OpenCall::begin(&self.progress)
    }

    /// Does `work` without the interpreter lock, and returns its value.
    ///
    /// # Errors
    ///
    /// The exception of a signal handler or of the callback, after `work` has ended. A bug if
    /// `work` panics.
    pub fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        self.run_until(py, work, |_| false)
    }

    /// Does the work of a job, as [`run`](Self::run) does, and shows the end of its progress.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run), with a note if the job has succeeded all the same.
    pub fn run_job<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce() -> sortwell::Result<T> + Send,
    ) -> PyResult<sortwell::Result<T>> {
        let ended = self.run_until(py, job, Result::is_ok)?;
        if ended.is_ok() {
            self.show_end(py).map_err(|raised| faults::too_late(py, raised))?;
        }
        Ok(ended)
    }

    fn run_until<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> T + Send,
        is_done: impl FnOnce(&T) -> bool,
    ) -> PyResult<T> {
        self.look(py)?;
        let (value, raised) = py.detach(|| self.attended(work));
        match (value, raised) {
            (Ok(value), Some(raised)) if is_done(&value) => Err(faults::too_late(py, raised)),
            (_, Some(raised)) => Err(raised),
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
                if raised.is_none() {
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
        py.check_signals().map_err(|raised| faults::interruption(py, raised))?;
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
