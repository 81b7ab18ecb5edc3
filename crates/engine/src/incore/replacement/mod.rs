//! Replacement selection: records go through memory in the order of their keys as far as it holds
//! (Knuth, TAOCP vol. 3, section 5.4.1, Algorithm R; Larson, "External Sorting: Run Formation
//! Revisited", IEEE Transactions on Knowledge and Data Engineering 15(4), 2003).
//!
//! ```text
//!                  +--> 3  5  8  9 : 1  2      in memory: this run's records, and the next one's
//!     4 --take-----+    |
//!                       +-----leave-----> ... 1  2  3        of this run
//!
//!     4 belongs to this run, as 3 has left and nothing larger; 2 has come too late for it.
//! ```
//!
//! When a record leaves, the next that is read takes its place: in the same run if it does not
//! belong before the one that left last, else in the next run. Runs of records in random order are
//! twice as long, on average, as the records that memory holds. Records that are nowhere further
//! from their place than memory holds are all one run.
//!
//! Records leave in the order (run, key, arrival). Of two records with equal keys the one that came
//! first is never in a later run: if it had to go to the run after the one being written, a larger
//! key had left by then, and one that comes later finds that run's keys no smaller, or a later run.
//! And what has the key that left last is still of this run. So runs merged in their order leave
//! equal records in the order in which they came.
//!
//! A record takes [`LEAF_BYTES`] of memory besides its own, and one more is kept: the one that left
//! last, with which those that come are compared. `Tree` orders the records, `Slots` or
//! `Blocks` hold them. Keys that have to be made are made again for each match that ties.

mod blocks;
mod slots;
mod tree;

use crate::format::Framing;
use crate::incore::prefetch;
use crate::io::Region;
use crate::key::KeyEncoder;

use blocks::Blocks;
pub use blocks::{BLOCK_OVERHEAD, LEAST_BLOCK, STORE_MAX};
use slots::Slots;
use tree::{Entry, NODE_BYTES, Tree};

/// Bytes for each leaf in the table: where its record lies, and as which it came.
const ROW_BYTES: usize = 12;

/// Bytes for each record beside those it lies in.
pub const LEAF_BYTES: usize = NODE_BYTES + ROW_BYTES;

/// No leaf.
const NONE: u32 = u32::MAX;

/// Memory in which records lie.
#[derive(Debug)]
enum Store {
    Slots(Slots),
    Blocks(Blocks),
}

impl Store {
    #[inline]
    fn put(&mut self, record: &[u8]) -> Option<u32> {
        match self {
            Self::Slots(slots) => slots.put(record),
            Self::Blocks(blocks) => blocks.put(record),
        }
    }

    #[inline]
    fn get(&self, place: u32) -> &[u8] {
        match self {
            Self::Slots(slots) => slots.get(place),
            Self::Blocks(blocks) => blocks.get(place),
        }
    }

    /// Asks for a record ahead of its turn.
    #[inline]
    fn near(&self, place: u32) {
        match self {
            Self::Slots(slots) => prefetch(slots.get(place)),
            Self::Blocks(blocks) => prefetch(blocks.beginning(place)),
        }
    }

    #[inline]
    fn release(&mut self, place: u32) {
        match self {
            Self::Slots(slots) => slots.release(place),
            Self::Blocks(blocks) => blocks.release(place),
        }
    }
}

/// Data of each leaf: the place of its record and the record's number, or, for an empty leaf, the
/// next empty leaf.
#[derive(Debug)]
struct LeafTable(Region);

impl LeafTable {
    #[inline]
    fn row(&self, leaf: u32) -> &[u8; ROW_BYTES] {
        &self.0.as_chunks().0[leaf as usize]
    }

    #[inline]
    fn place(&self, leaf: u32) -> u32 {
        let [a, b, c, d, ..] = *self.row(leaf);
        u32::from_ne_bytes([a, b, c, d])
    }

    #[inline]
    fn arrival(&self, leaf: u32) -> u64 {
        let [_, _, _, _, number @ ..] = *self.row(leaf);
        u64::from_ne_bytes(number)
    }

    #[inline]
    fn set(&mut self, leaf: u32, place: u32, arrival: u64) {
        let row: &mut [u8; ROW_BYTES] = &mut self.0.as_chunks_mut().0[leaf as usize];
        row[..4].copy_from_slice(&place.to_ne_bytes());
        row[4..].copy_from_slice(&arrival.to_ne_bytes());
    }
}

/// Records in memory, in the order in which they leave.
#[derive(Debug)]
pub struct SelectionTournament<'k, K> {
    key: &'k K,
    tree: Tree,
    table: LeafTable,
    store: Store,
    leaves: u32,
    /// Number of leaves that ever had a record; the leaves after them are empty.
    used: u32,
    /// The first of the others that are empty.
    free: u32,
    /// The first leaf, where its record has left.
    vacant: Option<u32>,
    /// True if all leaves have entered the tree.
    is_built: bool,
    /// The run of the record that left last.
    run: u32,
    /// Place of that record, and the prefix of its key.
    last: Option<(u32, u64)>,
    /// Records that came so far.
    arrivals: u64,
}

impl<'k, K: KeyEncoder> SelectionTournament<'k, K> {
    /// Returns an empty one of at most `leaves` records, in `memory`.
    pub fn new(key: &'k K, framing: Framing, leaves: u32, mut memory: Region) -> Self {
        let mut rows = memory.split_off(leaves as usize * NODE_BYTES);
        let records = rows.split_off(leaves as usize * ROW_BYTES);
        let store = match framing {
            Framing::Fixed(length) => Store::Slots(Slots::new(records, length)),
            _ => Store::Blocks(Blocks::new(records)),
        };
        Self {
            key,
            tree: Tree::new(memory, leaves),
            table: LeafTable(rows),
            store,
            leaves,
            used: 0,
            free: NONE,
            vacant: None,
            is_built: false,
            run: 1,
            last: None,
            arrivals: 0,
        }
    }

    /// Takes in a record whose key begins with the word `prefix`; whether there was room. There is
    /// more when others have left.
    #[inline]
    pub fn take(&mut self, record: &[u8], prefix: u64) -> bool {
        if self.vacant.is_none() && self.free == NONE && self.used == self.leaves {
            return false;
        }
        let Some(place) = self.store.put(record) else { return false };
        let run = self.run + u32::from(self.is_late(record, prefix));
        let vacant = self.vacant.take();
        let leaf = vacant.unwrap_or_else(|| self.take_empty());
        self.table.set(leaf, place, self.arrivals);
        self.arrivals += 1;
        let entry = Entry::new(run, prefix, leaf);
        let Self { key, tree, table, store, .. } = self;
        let tie = |a, b| is_before(*key, table, store, a, b);
        match (vacant, self.is_built) {
            (Some(_), _) => tree.replace_first(entry, &tie, &|leaf| store.near(table.place(leaf))),
            (None, true) => tree.fill(entry, &tie),
            (None, false) => tree.enter(entry, &tie),
        }
        true
    }

    /// Returns the first record, and the number of its run, from 1 on.
    #[inline]
    pub fn first(&mut self) -> Option<(u32, &[u8])> {
        self.settle();
        let first = self.tree.first();
        if first.is_empty() {
            return None;
        }
        Some((first.run(), self.store.get(self.table.place(first.leaf()))))
    }

    /// Lets the first record leave, which was asked for before.
    #[inline]
    pub fn leave(&mut self) {
        let first = self.tree.first();
        assert!(self.vacant.is_none() && !first.is_empty(), "there is a first record");
        let place = self.table.place(first.leaf());
        if let Some((before, _)) = self.last.replace((place, first.prefix())) {
            self.store.release(before);
        }
        self.run = first.run();
        self.vacant = Some(first.leaf());
    }

    /// Returns the memory.
    pub fn into_region(self) -> Region {
        let records = match self.store {
            Store::Slots(slots) => slots.into_region(),
            Store::Blocks(blocks) => blocks.into_region(),
        };
        self.tree.into_region().join(self.table.0).join(records)
    }

    /// Returns whether a record belongs before the one that left last.
    #[inline]
    fn is_late(&self, record: &[u8], prefix: u64) -> bool {
        let Some((place, last)) = self.last else { return false };
        let tie = || self.key.compare_from(record, self.store.get(place), 1).is_lt();
        prefix < last || prefix == last && tie()
    }

    /// Returns an empty leaf; there is one.
    fn take_empty(&mut self) -> u32 {
        if self.free == NONE {
            self.used += 1;
            return self.used - 1;
        }
        let next = self.table.place(self.free);
        std::mem::replace(&mut self.free, next)
    }

    /// Sees that the tree has a first record: that all leaves have entered, and the one whose
    /// record has left is empty.
    #[inline]
    fn settle(&mut self) {
        if self.vacant.is_none() && self.is_built {
            return;
        }
        let Self { key, tree, table, store, .. } = self;
        let tie = |a, b| is_before(*key, table, store, a, b);
        if !self.is_built {
            (self.used..self.leaves).for_each(|leaf| tree.enter(Entry::empty(leaf), &tie));
            self.is_built = true;
        }
        if let Some(leaf) = self.vacant.take() {
            let near = |leaf| store.near(table.place(leaf));
            tree.replace_first(Entry::empty(leaf), &tie, &near);
            self.table.set(leaf, std::mem::replace(&mut self.free, leaf), 0);
        }
    }
}

/// Returns whether the record of leaf `a` comes before that of `b`; the words of their keys that
/// are in the tree are equal.
fn is_before<K: KeyEncoder>(key: &K, table: &LeafTable, store: &Store, a: u32, b: u32) -> bool {
    let record = |leaf| store.get(table.place(leaf));
    let order = key.compare_from(record(a), record(b), 1);
    order.then_with(|| table.arrival(a).cmp(&table.arrival(b))).is_lt()
}

#[cfg(test)]
mod tests;
