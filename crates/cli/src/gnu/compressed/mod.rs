//! Sorting and merging with temporary files that pass through a program (`--compress-program`).
//!
//! ```text
//!   inputs -> chunk, chunk, ...   chunk: lines that fit in memory
//!   chunk  -> sort -> PROG        -> file
//!   file   -> PROG -d \
//!   file   -> PROG -d  -> merge   -> PROG -> file      where there are too many to merge at once
//!   file   -> PROG -d /          \-> output
//! ```
//!
//! Run files have their own places on the disk for what many workers write at once, and cannot pass
//! through a pipe. So what sorts here are jobs of the library for a chunk each, and merges of what
//! they made; the order of equal lines holds since only neighbours are merged. Where everything
//! fits in memory, one job does it all and the program is not run.
//!
//! A program that cannot be run is no reason to fail: files are then written as they are.

mod chunk;
mod program;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sortwell::unstable::io::{SpillDirectory, sweep};
use sortwell::unstable::job::{MergeJob, SortJob};
use sortwell::unstable::key::text::Body;
use sortwell::unstable::plan::levers::Levers;
use sortwell::unstable::plan::passes::intermediate_groups;
use sortwell::{Budget, Input, Output, Progress, Statistics};
use sortwell::{Error, Result};

use chunk::Chunks;
use program::Compressing;

pub use program::{RUN, START};

/// Default number of files merged at once, as in GNU sort. Each file takes a process.
const WIDTH: usize = 16;

/// Most files merged at once, even if the user asked for more. The least memory has room for them,
/// so that no merge has to make files of its own.
const WIDTH_MAX: usize = 64;

/// Compression of temporary files by a program.
#[derive(Clone)]
pub struct ProgramCompression<'a> {
    /// The program.
    pub program: &'a OsStr,
    /// Most bytes that are sorted at once, where that is less than what memory has room for.
    pub chunk_bytes: Option<u64>,
    /// Number of files merged at once, if the user gave it.
    pub merge_width: Option<usize>,
    /// Says that the program cannot be run, and why.
    pub refused: &'a dyn Fn(&io::Error),
}

/// Sorts.
pub fn sort(mut job: SortJob, how: &ProgramCompression<'_>, progress: &Progress) -> Result<()> {
    // What is free changes while chunks are read.
    let budget = job.memory.resolve()?;
    job.memory = Budget::Bytes(budget);
    if how.chunk_bytes.is_none_or(|most| has_at_most(&job.inputs, most)) && job.is_one_pass()? {
        return job.run(progress).map(drop);
    }
    let terminator = Body::of(job.format).terminator();
    let mut chunks = Chunks::new(&job, terminator, budget, how.chunk_bytes)?;
    let mut chunk = chunks.next(progress)?;
    if chunks.is_over() {
        let inputs = vec![chunk.into_input()];
        return SortJob { inputs, ..job.clone() }.run(progress).map(drop);
    }
    let mut store = TemporaryStore::new(how, job.temp.clone());
    let mut stored = Vec::new();
    loop {
        let inputs = vec![chunk.into_input()];
        let file = store
            .write(progress, |output| SortJob { inputs, output, ..job.clone() }.run(progress))?;
        stored.push(SortedPart::Stored(file));
        if chunks.is_over() {
            break;
        }
        chunk = chunks.next(progress)?;
    }
    drop(chunks);
    let merge = MergeJob {
        keys: job.keys,
        order: job.order,
        select: job.select,
        memory: job.memory,
        temp: job.temp,
        sync: job.sync,
        ..MergeJob::new(Vec::new(), job.output, job.format)
    };
    merge_parts(&merge, stored, &mut store, progress)
}

/// Merges the inputs of a job; temporary files are needed where there are many.
pub fn merge(job: &MergeJob, how: &ProgramCompression<'_>, progress: &Progress) -> Result<()> {
    let mut store = TemporaryStore::new(how, job.temp.clone());
    let parts = job.inputs.iter().cloned().map(SortedPart::Given).collect();
    merge_parts(job, parts, &mut store, progress)
}

/// Something sorted.
enum SortedPart {
    /// An input of the user's.
    Given(Input),
    /// A file of ours.
    Stored(Stored),
}

/// A temporary file, removed when dropped.
struct Stored {
    path: PathBuf,
    /// Bytes of the lines in it.
    bytes: u64,
    /// The program that compressed it, if one did.
    program: Option<OsString>,
}

impl SortedPart {
    /// Opens the part as an input. Starts the program that expands it, if it was compressed.
    fn open(&self) -> Result<Input> {
        match self {
            Self::Given(input) => Ok(input.clone()),
            Self::Stored(Stored { path, program: None, .. }) => Ok(Input::File(path.clone())),
            Self::Stored(Stored { path, program: Some(program), bytes }) => {
                let file = File::open(path).map_err(|e| Error::io("open", path, e))?;
                program::expanded(program, file, *bytes)
            }
        }
    }
}

impl Drop for Stored {
    fn drop(&mut self) {
        // One that stays goes with its directory.
        let _ = fs::remove_file(&self.path);
    }
}

/// Merges neighbours until there are few enough, and these to the output of `job`.
fn merge_parts(
    job: &MergeJob,
    mut parts: Vec<SortedPart>,
    store: &mut TemporaryStore<'_>,
    progress: &Progress,
) -> Result<()> {
    let width = store.how.merge_width.unwrap_or(WIDTH).clamp(2, WIDTH_MAX);
    let merge = |parts: &[SortedPart], output| {
        let inputs = parts.iter().map(SortedPart::open).collect::<Result<_>>()?;
        let levers = Levers { merge_width: Some(width), ..job.levers };
        MergeJob { inputs, output, levers, ..job.clone() }.run(progress)
    };
    loop {
        let groups = intermediate_groups(parts.len(), width);
        if groups.is_empty() {
            return merge(&parts, job.output.clone()).map(drop);
        }
        // From the last on, so that the places of those before stay what they are.
        for group in groups.into_iter().rev() {
            let merged = store.write(progress, |output| merge(&parts[group.clone()], output))?;
            parts.splice(group, [SortedPart::Stored(merged)]);
        }
    }
}

/// Maker of temporary files: in each place in turn, under names that are always cleaned up.
struct TemporaryStore<'a> {
    how: &'a ProgramCompression<'a>,
    /// True if the program can be run, as far as is known.
    is_compressing: bool,
    places: Vec<PathBuf>,
    directories: Vec<SpillDirectory>,
    files: usize,
}

impl<'a> TemporaryStore<'a> {
    /// Creates a store without files.
    fn new(how: &'a ProgramCompression<'a>, places: Vec<PathBuf>) -> Self {
        Self { how, is_compressing: true, places, directories: Vec::new(), files: 0 }
    }

    /// Makes a file of what `job` writes.
    fn write(
        &mut self,
        progress: &Progress,
        job: impl FnOnce(Output) -> Result<Statistics>,
    ) -> Result<Stored> {
        let path = self.next_path()?;
        let mut stored = Stored { path, bytes: 0, program: None };
        let done = match self.compress_to(&stored.path)? {
            Some(compressing) => {
                stored.program = Some(self.how.program.into());
                let written = job(Output::Pipe(compressing.outlet()));
                compressing.finish(written, progress)?
            }
            None => job(Output::File(stored.path.clone()))?,
        };
        stored.bytes = done.streams.output_written.bytes();
        Ok(stored)
    }

    /// Starts the program, unless it cannot be run.
    fn compress_to(&mut self, path: &Path) -> Result<Option<Compressing>> {
        if !self.is_compressing {
            return Ok(None);
        }
        let file = File::create_new(path).map_err(|e| Error::io("create", path, e))?;
        match Compressing::start(self.how.program, file) {
            Ok(compressing) => Ok(Some(compressing)),
            Err(error) => {
                (self.how.refused)(&error);
                self.is_compressing = false;
                Ok(None)
            }
        }
    }

    fn next_path(&mut self) -> Result<PathBuf> {
        if self.directories.is_empty() {
            for place in &self.places {
                // What killed jobs have left goes first.
                sweep(place)?;
                self.directories.push(SpillDirectory::create(place)?);
            }
        }
        let directory = &self.directories[self.files % self.directories.len()];
        self.files += 1;
        Ok(directory.path().join(format!("part-{:06}", self.files - 1)))
    }
}

/// Returns whether all inputs are files that have at most `most` bytes together.
fn has_at_most(inputs: &[Input], most: u64) -> bool {
    let mut left = most;
    inputs.iter().all(|input| {
        let Input::File(path) = input else { return false };
        let Ok(data) = path.metadata() else { return false };
        let rest = left.checked_sub(data.len()).filter(|_| data.is_file());
        left = rest.unwrap_or(left);
        rest.is_some()
    })
}
