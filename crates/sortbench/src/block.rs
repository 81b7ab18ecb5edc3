//! Files cut into blocks, and workers that take one block after another.
//!
//! A block is the unit in which records are made, checked, read and written. Blocks are handed out
//! in order, so that the disk sees a file from its beginning to its end however many workers there
//! are, and whoever is quicker does more.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use sortwell::unstable::io::{Arena, Region};
use sortwell::{ByteSize, Error, Result};
use sortwell::{ConfigErrorKind, Progress};

use crate::RECORD_LENGTH;

/// Records in a block, the last one of a file excepted: about 4 MB, long enough for any disk, and a
/// whole number of pages.
pub(crate) const BLOCK_RECORDS: usize = 40_960;

/// Bytes in a block, the last one of a file excepted.
pub(crate) const BLOCK_LENGTH: usize = BLOCK_RECORDS * RECORD_LENGTH;

/// A block begins at a page, in the file as in memory, so that it can pass by the page cache.
const _: () = assert!(BLOCK_LENGTH.is_multiple_of(4096));

/// Blocks in memory for each worker that has requests in flight: one at hand, the others on their
/// way. Measured on a disk of about 2 GB/s, 1 GB, validated by one worker and by two: 2 blocks
/// 1.2-1.7 and 1.8-1.9 GB/s, 3 blocks 1.3-1.7 and 1.9-2.1, 4 blocks 1.7-2.2 and 2.3-2.4 (each three
/// times).
pub(crate) const BUFFERS: usize = 4;

/// Plenty for a worker's few calls.
const STACK_LENGTH: usize = 256 << 10;

/// One block of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileBlock {
    /// Number of the block among all blocks.
    pub index: u64,
    /// Bytes in it; only the last block of a file is short, and none is empty.
    pub length: usize,
}

impl FileBlock {
    /// Returns the first record's place in the file.
    pub fn first_record(self) -> u64 {
        self.index * BLOCK_RECORDS as u64
    }

    /// Returns the number of records in it.
    pub fn records(self) -> u64 {
        (self.length / RECORD_LENGTH) as u64
    }

    /// Returns the first byte's place in the file.
    pub fn offset(self) -> u64 {
        self.index * BLOCK_LENGTH as u64
    }
}

/// The blocks of a file that nobody has taken yet.
#[derive(Debug)]
pub(crate) struct FileBlocks<'a> {
    /// Bytes in the file.
    length: u64,
    next: AtomicU64,
    /// Set when one worker has failed: the others take no more blocks.
    is_abandoned: AtomicBool,
    progress: &'a Progress,
}

impl<'a> FileBlocks<'a> {
    /// Creates the blocks of a file of `length` bytes. A length of `u64::MAX` means that only
    /// reading shows it.
    pub fn new(length: u64, progress: &'a Progress) -> Self {
        Self { length, next: AtomicU64::new(0), is_abandoned: AtomicBool::new(false), progress }
    }

    /// Returns the number of bytes in the file.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the number of workers that these blocks can occupy, at most `threads`.
    pub fn occupy(&self, threads: usize) -> usize {
        let blocks = self.length.div_ceil(BLOCK_LENGTH as u64);
        threads.min(usize::try_from(blocks).unwrap_or(usize::MAX)).max(1)
    }

    /// Returns the next block, or `None` when there are no more or a worker has failed.
    pub fn claim(&self) -> Result<Option<FileBlock>> {
        if self.progress.is_stopping() {
            return Err(Error::Interrupted);
        }
        if self.is_abandoned.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        let offset = index.saturating_mul(BLOCK_LENGTH as u64);
        if offset >= self.length {
            return Ok(None);
        }
        let length = (self.length - offset).min(BLOCK_LENGTH as u64) as usize;
        Ok(Some(FileBlock { index, length }))
    }

    /// Makes every further claim come back empty.
    pub fn abandon(&self) {
        self.is_abandoned.store(true, Ordering::Relaxed);
    }

    /// Runs `work` on as many threads as the blocks can occupy, and gives what each made of its
    /// share, or the first thread's error.
    pub fn work<T: Send>(
        &self,
        threads: usize,
        work: impl Fn() -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let worker = || work().inspect_err(|_| self.abandon());
        thread::scope(|scope| {
            let spawned: Vec<_> = (0..self.occupy(threads))
                .map(|_| {
                    let named = thread::Builder::new().name("sortbench".into());
                    named.stack_size(STACK_LENGTH).spawn_scoped(scope, worker)
                })
                .collect();
            let ended = spawned.into_iter().map(|thread| match thread {
                Ok(thread) => {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                }
                Err(error) => {
                    self.abandon();
                    Err(Error::config(
                        ConfigErrorKind::OutOfResources,
                        format!("cannot start {threads} threads: {error}"),
                    ))
                }
            });
            // All are waited for before the first error is given.
            ended.collect::<Vec<_>>().into_iter().collect()
        })
    }
}

/// Returns memory for one block.
pub(crate) fn buffer() -> Result<Region> {
    Arena::new(ByteSize(BLOCK_LENGTH as u64))
}

/// Returns memory for [`BUFFERS`] blocks.
pub(crate) fn buffers() -> Result<Vec<Region>> {
    let mut rest = Arena::new(ByteSize((BUFFERS * BLOCK_LENGTH) as u64))?;
    let mut buffers = Vec::with_capacity(BUFFERS);
    for number in (1..BUFFERS).rev() {
        buffers.push(rest.split_off(number * BLOCK_LENGTH));
    }
    buffers.push(rest);
    Ok(buffers)
}

#[cfg(test)]
mod tests;
