//! Replacement selection by a tournament of key prefixes with pointers, with the tree's nodes in
//! two layouts: level by level, and clustered in cache lines.
//!
//! ```text
//!   plain: levels one after another        clustered: a line is three levels of some subtree
//!
//!        [1]                                    +--[1]--+        8 nodes of 8 bytes in a line
//!       /    \           node n is played       |  / \  |        of 64, the first unused; each
//!     [2]    [3]         after 2n, 2n + 1       | 2   3 |        of the nodes 4 to 7 has two
//!     / \    / \                                |4 5 6 7|        lines below it, or two leaves
//!    4   5  6   7                               +-------+
//! ```
//!
//! Nyberg et al., "AlphaSort: A Cache-Sensitive Parallel External Sort", VLDB Journal 1995, section
//! 4 with Figure 3: parents and children share a cache line, so that the way from a leaf to the
//! root touches a third of the lines. The tree is one of losers (Knuth, TAOCP vol. 3, section
//! 5.4.1). Lines are full from the leaves up; the one at the root may have fewer levels, so that no
//! line near the leaves, where nearly all are, is wasted.
//!
//! A node is one integer: a bit for the run, 32 bits of the key, 31 of the leaf. One bit is enough,
//! as a tree holds records of two runs at most: the one being written and the next. An empty leaf
//! has the largest key and a leaf that is none, and is of the next run when it is made: so it comes
//! behind all that are still there. Keys that agree in their prefix come in any order.

use sortwell::Result;

use super::entries::{entry, pointer, prefix};
use super::memory::AlignedValues;

/// Bits of the leaf in a node.
const LEAF_BITS: u32 = 31;

/// The leaf of an empty node; no tree is so large.
const NO_LEAF: u64 = (1 << LEAF_BITS) - 1;

/// The bit of the run.
const RUN: u64 = 1 << 63;

/// A node where nobody has played; no record's, as no leaf has this number.
const UNPLAYED: u64 = u64::MAX - 1;

/// Levels of nodes in a cache line, and the nodes that have room in one.
const LINE_LEVELS: u32 = 3;
const LINE_NODES: usize = 1 << LINE_LEVELS;

const _: () = assert!(LINE_NODES * size_of::<u64>() == 64, "a line of most processors");

/// Returns the node of a record.
fn node(run: u64, prefix: u32, leaf: usize) -> u64 {
    run | u64::from(prefix) << LEAF_BITS | leaf as u64
}

/// Returns an empty node.
fn empty(run: u64) -> u64 {
    node(run, u32::MAX, NO_LEAF as usize)
}

fn leaf_of(node: u64) -> usize {
    (node & NO_LEAF) as usize
}

fn prefix_of(node: u64) -> u32 {
    (node >> LEAF_BITS) as u32
}

/// Placement of the nodes of a tree.
pub trait NodeLayout {
    /// Creates the layout of a tree with `2^levels` leaves.
    fn new(levels: u32) -> Self;

    /// Places that it needs.
    fn places(&self) -> usize;

    /// Shows the places of a leaf's way to the root, as long as `show` says so.
    fn way(&self, leaf: usize, show: impl FnMut(usize) -> bool);
}

/// Level by level.
#[derive(Debug)]
pub struct LevelLayout(usize);

impl NodeLayout for LevelLayout {
    fn new(levels: u32) -> Self {
        Self(1 << levels)
    }

    fn places(&self) -> usize {
        self.0
    }

    #[inline(always)]
    fn way(&self, leaf: usize, mut show: impl FnMut(usize) -> bool) {
        let mut node = (self.0 + leaf) / 2;
        while node > 0 && show(node) {
            node /= 2;
        }
    }
}

/// Three levels of a subtree in each cache line.
#[derive(Debug)]
pub struct Clustered {
    /// Number of the first line of each level of lines, from the root.
    starts: Vec<usize>,
    lines: usize,
    /// The first node of the root's line that is one.
    root: usize,
}

impl NodeLayout for Clustered {
    fn new(levels: u32) -> Self {
        let line_levels = levels.div_ceil(LINE_LEVELS);
        let missing = line_levels * LINE_LEVELS - levels;
        let (mut starts, mut lines) = (Vec::new(), 0);
        for level in 0..line_levels {
            starts.push(lines);
            lines += 1 << (level * LINE_LEVELS).saturating_sub(missing);
        }
        Self { starts, lines, root: 1 << missing }
    }

    fn places(&self) -> usize {
        self.lines * LINE_NODES
    }

    #[inline(always)]
    fn way(&self, leaf: usize, mut show: impl FnMut(usize) -> bool) {
        let Some((_, below)) = self.starts.split_first() else { return };
        let mut branch = leaf;
        for start in below.iter().rev() {
            let line = (start + branch / LINE_NODES) * LINE_NODES;
            let child = branch % LINE_NODES;
            if !(show(line + 4 + child / 2) && show(line + 2 + child / 4) && show(line + 1)) {
                return;
            }
            branch /= LINE_NODES;
        }
        let mut node = LINE_NODES / 2 + branch / 2;
        while node >= self.root && show(node) {
            node /= 2;
        }
    }
}

/// A tree of losers and what its leaves hold.
#[derive(Debug)]
pub struct KernelTree<L> {
    layout: L,
    nodes: AlignedValues<u64>,
    /// Pointer to the record of each leaf.
    pointers: AlignedValues<u32>,
    first: u64,
}

impl<L: NodeLayout> KernelTree<L> {
    /// Creates a tree of `2^levels` leaves.
    ///
    /// # Errors
    ///
    /// That there is no memory for it.
    pub fn new(levels: u32) -> Result<Self> {
        assert!(levels < LEAF_BITS);
        let layout = L::new(levels);
        let nodes = AlignedValues::of(layout.places())?;
        Ok(Self { layout, nodes, pointers: AlignedValues::of(1 << levels)?, first: UNPLAYED })
    }

    /// Takes `from` through the tree to `to`, which is as long; where each run begins.
    pub fn select(&mut self, from: &[u64], to: &mut [u64]) -> Vec<usize> {
        let leaves = self.pointers.len();
        self.build(&from[..from.len().min(leaves)]);
        let mut coming = from.iter().skip(leaves);
        let (mut run, mut starts) = (0, Vec::new());
        if !from.is_empty() {
            starts.push(0);
        }
        for (place, to) in to.iter_mut().enumerate() {
            let first = self.first;
            if first & RUN != run {
                run ^= RUN;
                starts.push(place);
            }
            let leaf = leaf_of(first);
            *to = entry(prefix_of(first), self.pointers[leaf]);
            let next = match coming.next() {
                Some(&next) => {
                    self.pointers[leaf] = pointer(next);
                    let is_late = prefix(next) < prefix_of(first);
                    node(if is_late { run ^ RUN } else { run }, prefix(next), leaf)
                }
                None => empty(run ^ RUN),
            };
            self.replace_first(leaf, next, run);
        }
        starts
    }

    /// Lets all leaves enter: these records, and empty ones.
    fn build(&mut self, records: &[u64]) {
        self.nodes.fill(UNPLAYED);
        for leaf in 0..self.pointers.len() {
            let mut winner = empty(0);
            if let Some(&record) = records.get(leaf) {
                self.pointers[leaf] = pointer(record);
                winner = node(0, prefix(record), leaf);
            }
            let nodes = &mut *self.nodes;
            let mut is_first = true;
            self.layout.way(leaf, |place| {
                let rival = nodes[place];
                is_first = rival != UNPLAYED;
                if rival == UNPLAYED || rival < winner {
                    nodes[place] = winner;
                    winner = rival;
                }
                is_first
            });
            if is_first {
                self.first = winner;
            }
        }
    }

    /// Plays the leaf of the first record again, with another; `run` is being written.
    #[inline]
    fn replace_first(&mut self, leaf: usize, next: u64, run: u64) {
        let mut winner = next;
        let nodes = &mut *self.nodes;
        self.layout.way(leaf, |place| {
            let rival = nodes[place];
            if rival ^ run < winner ^ run {
                nodes[place] = winner;
                winner = rival;
            }
            true
        });
        self.first = winner;
    }
}

#[cfg(test)]
mod tests;
