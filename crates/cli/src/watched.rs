//! Execution of every job with progress shown and with signals that can stop it.
//!
//! Sorting, generating and validating all tell how far they are, and are stopped, through the
//! library's one [`Progress`]; the progress line and the signals need no more than that.

use std::io::{IsTerminal, stderr, stdout};

use sortwell::Progress;

use crate::failure::Failure;
use crate::progress::{self, When};
use crate::signals;

/// Does a job's `work` with signals heeded and, when wanted, a progress line. On one terminal that
/// line and data on standard output would overwrite each other, so data goes first.
pub fn run<T>(
    job: &Progress,
    when: When,
    writes_stdout: bool,
    work: impl FnOnce() -> sortwell::Result<T>,
) -> Result<T, Failure> {
    let is_free = !(writes_stdout && stdout().is_terminal());
    let style = when.style(stderr().is_terminal() && is_free);
    signals::stoppable(job, || progress::shown(style, job, work))
}
