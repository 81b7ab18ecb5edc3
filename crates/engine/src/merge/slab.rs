//! Choice of the blocks of runs to read next: slabs, cut from the runs' sparse indexes.
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
use walk::{Walk, blocks_of, part_blocks_max};

/// A record that cuts all runs in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// Number of its run.
    pub run: usize,
    /// Offset in that run's data where it begins.
    pub offset: u64,
}

/// A key range, as what must be read of every run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slab {
    /// For each run, the bytes of data to have in memory: whole records, all that may lie in the
    /// range.
    pub bytes: Vec<Range<u64>>,
    /// For each run, the blocks that hold them.
    pub blocks: Vec<Range<u64>>,
    /// Bounds inside the slab, in order, at every index key.
    pub bounds: Vec<Bound>,
    /// The first record that is not in the slab any more; `None` for the last slab.
    pub end: Option<Bound>,
}

impl Slab {
    /// Returns the number of bytes of memory for its blocks.
    pub fn memory_bytes(&self) -> usize {
        self.blocks.iter().map(|blocks| (blocks.end - blocks.start) as usize * BLOCK).sum()
    }
}

/// Cuts slabs, one after another.
pub struct Planner<'a> {
    heads: Heads<'a>,
    /// Blocks that a slab may take.
    capacity: u64,
    /// Most blocks of one part of any run.
    part: u64,
}

impl<'a> Planner<'a> {
    /// Returns a planner of slabs of at most `capacity` bytes. Of the index of each run, about
    /// `window_bytes` bytes are in memory at a time.
    ///
    /// The first slab begins at the record at byte `starts[run]` of each run's data: at zeros, or
    /// at the places where an earlier slab ended. Records before these places are not read: a sort
    /// in place has freed them.
    ///
    /// # Errors
    ///
    /// Those of reading an index, and of reading a record whose key is longer than the index keeps.
    pub fn new(
        key: &'a dyn KeyEncoder,
        runs: &[&'a RunReader],
        starts: &[u64],
        capacity: usize,
        window_bytes: usize,
    ) -> Result<Self> {
        let walk = |(run, start): (&&'a RunReader, &u64)| Walk::new(run, *start, window_bytes);
        let walks = runs.iter().zip(starts).map(walk).collect::<Result<_>>()?;
        let longest = runs.iter().map(|run| run.geometry().longest_bytes).max().unwrap_or(0);
        let (capacity, part) = ((capacity / BLOCK) as u64, part_blocks_max(longest));
        Ok(Self { heads: Heads::new(key, walks)?, capacity, part })
    }

    /// Returns the least capacity that slabs are sure to keep to, of runs whose longest records
    /// have `longest_bytes` bytes.
    pub fn least_capacity(longest_bytes: impl IntoIterator<Item = u64>) -> u64 {
        let parts = longest_bytes.into_iter().map(part_blocks_max);
        let (all, longest) = parts.fold((0, 0), |(all, most), part| (all + part, part.max(most)));
        (all + 2 * longest) * BLOCK as u64
    }

    /// Returns the record at which the next slab begins, as the index keys have it; `None` when all
    /// runs are used up.
    pub fn next_bound(&self) -> Option<Bound> {
        let run = self.heads.first()?;
        Some(Bound { run, offset: self.heads.walks()[run].next_record() })
    }

    /// Returns the next slab; `None` when all runs are used up.
    ///
    /// # Errors
    ///
    /// Those of [`Planner::new`].
    pub fn next_slab(&mut self) -> Result<Option<Slab>> {
        if self.heads.first().is_none() {
            return Ok(None);
        }
        let walks = self.heads.walks();
        let starts: Vec<u64> = walks.iter().map(Walk::open_start).collect();
        let count = |run: usize, end: u64| {
            let blocks = blocks_of(&(starts[run]..end));
            blocks.end - blocks.start
        };
        let ends = walks.iter().map(Walk::passed_end).enumerate();
        let mut blocks: Vec<u64> = ends.map(|(run, end)| count(run, end)).collect();
        let mut total: u64 = blocks.iter().sum();
        let mut bounds = Vec::new();
        let mut end = None;
        while let Some(bound) = self.next_bound() {
            let run = bound.run;
            let with_part = count(run, self.heads.walks()[run].next_end());
            let total_with_part = total - blocks[run] + with_part;
            // Room for one part more, of any run: the record of the end bound must be in memory.
            if !bounds.is_empty() && total_with_part + self.part > self.capacity {
                end = Some(bound);
                break;
            }
            (blocks[run], total) = (with_part, total_with_part);
            bounds.push(bound);
            self.heads.pass_first()?;
        }
        let needed = |(run, (walk, start)): (usize, (&Walk<'_>, u64))| {
            let has_bound = end.is_some_and(|bound| bound.run == run);
            start..if has_bound { walk.next_end() } else { walk.passed_end() }.max(start)
        };
        let walks = self.heads.walks().iter();
        let bytes: Vec<Range<u64>> = walks.zip(starts).enumerate().map(needed).collect();
        let blocks = bytes.iter().map(blocks_of).collect();
        Ok(Some(Slab { bytes, blocks, bounds, end }))
    }
}

#[cfg(test)]
mod tests;
