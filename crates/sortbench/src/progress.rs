//! How far a generator or validator is, for whoever watches, and the watcher's wish to stop it.
//!
//! The counters are raised once a block by every worker; any thread may read them at any time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The live counters of one job. Shared by reference; every method takes `&self`.
#[derive(Debug, Default)]
pub struct Progress {
    stop: AtomicBool,
    bytes_done: AtomicU64,
    /// 0 while unknown (a pipe).
    bytes_total: AtomicU64,
}

impl Progress {
    /// Counters of a job that has not begun.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the job to stop; it ends after its current blocks with [`Error::Interrupted`].
    ///
    /// [`Error::Interrupted`]: sortwell::Error::Interrupted
    pub fn request_stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether the job was asked to stop.
    pub fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Bytes written or read so far, and bytes in all (`None` while unknown).
    pub fn bytes(&self) -> (u64, Option<u64>) {
        let total = self.bytes_total.load(Ordering::Relaxed);
        (self.bytes_done.load(Ordering::Relaxed), (total > 0).then_some(total))
    }

    pub(crate) fn expect_bytes(&self, total: u64) {
        self.bytes_total.store(total, Ordering::Relaxed);
    }

    pub(crate) fn moved(&self, bytes: u64) {
        self.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }
}
