//! A loser tree whose leaves may be empty (Knuth, TAOCP vol. 3, section 5.4.1): the first of all
//! records in memory, with one comparison per level.
//!
//! ```text
//!   entry  = run (32 bits) | key prefix (64) | leaf (32)         compared as one integer
//!
//!                [0] first
//!                 |
//!             [1] loser                 inner node n holds the loser of the match played there;
//!             /        \                leaf l enters at place L + l and plays at (L + l) / 2,
//!        [2] loser   [3] loser          then at half of that, and so on up
//! ```
//!
//! Nodes hold whole entries, so that a match looks at no leaf; all nodes on the way up are known
//! beforehand and are fetched from memory at the same time. Ties are the caller's to break. An
//! empty leaf has the largest run and prefix there are; empty ones stand in the order of leaves.
//! When the tree is built, a node where nobody has played holds zero, which is no entry: runs are
//! counted from 1.

use crate::incore::prefetch;
use crate::io::Region;

/// Bytes of a node.
pub const NODE_BYTES: usize = 16;

/// Node below which a loser is near the root: few records leave before it does.
const NEAR: usize = 32;

/// Nodes up to this one are in a cache most of the time.
const FAR: usize = 1 << 13;

/// A node where nobody has played.
const UNPLAYED: u128 = 0;

/// The run of an empty leaf.
pub const NO_RUN: u32 = u32::MAX;

/// Run and prefix of an empty leaf.
const EMPTY: u128 = u128::MAX >> 32;

/// A record in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry(u128);

impl Entry {
    /// Returns the entry of a record.
    pub fn new(run: u32, prefix: u64, leaf: u32) -> Self {
        Self(u128::from(run) << 96 | u128::from(prefix) << 32 | u128::from(leaf))
    }

    /// Returns the entry of an empty leaf.
    pub fn empty(leaf: u32) -> Self {
        Self::new(NO_RUN, u64::MAX, leaf)
    }

    /// Returns the record's run.
    pub fn run(self) -> u32 {
        (self.0 >> 96) as u32
    }

    /// Returns the prefix of its key.
    pub fn prefix(self) -> u64 {
        (self.0 >> 32) as u64
    }

    /// Returns its leaf.
    pub fn leaf(self) -> u32 {
        self.0 as u32
    }

    /// Returns whether it is that of no record.
    pub fn is_empty(self) -> bool {
        self.run() == NO_RUN
    }

    /// Returns whether this one comes before `other`; `tie` says so of leaves with equal prefixes.
    #[inline]
    fn is_before(self, other: Self, tie: &impl Fn(u32, u32) -> bool) -> bool {
        let (a, b) = (self.0 >> 32, other.0 >> 32);
        if a != b {
            return a < b;
        }
        if a == EMPTY { self.leaf() < other.leaf() } else { tie(self.leaf(), other.leaf()) }
    }
}

/// The tree.
#[derive(Debug)]
pub struct Tree {
    nodes: Region,
    leaves: u32,
}

impl Tree {
    /// Returns a tree of `leaves` leaves, at least one, none of which has [entered](Self::enter),
    /// in memory of as many nodes.
    pub fn new(mut nodes: Region, leaves: u32) -> Self {
        assert!(leaves > 0 && nodes.len() == leaves as usize * NODE_BYTES);
        nodes.fill(0);
        Self { nodes, leaves }
    }

    /// Returns the first entry, once all leaves have entered.
    #[inline]
    pub fn first(&self) -> Entry {
        Entry(self.node(0))
    }

    /// Lets a leaf enter that has not: it plays up to where nobody has played.
    pub fn enter(&mut self, entry: Entry, tie: &impl Fn(u32, u32) -> bool) {
        let (mut winner, mut node) = (entry, self.parent(entry.leaf()));
        while node > 0 {
            let rival = Entry(self.node(node));
            if rival.0 == UNPLAYED {
                self.set(node, winner);
                return;
            }
            if rival.is_before(winner, tie) {
                self.set(node, winner);
                winner = rival;
            }
            node /= 2;
        }
        self.set(0, winner);
    }

    /// Plays the leaf of the first entry again, with another one. It reports the leaves of records
    /// that come near the root, and will soon be first, to `near`.
    #[inline]
    pub fn replace_first(
        &mut self,
        entry: Entry,
        tie: &impl Fn(u32, u32) -> bool,
        near: &impl Fn(u32),
    ) {
        debug_assert_eq!(entry.leaf(), self.first().leaf(), "the first leaf's");
        let (mut winner, mut node) = (entry, self.parent(entry.leaf()));
        while node > 0 {
            let rival = Entry(self.node(node));
            if rival.is_before(winner, tie) {
                self.set(node, winner);
                if node < NEAR && !winner.is_empty() {
                    near(winner.leaf());
                    self.ask_for_way(winner.leaf());
                }
                winner = rival;
            }
            node /= 2;
        }
        self.set(0, winner);
    }

    /// Asks for the lower part of a leaf's way up, ahead of its turn.
    #[inline]
    fn ask_for_way(&self, leaf: u32) {
        let mut node = self.parent(leaf);
        while node > FAR {
            prefetch(&self.nodes.as_chunks::<NODE_BYTES>().0[node]);
            node /= 2;
        }
    }

    /// Puts an entry into its leaf, which is empty.
    ///
    /// The empty leaf had lost at one node of its way up. There the new entry is the loser at
    /// first; whoever won there is the loser of a node further up, or the first of all, and where
    /// the new entry comes before it they change places, and so on up.
    pub fn fill(&mut self, entry: Entry, tie: &impl Fn(u32, u32) -> bool) {
        let mut node = self.parent(entry.leaf());
        while node > 0 && Entry(self.node(node)).leaf() != entry.leaf() {
            node /= 2;
        }
        debug_assert!(self.node(node) == Entry::empty(entry.leaf()).0, "the leaf is empty");
        self.set(node, entry);
        while node > 0 {
            let mut above = node / 2;
            while above > 0 && !self.is_under(Entry(self.node(above)).leaf(), node) {
                above /= 2;
            }
            let winner = Entry(self.node(above));
            if !entry.is_before(winner, tie) {
                return;
            }
            self.set(node, winner);
            self.set(above, entry);
            node = above;
        }
    }

    /// Returns the memory.
    pub fn into_region(self) -> Region {
        self.nodes
    }

    /// Returns the node at which a leaf plays first.
    #[inline]
    fn parent(&self, leaf: u32) -> usize {
        (self.leaves as usize + leaf as usize) / 2
    }

    /// Returns whether the way up from a leaf leads through an inner node.
    fn is_under(&self, leaf: u32, node: usize) -> bool {
        let place = self.leaves as usize + leaf as usize;
        place >> (place.ilog2() - node.ilog2()) == node
    }

    #[inline]
    fn node(&self, node: usize) -> u128 {
        u128::from_ne_bytes(self.nodes.as_chunks().0[node])
    }

    #[inline]
    fn set(&mut self, node: usize, entry: Entry) {
        self.nodes.as_chunks_mut().0[node] = entry.0.to_ne_bytes();
    }
}

#[cfg(test)]
mod tests;
