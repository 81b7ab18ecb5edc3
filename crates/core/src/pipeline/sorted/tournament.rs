//! The loser tree of `merge`, over inputs that are read while they are merged.
//!
//! The same tree (Knuth, TAOCP vol. 3, section 5.4.1), drawn in `merge::loser_tree`; there, sources
//! are bytes that lie in memory, here going on to the next record may wait for a disk. Ties of the
//! key prefix look at the rest of the key, then at the number of the source. A source that is over
//! keeps its leaf with the largest prefix and loses every tie.

use super::feed::Feed;
use super::source::{Guard, Source, Step};
use crate::error::{Error, Result};
use crate::key::KeyEncoder;

/// Sources in the order of their next records.
#[derive(Debug)]
pub struct Tournament<'k, K> {
    key: &'k K,
    sources: Vec<Source>,
    /// Loser of each inner node, from index 1 on; index 0 holds the winner.
    nodes: Vec<usize>,
    /// Watches the order of every source, where that is wanted.
    guard: Option<Guard>,
}

impl<'k, K: KeyEncoder> Tournament<'k, K> {
    /// A tree over sources that are before their first records.
    pub fn new(
        key: &'k K,
        mut sources: Vec<Source>,
        guard: Option<Guard>,
        feed: &mut Feed<'_>,
    ) -> Result<Self> {
        for source in &mut sources {
            source.advance(key, feed, None)?;
        }
        let mut tree = Self { key, nodes: Vec::new(), sources, guard };
        tree.play_all();
        Ok(tree)
    }

    /// Plays the whole tournament once, from the leaves up.
    fn play_all(&mut self) {
        let count = self.sources.len();
        self.nodes = vec![0; count.max(1)];
        // Leaf `count + s` is source `s`; the winner of all is that of node 1.
        let mut winners: Vec<usize> =
            (0..2 * count).map(|leaf| leaf.saturating_sub(count)).collect();
        for node in (1..count).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let is_left = self.is_before(left, right);
            (winners[node], self.nodes[node]) = if is_left { (left, right) } else { (right, left) };
        }
        if count > 1 {
            self.nodes[0] = winners[1];
        }
    }

    #[inline]
    fn is_before(&self, a: usize, b: usize) -> bool {
        let (left, right) = (self.sources[a].prefix(), self.sources[b].prefix());
        if left == right { self.is_before_on_tie(a, b) } else { left < right }
    }

    #[cold]
    fn is_before_on_tie(&self, a: usize, b: usize) -> bool {
        let (left, right) = (&self.sources[a], &self.sources[b]);
        match (left.has_record(), right.has_record()) {
            (false, _) => false,
            (_, false) => true,
            _ => self.key.compare_from(left.record(), right.record(), 1).then(a.cmp(&b)).is_lt(),
        }
    }

    /// The source whose record comes next; `None` when all are over.
    #[inline]
    pub fn winner(&self) -> Option<&Source> {
        self.sources.get(self.nodes[0]).filter(|source| source.has_record())
    }

    /// Leaves that record behind.
    ///
    /// # Errors
    ///
    /// Those of reading on; with a guard, [`Error::Malformed`] where the next record of the same
    /// source belongs before this one.
    #[inline]
    pub fn advance(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        let source = self.nodes[0];
        let changed = &mut self.sources[source];
        if changed.advance(self.key, feed, self.guard.as_mut())? == Step::Disorder {
            return Err(disorder(changed));
        }
        let mut winner = source;
        let mut node = (self.sources.len() + source) / 2;
        while node > 0 {
            let rival = self.nodes[node];
            if self.is_before(rival, winner) {
                self.nodes[node] = winner;
                winner = rival;
            }
            node /= 2;
        }
        self.nodes[0] = winner;
        Ok(())
    }

    /// The sources, at their ends.
    pub fn into_sources(self) -> Vec<Source> {
        self.sources
    }
}

fn disorder(source: &Source) -> Error {
    let (number, offset) = source.place();
    Error::Malformed {
        path: source.name().to_owned(),
        message: format!(
            "record {number} at offset {offset} is out of order: it belongs before record {}; \
             sort this input first",
            number - 1
        ),
    }
}
