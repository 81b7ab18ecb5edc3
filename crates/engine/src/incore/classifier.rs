//! Choice of the bucket of an entry: a trie of splitters, built from a sample of keys.
//!
//! Sample sort (Blelloch et al. 1991; ips4o, Axtmann et al. 2017) finds buckets of even size for
//! any distribution but pays a search per record; radix sort finds a bucket with one shift but
//! falls over on skewed keys. This is both: each node looks at one 8-byte word of the normalized
//! key and cuts the sampled range of that word into equal cells, so that one subtraction, one shift
//! and one table look-up decide. A cell the sample finds too full gets a node of its own, over that
//! cell's range; a single value too full gets a node over the *next* word, and after the last word
//! of the key comes the location, which no two records share. Nothing is too skewed to be cut:
//!
//! ```text
//!   node over word 0      | below | cell 0 | cell 1 | ... | cell n | above |
//!                             |        \______/         |             |
//!                          bucket       bucket        node          bucket
//!                                                 (finer cells, or word 1, ..., or location)
//! ```
//!
//! Neighbouring thin cells share a bucket; buckets are numbered in key order. "Below" and "above"
//! catch what the sample did not see; they are buckets of their own so that the others know tight
//! bounds. Those bounds make the [`Leaf`]: it maps a word to a few bits that order the bucket's
//! entries.

mod cells;
mod sample;
mod splitters;

pub use sample::Sample;

use cells::cells_wanted;
use splitters::{RANK, Splitters};

use super::alphabet::Alphabet;
use super::item::{DIGEST_BITS, LOCATION_MAX, WIDE_BITS};
use crate::key::{FEW_WORDS, KeyEncoder, WORD_BYTES};

/// Index of the word after a key's last one: the location of the record.
pub const LOCATION: usize = usize::MAX;

/// Words of each key that one classifier may look at, counted from its first. Sixteen words are 128
/// bytes; keys that agree further are cut by a second classifier over the bucket they end up in.
const DEPTH_WORDS: usize = 16;

/// Bytes of each key that one classifier may look at.
pub const CLASSIFIER_BYTES: usize = DEPTH_WORDS * WORD_BYTES;

/// Bits that are worth making another word for.
const WORTH_BITS: u32 = 16;

/// Marks a cell that leads to a node; without it the cell holds a bucket number.
const NODE: u32 = 1 << 31;

/// One level of the trie: the cells over `(base..)` of one word, each `1 << shift` values wide.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Word of the normalized key, or [`LOCATION`].
    word: usize,
    /// Smallest sampled value; smaller ones fall into cell 0.
    base: u64,
    shift: u32,
    /// Index in the common table where this node's cells begin: below, cells, above.
    first: u32,
    /// Number of the last cell ("above").
    last: u32,
}

/// Facts about the entries of a bucket, used to order them by a digest instead of whole keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// All earlier words of the bucket's keys are equal: whole keys are, where it is [`LOCATION`].
    pub word: usize,
    /// Smallest value of that word in this bucket, packed where words are.
    low: u64,
    /// Bits of the largest difference to it.
    bits: u32,
    /// Bits dropped so that the bucket's whole range fits a digest.
    shift: u32,
}

impl Leaf {
    /// Returns a leaf of keys that agree in all words before `word`, whose values lie in
    /// `low..=high`.
    pub(super) fn new(word: usize, low: u64, high: u64) -> Self {
        let bits = 64 - (high - low).leading_zeros();
        Self { word, low, bits, shift: bits.saturating_sub(DIGEST_BITS) }
    }

    /// Returns the bits of `value` that keep its order among the values of this bucket.
    #[inline]
    pub fn digest(&self, value: u64) -> u64 {
        value.wrapping_sub(self.low) >> self.shift
    }

    /// Returns whether equal digests mean equal values of the word, for this key: the bits that
    /// digests drop are none, or the padding of the key's last word.
    pub fn is_exact<K: KeyEncoder>(&self, key: &K) -> bool {
        if self.word == LOCATION {
            return true;
        }
        let beyond = (self.word + 1) * WORD_BYTES;
        let padding_bytes = beyond.saturating_sub(key.key_length()).min(WORD_BYTES);
        self.shift as usize <= 8 * padding_bytes
    }
}

/// The trie. Immutable once built; shared by all workers.
#[derive(Clone, Debug)]
pub struct Classifier {
    nodes: Vec<Node>,
    cells: Vec<u32>,
    leaves: Vec<Leaf>,
    /// Of open keys, the alphabet of each word from `first_word` on.
    alphabets: Vec<Alphabet>,
    first_word: usize,
    /// Facts about the entries of all buckets together.
    whole: Leaf,
    splitters: Splitters,
}

impl Classifier {
    /// Returns a classifier with one bucket, for loads that need no dealing.
    pub fn single(first_word: usize) -> Self {
        let node = Node { word: first_word, base: 0, shift: 63, first: 0, last: 2 };
        let leaf = Leaf::new(first_word, 0, u64::MAX);
        let (nodes, cells, leaves) = (vec![node], vec![0; 3], vec![leaf]);
        let (alphabets, splitters) = (Vec::new(), Splitters::default());
        Self { nodes, cells, leaves, alphabets, first_word, whole: leaf, splitters }
    }

    /// Returns a classifier with buckets of about `per_bucket` sampled records each.
    pub fn build(sample: &Sample, per_bucket: usize) -> Self {
        let rows = sample.sorted();
        if rows.is_empty() {
            return Self::single(sample.first_word);
        }
        let per_bucket = per_bucket.max(1);
        let no_word = usize::MAX;
        let made = Self::empty(sample);
        let mut builder =
            Builder { sample, per_bucket, made, ranges: Vec::new(), parted_at: no_word };
        let word = sample.first_word;
        builder.node(&rows, 0, word, 0, word_max(word));
        builder.finish()
    }

    fn empty(sample: &Sample) -> Self {
        let splitters = sample.splitters.clone();
        let (alphabets, first_word) = (sample.alphabets(), sample.first_word);
        let (nodes, cells, leaves) = (Vec::new(), Vec::new(), Vec::new());
        let whole = Leaf::new(first_word, 0, u64::MAX);
        let mut made = Self { nodes, cells, leaves, alphabets, first_word, whole, splitters };
        let [low, high] = [0, u64::MAX].map(|value| made.packed(first_word, value));
        made.whole = Leaf::new(first_word, low, high);
        made
    }

    /// Returns what digests are made of: the value of word `word`, packed where it is text.
    #[inline(always)]
    fn packed(&self, word: usize, value: u64) -> u64 {
        self.alphabet(word).map_or(value, |alphabet| alphabet.pack(value))
    }

    /// Returns the alphabet of word `word`, where it is text.
    #[inline(always)]
    fn alphabet(&self, word: usize) -> Option<&Alphabet> {
        self.alphabets.get(word.wrapping_sub(self.first_word)).filter(|_| word != LOCATION)
    }

    /// Returns the number of buckets.
    pub fn buckets(&self) -> usize {
        self.leaves.len()
    }

    /// Returns what bucket `bucket` knows of its entries.
    pub fn leaf(&self, bucket: usize) -> Leaf {
        self.leaves[bucket]
    }

    /// Returns the bucket of a record at `location` in its load.
    #[inline(always)]
    pub fn bucket<K: KeyEncoder>(&self, key: &K, record: &[u8], location: u64) -> u32 {
        self.descend(&mut self.words(key, record, location)).0
    }

    /// Returns the bucket of a record and its digest there.
    #[inline(always)]
    pub fn classify<K: KeyEncoder>(&self, key: &K, record: &[u8], location: u64) -> (u32, u64) {
        let mut words = self.words(key, record, location);
        let (bucket, word, value) = self.descend(&mut words);
        let leaf = &self.leaves[bucket as usize];
        let value = if leaf.word == word { value } else { words.get(leaf.word) };
        (bucket, leaf.digest(self.packed(leaf.word, value)))
    }

    /// Returns the bucket of a record, and what a wide entry says of its key.
    #[inline]
    pub fn classify_wide<K: KeyEncoder>(
        &self,
        key: &K,
        record: &[u8],
        location: u64,
    ) -> (u32, u128) {
        let mut words = self.words(key, record, location);
        let (bucket, ..) = self.descend(&mut words);
        (bucket, self.wide_value(&mut words, self.leaves[bucket as usize]))
    }

    /// Returns the bucket of a record, and what a wide entry says of its key among all keys, from
    /// the first word on.
    #[inline]
    pub fn classify_whole<K: KeyEncoder>(
        &self,
        key: &K,
        record: &[u8],
        location: u64,
    ) -> (u32, u128) {
        let mut words = self.words(key, record, location);
        let (bucket, ..) = self.descend(&mut words);
        (bucket, self.wide_value(&mut words, self.whole))
    }

    /// Returns the first word of keys that it looks at.
    pub fn first_word(&self) -> usize {
        self.first_word
    }

    /// Returns the words of a record, none of which is made yet.
    #[inline(always)]
    fn words<'a, K: KeyEncoder>(
        &'a self,
        key: &'a K,
        record: &'a [u8],
        location: u64,
    ) -> RecordWords<'a, K> {
        let few = [0; FEW_WORDS];
        RecordWords { key, record, location, few, first: LOCATION, splitters: &self.splitters }
    }

    /// Returns as much of the key from the leaf's word on as [`WIDE_BITS`] hold, word by word. Its
    /// last bit says whether that is all.
    #[inline]
    fn wide_value<K: KeyEncoder>(&self, words: &mut RecordWords<'_, K>, leaf: Leaf) -> u128 {
        let (mut value, mut left) = (0, WIDE_BITS - 1);
        let (mut word, mut low, mut bits) = (leaf.word, leaf.low, leaf.bits);
        while word != LOCATION && left >= WORTH_BITS {
            let whole = words.get(word);
            let alphabet = self.alphabet(word);
            let exact = alphabet.map_or(Some(whole), |alphabet| alphabet.pack_exact(whole));
            let number = exact.unwrap_or_else(|| self.packed(word, whole)).wrapping_sub(low);
            let kept = bits.min(left);
            value = value << kept | u128::from(number) >> (bits - kept);
            left -= kept;
            // What is cut off, or another word may have the same number as, nothing can follow.
            if kept < bits || exact.is_none() {
                break;
            }
            word = if words.key.is_last(word, whole) { LOCATION } else { word + 1 };
            (low, bits) = (0, self.alphabet(word).map_or(u64::BITS, Alphabet::bits));
        }
        value << left << 1 | u128::from(word == LOCATION)
    }

    /// Returns the bucket of a record, and the last word looked at with its value.
    #[inline(always)]
    fn descend<K: KeyEncoder>(&self, words: &mut RecordWords<'_, K>) -> (u32, usize, u64) {
        let mut node = &self.nodes[0];
        loop {
            let value = words.get(node.word);
            let is_inside = u64::from(value >= node.base);
            let cell = (value.saturating_sub(node.base) >> node.shift).saturating_add(is_inside);
            let next =
                self.cells[(u64::from(node.first) + cell.min(u64::from(node.last))) as usize];
            if next & NODE == 0 {
                return (next, node.word, value);
            }
            node = &self.nodes[(next & !NODE) as usize];
        }
    }
}

/// The words of one record's key, as nodes ask for them, and its location.
struct RecordWords<'a, K> {
    key: &'a K,
    record: &'a [u8],
    location: u64,
    /// Words from `first` on, which is [`LOCATION`] while there are none. Only costly keys have
    /// them: most records are told apart by word 0, but what goes deeper asks for several.
    few: [u64; FEW_WORDS],
    first: usize,
    splitters: &'a Splitters,
}

impl<K: KeyEncoder> RecordWords<'_, K> {
    /// Returns word `word` of the key, or the location.
    #[inline(always)]
    fn get(&mut self, word: usize) -> u64 {
        if word == LOCATION {
            return self.location;
        }
        if word == RANK && self.key.is_compared() {
            return self.splitters.rank(self.key, self.record);
        }
        if word == 0 || !self.key.is_costly() {
            return self.key.word(self.record, word);
        }
        if let Some(value) = word.checked_sub(self.first).and_then(|place| self.few.get(place)) {
            return *value;
        }
        (self.few, self.first) = (self.key.few_words(self.record.into(), word), word);
        self.few[0]
    }
}

/// Builds a classifier depth first, so that buckets are numbered in key order.
struct Builder<'a> {
    sample: &'a Sample,
    /// Sampled records wanted per bucket.
    per_bucket: usize,
    made: Classifier,
    /// The ranges that cells lead to, in key order; cells hold their indexes.
    ranges: Vec<Range>,
    /// Word of the highest node whose cells were crossed since the last range.
    parted_at: usize,
}

/// Values of a word that belong together, after all words before had one value.
#[derive(Clone, Copy, Debug)]
struct Range {
    word: usize,
    low: u64,
    high: u64,
    /// Sampled records in it.
    rows: usize,
    /// The word that first tells it from the range before.
    parted_at: usize,
}

impl Builder<'_> {
    /// Makes buckets of the ranges. Thin neighbours share one, also across nodes: keys that agree
    /// to ever different depths make as many ranges as there are records.
    fn finish(mut self) -> Classifier {
        let is_thin = |range: &Range| 2 * range.rows < self.per_bucket;
        let mut buckets = Vec::with_capacity(self.ranges.len());
        let mut begun = 0;
        let mut rows = 0;
        for (index, range) in self.ranges.iter().enumerate() {
            let is_joined = index > begun
                && is_thin(range)
                && is_thin(&self.ranges[index - 1])
                && rows + range.rows <= self.per_bucket;
            if index > 0 && !is_joined {
                let leaf = self.joint_leaf(&self.ranges[begun..index]);
                self.made.leaves.push(leaf);
                (begun, rows) = (index, 0);
            }
            rows += range.rows;
            buckets.push(self.made.leaves.len() as u32);
        }
        let leaf = self.joint_leaf(&self.ranges[begun..]);
        self.made.leaves.push(leaf);
        for cell in self.made.cells.iter_mut().filter(|cell| **cell & NODE == 0) {
            *cell = buckets[*cell as usize];
        }
        self.made
    }

    /// Makes a node over column `column`, which is word `word`, of `rows` (sorted, not empty, equal
    /// in all columns before), whose values are known to lie in `low..=high`; returns its number.
    fn node(&mut self, rows: &[&[u64]], column: usize, word: usize, low: u64, high: u64) -> u32 {
        let (min, max) = (rows[0][column], rows[rows.len() - 1][column]);
        let wanted = cells_wanted(rows.len() / self.per_bucket);
        let bits = 64 - (max - min).leading_zeros();
        let shift = bits.saturating_sub(wanted.next_power_of_two().trailing_zeros());
        let count = ((max - min) >> shift) as usize + 1;

        let number = self.made.nodes.len() as u32;
        let first = self.made.cells.len();
        self.made.cells.resize(first + count + 2, 0);
        let node = Node { word, base: min, shift, first: first as u32, last: count as u32 + 1 };
        self.made.nodes.push(node);

        // A bound no value can pass needs no bucket: the cell is never looked up.
        if min > low {
            self.made.cells[first] = self.range(word, word, low, min - 1, 0);
        }
        self.fill(rows, column, node, high);
        let top = cell_top(min, shift, count as u64 - 1);
        let above = if top < high { self.range(word, word, top + 1, high, 0) } else { 0 };
        self.made.cells[first + count + 1] = above;
        number
    }

    /// Fills the inner cells of a node over column `column`, whose values go up to `max`, from left
    /// to right: thin neighbours share a bucket, a cell that holds more than two buckets' worth
    /// becomes a node.
    fn fill(&mut self, rows: &[&[u64]], column: usize, node: Node, max: u64) {
        let Node { word, base, shift, .. } = node;
        let (first, count) = (node.first as usize + 1, node.last as usize - 1);
        let mut taken = 0;
        let mut cell = 0;
        while cell < count {
            let opened = cell;
            let mut held = 0;
            while cell < count {
                let top = cell_top(base, shift, cell as u64);
                let here = rows[taken + held..].partition_point(|row| row[column] <= top);
                // A cell that will become a node stays alone, even behind empty ones.
                let is_node = here > 2 * self.per_bucket && cell > opened;
                if is_node || (held > 0 && held + here > self.per_bucket) {
                    break;
                }
                held += here;
                cell += 1;
                if held >= self.per_bucket {
                    break;
                }
            }
            let inside = &rows[taken..taken + held];
            taken += held;
            let low = base + ((opened as u64) << shift);
            // The last cell may reach further than any value of the node.
            let high = cell_top(base, shift, cell as u64 - 1).min(max);
            self.parted_at = self.parted_at.min(word);
            let target = if cell - opened == 1 && held > 2 * self.per_bucket {
                self.split(inside, column, word, low, high)
            } else {
                self.range(word, word, low, high, held)
            };
            self.made.cells[first + opened..first + cell].fill(target);
        }
    }

    /// Cuts one overfull cell further: over the same word, or over the next where its rows agree.
    fn split(&mut self, rows: &[&[u64]], column: usize, word: usize, low: u64, high: u64) -> u32 {
        if low < high {
            return NODE | self.node(rows, column, word, low, high);
        }
        if word == LOCATION {
            return self.range(word, word, low, high, rows.len());
        }
        let next = if self.sample.is_last(word, low) { LOCATION } else { word + 1 };
        if column + 1 == self.sample.columns {
            self.range(word, next, 0, word_max(next), rows.len())
        } else {
            NODE | self.node(rows, column + 1, next, 0, word_max(next))
        }
    }

    /// Returns what a bucket of neighbouring ranges knows: the first word that may differ in it,
    /// and the values that word may have.
    fn joint_leaf(&self, ranges: &[Range]) -> Leaf {
        let (first, last) = (ranges[0], ranges[ranges.len() - 1]);
        let parted_at = ranges[1..].iter().map(|range| range.parted_at);
        let word =
            parted_at.chain(ranges.iter().map(|range| range.word)).min().unwrap_or(first.word);
        let low = if first.word == word { first.low } else { 0 };
        let high = if last.word == word { last.high } else { word_max(word) };
        Leaf::new(word, self.made.packed(word, low), self.made.packed(word, high))
    }

    /// Adds a range of word `word`, found in a node over word `node_word`; its index.
    fn range(&mut self, node_word: usize, word: usize, low: u64, high: u64, rows: usize) -> u32 {
        let parted_at = self.parted_at.min(node_word);
        self.parted_at = usize::MAX;
        debug_assert!(
            self.ranges.last().is_none_or(|before| {
                before.word != word || parted_at < word || before.high < low
            }),
            "ranges of one word ascend"
        );
        self.ranges.push(Range { word, low, high, rows, parted_at });
        self.ranges.len() as u32 - 1
    }
}

/// Returns the largest value of a word.
fn word_max(word: usize) -> u64 {
    if word == LOCATION { LOCATION_MAX } else { u64::MAX }
}

/// Returns the largest value of cell `cell`.
fn cell_top(min: u64, shift: u32, cell: u64) -> u64 {
    (min + (cell << shift)).saturating_add((1 << shift) - 1)
}

#[cfg(test)]
mod tests;
