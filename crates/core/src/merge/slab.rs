//! Which blocks of which runs to read next: slabs, cut from the runs' sparse indexes.
//!
//! The index keys of all runs are walked in the order (key, run, position). Passing a key of a run
//! means that the part of the run behind it is needed; when the next part would no longer fit, its
//! key is the slab's end bound. What lies between a run's last passed key and the bound may fall on
//! either side, so the next slab begins with that part again.
//!
//! A slab so cut takes no more than is granted, if that is room for the open part of every run and
//! for two parts more: the one that is always passed, so that every slab gets on, and the one that
//! holds the bound. [`Planner::least_capacity`] is that room; the plan's merge width sees to it.

mod heads;
mod walk;

use std::ops::Range;

use crate::error::Result;
use crate::key::KeyEncoder;
use crate::run::RunReader;
use crate::run::layout::BLOCK;

use heads::Heads;
use walk::Walk;

/// A record that cuts all runs in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Its run.
    pub run: usize,
    /// Its number in that run.
    pub record: u64,
}

/// A key range, as what must be read of every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slab {
    /// For each run, the records to have in memory: all that may lie in the range.
    pub records: Vec<Range<u64>>,
    /// For each run, the blocks that hold them.
    pub blocks: Vec<Range<u64>>,
    /// Bounds inside the slab, in order, at every index key.
    pub bounds: Vec<Bound>,
    /// The first record that is not in the slab any more; `None` for the last slab.
    pub end: Option<Bound>,
}

impl Slab {
    /// Bytes of memory for its blocks.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|blocks| (blocks.end - blocks.start) as usize * BLOCK).sum()
    }
}

/// Cuts slabs, one after another.
pub struct Planner<'a> {
    heads: Heads<'a>,
    capacity: usize,
}

impl<'a> Planner<'a> {
    /// A planner of slabs of at most `capacity` bytes. Of the index of each run, about
    /// `window_bytes` bytes are in memory at a time.
    ///
    /// # Errors
    ///
    /// Those of reading an index, and of reading a record whose key is longer than the index keeps.
    pub fn new(
        key: &'a dyn KeyEncoder,
        runs: &[&'a RunReader],
        capacity: usize,
        window_bytes: usize,
    ) -> Result<Self> {
        let walk = |run: &&'a RunReader| Walk::new(run, window_bytes);
        let walks = runs.iter().map(walk).collect::<Result<_>>()?;
        Ok(Self { heads: Heads::new(key, walks)?, capacity })
    }

    /// The least capacity that slabs of `runs` runs are sure to keep to.
    pub fn least_capacity(runs: usize, record_length: usize) -> usize {
        let part = BLOCK.next_multiple_of(record_length).div_ceil(BLOCK) + 1;
        (runs + 2) * part * BLOCK
    }

    /// The next slab; `None` when all runs are used up.
    ///
    /// # Errors
    ///
    /// Those of [`Planner::new`].
    pub fn next_slab(&mut self) -> Result<Option<Slab>> {
        if self.heads.first().is_none() {
            return Ok(None);
        }
        let walks = self.heads.walks();
        let opened: Vec<u64> = walks.iter().map(Walk::open_part).collect();
        let blocks_of = |walk: &Walk<'_>, run: usize, passed: u64| {
            let blocks = walk.blocks(opened[run], passed.min(walk.parts()));
            (blocks.end - blocks.start) as usize
        };
        let mut blocks: Vec<usize> =
            walks.iter().enumerate().map(|(run, w)| blocks_of(w, run, w.passed())).collect();
        let mut total: usize = blocks.iter().sum();
        // Room for one part more, of any run: the record of the end bound must be in memory.
        let end_part = walks.iter().map(Walk::part_blocks_max).max().unwrap_or(0);
        let mut bounds = Vec::new();
        let mut end = None;
        while let Some(run) = self.heads.first() {
            let walk = &self.heads.walks()[run];
            let bound = Bound { run, record: walk.next_record() };
            let with_part = blocks_of(walk, run, walk.passed() + 1);
            let total_with_part = total - blocks[run] + with_part;
            if !bounds.is_empty() && (total_with_part + end_part) * BLOCK > self.capacity {
                end = Some(bound);
                break;
            }
            (blocks[run], total) = (with_part, total_with_part);
            bounds.push(bound);
            self.heads.pass_first()?;
        }
        let walks = self.heads.walks();
        let parts: Vec<Range<u64>> = walks
            .iter()
            .zip(opened)
            .enumerate()
            .map(|(run, (walk, first))| {
                let with_bound = u64::from(end.is_some_and(|bound| bound.run == run));
                first..(walk.passed() + with_bound).min(walk.parts()).max(first)
            })
            .collect();
        let ranges = || walks.iter().zip(&parts);
        let records = ranges().map(|(walk, parts)| walk.records(parts.start, parts.end)).collect();
        let blocks = ranges().map(|(walk, parts)| walk.blocks(parts.start, parts.end)).collect();
        Ok(Some(Slab { records, blocks, bounds, end }))
    }
}

#[cfg(test)]
mod tests;
