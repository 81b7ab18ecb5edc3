//! The end of the interpreter, and forks: jobs and calls that are open, and work without the lock.
//!
//! ```text
//!   running --> ending: jobs and calls are stopped, new calls refused --> ended: no thread returns
//! ```
//!
//! Python ends a daemon thread that takes the interpreter lock, or has it taken away, after the
//! interpreter. A thread that has functions of Rust on its stack then aborts the process. So
//! [`close_all`] stops the calls of other threads and waits for them: longer for work of the
//! package, which may have to wait for a disk, than for functions of the program, which may wait
//! for ever. A call that needs longer does not take the lock again, unless it is about to take it
//! at that moment, or is in a function of the program. A new call is refused without any code in
//! Python.
//!
//! Each call that gives up the lock, or runs code in Python, is noted as an [`OpenCall`] or has the
//! state of a [`Guarded`] locked. Values that it takes and returns outside of that need no code in
//! Python. So paths are texts: PyO3 makes objects of `pathlib` for others.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError, Weak};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use sortwell::Progress;

use crate::faults;

/// Longest wait at the end of the interpreter for functions of the program in other threads.
const CLOSE_MAX: Duration = Duration::from_secs(5);

/// Longest wait for calls in other threads while one of them is at work. A stopped job needs some
/// milliseconds, but a disk that is busy may need many seconds for the data of an output.
const WORK_MAX: Duration = Duration::from_secs(120);

/// Time between two looks at these calls.
const CLOSE_LOOK: Duration = Duration::from_millis(5);

/// Number of forks that led to this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Number of pieces of work that threads of this process do now.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Jobs that may have threads and files, and calls that have not returned.
static OPEN: Mutex<Vec<Weak<dyn Closable>>> = Mutex::new(Vec::new());

/// The thread that ends the interpreter, from the beginning of that end on.
static ENDING_THREAD: OnceLock<ThreadId> = OnceLock::new();

/// True once calls are waited for no longer.
static HAS_ENDED: AtomicBool = AtomicBool::new(false);

/// Counts a fork; the package registers it to run in the process that a fork made.
#[pyfunction]
pub fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    // The threads at work are those of the parent. The one that made the fork is in a function of
    // the program.
    AT_WORK.store(0, Ordering::Relaxed);
}

/// Closes all jobs, and waits until the calls of other threads have returned; the package registers
/// it to run when the interpreter ends.
///
/// # Errors
///
/// Those of the import of an exception.
#[pyfunction]
pub fn close_all(py: Python<'_>) -> PyResult<()> {
    // Imported later, its class could need code in Python.
    faults::interrupted_class(py)?;
    ENDING_THREAD.get_or_init(|| thread::current().id());
    // The calls need the interpreter lock to return.
    py.detach(|| {
        let begun = Instant::now();
        while !is_all_closed() && begun.elapsed() < wait_max() {
            thread::sleep(CLOSE_LOOK);
        }
        HAS_ENDED.store(true, Ordering::Release);
    });
    Ok(())
}

/// Returns true in all threads but one, from the beginning of the end of the interpreter on.
pub fn is_ending_elsewhere() -> bool {
    ENDING_THREAD.get().is_some_and(|ending| *ending != thread::current().id())
}

/// Returns true if this thread must not take the interpreter lock.
pub fn is_locked_out() -> bool {
    HAS_ENDED.load(Ordering::Acquire) && is_ending_elsewhere()
}

/// Does work of the package without the interpreter lock. The call has to be noted, as the file
/// says.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    unlocked(py, || at_work(work))
}

/// Waits for the program or another thread without the interpreter lock; see [`detached`].
pub fn unlocked<T: Send>(py: Python<'_>, wait: impl FnOnce() -> T + Send) -> T {
    py.detach(|| {
        let value = wait();
        while is_locked_out() {
            thread::park();
        }
        value
    })
}

/// Does work of the package, for whose end the end of the interpreter waits longer.
pub fn at_work<T>(work: impl FnOnce() -> T) -> T {
    AT_WORK.fetch_add(1, Ordering::Relaxed);
    let _end = AtDrop(|| _ = AT_WORK.fetch_sub(1, Ordering::Relaxed));
    work()
}

/// Calls a function of the program in a thread that is at work.
pub fn off_work<T>(function: impl FnOnce() -> T) -> T {
    AT_WORK.fetch_sub(1, Ordering::Relaxed);
    let _end = AtDrop(|| _ = AT_WORK.fetch_add(1, Ordering::Relaxed));
    function()
}

/// Function that is called when the value is dropped, also by a panic.
struct AtDrop<F: Fn()>(F);

impl<F: Fn()> Drop for AtDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Returns the longest wait for calls in other threads.
fn wait_max() -> Duration {
    if AT_WORK.load(Ordering::Relaxed) > 0 { WORK_MAX } else { CLOSE_MAX }
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

/// Call that has not returned. The end of the interpreter stops it, and waits for it. It must be
/// the last value that the call drops.
pub struct OpenCall {
    /// `None` if nothing stops the call early.
    progress: Option<Arc<Progress>>,
    /// Number of forks when it began.
    forks: u32,
}

impl OpenCall {
    /// Notes a call until the value is dropped.
    ///
    /// # Errors
    ///
    /// An interruption if the interpreter ends.
    pub fn begin(py: Python<'_>, progress: Option<&Arc<Progress>>) -> PyResult<Arc<Self>> {
        match is_ending_elsewhere() {
            true => Err(faults::interrupted_plainly(py)),
            false => Ok(Self::note(progress)),
        }
    }

    /// Notes a call that is not refused.
    pub fn note(progress: Option<&Arc<Progress>>) -> Arc<Self> {
        let forks = FORKS.load(Ordering::Relaxed);
        let call = Arc::new(Self { progress: progress.cloned(), forks });
        let noted: Arc<dyn Closable> = Arc::<Self>::clone(&call);
        note_open(Arc::downgrade(&noted));
        call
    }
}

impl Closable for OpenCall {
    fn close(&self) -> bool {
        let is_of_parent = self.forks != FORKS.load(Ordering::Relaxed);
        if let Some(progress) = self.progress.as_ref().filter(|_| !is_of_parent) {
            progress.request_stop();
        }
        is_of_parent
    }
}

/// State of a job that Python objects hold. One call at a time uses it.
pub struct Guarded<S: Send + 'static> {
    state: Mutex<Option<S>>,
    progress: Arc<Progress>,
    /// True if it was closed, maybe during a call, which then frees the state at its end.
    is_closed: AtomicBool,
    /// Number of forks when the job was made.
    forks: u32,
}

/// State of a job during a call that uses it; `None` if the job was closed.
pub struct UsedState<'g, S: Send + 'static> {
    // Dropped first.
    state: MutexGuard<'g, Option<S>>,
    _end: UseEnd<'g, S>,
}

impl<S: Send + 'static> Deref for UsedState<'_, S> {
    type Target = Option<S>;

    fn deref(&self) -> &Option<S> {
        &self.state
    }
}

impl<S: Send + 'static> DerefMut for UsedState<'_, S> {
    fn deref_mut(&mut self) -> &mut Option<S> {
        &mut self.state
    }
}

/// End of a call, after it has used the state.
struct UseEnd<'g, S: Send + 'static>(&'g Guarded<S>);

impl<S: Send + 'static> Drop for UseEnd<'_, S> {
    fn drop(&mut self) {
        fence(Ordering::SeqCst);
        if self.0.is_closed.load(Ordering::Relaxed) {
            self.0.close_here();
        }
    }
}

impl<S: Send + 'static> Guarded<S> {
    /// Returns a job in this state, which the end of the interpreter closes.
    pub fn new(state: S, progress: &Arc<Progress>) -> Arc<Self> {
        let guarded = Arc::new(Self {
            state: Mutex::new(Some(state)),
            progress: Arc::clone(progress),
            is_closed: AtomicBool::new(false),
            forks: FORKS.load(Ordering::Relaxed),
        });
        let job: Arc<dyn Closable> = Arc::<Self>::clone(&guarded);
        note_open(Arc::downgrade(&job));
        guarded
    }

    /// Returns the state.
    ///
    /// # Errors
    ///
    /// A usage error during another call, and in a process that a fork made; an interruption if the
    /// interpreter ends.
    pub fn lock(&self, py: Python<'_>, function: &str) -> PyResult<UsedState<'_, S>> {
        if is_ending_elsewhere() {
            return Err(faults::interrupted_plainly(py));
        }
        self.claim().map_err(|refusal| faults::usage(py, format!("{function}: {refusal}")))
    }

    /// Returns the state as [`lock`](Self::lock) does, to a thread without the interpreter lock.
    ///
    /// # Errors
    ///
    /// The reason in words.
    pub fn claim(&self) -> Result<UsedState<'_, S>, &'static str> {
        if self.is_of_parent() {
            return Err(
                "the sort belongs to the process that made it; after a fork, make a new one",
            );
        }
        let state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(
                    "another call on this sort has not returned; use a sort from one thread at a \
                     time, and not from its own callbacks",
                );
            }
        };
        Ok(UsedState { state, _end: UseEnd(self) })
    }

    /// Stops the job and frees it. The interpreter lock may be held or not: no thread of a sort
    /// needs it.
    pub fn close_here(&self) {
        _ = self.close();
    }

    /// Stops the job and frees it, without the interpreter lock.
    pub fn close_detached(&self) {
        // At the end of the interpreter, a thread that gives the lock up may not get it again.
        let is_detached = ENDING_THREAD.get().is_none() && {
            let _call = OpenCall::note(Some(&self.progress));
            Python::try_attach(|py| detached(py, || self.close())).is_some()
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
        self.is_closed.store(true, Ordering::Relaxed);
        // Either this thread gets the lock, or the call that has it then sees the flag.
        fence(Ordering::SeqCst);
        let state = match self.state.try_lock() {
            Ok(mut state) => state.take(),
            Err(TryLockError::Poisoned(state)) => state.into_inner().take(),
            // The call that uses it ends after the stop, and frees it. A call of the parent is not
            // in this process.
            Err(TryLockError::WouldBlock) => return is_of_parent,
        };
        if is_of_parent {
            // Its threads and files are those of the parent.
            std::mem::forget(state);
        }
        true
    }
}
