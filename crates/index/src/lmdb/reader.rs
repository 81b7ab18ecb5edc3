//! Reading a tree with a cursor, which holds the branch pages above one leaf.

use std::cmp::Ordering;
use std::sync::Arc;

use sortwell_engine::{Error, Result};

use super::pages::{PageBytes, Pages, half_at, nodes_of};
use super::tree::{PageTree, number_at};
use super::{BIG_VALUE, DEPTH_MAX, HEADER, LEAF, NO_PAGE, NODE, OFFSET, PAGE, VALUE_MAX};

/// A node of a leaf.
#[derive(Clone, Copy, Debug)]
struct LeafNode<'a> {
    key: &'a [u8],
    flags: u16,
    length: usize,
    /// The value, or the number of its first overflow page.
    held: &'a [u8],
}

/// Returns a node from its first byte on, and its key; `None` for one that leaves the page.
fn node_at(page: &PageBytes, index: usize) -> Option<(&[u8], &[u8])> {
    let offset = page.get(HEADER + OFFSET * index..)?.first_chunk()?;
    let node = page.get(usize::from(u16::from_le_bytes(*offset))..)?;
    let length = u16::from_le_bytes([*node.get(6)?, *node.get(7)?]);
    Some((node, node.get(NODE..NODE + usize::from(length))?))
}

/// Returns the child of a branch node.
fn child_of(node: &[u8]) -> u64 {
    number_at(node, 0) & 0xffff_ffff_ffff
}

fn leaf_node(page: &PageBytes, index: usize) -> Option<LeafNode<'_>> {
    let (node, key) = node_at(page, index)?;
    let length = u32::from_le_bytes(*node.first_chunk()?) as usize;
    let flags = u16::from_le_bytes([node[4], node[5]]);
    let held = if flags & BIG_VALUE == 0 { length } else { size_of::<u64>() };
    let start = NODE + key.len();
    Some(LeafNode { key, flags, length, held: node.get(start..start.checked_add(held)?)? })
}

/// A place in a tree: before an entry, or at the end.
#[derive(Clone, Debug)]
pub struct TreeCursor {
    pages: Arc<Pages>,
    tree: PageTree,
    /// The branches above the leaf, with the index of the child in each.
    branches: Vec<(u64, Arc<PageBytes>, usize)>,
    leaf: Box<PageBytes>,
    /// The number of the leaf that was read; no page before the first one.
    number: u64,
    nodes: usize,
    /// Index of the entry in the leaf.
    index: usize,
    /// True if the place is before an entry.
    is_at_entry: bool,
    /// A value that was on overflow pages.
    value: Vec<u8>,
    /// Most bytes of such a value.
    value_max: usize,
    /// Number of leaves that may still be read before the next search. A tree has each page once.
    leaves_left: u64,
    flags: u16,
}

impl TreeCursor {
    /// Returns a cursor at the end of a tree.
    pub fn new(pages: &Arc<Pages>, tree: PageTree) -> Self {
        Self {
            pages: Arc::clone(pages),
            tree,
            branches: Vec::new(),
            leaf: Box::new([0; PAGE]),
            number: NO_PAGE,
            nodes: 0,
            index: 0,
            is_at_entry: false,
            value: Vec::new(),
            value_max: VALUE_MAX,
            leaves_left: 0,
            flags: 0,
        }
    }

    /// Returns the cursor with a lower limit for the bytes of a value than [`VALUE_MAX`].
    pub fn with_value_max(self, value_max: usize) -> Self {
        Self { value_max, ..self }
    }

    /// Goes down from a page to a leaf by the index that `choose` returns for each branch.
    fn descend(
        &mut self,
        mut number: u64,
        choose: impl Fn(&Self, u64, &PageBytes, usize) -> Result<usize>,
    ) -> Result<()> {
        let Some(left) = self.leaves_left.checked_sub(1) else {
            return Err(self.pages.damaged(number, "it is in its tree twice"));
        };
        self.leaves_left = left;
        while self.branches.len() + 1 < usize::from(self.tree.depth.min(DEPTH_MAX)) {
            let page = self.pages.branch(number)?;
            let nodes = (usize::from(half_at(&page, 12)) - HEADER) / OFFSET;
            let index = choose(self, number, &page, nodes)?;
            let child = self.child(number, &page, index)?;
            self.branches.push((number, page, index));
            number = child;
        }
        if self.number != number {
            self.number = NO_PAGE;
            self.pages.read_into(number, &mut self.leaf[..])?;
            let nodes = nodes_of(&self.leaf, number, LEAF);
            self.nodes = nodes.map_err(|why| self.pages.damaged(number, why))?;
            self.number = number;
        }
        Ok(())
    }

    fn child(&self, number: u64, page: &PageBytes, index: usize) -> Result<u64> {
        node_at(page, index).map(|(node, _)| child_of(node)).ok_or_else(|| self.outside(number))
    }

    fn outside(&self, number: u64) -> Error {
        self.pages.damaged(number, "a node lies outside of it")
    }

    /// Returns the first of `from..nodes` whose key is not before `key`.
    fn search(
        &self,
        number: u64,
        page: &PageBytes,
        from: usize,
        nodes: usize,
        key: &[u8],
    ) -> Result<usize> {
        let (mut low, mut high) = (from, nodes);
        while low < high {
            let middle = low.midpoint(high);
            let (_, found) = node_at(page, middle).ok_or_else(|| self.outside(number))?;
            match found.cmp(key) {
                Ordering::Less => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// Returns whether the tree has no entry.
    fn is_empty(&self) -> bool {
        self.tree.root == NO_PAGE || self.tree.depth == 0
    }

    /// Goes to the first entry whose key is not before `key`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged page.
    pub fn seek(&mut self, key: &[u8]) -> Result<()> {
        self.seek_end();
        if self.is_empty() {
            return Ok(());
        }
        self.descend(self.tree.root, |cursor, number, page, nodes| {
            // The child to the left of the first key that is after `key`.
            let at = cursor.search(number, page, 1, nodes, key)?;
            let is_equal = at < nodes && node_at(page, at).is_some_and(|(_, found)| found == key);
            Ok(if is_equal { at } else { at - 1 })
        })?;
        self.index = self.search(self.number, &self.leaf, 0, self.nodes, key)?;
        self.is_at_entry = true;
        if self.index == self.nodes { self.next_leaf() } else { Ok(()) }
    }

    /// Goes to the end.
    pub fn seek_end(&mut self) {
        self.branches.clear();
        self.is_at_entry = false;
        self.leaves_left = self.pages.count;
    }

    /// Goes to the first entry.
    ///
    /// # Errors
    ///
    /// Those of [`seek`](Self::seek).
    pub fn seek_first(&mut self) -> Result<()> {
        self.seek(b"")
    }

    /// Goes to the last entry.
    ///
    /// # Errors
    ///
    /// Those of [`seek`](Self::seek).
    pub fn seek_last(&mut self) -> Result<()> {
        self.seek_end();
        if self.is_empty() {
            return Ok(());
        }
        self.descend(self.tree.root, |_, _, _, nodes| Ok(nodes - 1))?;
        self.end_leaf()
    }

    /// Goes to the last entry of the leaf.
    fn end_leaf(&mut self) -> Result<()> {
        if self.nodes == 0 {
            return Err(self.pages.damaged(self.number, "it is empty"));
        }
        self.index = self.nodes - 1;
        self.is_at_entry = true;
        Ok(())
    }

    /// Goes to the first entry of the leaf to the right.
    fn next_leaf(&mut self) -> Result<()> {
        self.is_at_entry = false;
        while let Some((number, page, index)) = self.branches.pop() {
            let nodes = (usize::from(half_at(&page, 12)) - HEADER) / OFFSET;
            if index + 1 == nodes {
                continue;
            }
            let child = self.child(number, &page, index + 1)?;
            self.branches.push((number, page, index + 1));
            self.descend(child, |_, _, _, _| Ok(0))?;
            self.end_leaf()?;
            self.index = 0;
            return Ok(());
        }
        Ok(())
    }

    /// Goes to the next entry.
    ///
    /// # Errors
    ///
    /// Those of [`seek`](Self::seek).
    #[inline]
    pub fn step(&mut self) -> Result<()> {
        self.index += 1;
        if self.index < self.nodes || !self.is_at_entry { Ok(()) } else { self.next_leaf() }
    }

    /// Goes to the entry before; from the end, to the last one.
    ///
    /// # Errors
    ///
    /// Those of [`seek`](Self::seek).
    pub fn step_back(&mut self) -> Result<()> {
        if !self.is_at_entry {
            return self.seek_last();
        }
        if self.index > 0 {
            self.index -= 1;
            return Ok(());
        }
        self.is_at_entry = false;
        while let Some((number, page, index)) = self.branches.pop() {
            if index == 0 {
                continue;
            }
            let child = self.child(number, &page, index - 1)?;
            self.branches.push((number, page, index - 1));
            self.descend(child, |_, _, _, nodes| Ok(nodes - 1))?;
            return self.end_leaf();
        }
        Ok(())
    }

    /// Returns the number of the leaf.
    pub const fn page(&self) -> u64 {
        self.number
    }

    /// Returns the flags of the entry that was returned last.
    pub(super) const fn flags(&self) -> u16 {
        self.flags
    }

    /// Returns the key and the value of the entry; `None` at the end.
    ///
    /// # Errors
    ///
    /// Those of [`seek`](Self::seek).
    pub fn entry(&mut self) -> Result<Option<(&[u8], &[u8])>> {
        if !self.is_at_entry {
            return Ok(None);
        }
        let Some(node) = leaf_node(&self.leaf, self.index) else {
            return Err(self.outside(self.number));
        };
        self.flags = node.flags;
        if node.flags & BIG_VALUE == 0 {
            return Ok(Some((node.key, node.held)));
        }
        let (first, length) = (number_at(node.held, 0), node.length);
        if length > self.value_max {
            return Err(self.pages.damaged(self.number, "a value is too long"));
        }
        self.pages.check_value(first, length)?;
        self.value.resize(HEADER + length, 0);
        self.pages.read_into(first, &mut self.value)?;
        Ok(Some((node.key, &self.value[HEADER..])))
    }
}
