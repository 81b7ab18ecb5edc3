//! A loser tree (Knuth, TAOCP vol. 3, section 5.4.1, "tree of losers"): which of `k` sources of
//! sorted records comes next, with one comparison per level.
//!
//! ```text
//!                winner
//!                  |
//!             [1] loser                 inner node n holds the loser of the match played there;
//!             /        \                source s enters at leaf k + s and plays at (k + s) / 2,
//!        [2] loser   [3] loser          then at half of that, and so on up
//!         /    \      /    \
//!        s0    s1    s2    s3
//! ```
//!
//! Comparisons are of 8-byte key prefixes, which sources keep; ties look at the rest of the key,
//! then at the source's number, so that the merge is stable. Where keys have to be made, the first
//! tie of a record makes more of its key, for all its matches (`Beginning`). A source that is
//! over keeps its leaf with the largest prefix and loses every tie. No sources have no first one.
//!
//! Where records come from is the source's: from memory in [`Merger`](super::Merger), whose tests
//! are the tree's too; from inputs that are still being read in `pipeline::sorted`.

use crate::key::KeyEncoder;
use crate::order::Beginning;
#[cfg(feature = "disorder")]
use crate::order::disorder;

/// Sorted records of which the next one is known.
pub trait Source {
    /// Key prefix of the next record; the largest there is where there is none.
    fn prefix(&self) -> u64;

    /// The next record; `None` where there is none.
    fn record(&self) -> Option<&[u8]>;
}

/// Sources in the order of their next records; earlier sources go first among equal keys.
#[derive(Debug)]
pub struct LoserTree<'k, K, S> {
    key: &'k K,
    sources: Vec<S>,
    /// Loser of each inner node, from index 1 on; index 0 holds the winner.
    nodes: Vec<usize>,
    /// For each source, what its record's ties have made of its key; none where keys need no
    /// making.
    beginnings: Vec<Beginning>,
}

impl<'k, K: KeyEncoder, S: Source> LoserTree<'k, K, S> {
    /// A tree over `sources`, played.
    pub fn new(key: &'k K, sources: Vec<S>) -> Self {
        let made = if key.is_costly() { sources.len() } else { 0 };
        let beginnings = vec![Beginning::default(); made];
        let mut tree = Self { key, nodes: vec![0; sources.len().max(1)], sources, beginnings };
        tree.play_all();
        tree
    }

    /// Plays the whole tournament once, from the leaves up.
    fn play_all(&mut self) {
        let count = self.sources.len();
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

    /// The source whose record comes next; when all are over, one that is.
    #[inline]
    pub fn first(&self) -> Option<&S> {
        self.sources.get(self.nodes[0])
    }

    /// Returns the winner, with what its ties have made of its record's key.
    #[inline]
    pub fn first_with_beginning(&mut self) -> Option<(&S, Option<&mut Beginning>)> {
        let first = self.nodes[0];
        Some((self.sources.get(first)?, self.beginnings.get_mut(first)))
    }

    /// Its number.
    pub fn first_number(&self) -> usize {
        self.nodes[0]
    }

    /// The sources.
    pub fn sources(&self) -> &[S] {
        &self.sources
    }

    /// Lets that source go on by `step` and finds the first one anew. A step that yields `None` has
    /// changed nothing.
    #[inline]
    pub fn advance<T>(&mut self, step: impl FnOnce(&mut S) -> Option<T>) -> Option<T> {
        let first = self.nodes[0];
        let taken = step(self.sources.get_mut(first)?)?;
        if let Some(beginning) = self.beginnings.get_mut(first) {
            beginning.forget();
        }
        self.replay(first);
        Some(taken)
    }

    /// Plays a changed source up to the root. As a call of its own it would take 15% longer to
    /// merge two runs, and 4% to merge many.
    #[inline(always)]
    fn replay(&mut self, source: usize) {
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
    }

    /// The sources, as far as they have come.
    pub fn into_sources(self) -> Vec<S> {
        self.sources
    }

    /// Whether source `a`'s next record comes before source `b`'s.
    #[inline]
    fn is_before(&mut self, a: usize, b: usize) -> bool {
        let (left, right) = (self.sources[a].prefix(), self.sources[b].prefix());
        #[cfg(feature = "disorder")]
        if left < right
            && self.sources[b].record().is_some()
            && disorder::strikes(disorder::Fault::Merge)
        {
            return false;
        }
        if left == right { self.is_before_on_tie(a, b) } else { left < right }
    }

    #[cold]
    fn is_before_on_tie(&mut self, a: usize, b: usize) -> bool {
        let Self { key, sources, beginnings, .. } = self;
        match (sources[a].record(), sources[b].record()) {
            (None, _) => false,
            (_, None) => true,
            (Some(left), Some(right)) => {
                let order = match beginnings.get_disjoint_mut([a, b]) {
                    Ok(made) => Beginning::compare(*key, [left, right], made),
                    Err(_) => key.compare_from(left, right, 1), // there are none
                };
                order.then(a.cmp(&b)).is_lt()
            }
        }
    }
}
