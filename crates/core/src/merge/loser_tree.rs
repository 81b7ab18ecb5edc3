//! A loser tree (Knuth, TAOCP vol. 3, section 5.4.1, "tree of losers"): the least of `k` sources
//! with one comparison per level.
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
//! Comparisons are of 8-byte key prefixes, kept beside the source; ties look at the rest of the
//! key, then at the source's number, so that the merge is stable. An exhausted source keeps its
//! leaf with the largest prefix and loses every tie. No sources, or only empty ones, yield nothing.

use crate::incore::prefetch;
use crate::key::KeyEncoder;

/// How far ahead in each source records are asked for: memory of many streams is more than the
/// hardware follows by itself.
const AHEAD_BYTES: usize = 512;

/// Sorted records that are left of one source.
#[derive(Debug)]
struct Source<'a> {
    /// Whole records; the first is the source's next.
    rest: &'a [u8],
    /// Key prefix of the next record; the largest there is when `rest` is empty.
    prefix: u64,
}

/// Merges sources of sorted records; earlier sources go first among equal keys.
#[derive(Debug)]
pub struct LoserTree<'a, K> {
    key: &'a K,
    /// Bytes per record.
    length: usize,
    sources: Vec<Source<'a>>,
    /// Loser of each inner node, from index 1 on; index 0 holds the winner.
    nodes: Vec<usize>,
    /// Sources that are not exhausted.
    live: usize,
}

impl<'a, K: KeyEncoder> LoserTree<'a, K> {
    /// A tree over `sources`, each sorted, of records of `length` bytes.
    pub fn new(key: &'a K, length: usize, sources: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let first_prefix = |rest: &[u8]| rest.get(..length).map_or(u64::MAX, |r| key.word(r, 0));
        let sources: Vec<Source<'_>> = sources
            .into_iter()
            .filter(|rest| !rest.is_empty())
            .map(|rest| Source { rest, prefix: first_prefix(rest) })
            .collect();
        let mut tree = Self { key, length, live: sources.len(), nodes: Vec::new(), sources };
        tree.play_all();
        tree
    }

    /// Plays the whole tournament once, from the leaves up.
    fn play_all(&mut self) {
        let count = self.sources.len();
        self.nodes = vec![0; count.max(1)];
        let mut winners: Vec<usize> =
            (0..2 * count).map(|leaf| leaf.saturating_sub(count)).collect();
        for node in (1..count).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let is_left = self.is_before(left, right);
            (winners[node], self.nodes[node]) = if is_left { (left, right) } else { (right, left) };
        }
        if count > 0 {
            self.nodes[0] = if count == 1 { 0 } else { winners[1] };
        }
    }

    /// Whether source `a`'s next record comes before source `b`'s.
    #[inline]
    fn is_before(&self, a: usize, b: usize) -> bool {
        let (left, right) = (self.sources[a].prefix, self.sources[b].prefix);
        if left == right { self.is_before_on_tie(a, b) } else { left < right }
    }

    #[cold]
    fn is_before_on_tie(&self, a: usize, b: usize) -> bool {
        let next = |source: usize| self.sources[source].rest.get(..self.length);
        match (next(a), next(b)) {
            (None, _) => false,
            (_, None) => true,
            (Some(left), Some(right)) => {
                self.key.compare_from(left, right, 1).then(a.cmp(&b)).is_lt()
            }
        }
    }

    /// Merges whole records into `out` until it is full or nothing is left; returns bytes written.
    pub fn merge_into(&mut self, out: &mut [u8]) -> usize {
        let mut filled = 0;
        while self.live > 1 && out.len() - filled >= self.length {
            let winner = self.nodes[0];
            let source = &mut self.sources[winner];
            let (record, rest) = source.rest.split_at(self.length);
            out[filled..filled + self.length].copy_from_slice(record);
            filled += self.length;
            source.rest = rest;
            if let Some(next) = rest.get(..self.length) {
                source.prefix = self.key.word(next, 0);
                if let Some(ahead) = rest.get(AHEAD_BYTES..AHEAD_BYTES + 1) {
                    prefetch(ahead);
                }
            } else {
                source.prefix = u64::MAX;
                self.live -= 1;
            }
            self.replay(winner);
        }
        if self.live == 1 {
            filled += self.copy_last(&mut out[filled..]);
        }
        filled
    }

    /// Plays a changed source up to the root.
    #[inline]
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

    /// Copies from the only source that is left.
    fn copy_last(&mut self, out: &mut [u8]) -> usize {
        let source = &mut self.sources[self.nodes[0]];
        let room = out.len() / self.length * self.length;
        let (records, rest) = source.rest.split_at(room.min(source.rest.len()));
        out[..records.len()].copy_from_slice(records);
        source.rest = rest;
        self.live -= usize::from(rest.is_empty());
        records.len()
    }
}

#[cfg(test)]
mod tests;
