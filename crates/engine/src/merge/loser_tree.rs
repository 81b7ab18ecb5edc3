//! A loser tree (Knuth, TAOCP vol. 3, section 5.4.1, "tree of losers"). It finds which of `k`
//! sources of sorted records has the next record, with one comparison per level.
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
//! A comparison looks at the key prefix that each source keeps, mostly of 8 bytes. Ties look at the
//! rest of the key, then at the places in the input where sources know them, and at the number of
//! the source, so that the merge is stable. Some keys are computed from the record, such as those
//! of a locale. The first tie of a record then computes a longer beginning of its key, and later
//! ties of that record use it again (`KeyBeginning`). A source without further records keeps its
//! leaf, has the largest prefix and loses every tie.
//!
//! A [`TreeSource`] decides where its records come from: from memory in [`Merger`](super::Merger),
//! whose tests also cover the tree, or from inputs that are still being read in `pipeline::sorted`.

use crate::key::KeyEncoder;
use crate::order::KeyBeginning;
#[cfg(feature = "disorder")]
use crate::order::disorder;

/// Sorted records of which the next one is known.
pub trait TreeSource {
    /// Beginning of a key, as an integer.
    type Prefix: Copy + Ord;

    /// First word of the key that decides where prefixes are equal.
    const TIED_WORD: usize = 1;

    /// Returns the key prefix of the next record, or the largest prefix if there is no record.
    fn prefix(&self) -> Self::Prefix;

    /// Returns the next record, if there is one.
    fn record(&self) -> Option<&[u8]>;

    /// Returns the place of the next record in the input, where sources are not in the order of the
    /// input. It decides between equal keys.
    fn place(&self) -> u64 {
        0
    }
}

/// Sources in the order of their next records. Of equal keys, that of the earlier source is first.
#[derive(Debug)]
pub struct LoserTree<'k, K, S> {
    key: &'k K,
    sources: Vec<S>,
    /// Loser of each inner node, from index 1 on; index 0 holds the winner.
    nodes: Vec<usize>,
    /// For each source, the computed beginning of its next record's key. Empty if keys are not
    /// computed.
    beginnings: Vec<KeyBeginning>,
}

impl<'k, K: KeyEncoder, S: TreeSource> LoserTree<'k, K, S> {
    /// Returns a tree over `sources` whose first source is known.
    pub fn new(key: &'k K, sources: Vec<S>) -> Self {
        let made = if key.is_costly() { sources.len() } else { 0 };
        let beginnings = vec![KeyBeginning::default(); made];
        let mut tree = Self { key, nodes: vec![0; sources.len().max(1)], sources, beginnings };
        tree.play_all();
        tree
    }

    /// Plays the whole tournament once, from the leaves up.
    fn play_all(&mut self) {
        let count = self.sources.len();
        // Node `count + s` is the leaf of source `s`; the inner nodes are filled in below.
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

    /// Returns the source with the next record. If no source has a record, it is any of them.
    #[inline]
    pub fn first(&self) -> Option<&S> {
        self.sources.get(self.nodes[0])
    }

    /// Returns the source with the next record, and the computed beginning of the record's key.
    #[inline]
    pub fn first_with_beginning(&mut self) -> Option<(&S, Option<&mut KeyBeginning>)> {
        let first = self.nodes[0];
        Some((self.sources.get(first)?, self.beginnings.get_mut(first)))
    }

    /// Returns the number of the source with the next record.
    pub fn first_number(&self) -> usize {
        self.nodes[0]
    }

    /// Returns the sources.
    pub fn sources(&self) -> &[S] {
        &self.sources
    }

    /// Moves the first source on by `step`, and finds the new first source. A `step` that returns
    /// `None` must leave the source as it was.
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

    /// Returns the sources, each at its next record.
    pub fn into_sources(self) -> Vec<S> {
        self.sources
    }

    /// Returns whether the next record of source `a` comes before that of source `b`.
    #[inline]
    fn is_before(&mut self, a: usize, b: usize) -> bool {
        let (left, right) = (self.sources[a].prefix(), self.sources[b].prefix());
        // A fault on purpose, for tests of the order proof.
        #[cfg(feature = "disorder")]
        if left < right
            && self.sources[b].record().is_some()
            && disorder::strikes(disorder::DisorderPlace::Merge)
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
                    Ok(made) => KeyBeginning::compare(*key, [left, right], made),
                    // Keys are not computed. Their first words are the equal prefixes.
                    Err(_) => key.compare_from(left, right, S::TIED_WORD),
                };
                let places = || sources[a].place().cmp(&sources[b].place());
                order.then_with(places).then(a.cmp(&b)).is_lt()
            }
        }
    }
}
