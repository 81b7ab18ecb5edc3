//! Buffers of runs that grow and shrink while the runs are merged, after psort.
//!
//! ```text
//!   area  |==== one refill ====|      read in one request, checked, then moved to microbuffers
//!   run a |..#|###|###|###|           a microbuffer that was read to its end is free at once
//!   run b |.##|
//!   free  |   |   |   |   |   |       above what other runs are sure of, any run may have it
//! ```
//!
//! A [`BufferPlan`] has the sizes. The buffer that holds least is refilled first. Once it is at the
//! threshold, it waits for the memory of an even refill: a run that is refilled with less runs low
//! sooner, and takes the memory of the next. A run that has nothing to merge takes what there is.
//! The queue of requests is the feed's.
//!
//! Invariant: what is free suffices for what all runs lack of their least, so a run that needs a
//! microbuffer can always have one.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::io::{Arena, Completion, Direction, File, Region, Request};
use crate::pipeline::crew::cut;
use crate::plan::geometry::BufferPlan;
use crate::run::layout::BLOCK;
use crate::run::{BlockRange, RunBlocks};
use crate::stats::MergeBuffers;
use crate::units::ByteSize;

/// Buffers of runs, and the memory that they share. The default has none.
#[derive(Debug, Default)]
pub struct BufferPool {
    plan: BufferPlan,
    runs: Vec<RunBuffer>,
    /// Microbuffers that no run has.
    free: Vec<Region>,
    /// Areas that no request has.
    areas: Vec<Region>,
    refills: u64,
    refill_bytes: u64,
    refill_bytes_max: u64,
}

/// The buffer of a run.
#[derive(Debug)]
struct RunBuffer {
    blocks: RunBlocks,
    /// Microbuffers with bytes that were not taken yet, in order.
    held: VecDeque<Region>,
    /// Bytes of the first of them that were taken.
    taken: usize,
    /// Bytes of all of them that were not.
    unread: usize,
    /// Microbuffers for the refill in flight; empty without one.
    coming: Vec<Region>,
    /// Bytes before the first record, in the first block that is read.
    before: usize,
    /// Offset in the file of the blocks of the refill in flight, and of the bytes that are read.
    asked: (u64, u64),
    /// Offset in the file of the next block to ask for.
    next: u64,
    /// Offset in the file where the last block ends.
    end: u64,
    /// Offset in the file where the records end.
    records_end: u64,
    /// True once it was filled for the first time, or is being filled.
    is_begun: bool,
    /// True if what arrives is wanted no more.
    is_closed: bool,
    /// Fault of a refill, reported once all before it was taken.
    fault: Option<Error>,
}

impl RunBuffer {
    /// Returns the number of microbuffers that it has.
    fn size(&self) -> usize {
        self.held.len() + self.coming.len()
    }

    /// Returns the number of blocks that are still to be asked for.
    fn blocks_left(&self) -> usize {
        if self.next >= self.records_end || self.fault.is_some() || self.is_closed {
            return 0;
        }
        (self.end - self.next).div_ceil(BLOCK as u64) as usize
    }

    /// Returns the number of microbuffers that it lacks of `least`.
    fn lacks(&self, least: usize) -> usize {
        least.min(self.size() + self.blocks_left()).saturating_sub(self.size())
    }

    /// Moves `read` bytes of the refill, which lie in `area`, to the microbuffers that wait for it.
    fn take_in(&mut self, area: &[u8], read: usize) -> Result<()> {
        let (offset, start) = self.asked;
        if read < area.len() {
            return Err(ends_early(&self.blocks, offset + read as u64));
        }
        let is_packed = self.blocks.is_packed();
        if !is_packed {
            self.blocks.check(offset, area)?;
        }
        let bytes = (self.coming.len() * BLOCK) as u64;
        let records = (self.records_end - offset).min(bytes) as usize;
        for number in 0..records.div_ceil(BLOCK) {
            let Some(mut microbuffer) = self.coming.pop() else { unreachable!("one a block") };
            if is_packed {
                self.blocks.expand(offset, number, area, start, &mut microbuffer)?;
            } else {
                let bytes = &area[number * BLOCK..records.min((number + 1) * BLOCK)];
                microbuffer[..bytes.len()].copy_from_slice(bytes);
            }
            self.held.push_back(microbuffer);
        }
        if self.before > 0 {
            self.taken = self.before;
            self.unread = records.saturating_sub(self.before);
            self.before = 0;
        } else {
            self.unread += records;
        }
        Ok(())
    }
}

/// Returns the error for a run whose file ends at `offset`.
pub fn ends_early(blocks: &RunBlocks, offset: u64) -> Error {
    let path = blocks.file().path().to_owned();
    let block = (offset - blocks.bounds().0) / BLOCK as u64;
    let message = "the file ends here, before its last block".to_owned();
    Error::Corrupt { path, block, message: message.into() }
}

impl BufferPool {
    /// Returns the buffers of `plan`, in memory of its own.
    pub fn new(plan: BufferPlan) -> Result<Self> {
        let mut arena = Arena::new(ByteSize(plan.bytes() as u64))?;
        let areas = (0..plan.areas).map(|_| cut(&mut arena, plan.most * BLOCK)).collect();
        let free = (0..plan.space).map(|_| cut(&mut arena, BLOCK)).collect();
        Ok(Self { plan, areas, free, ..Self::default() })
    }

    /// Returns whether runs have buffers here.
    pub fn is_used(&self) -> bool {
        self.plan.runs > 0
    }

    /// Returns the number of refills that may be in flight.
    pub fn depth(&self) -> usize {
        self.plan.areas
    }

    /// Returns whether a refill is in flight.
    pub fn is_reading(&self) -> bool {
        self.areas.len() < self.plan.areas
    }

    /// Returns the account of it; `None` where it is not used.
    pub fn account(&self) -> Option<MergeBuffers> {
        let bytes = |microbuffers: usize| ByteSize((microbuffers * BLOCK) as u64);
        self.is_used().then(|| MergeBuffers {
            geometry: self.plan.geometry.growth(),
            refill: self.plan.geometry.refill(),
            runs: self.plan.runs as u64,
            microbuffer_bytes: bytes(1),
            space: bytes(self.plan.space),
            buffer_max: bytes(self.plan.most),
            buffer_min: bytes(self.plan.least),
            refills: self.refills,
            refill_bytes: ByteSize(self.refill_bytes),
            refill_max: ByteSize(self.refill_bytes_max),
        })
    }

    /// Adds a run, whose records `from..to` are read, and returns its number.
    pub fn open(&mut self, blocks: RunBlocks, from: u64, to: Option<u64>) -> usize {
        let ((start, end), records_end) = (blocks.bounds(), blocks.records_end());
        let (block, whole) = (BLOCK as u64, |to: u64| to.next_multiple_of(BLOCK as u64));
        self.runs.push(RunBuffer {
            blocks,
            held: VecDeque::new(),
            taken: 0,
            unread: 0,
            coming: Vec::new(),
            before: (from % block) as usize,
            asked: (0, 0),
            next: start + from / block * block,
            end: to.map_or(end, |to| end.min(start + whole(to))),
            records_end: to.map_or(records_end, |to| records_end.min(start + to)),
            is_begun: false,
            is_closed: false,
            fault: None,
        });
        assert!(self.runs.len() <= self.plan.runs, "a buffer for each run");
        self.runs.len() - 1
    }

    /// Returns whether there are bytes of run `number` to take.
    pub fn has_bytes(&self, number: usize) -> bool {
        self.runs[number].unread > 0
    }

    /// Returns whether all of run `number` was taken.
    ///
    /// # Errors
    ///
    /// The fault of a refill, if that is why nothing follows.
    pub fn is_over(&mut self, number: usize) -> Result<bool> {
        let run = &mut self.runs[number];
        match run.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(run.coming.is_empty() && run.blocks_left() == 0),
        }
    }

    /// Takes the next bytes of run `number` to `window`, as many as there are and as it holds.
    pub fn take(&mut self, number: usize, window: &mut [u8]) -> usize {
        let RunBuffer { held, taken, unread, .. } = &mut self.runs[number];
        let mut filled = 0;
        while filled < window.len()
            && *unread > 0
            && let Some(first) = held.front()
        {
            let end = BLOCK.min(*taken + *unread);
            let bytes = (end - *taken).min(window.len() - filled);
            window[filled..filled + bytes].copy_from_slice(&first[*taken..*taken + bytes]);
            filled += bytes;
            *taken += bytes;
            *unread -= bytes;
            if *taken == end {
                self.free.extend(held.pop_front());
                *taken = 0;
            }
        }
        filled
    }

    /// Returns the next refill to begin: that of run `waiting`, which has nothing, or one that is
    /// due.
    pub fn next_refill(&mut self, waiting: Option<usize>) -> Option<Request> {
        if self.areas.is_empty() {
            return None;
        }
        let is_waiting = |number: &usize| {
            let run = &self.runs[*number];
            run.unread == 0 && run.coming.is_empty() && run.blocks_left() > 0
        };
        if let Some(number) = waiting.filter(is_waiting) {
            return self.refill(number, self.share_of(number));
        }
        let number = self.lowest()?;
        let (run, share) = (&self.runs[number], self.share_of(number));
        let room = self.plan.most.saturating_sub(run.size());
        let enough = self.plan.even_refill().min(run.blocks_left()).min(room);
        let is_wanted = !run.is_begun || share >= enough;
        if is_wanted && share > 0 { self.refill(number, share) } else { None }
    }

    /// Returns the run at the threshold or below that holds least; the first of several.
    fn lowest(&self) -> Option<usize> {
        let threshold = self.plan.threshold_bytes();
        let is_low = |run: &RunBuffer| run.coming.is_empty() && run.unread <= threshold;
        let runs = self.runs.iter().enumerate();
        let low = runs.filter(|(_, run)| is_low(run) && run.blocks_left() > 0);
        low.min_by_key(|(_, run)| run.unread).map(|(number, _)| number)
    }

    /// Returns the number of microbuffers that run `number` may have now: what is free above what
    /// others lack of their least, but no more than its buffer may grow by.
    fn share_of(&self, number: usize) -> usize {
        let run = &self.runs[number];
        let most = if run.is_begun { self.plan.most } else { self.plan.first(number) };
        let least = self.plan.least;
        let unopened = (self.plan.runs - self.runs.len()) * least;
        let lacking: usize = self.runs.iter().map(|other| other.lacks(least)).sum();
        let promised = unopened + lacking - run.lacks(least);
        let free = self.free.len().saturating_sub(promised);
        most.saturating_sub(run.size()).min(run.blocks_left()).min(free)
    }

    /// Returns the request that brings run `number` the next blocks, at most `count`. A fault of
    /// the table is kept until the run comes to it.
    fn refill(&mut self, number: usize, count: usize) -> Option<Request> {
        assert!(count > 0, "every run is sure of a microbuffer");
        let run = &mut self.runs[number];
        run.is_begun = true;
        let start = run.next;
        let asked = run.blocks.ask(start..run.end.min(start + (count * BLOCK) as u64));
        let BlockRange { count, bytes } = match asked {
            Ok(range) => range,
            Err(fault) => {
                run.fault = Some(fault);
                return None;
            }
        };
        let Some(region) = self.areas.pop() else { unreachable!("an area is free") };
        run.coming = self.free.split_off(self.free.len() - count);
        run.asked = (start, bytes.start);
        run.next = run.end.min(start + (count * BLOCK) as u64);
        let (offset, range) = (bytes.start, 0..(bytes.end - bytes.start) as usize);
        self.refills += 1;
        self.refill_bytes += range.len() as u64;
        self.refill_bytes_max = self.refill_bytes_max.max(range.len() as u64);
        let (file, tag): (Arc<File>, _) = (Arc::clone(run.blocks.file()), number as u64);
        Some(Request { operation: Direction::Read, file, offset, region, range, tag })
    }

    /// Takes in a refill that has arrived, and returns its bytes. A fault is kept until the run
    /// comes to it.
    pub fn arrive(&mut self, completion: Completion) -> usize {
        let Completion { request, result, .. } = completion;
        let Request { region, range, tag, .. } = request;
        let run = &mut self.runs[tag as usize];
        let bytes = if run.is_closed { 0 } else { range.len() };
        if !run.is_closed {
            let moved = result.and_then(|read| run.take_in(&region[range], read));
            run.fault = moved.err();
        }
        self.free.append(&mut run.coming);
        // Nothing is left to take if a resumed merge starts after the last record of the run.
        if run.unread == 0 {
            self.free.extend(run.held.drain(..));
            run.taken = 0;
        }
        self.areas.push(region);
        bytes
    }

    /// Gives back the memory of run `number`, and returns whether a refill is still in flight.
    pub fn close(&mut self, number: usize) -> bool {
        let run = &mut self.runs[number];
        (run.is_closed, run.unread) = (true, 0);
        self.free.extend(run.held.drain(..));
        !run.coming.is_empty()
    }
}

#[cfg(test)]
mod tests;
