//! The contract between the rooms above and the engines: requests in, completions out.
//!
//! A request owns the region it reads into or writes from; its completion gives region and file
//! back in every case. Completions come in any order, identified by `tag`. One queue serves
//! one worker: it may be moved between threads, never shared. Dropping a queue waits for what is in
//! flight.
//!
//! Conformance: `tests` holds one suite, and each engine runs all of it.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::arena::Region;
use super::file::File;
use crate::error::Result;

/// Direction of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the file into the region.
    Read,
    /// From the region into the file.
    Write,
}

/// Something to be done to a file.
#[derive(Debug)]
pub struct Request {
    /// Direction.
    pub operation: Direction,
    /// The file.
    pub file: Arc<File>,
    /// Offset in the file.
    pub offset: u64,
    /// The memory, owned by the request until its completion.
    pub region: Region,
    /// Part of `region` to fill or to write; lies within it.
    pub range: Range<usize>,
    /// The submitter's own mark, returned as it was.
    pub tag: u64,
}

/// A request that is over.
#[derive(Debug)]
pub struct Completion {
    /// The request as it was submitted, with its region.
    pub request: Request,
    /// Bytes transferred. A read is shorter than asked only where the file ends; a write is whole
    /// or an error. Errors carry path and offset.
    pub result: Result<usize>,
    /// Time that the request took. Where nobody looked when it ended, the time until it was asked
    /// for.
    pub took: Duration,
}

/// An engine at work for one worker.
pub trait Queue: Send {
    /// Takes a request. Returns without waiting where the engine can; errors are those of the
    /// engine itself, those of the file come with the completion.
    fn submit(&mut self, request: Request) -> Result<()>;

    /// Returns a completion, if there is one now.
    fn poll(&mut self) -> Result<Option<Completion>>;

    /// Returns the next completion, waiting for it; `None` if nothing is in flight.
    fn wait(&mut self) -> Result<Option<Completion>>;

    /// Requests submitted whose completion has not been returned.
    fn in_flight(&self) -> usize;

    /// Returns the engine's name, for the statistics.
    fn name(&self) -> &'static str;
}

#[cfg(test)]
mod tests;
