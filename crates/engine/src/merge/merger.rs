//! Merging sorted records that lie in memory.
//!
//! A [`LoserTree`] says which source comes next. Each source keeps the length and the key prefix of
//! its next record, so that a record is cut once, however often it is compared; a source that is
//! the only one left is copied. The loop over records is made once for each kind of framing.

use super::loser_tree::{self, LoserTree};
use crate::format::Framing;
use crate::incore::prefetch;
use crate::key::KeyEncoder;
use crate::order::{KeyBeginning, OrderCheck};
use crate::proof::Sum;

/// Number of bytes to prefetch ahead in each source. The hardware cannot follow the memory of many
/// streams by itself.
const AHEAD_BYTES: usize = 512;

/// Sorted records that are left of one source.
#[derive(Debug)]
struct SlicedRecords<'a> {
    /// Whole records; the first is the source's next.
    rest: &'a [u8],
    /// Bytes of the next record; zero when `rest` is empty.
    length: usize,
    /// Key prefix of the next record; the largest there is when `rest` is empty.
    prefix: u64,
}

impl<'a> SlicedRecords<'a> {
    /// Continues with `rest`, and returns whether there is a record in it.
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

/// Ways to cut records, one type each, so that each gets a loop of its own.
trait Cut {
    /// Returns the number of bytes of the next record of a source that has one.
    fn next_length(&self, source: &SlicedRecords<'_>) -> usize;

    /// Returns the first record of `rest`, if there is any.
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]>;
}

/// Records of one length, which is in a register then.
struct OneLength(usize);

impl Cut for OneLength {
    #[inline]
    fn next_length(&self, _: &SlicedRecords<'_>) -> usize {
        self.0
    }

    #[inline]
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        rest.get(..self.0)
    }
}

/// Records of any length, found once for each.
struct AnyLength(Framing);

impl Cut for AnyLength {
    #[inline]
    fn next_length(&self, source: &SlicedRecords<'_>) -> usize {
        source.length
    }

    #[inline]
    fn first<'a>(&self, rest: &'a [u8]) -> Option<&'a [u8]> {
        (!rest.is_empty()).then(|| &rest[..self.0.first_length(rest)])
    }
}

impl loser_tree::TreeSource for SlicedRecords<'_> {
    type Prefix = u64;

    #[inline]
    fn prefix(&self) -> u64 {
        self.prefix
    }

    #[inline]
    fn record(&self) -> Option<&[u8]> {
        (self.length > 0).then(|| &self.rest[..self.length])
    }
}

/// Merges sources of sorted records; earlier sources go first among equal keys. No sources, or only
/// empty ones, yield nothing.
#[derive(Debug)]
pub struct Merger<'a, K> {
    key: &'a K,
    framing: Framing,
    tree: LoserTree<'a, K, SlicedRecords<'a>>,
    /// Sources that are not exhausted.
    live: usize,
    /// Looks at the records in the order in which they are taken.
    check: OrderCheck<'a, K>,
    /// The record taken last.
    previous: Option<&'a [u8]>,
}

impl<'a, K: KeyEncoder> Merger<'a, K> {
    /// Returns a merger of `sources`, each sorted, of whole records, whose order `check` proves.
    pub fn new(
        key: &'a K,
        framing: Framing,
        sources: impl IntoIterator<Item = &'a [u8]>,
        check: OrderCheck<'a, K>,
    ) -> Self {
        let source = |rest: &'a [u8]| {
            let length = framing.first_length(rest);
            SlicedRecords { rest, length, prefix: key.word(&rest[..length], 0) }
        };
        let sources: Vec<SlicedRecords<'_>> =
            sources.into_iter().filter(|rest| !rest.is_empty()).map(source).collect();
        let (live, tree) = (sources.len(), LoserTree::new(key, sources));
        Self { key, framing, tree, live, check, previous: None }
    }

    /// Returns the order check of the records taken so far.
    pub fn check(&self) -> &OrderCheck<'a, K> {
        &self.check
    }

    /// Returns the order check after the last record was taken.
    pub fn into_check(mut self) -> OrderCheck<'a, K> {
        self.previous.inspect(|last| self.check.keep(last));
        self.check
    }

    /// Looks at the record that comes next and is about to be taken.
    #[inline(always)]
    fn look(&mut self, length: usize) {
        let Some((source, beginning)) = self.tree.first_with_beginning() else { return };
        let record = &source.rest[..length];
        self.check.next_known(record, self.previous, source.prefix, beginning);
        self.previous = Some(record);
    }

    /// Looks at a record whose key the tree has not made.
    fn look_at(&mut self, record: &'a [u8]) {
        let mut beginning = self.key.is_costly().then(KeyBeginning::default);
        let prefix = self.key.word(record, 0);
        self.check.next_known(record, self.previous, prefix, beginning.as_mut());
        self.previous = Some(record);
    }

    /// Merges whole records into `out` until the next one does not fit or nothing is left, and adds
    /// them to `sum`, if one is wanted; returns bytes written.
    pub fn merge_into(&mut self, out: &mut [u8], mut sum: Option<&mut Sum>) -> usize {
        let (mut filled, summed) = match self.framing {
            // Where their length is no news, they are summed together.
            Framing::Fixed(length) => (self.play_into(out, &OneLength(length), None), 0),
            framing => {
                let filled = self.play_into(out, &AnyLength(framing), sum.as_deref_mut());
                (filled, filled)
            }
        };
        if self.live == 1 {
            filled += self.copy_last(&mut out[filled..]);
        }
        if let Some(sum) = sum {
            sum.add_all(self.framing, &out[summed..filled]);
        }
        filled
    }

    /// Merges while there is more than one source.
    fn play_into(&mut self, out: &mut [u8], cut: &impl Cut, mut sum: Option<&mut Sum>) -> usize {
        let (mut filled, key) = (0, self.key);
        while self.live > 1 {
            if self.check.is_on() {
                let Some(length) = self.tree.first().map(|source| cut.next_length(source)) else {
                    break;
                };
                if out.len() - filled < length {
                    break;
                }
                self.look(length);
            }
            let step = |source: &mut SlicedRecords<'a>| {
                let length = cut.next_length(source);
                let place = out.get_mut(filled..filled + length)?;
                let (record, rest) = source.rest.split_at(length);
                place.copy_from_slice(record);
                filled += length;
                if let Some(sum) = &mut sum {
                    sum.add_record(record);
                }
                Some(source.go_on(key, rest, cut))
            };
            let Some(is_live) = self.tree.advance(step) else { break };
            self.live -= usize::from(!is_live);
        }
        filled
    }

    /// Takes the record that comes next as it lies in its source; `None` when nothing is left. For
    /// records too long for [`merge_into`](Self::merge_into).
    pub fn take_next(&mut self) -> Option<&'a [u8]> {
        if let Some(source) = self.tree.first().filter(|source| source.length > 0) {
            let (rest, length) = (source.rest, source.length);
            // The prefix of the only source that is left may be that of a record before.
            if self.live > 1 { self.look(length) } else { self.look_at(&rest[..length]) }
        }
        let (key, framing) = (self.key, self.framing);
        let (record, is_live) = self.tree.advance(|source| {
            let (record, rest) = source.rest.split_at(source.length);
            let is_live = match framing {
                _ if record.is_empty() => return None,
                Framing::Fixed(length) => source.go_on(key, rest, &OneLength(length)),
                framing => source.go_on(key, rest, &AnyLength(framing)),
            };
            Some((record, is_live))
        })?;
        self.live -= usize::from(!is_live);
        Some(record)
    }

    /// Copies from the only source that is left. Its records were looked at when they were written
    /// there, and stay neighbours: only their ends are looked at again.
    fn copy_last(&mut self, out: &mut [u8]) -> usize {
        let framing = self.framing;
        let first = self.tree.first().map_or(&[][..], |source| &source.rest[..source.length]);
        let step = |source: &mut SlicedRecords<'a>| {
            let room = out.len().min(source.rest.len());
            let whole = match room == source.rest.len() {
                true => room,
                false => framing.whole_bytes(&source.rest[..room]),
            };
            let (records, rest) = source.rest.split_at(whole);
            out[..whole].copy_from_slice(records);
            // Nothing is left to compare it with, so that its key prefix may stay.
            (source.rest, source.length) = (rest, framing.first_length(rest));
            Some((records, rest.is_empty()))
        };
        let Some((records, is_over)) = self.tree.advance(step) else { return 0 };
        self.live -= usize::from(is_over);
        if self.check.is_on() && !records.is_empty() {
            self.look_at(first);
            self.look_at(&records[framing.last_start(records)..]);
        }
        records.len()
    }
}

#[cfg(test)]
mod tests;
