//! A running job as the command line sees it: something that can be looked at and asked to stop.
//!
//! Sorting, generating and validating keep their own counters; [`Watched`] is what the progress
//! line and the signals need of any of them. [`run`] is how every job is run.

use std::io::{IsTerminal, stderr, stdout};

use crate::failure::Failure;
use crate::progress::{self, When};
use crate::signals;

/// The live side of a job, shared with the threads that watch it.
pub trait Watched: Sync {
    /// Asks the job to stop soon.
    fn request_stop(&self);

    /// Bytes moved so far, and in all where that is known.
    fn bytes(&self) -> (u64, Option<u64>);

    /// What the job is busy with, in a word or two.
    fn words(&self) -> &'static str;
}

impl Watched for sortwell::stats::Progress {
    fn request_stop(&self) {
        self.request_stop();
    }

    fn bytes(&self) -> (u64, Option<u64>) {
        self.bytes()
    }

    fn words(&self) -> &'static str {
        self.phase().words()
    }
}

/// A job of the benchmark library: it does one thing from beginning to end.
pub struct Benchmark {
    /// What it does.
    pub words: &'static str,
    /// Its counters.
    pub progress: sortbench::Progress,
}

impl Watched for Benchmark {
    fn request_stop(&self) {
        self.progress.request_stop();
    }

    fn bytes(&self) -> (u64, Option<u64>) {
        self.progress.bytes()
    }

    fn words(&self) -> &'static str {
        self.words
    }
}

/// Does a job's `work` with signals heeded and, when wanted, a progress line. On one terminal that
/// line and data on standard output would overwrite each other, so data goes first.
pub fn run<T>(
    job: &impl Watched,
    when: When,
    writes_stdout: bool,
    work: impl FnOnce() -> sortwell::Result<T>,
) -> Result<T, Failure> {
    let is_free = !(writes_stdout && stdout().is_terminal());
    let is_shown = when.is_shown(stderr().is_terminal() && is_free);
    signals::stoppable(job, || progress::shown(is_shown, job, work))
}
