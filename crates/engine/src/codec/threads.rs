//! Threads of a codec, and the state that they share with those who wait for them.
//!
//! ```text
//!   reader or writer -- adds work ---> [ state ] -- takes work --> threads
//!                    <- waits for news [       ] <-- tell of it ---
//! ```
//!
//! Readers and writers look now and then whether the job was stopped. When [`CodecThreads`] are
//! dropped, at any point of the job, they are stopped, and waited for: a thread never outlives its
//! job, not even one that waits for a pipe.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::stats::Progress;

/// Interval at which those who wait check for a stop of the job.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// State that threads share, as a monitor (Hoare, CACM 1974): a lock, and conditions that are
/// waited for.
pub struct Monitor<S> {
    state: Mutex<Monitored<S>>,
    /// Notified when there is something to do, or to stop.
    work: Condvar,
    /// Notified when something was done, or failed.
    news: Condvar,
    /// Stops threads that wait for a pipe.
    halt: Arc<Progress>,
}

/// The state, while the lock is held.
pub struct Monitored<S> {
    own: S,
    is_over: bool,
    has_panicked: bool,
}

impl<S> Monitored<S> {
    /// Returns whether threads have to end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

impl<S> Deref for Monitored<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.own
    }
}

impl<S> DerefMut for Monitored<S> {
    fn deref_mut(&mut self) -> &mut S {
        &mut self.own
    }
}

impl<S> Monitor<S> {
    /// Returns a monitor of a state.
    pub fn new(own: S) -> Self {
        let state = Monitored { own, is_over: false, has_panicked: false };
        Self {
            state: Mutex::new(state),
            work: Condvar::new(),
            news: Condvar::new(),
            halt: Arc::default(),
        }
    }

    /// Locks the state.
    pub fn state(&self) -> MutexGuard<'_, Monitored<S>> {
        // Nothing is left half done while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what stops threads that wait for a pipe.
    pub fn halt(&self) -> &Arc<Progress> {
        &self.halt
    }

    /// Wakes one thread: there is something to do.
    pub fn add_work(&self) {
        self.work.notify_one();
    }

    /// Wakes those who wait: something was done, or failed.
    pub fn tell(&self) {
        self.news.notify_all();
    }

    /// Waits until there may be something to do, or threads have to end.
    pub fn wait_for_work<'a>(
        &self,
        state: MutexGuard<'a, Monitored<S>>,
    ) -> MutexGuard<'a, Monitored<S>> {
        self.work.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits a while for news.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if a stop was asked for.
    ///
    /// # Panics
    ///
    /// If a thread has panicked: no news would come.
    pub fn wait_for_news<'a>(
        &self,
        state: MutexGuard<'a, Monitored<S>>,
        progress: &Progress,
    ) -> Result<MutexGuard<'a, Monitored<S>>> {
        assert!(!state.has_panicked, "a thread of a codec has panicked");
        if progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        let waited = self.news.wait_timeout(state, STOP_CHECK);
        Ok(waited.unwrap_or_else(PoisonError::into_inner).0)
    }
}

/// Threads that are stopped when they are dropped.
pub struct CodecThreads<S> {
    monitor: Arc<Monitor<S>>,
    threads: Vec<JoinHandle<()>>,
}

impl<S: Send + 'static> CodecThreads<S> {
    /// Starts a thread of a name for each of `bodies`, which share the state of `monitor`. An error
    /// says that `file` could not be worked on.
    pub fn start<B: FnOnce() + Send + 'static>(
        monitor: &Arc<Monitor<S>>,
        name: &str,
        file: &Path,
        bodies: impl Iterator<Item = B>,
    ) -> Result<Self> {
        let mut started = Self { monitor: Arc::clone(monitor), threads: Vec::new() };
        for body in bodies {
            let guard = PanicGuard(Arc::clone(monitor));
            let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
                let _guard = guard;
                body();
            });
            let failed = |e| Error::io("start a thread for", file, e);
            started.threads.push(thread.map_err(failed)?);
        }
        Ok(started)
    }
}

impl<S> Drop for CodecThreads<S> {
    fn drop(&mut self) {
        self.monitor.halt.request_stop();
        self.monitor.state().is_over = true;
        self.monitor.work.notify_all();
        for thread in self.threads.drain(..) {
            // One that panicked has said so; those who waited for it have failed of it.
            let _ = thread.join();
        }
    }
}

/// Tells those who wait of a thread that panicked.
struct PanicGuard<S>(Arc<Monitor<S>>);

impl<S> Drop for PanicGuard<S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().has_panicked = true;
            self.0.tell();
        }
    }
}
