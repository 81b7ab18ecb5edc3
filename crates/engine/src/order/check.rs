//! One worker's look at neighbouring records: whether the next one belongs before the last.

use std::cmp::Ordering;

use super::kept::KeptRecord;
use crate::format::{FieldCutter, Framing};
use crate::key::{CutRecord, FEW_WORDS, KeyEncoder, OPEN_WORD_BYTES};

/// Bytes of a key that are made where records tie: whole words, and twice what two lines of a
/// sorted table have in common.
const BEGINNING_BYTES: usize = 9 * OPEN_WORD_BYTES;

/// The beginning of a record's key, made when a tie first asks for it.
#[derive(Clone, Debug, Default)]
pub struct KeyBeginning {
    /// [`BEGINNING_BYTES`] of it, or all where it is shorter.
    bytes: Vec<u8>,
    /// True if it is that of the current record, false for an earlier one.
    is_made: bool,
}

impl KeyBeginning {
    /// Forgets the record whose key it was.
    #[inline]
    pub fn forget(&mut self) {
        self.is_made = false;
    }

    /// Makes the beginning of `record`'s key, unless it is there.
    fn make<K: KeyEncoder>(&mut self, key: &K, record: &[u8]) {
        if !self.is_made {
            self.bytes.clear();
            key.key_bytes(record.into(), BEGINNING_BYTES, &mut self.bytes);
            self.is_made = true;
        }
    }

    /// Compares two records whose keys have to be made, by their beginnings first.
    pub fn compare<K: KeyEncoder>(
        key: &K,
        [left, right]: [&[u8]; 2],
        [left_start, right_start]: [&mut Self; 2],
    ) -> Ordering {
        if left == right {
            return Ordering::Equal; // and no key has to be made to see it
        }
        left_start.make(key, left);
        right_start.make(key, right);
        left_start.bytes.cmp(&right_start.bytes).then_with(|| match left_start.bytes.len() {
            BEGINNING_BYTES.. => key.compare_from(left, right, BEGINNING_BYTES / OPEN_WORD_BYTES),
            _ => Ordering::Equal,
        })
    }
}

/// Compares each record of a sequence with the one before it.
///
/// Records come through [`next`](Self::next) and [`next_all`](Self::next_all), or all of them
/// through [`next_known`](Self::next_known). Before the one that was looked at last goes away, it
/// is [kept](Self::keep).
#[derive(Debug)]
pub struct OrderCheck<'k, K> {
    key: &'k K,
    is_on: bool,
    /// The first words of the last record's key; only the first of them unless `is_tying`. The
    /// largest values before the first record, so that it counts as a tie.
    words: [u64; FEW_WORDS],
    /// True if the first words of the last two records agreed, and the key is costly: the next
    /// record probably ties as well, and several words are made at the cost of one.
    is_tying: bool,
    /// The beginning of that key, where a merge has made it.
    beginning: KeyBeginning,
    /// The last record, where it is not at hand.
    kept: Option<KeptRecord>,
    first: Option<KeptRecord>,
    is_disordered: bool,
}

impl<'k, K: KeyEncoder> OrderCheck<'k, K> {
    /// Creates a check before the first record, which looks at none unless `is_on`.
    pub fn new(key: &'k K, is_on: bool) -> Self {
        Self {
            key,
            is_on,
            words: [u64::MAX; FEW_WORDS],
            is_tying: false,
            beginning: KeyBeginning::default(),
            kept: None,
            first: None,
            is_disordered: false,
        }
    }

    /// Returns whether records are looked at.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the cutter of records whose key is made from them again, if there is one.
    #[inline]
    pub fn field_cutter(&self) -> Option<&'k FieldCutter> {
        self.key.field_cutter().filter(|_| self.is_on)
    }

    /// Returns whether some record came after one that it belongs before.
    #[inline]
    pub fn is_disordered(&self) -> bool {
        self.is_disordered
    }

    /// Looks at the next record, whose key is made from it. `previous` is the one before, where
    /// that is at hand.
    #[inline]
    pub fn next(&mut self, record: CutRecord<'_>, previous: Option<&[u8]>) {
        if !self.is_on {
            return;
        }
        if !self.key.is_costly() {
            let word = self.key.first_word(record);
            if word <= self.words[0] {
                self.tie(word.cmp(&self.words[0]), 1, record.bytes, previous);
            }
            self.words[0] = word;
            return;
        }
        if !self.is_tying {
            let word = self.key.first_word(record);
            if word > self.words[0] {
                self.words[0] = word;
                return;
            }
            self.tie(word.cmp(&self.words[0]), 1, record.bytes, previous);
            self.words = self.key.few_words(record, 0);
            self.is_tying = true;
            return;
        }
        let words = self.key.few_words(record, 0);
        if words <= self.words {
            self.tie(words.cmp(&self.words), FEW_WORDS, record.bytes, previous);
        }
        self.is_tying = words[0] == self.words[0];
        self.words = words;
    }

    /// Looks at records that lie back to back in `records`, and keeps the last.
    pub fn next_all(&mut self, framing: Framing, records: &[u8]) {
        if !self.is_on || records.is_empty() {
            return;
        }
        let mut previous = None;
        match framing {
            Framing::Fixed(length) => {
                for record in records.chunks_exact(length) {
                    self.next(record.into(), previous);
                    previous = Some(record);
                }
            }
            _ => {
                for record in framing.records(records) {
                    self.next(record.into(), previous);
                    previous = Some(record);
                }
            }
        }
        previous.inspect(|last| self.keep(last));
    }

    /// Looks at the next record, whose key prefix is at hand, and the beginning of its key where
    /// that is costly.
    #[inline]
    pub fn next_known(
        &mut self,
        record: &[u8],
        previous: Option<&[u8]>,
        prefix: u64,
        beginning: Option<&mut KeyBeginning>,
    ) {
        if !self.is_on {
            return;
        }
        if let Some(beginning) = beginning {
            if prefix <= self.words[0] {
                self.tie_known(prefix, record, previous, beginning);
            }
            // The last record's place is taken by this one, which goes its way.
            std::mem::swap(&mut self.beginning, beginning);
        } else if prefix <= self.words[0] {
            self.tie(prefix.cmp(&self.words[0]), 1, record, previous);
        }
        self.words[0] = prefix;
    }

    /// Looks at a record whose first `words` words are not greater than those of the one before.
    #[cold]
    fn tie(&mut self, order: Ordering, words: usize, record: &[u8], previous: Option<&[u8]>) {
        if self.is_first(record) {
            return;
        }
        self.is_disordered |= match (previous, &self.kept) {
            _ if order.is_lt() => true,
            _ if self.is_whole(words) => false,
            (Some(previous), _) => self.key.compare_from(previous, record, words).is_gt(),
            (None, Some(kept)) => kept.compare(self.key, record).is_gt(),
            (None, None) => unreachable!("the record before is at hand, or kept"),
        };
    }

    /// Looks at such a record where beginnings of keys are made for ties.
    #[cold]
    fn tie_known(
        &mut self,
        prefix: u64,
        record: &[u8],
        previous: Option<&[u8]>,
        beginning: &mut KeyBeginning,
    ) {
        if self.is_first(record) {
            return;
        }
        let Self { key, beginning: last, kept, .. } = self;
        self.is_disordered |= prefix < self.words[0]
            || match (previous.or_else(|| kept.as_ref()?.whole()), &*kept) {
                (Some(previous), _) => {
                    KeyBeginning::compare(*key, [previous, record], [last, beginning]).is_gt()
                }
                (None, Some(kept)) => kept.compare(*key, record).is_gt(),
                (None, None) => unreachable!("the record before is at hand, or kept"),
            };
    }

    /// Takes the first record of all. Returns whether `record` is the first.
    fn is_first(&mut self, record: &[u8]) -> bool {
        let is_first = self.first.is_none();
        if is_first {
            self.first = Some(KeptRecord::new(self.key, record, None));
        }
        is_first
    }

    /// Returns whether the first `words` words of the last record are all of its key.
    fn is_whole(&self, words: usize) -> bool {
        let mut known = self.words[..words].iter().enumerate();
        known.any(|(index, word)| self.key.is_last(index, *word))
    }

    /// Keeps the record that was looked at last, as it will not be at hand with the next.
    #[inline]
    pub fn keep(&mut self, last: &[u8]) {
        if self.is_on {
            self.kept = Some(KeptRecord::new(self.key, last, self.kept.take()));
        }
    }

    /// Returns the first record and the last one, which was kept; `None` without records.
    pub(super) fn into_ends(self) -> Option<(KeptRecord, KeptRecord)> {
        self.first.zip(self.kept)
    }
}
