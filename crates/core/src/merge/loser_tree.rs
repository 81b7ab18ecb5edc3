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
//!
//! Each source keeps the length of its next record, so that a record is cut once, however often it
//! is compared. The loop over records is made once for each kind of framing.

use memchr::memrchr;

use crate::format::Framing;
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
    /// Bytes of the next record; zero when `rest` is empty.
    length: usize,
    /// Key prefix of the next record; the largest there is when `rest` is empty.
    prefix: u64,
}

impl<'a> Source<'a> {
    /// Goes on to `rest`; whether there is a record in it.
    #[inline]
    fn go_on<K: KeyEncoder>(&mut self, key: &K, rest: &'a [u8], cut: &impl Cut) -> bool {
        self.rest = rest;
        let Some(next) = cut.first(rest) else {
            (self.length, self.prefix) = (0, u64::MAX);
            return false;
        };
        self.length = next.len();
        self.prefix = key.word(next, 0);
        if let Some(ahead) = rest.get(AHEAD_BYTES..AHEAD_BYTES + 1) {
            prefetch(ahead);
        }
        true
    }
}

/// How the loop over records cuts them: a type each, so that each gets a loop of its own.
trait Cut {
    /// Bytes of the next record of a source that has one.
    fn next_length(&self, source: &Source<'_>) -> usize;

    /// The first record of `rest`, if there is any.
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]>;
}

/// Records of one length, which is in a register then.
struct OneLength(usize);

impl Cut for OneLength {
    #[inline]
    fn next_length(&self, _: &Source<'_>) -> usize {
        self.0
    }

    #[inline]
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        rest.get(..self.0)
    }
}

/// Records that end with a byte, found once for each.
struct AnyLength(u8);

impl Cut for AnyLength {
    #[inline]
    fn next_length(&self, source: &Source<'_>) -> usize {
        source.length
    }

    #[inline]
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        (!rest.is_empty()).then(|| &rest[..Framing::Terminated(self.0).first_length(rest)])
    }
}

/// Merges sources of sorted records; earlier sources go first among equal keys.
#[derive(Debug)]
pub struct LoserTree<'a, K> {
    key: &'a K,
    framing: Framing,
    sources: Vec<Source<'a>>,
    /// Loser of each inner node, from index 1 on; index 0 holds the winner.
    nodes: Vec<usize>,
    /// Sources that are not exhausted.
    live: usize,
}

impl<'a, K: KeyEncoder> LoserTree<'a, K> {
    /// A tree over `sources`, each sorted, of whole records.
    pub fn new(key: &'a K, framing: Framing, sources: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let source = |rest: &'a [u8]| {
            let length = framing.first_length(rest);
            Source { rest, length, prefix: key.word(&rest[..length], 0) }
        };
        let sources: Vec<Source<'_>> =
            sources.into_iter().filter(|rest| !rest.is_empty()).map(source).collect();
        let mut tree = Self { key, framing, live: sources.len(), nodes: Vec::new(), sources };
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
        match (self.next_record(a), self.next_record(b)) {
            (None, _) => false,
            (_, None) => true,
            (Some(left), Some(right)) => {
                self.key.compare_from(left, right, 1).then(a.cmp(&b)).is_lt()
            }
        }
    }

    fn next_record(&self, source: usize) -> Option<&'a [u8]> {
        let Source { rest, length, .. } = self.sources[source];
        (length > 0).then(|| &rest[..length])
    }

    /// Merges whole records into `out` until the next one does not fit or nothing is left; returns
    /// bytes written.
    pub fn merge_into(&mut self, out: &mut [u8]) -> usize {
        let mut filled = match self.framing {
            Framing::Fixed(length) => self.play_into(out, &OneLength(length)),
            Framing::Terminated(end) => self.play_into(out, &AnyLength(end)),
        };
        if self.live == 1 {
            filled += self.copy_last(&mut out[filled..]);
        }
        filled
    }

    /// Merges while there is more than one source.
    fn play_into(&mut self, out: &mut [u8], cut: &impl Cut) -> usize {
        let mut filled = 0;
        while self.live > 1 {
            let winner = self.nodes[0];
            let source = &mut self.sources[winner];
            let length = cut.next_length(source);
            if out.len() - filled < length {
                break;
            }
            let (record, rest) = source.rest.split_at(length);
            out[filled..filled + length].copy_from_slice(record);
            filled += length;
            self.live -= usize::from(!source.go_on(self.key, rest, cut));
            self.replay(winner);
        }
        filled
    }

    /// Takes the record that comes next as it lies in its source; `None` when nothing is left. For
    /// records too long for [`merge_into`](Self::merge_into).
    pub fn take_next(&mut self) -> Option<&'a [u8]> {
        let &winner = self.nodes.first().filter(|_| self.live > 0)?;
        let record = self.next_record(winner)?;
        let source = &mut self.sources[winner];
        let rest = &source.rest[record.len()..];
        let is_live = match self.framing {
            Framing::Fixed(length) => source.go_on(self.key, rest, &OneLength(length)),
            Framing::Terminated(end) => source.go_on(self.key, rest, &AnyLength(end)),
        };
        self.live -= usize::from(!is_live);
        self.replay(winner);
        Some(record)
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
        let room = out.len().min(source.rest.len());
        let whole = match self.framing {
            _ if room == source.rest.len() => room,
            Framing::Fixed(length) => room / length * length,
            Framing::Terminated(end) => {
                memrchr(end, &source.rest[..room]).map_or(0, |last| last + 1)
            }
        };
        let (records, rest) = source.rest.split_at(whole);
        out[..whole].copy_from_slice(records);
        source.rest = rest;
        source.length = self.framing.first_length(rest);
        self.live -= usize::from(rest.is_empty());
        whole
    }
}

#[cfg(test)]
mod tests;
