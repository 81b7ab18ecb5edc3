//! Limit of files that a job may open, and the files it needs beyond those that are merged.
//!
//! Where few may be open (`limits::are_files_few`), each file takes one descriptor and the engine
//! takes none, so that two inputs can be merged with ten descriptors for all else: three standard
//! streams, two for signals, the output, a lock, a run, its table, and a directory that is looked
//! through.

use crate::error::Result;
use crate::io::{Direct, DirectStreams, Engine};
use crate::sys::limits;

/// Descriptors for what is open for a moment: directories, and what the system tells of itself.
const PASSING: usize = 1;

/// Further descriptors that stay free, where there are enough of them.
const SPARED: usize = 6;

/// The number of files that may be opened in addition to the open ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFiles {
    /// Descriptors that are left.
    pub left: usize,
    /// Descriptors that a file takes: one through the page cache, and maybe one past it.
    pub per_file: usize,
    /// Descriptors that a queue of the engine takes.
    pub per_queue: usize,
}

impl OpenFiles {
    /// Returns what this process may open now, for files that are read and written this way.
    pub fn now(engine: Engine, direct: DirectStreams) -> Self {
        let per_file = [direct.input, direct.spill].into_iter().any(Direct::may_be_direct);
        Self {
            left: limits::open_files_left(),
            per_file: 1 + usize::from(per_file),
            per_queue: usize::from(engine == Engine::Uring),
        }
    }

    /// Returns what is left when `files` more are open.
    pub fn less(self, files: usize) -> Self {
        Self { left: self.left.saturating_sub(files), ..self }
    }

    /// Returns how many runs or inputs of `members` files each may be open at once, by `queues`
    /// queues, while another run is written: its lock, itself and its table, for each member.
    pub fn at_once(&self, members: usize, queues: usize) -> usize {
        let left = self.left.saturating_sub(self.besides(members, queues));
        left / (self.per_file * members)
    }

    /// Returns how many inputs may be open at once where no run is written.
    pub fn inputs_at_once(&self, queues: usize) -> usize {
        self.left.saturating_sub(PASSING + queues * self.per_queue) / self.per_file
    }

    /// Descriptors for all but what is merged.
    fn besides(&self, members: usize, queues: usize) -> usize {
        let spared = if self.per_file > 1 { SPARED } else { 0 };
        PASSING + spared + queues * self.per_queue + members * (1 + 2 * self.per_file)
    }

    /// Checks that two of the inputs, or of runs of `members` files, can be merged, in addition to
    /// `more` descriptors.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) with the limit that would do.
    pub fn check(&self, inputs: usize, more: usize, members: usize, queues: usize) -> Result<()> {
        let needed = match inputs {
            0..=2 => PASSING + queues * self.per_queue + inputs * self.per_file,
            _ => self.besides(members, queues) + 2 * members * self.per_file,
        };
        limits::check_open_files(self.left, needed + more)
    }
}

#[cfg(test)]
mod tests;
