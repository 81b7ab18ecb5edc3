//! The run whose next index key comes first, of many: the runs on the walk, in a sorted list.
//!
//! It is no loser tree. The list changes once a part, not once a record, and a comparison may have
//! to read what the index keeps only the beginning of, so that it can fail. A run that is passed is
//! put back by binary search, with as many comparisons as a tree has levels. Equal keys go to the
//! earlier run; a run that is over leaves the list.

use std::cmp::Ordering;

use super::walk::{KEPT_KEY_MAX, Walk};
use crate::error::Result;
use crate::key::KeyEncoder;
use crate::run::INDEX_KEY_MAX;

const _: () = assert!(KEPT_KEY_MAX > INDEX_KEY_MAX, "what is kept says more than the index");

/// Runs on the walk, and which comes first.
pub struct Heads<'a> {
    key: &'a dyn KeyEncoder,
    walks: Vec<Walk<'a>>,
    /// Numbers of the runs that are not over; the one whose next key comes first is the last.
    list: Vec<usize>,
}

impl<'a> Heads<'a> {
    /// Returns the sorted list of `walks`.
    pub fn new(key: &'a dyn KeyEncoder, walks: Vec<Walk<'a>>) -> Result<Self> {
        let list = Vec::with_capacity(walks.len());
        let mut heads = Self { key, walks, list };
        (0..heads.walks.len()).try_for_each(|run| heads.insert(run))?;
        Ok(heads)
    }

    /// Returns the runs.
    pub fn walks(&self) -> &[Walk<'a>] {
        &self.walks
    }

    /// Returns the run whose next key comes first; `None` when all are over.
    pub fn first(&self) -> Option<usize> {
        self.list.last().copied()
    }

    /// Passes the key that comes first, if there is one.
    pub fn pass_first(&mut self) -> Result<()> {
        let Some(run) = self.list.pop() else { return Ok(()) };
        self.walks[run].pass()?;
        self.insert(run)
    }

    /// Puts a run into its place in the list, unless it is over.
    fn insert(&mut self, run: usize) -> Result<()> {
        if self.walks[run].is_over() {
            return Ok(());
        }
        let (mut low, mut high) = (0, self.list.len());
        while low < high {
            let middle = low.midpoint(high);
            let is_later = self.order(self.list[middle], run)?.is_gt();
            (low, high) = if is_later { (middle + 1, high) } else { (low, middle) };
        }
        self.list.insert(low, run);
        Ok(())
    }

    /// Returns the order of two runs that are not over by their next keys; they are never equal.
    fn order(&mut self, one: usize, other: usize) -> Result<Ordering> {
        let (left, right) = (self.walks[one].key(), self.walks[other].key());
        let mut order = left.cmp(right);
        if order.is_eq() && left.is_cut() && right.is_cut() {
            self.walks[one].keep_key(self.key)?;
            self.walks[other].keep_key(self.key)?;
            let (left, right) = (self.walks[one].kept_key(), self.walks[other].kept_key());
            order = left.cmp(right);
            if order.is_eq() && left.len() == KEPT_KEY_MAX {
                let record = self.walks[one].read_record()?;
                order = self.key.compare_from(&record, &self.walks[other].read_record()?, 0);
            }
        }
        Ok(order.then(one.cmp(&other)))
    }
}
