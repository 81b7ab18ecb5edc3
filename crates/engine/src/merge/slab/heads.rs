//! The run whose next index key comes first, of many: a tournament of the runs on the walk.
//!
//! ```text
//!            [1] run 2           node n: the winner of nodes 2n and 2n + 1
//!           /         \          leaves: node `runs` + r is run r
//!      [2] run 2    [3] run 0
//!       /    \       /    \      passing a key of run 2 replays its way up: nodes 2 and 1
//!    run 1  run 2  run 3  run 0
//! ```
//!
//! It is not the loser tree of the merge: this one asks for what may have to be read (a key that
//! the index keeps only the beginning of), so that a comparison can fail, and it is asked once a
//! part, not once a record. Equal keys go to the earlier run; a run that is over loses to all.

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
    /// The winner at each inner node; node 0 is unused. With one run there is no inner node.
    winners: Vec<usize>,
}

impl<'a> Heads<'a> {
    /// Returns the tournament of `walks`, played.
    pub fn new(key: &'a dyn KeyEncoder, walks: Vec<Walk<'a>>) -> Result<Self> {
        let winners = vec![0; walks.len()];
        let mut heads = Self { key, walks, winners };
        for node in (1..heads.walks.len()).rev() {
            heads.play(node)?;
        }
        Ok(heads)
    }

    /// Returns the runs.
    pub fn walks(&self) -> &[Walk<'a>] {
        &self.walks
    }

    /// Returns the run whose next key comes first; `None` when all are over.
    pub fn first(&self) -> Option<usize> {
        if self.walks.is_empty() {
            return None;
        }
        let run = self.winner(1);
        (!self.walks[run].is_over()).then_some(run)
    }

    /// Passes the key that comes first; there must be one.
    pub fn pass_first(&mut self) -> Result<()> {
        let run = self.winner(1);
        self.walks[run].pass()?;
        let mut node = (self.walks.len() + run) / 2;
        while node > 0 {
            self.play(node)?;
            node /= 2;
        }
        Ok(())
    }

    /// Returns the run that has come up to `node`.
    fn winner(&self, node: usize) -> usize {
        node.checked_sub(self.walks.len()).unwrap_or_else(|| self.winners[node])
    }

    fn play(&mut self, node: usize) -> Result<()> {
        let (one, other) = (self.winner(2 * node), self.winner(2 * node + 1));
        self.winners[node] = if self.order(one, other)?.is_lt() { one } else { other };
        Ok(())
    }

    /// Returns the order of two runs by their next keys; they are never equal.
    fn order(&mut self, one: usize, other: usize) -> Result<Ordering> {
        let (left, right) = (&self.walks[one], &self.walks[other]);
        if left.is_over() || right.is_over() {
            return Ok(left.is_over().cmp(&right.is_over()).then(one.cmp(&other)));
        }
        let mut order = left.key().cmp(right.key());
        let is_open = left.key().is_cut() && right.key().is_cut();
        if order.is_eq() && is_open {
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
