//! Filling a slab: each run's piece is read in large requests and checked block by block.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::stage::{Claim, Fill, Worker};
use crate::error::{Error, Result};
use crate::io::{Completion, Direction, Region, Request};
use crate::merge::{Piece, Slab};
use crate::run::layout::BLOCK;
use crate::run::{RunReader, StoredBlock, stretch};
use crate::stats::Activity;

/// One request: some blocks of one run's piece, `first` and those after it.
#[derive(Debug)]
struct Span {
    run: usize,
    first: u64,
    blocks: Vec<StoredBlock>,
    /// Bytes of the file that hold them.
    read: Range<u64>,
}

/// A slab about to be read, and what its blocks must look like.
#[derive(Debug)]
pub struct ExpectedSlab {
    /// Slab to read.
    pub slab: Slab,
    spans: Vec<Span>,
}

impl ExpectedSlab {
    /// Cuts a slab into requests of up to `request_bytes`, and looks up their checksums.
    pub fn new(runs: &[RunReader], slab: Slab, request_bytes: usize) -> Result<Self> {
        let step = (request_bytes / BLOCK).max(1);
        let mut spans = Vec::new();
        for (run, blocks) in slab.blocks.iter().enumerate() {
            if blocks.is_empty() {
                continue;
            }
            let stored = runs[run].stored(blocks.start, blocks.end)?;
            let (mut rest, mut first) = (&stored[..], blocks.start);
            while !rest.is_empty() {
                let (count, read) = stretch(rest, step);
                spans.push(Span { run, first, blocks: rest[..count].to_vec(), read });
                (rest, first) = (&rest[count..], first + count as u64);
            }
        }
        Ok(Self { slab, spans })
    }
}

/// A slab being read.
#[derive(Debug)]
pub struct RawSlab<'a> {
    runs: &'a [RunReader],
    slab: Slab,
    spans: Vec<Span>,
    slots: Mutex<Vec<Option<Region>>>,
    /// Memory that the slab was given and does not need.
    unused: Option<Region>,
    next: AtomicUsize,
}

impl<'a> RawSlab<'a> {
    /// Returns a slab to be read into `memory`.
    pub fn new(runs: &'a [RunReader], expected: ExpectedSlab, mut memory: Region) -> Self {
        let ExpectedSlab { slab, spans } = expected;
        assert!(slab.memory_bytes() <= memory.len(), "a slab fits the memory it was planned for");
        let mut slots = Vec::with_capacity(spans.len());
        for span in &spans {
            let rest = memory.split_off(span.blocks.len() * BLOCK);
            slots.push(Some(std::mem::replace(&mut memory, rest)));
        }
        let (slots, next) = (Mutex::new(slots), AtomicUsize::new(0));
        Self { runs, slab, spans, slots, unused: Some(memory), next }
    }

    /// Returns what is read.
    pub fn slab(&self) -> &Slab {
        &self.slab
    }

    /// Returns the slab, once all of it has been read.
    pub fn finish(self) -> LoadedSlab {
        let slots = self.slots.into_inner().unwrap_or_else(PoisonError::into_inner);
        let regions = slots.into_iter().chain([self.unused]).flatten();
        let region = regions.reduce(Region::join).unwrap_or_else(|| unreachable!("memory"));
        LoadedSlab::new(region, self.slab)
    }
}

impl Fill for RawSlab<'_> {
    fn claim(&self, _: &mut Worker<'_>) -> Result<Claim> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let Some(span) = self.spans.get(number) else { return Ok(Claim::Exhausted) };
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(region) = slots[number].take() else { unreachable!("each span is claimed once") };
        Ok(Claim::Read(Request {
            operation: Direction::Read,
            file: Arc::clone(self.runs[span.run].file()),
            offset: span.read.start,
            range: region.len() - (span.read.end - span.read.start) as usize..region.len(),
            region,
            tag: number as u64,
        }))
    }

    fn activity(&self) -> Activity {
        Activity::Reading
    }

    fn arrived(&self, worker: &mut Worker<'_>, completion: Completion) -> Result<bool> {
        let Request { mut region, range, tag, .. } = completion.request;
        let span = &self.spans[tag as usize];
        let run = &self.runs[span.run];
        let bytes = completion.result?;
        if bytes < range.len() {
            let end = span.read.start + bytes as u64;
            let is_read = |block: &&StoredBlock| block.offset + u64::from(block.length) <= end;
            let block = span.first + span.blocks.iter().take_while(is_read).count() as u64;
            let message = "the file ends here, before its last block".to_owned();
            return Err(Error::Corrupt {
                path: run.path().to_owned(),
                block,
                message: message.into(),
            });
        }
        // Progress counts the bytes of records.
        worker.lane.progress().moved((region.len() - range.len()) as u64);
        run.take_blocks(span.first, &mut region, &span.blocks, span.read.end)?;
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)[tag as usize] = Some(region);
        Ok(true)
    }
}

/// A slab in memory.
#[derive(Debug)]
pub struct LoadedSlab {
    region: Region,
    /// Slab that was read.
    pub slab: Slab,
    /// For each run, where the records of index keys begin.
    known: Vec<Vec<u64>>,
}

impl LoadedSlab {
    fn new(region: Region, slab: Slab) -> Self {
        let mut known = vec![Vec::new(); slab.bytes.len()];
        for bound in &slab.bounds {
            known[bound.run].push(bound.offset);
        }
        Self { region, slab, known }
    }

    /// Returns, for each run, the records that are in memory.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let mut start = 0;
        let ranges = self.slab.bytes.iter().zip(&self.slab.blocks).zip(&self.known);
        ranges
            .map(|((bytes, blocks), known)| {
                let skip = if bytes.is_empty() { 0 } else { bytes.start % BLOCK as u64 };
                let begin = start + skip as usize;
                start += (blocks.end - blocks.start) as usize * BLOCK;
                let end = begin + (bytes.end - bytes.start) as usize;
                Piece { bytes: &self.region[begin..end], first_offset: bytes.start, known }
            })
            .collect()
    }

    /// Returns the memory, for other uses.
    pub fn into_region(self) -> Region {
        self.region
    }
}
