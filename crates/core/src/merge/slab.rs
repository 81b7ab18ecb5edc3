//! Which blocks of which runs to read next: slabs, cut from the runs' sparse indexes.
//!
//! The index keys of all runs are walked in the order (key, run, position). Passing a key of a run
//! means that the part of the run behind it is needed; when the next part would no longer fit, its
//! key is the slab's end bound. What lies between a run's last passed key and the bound may fall on
//! either side, so the next slab begins with that part again.

use std::cmp::Ordering;
use std::ops::Range;

use crate::error::Result;
use crate::key::KeyEncoder;
use crate::run::layout::{BLOCK, INDEX_KEY_MAX};
use crate::run::{Index, RunReader};

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

/// One run on the walk.
#[derive(Debug)]
struct Walk<'a> {
    run: &'a RunReader,
    index: Index,
    /// Keys passed so far; the last key of the index is the run's last record.
    passed: usize,
    /// The whole key of the next record, where the index key is cut short and a tie asked for it.
    whole_key: Option<Vec<u8>>,
}

impl Walk<'_> {
    fn is_over(&self) -> bool {
        self.passed > self.index.parts()
    }

    /// The first part that the keys passed so far leave open.
    fn open_part(&self) -> usize {
        if self.is_over() { self.index.parts() } else { self.passed.saturating_sub(1) }
    }

    fn records(&self, first_part: usize, end_part: usize) -> Range<u64> {
        self.index.part_start(first_part)..self.index.part_start(end_part)
    }

    /// Blocks that hold the records of parts `first..end`.
    fn blocks(&self, first_part: usize, end_part: usize) -> Range<u64> {
        let records = self.records(first_part, end_part.max(first_part));
        if records.is_empty() {
            return 0..0;
        }
        let length = u64::from(self.run.geometry().record_length);
        records.start * length / BLOCK as u64..(records.end * length).div_ceil(BLOCK as u64)
    }

    /// Most blocks that one part more can take.
    fn part_blocks_max(&self) -> usize {
        let bytes = self.index.part_start(1) * u64::from(self.run.geometry().record_length);
        bytes.div_ceil(BLOCK as u64) as usize + 1
    }

    /// The whole key of the next record.
    fn whole_key(&mut self, key: &dyn KeyEncoder) -> Result<&[u8]> {
        if self.whole_key.is_none() {
            let record = self.run.record(self.index.record(self.passed))?;
            let mut whole = vec![0; key.key_length()];
            key.encode(&record, &mut whole);
            self.whole_key = Some(whole);
        }
        Ok(self.whole_key.as_deref().unwrap_or_default())
    }
}

/// Cuts slabs, one after another.
pub struct Planner<'a> {
    key: &'a dyn KeyEncoder,
    walks: Vec<Walk<'a>>,
    capacity: usize,
}

impl<'a> Planner<'a> {
    /// A planner of slabs of at most `capacity` bytes, over runs with their indexes.
    pub fn new(
        key: &'a dyn KeyEncoder,
        runs: impl IntoIterator<Item = (&'a RunReader, Index)>,
        capacity: usize,
    ) -> Self {
        let walks = runs
            .into_iter()
            .map(|(run, index)| Walk { run, index, passed: 0, whole_key: None })
            .collect();
        Self { key, walks, capacity }
    }

    /// The next slab; `None` when all runs are used up.
    ///
    /// # Errors
    ///
    /// Those of reading a record whose key is longer than the index keeps.
    pub fn next_slab(&mut self) -> Result<Option<Slab>> {
        if self.walks.iter().all(Walk::is_over) {
            return Ok(None);
        }
        let opened: Vec<usize> = self.walks.iter().map(Walk::open_part).collect();
        let blocks_of = |walk: &Walk<'_>, run: usize, passed: usize| {
            let blocks = walk.blocks(opened[run], passed.min(walk.index.parts()));
            (blocks.end - blocks.start) as usize
        };
        let mut blocks: Vec<usize> =
            self.walks.iter().enumerate().map(|(run, w)| blocks_of(w, run, w.passed)).collect();
        let mut total: usize = blocks.iter().sum();
        // Room for one part more, of any run: the record of the end bound must be in memory.
        let end_part = self.walks.iter().map(Walk::part_blocks_max).max().unwrap_or(0);
        let mut bounds = Vec::new();
        let mut end = None;
        while let Some(run) = self.least()? {
            let walk = &mut self.walks[run];
            let bound = Bound { run, record: walk.index.record(walk.passed) };
            let with_part = total - blocks[run] + blocks_of(walk, run, walk.passed + 1);
            if !bounds.is_empty() && (with_part + end_part) * BLOCK > self.capacity {
                end = Some(bound);
                break;
            }
            walk.passed += 1;
            walk.whole_key = None;
            blocks[run] = blocks_of(walk, run, walk.passed);
            total = with_part;
            bounds.push(bound);
        }
        let ends = self.walks.iter().enumerate().map(|(run, walk)| {
            let with_bound = usize::from(end.is_some_and(|bound| bound.run == run));
            (walk.passed + with_bound).min(walk.index.parts())
        });
        let parts: Vec<(usize, usize)> = opened.into_iter().zip(ends).collect();
        let ranges = || self.walks.iter().zip(parts.iter().copied());
        let records = ranges().map(|(walk, (first, end))| walk.records(first, end.max(first)));
        let blocks = ranges().map(|(walk, (first, end))| walk.blocks(first, end));
        Ok(Some(Slab { records: records.collect(), blocks: blocks.collect(), bounds, end }))
    }

    /// The run whose next index key comes first.
    fn least(&mut self) -> Result<Option<usize>> {
        let mut least: Option<usize> = None;
        for run in 0..self.walks.len() {
            if self.walks[run].is_over() {
                continue;
            }
            least = match least {
                Some(other) if !self.is_before(run, other)? => Some(other),
                _ => Some(run),
            };
        }
        Ok(least)
    }

    /// Whether the next key of `run` comes before that of `other`, an earlier run.
    fn is_before(&mut self, run: usize, other: usize) -> Result<bool> {
        debug_assert!(other < run, "ties go to the earlier run");
        let (left, right) = (&self.walks[run], &self.walks[other]);
        let order = left.index.key(left.passed).cmp(right.index.key(right.passed));
        if order != Ordering::Equal || self.key.key_length() <= INDEX_KEY_MAX {
            return Ok(order.is_lt());
        }
        let right = self.walks[other].whole_key(self.key)?.to_vec();
        Ok(self.walks[run].whole_key(self.key)? < right.as_slice())
    }
}

#[cfg(test)]
mod tests;
