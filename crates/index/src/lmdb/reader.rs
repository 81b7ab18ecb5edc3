//! Reading a tree: pages by their offset, every number in them checked.
//!
//! Branch pages stay in memory, as far as [`BRANCHES_MAX`] allows. A cursor holds one leaf.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use sortwell_engine::{Error, Result};

use super::tree::{PageTree, number_at};
use super::{
    BIG_VALUE, BRANCH, DATA_VERSION, DEPTH_MAX, FIRST_PAGE, HEADER, LEAF, MAGIC, META, META_LAST,
    META_MAGIC, META_TRANSACTION, META_TREES, META_VERSION, NO_PAGE, NODE, OFFSET, OVERFLOW, PAGE,
    TREE, TREE_VALUE,
};

/// Branch pages that stay in memory: 8 MiB.
const BRANCHES_MAX: usize = 2048;

/// The bytes of a page.
type PageBytes = [u8; PAGE];

/// An open file of pages.
#[derive(Debug)]
pub struct Pages {
    file: File,
    path: PathBuf,
    /// Number of pages in the file.
    count: u64,
    branches: RwLock<HashMap<u64, Arc<PageBytes>, BuildHasherDefault<NumberHasher>>>,
}

/// Spreads page numbers, which come from the file: a bad one costs time alone, and few are kept.
#[derive(Default)]
struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, number: u64) {
        // Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// A node of a leaf.
#[derive(Clone, Copy, Debug)]
struct LeafNode<'a> {
    key: &'a [u8],
    flags: u16,
    length: usize,
    /// The value, or the number of its first overflow page.
    held: &'a [u8],
}

/// Returns the number of nodes of a page, or what is wrong with its header.
fn nodes_of(page: &PageBytes, number: u64, kind: u16) -> std::result::Result<usize, &'static str> {
    if number_at(page, 0) != number {
        return Err("it has the number of another page");
    }
    if half_at(page, 10) & (BRANCH | LEAF | OVERFLOW | META) != kind {
        return Err("it is of another kind");
    }
    let (lower, upper) = (usize::from(half_at(page, 12)), usize::from(half_at(page, 14)));
    if lower < HEADER || lower > upper || upper > PAGE || !lower.is_multiple_of(2) {
        return Err("its header is wrong");
    }
    Ok((lower - HEADER) / OFFSET)
}

fn half_at(page: &PageBytes, at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
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

impl Pages {
    /// Opens a file, and returns it with the tree of named trees.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a file that is no LMDB file or is not whole.
    pub fn open(path: &Path) -> Result<(Arc<Self>, PageTree)> {
        let file = File::open(path).map_err(|error| Error::io("open", path, error))?;
        Self::of(file, path)
    }

    /// Returns the pages of a file, called `path` in messages, with the tree of named trees.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn of(file: File, path: &Path) -> Result<(Arc<Self>, PageTree)> {
        let failed = |error| Error::io("open", path, error);
        let bytes = file.metadata().map_err(failed)?.len();
        let (branches, path) = (RwLock::default(), path.to_owned());
        let pages = Self { file, path, count: bytes / PAGE as u64, branches };
        if pages.count < FIRST_PAGE {
            return Err(pages.foreign("it is too short"));
        }
        let mut latest = None;
        for number in 0..FIRST_PAGE {
            let page = pages.read(number)?;
            let word = |at: usize| number_at(&page[..], at) as u32;
            if word(META_MAGIC) != MAGIC {
                return Err(pages.foreign("it does not begin as one"));
            }
            if word(META_VERSION) != DATA_VERSION {
                return Err(pages.foreign("it has another version of the format"));
            }
            let transaction = number_at(&page[..], META_TRANSACTION);
            if latest.as_ref().is_none_or(|(newest, _)| *newest < transaction) {
                latest = Some((transaction, page));
            }
        }
        let Some((_, page)) = latest else { return Err(pages.foreign("it has no meta page")) };
        let last = number_at(&page[..], META_LAST);
        if last >= pages.count {
            let message = format!(
                "the file is cut off: it has {} pages of {PAGE} bytes and needs {}",
                pages.count,
                last.saturating_add(1)
            );
            return Err(pages.malformed(message));
        }
        let trees = page[META_TREES..META_LAST].as_chunks::<TREE>().0;
        let [free, names] = [0, 1].map(|at| PageTree::from_bytes(&trees[at]));
        if free.padding as usize != PAGE {
            return Err(pages.foreign("its pages do not have 4096 bytes"));
        }
        Ok((Arc::new(pages), names))
    }

    fn malformed(&self, message: String) -> Error {
        Error::Malformed { path: self.path.clone(), message: message.into() }
    }

    fn foreign(&self, why: &str) -> Error {
        self.malformed(format!("this is no index: {why}"))
    }

    /// Returns the error for a page that is not as it must be.
    pub fn damaged(&self, page: u64, why: &str) -> Error {
        self.malformed(format!("page {page} is damaged: {why}; build the index again"))
    }

    fn read_into(&self, number: u64, page: &mut [u8]) -> Result<()> {
        if number >= self.count {
            return Err(self.malformed(format!("page {number} is not in the file")));
        }
        let offset = number * PAGE as u64;
        let read = self.file.read_exact_at(page, offset);
        read.map_err(|error| Error::io_at("read", &self.path, offset, error))
    }

    fn read(&self, number: u64) -> Result<Arc<PageBytes>> {
        let mut page = [0; PAGE];
        self.read_into(number, &mut page)?;
        Ok(Arc::new(page))
    }

    /// Returns a branch page.
    fn branch(&self, number: u64) -> Result<Arc<PageBytes>> {
        let kept = self.branches.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = kept.get(&number) {
            return Ok(Arc::clone(page));
        }
        drop(kept);
        let page = self.read(number)?;
        let nodes = nodes_of(&page, number, BRANCH).map_err(|why| self.damaged(number, why))?;
        if nodes < 2 {
            return Err(self.damaged(number, "it has less than two children"));
        }
        let mut branches = self.branches.write().unwrap_or_else(PoisonError::into_inner);
        if branches.len() < BRANCHES_MAX {
            branches.insert(number, Arc::clone(&page));
        }
        Ok(page)
    }

    /// Returns a tree by its name.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if there is none.
    pub fn tree(self: &Arc<Self>, names: PageTree, name: &str) -> Result<PageTree> {
        let mut cursor = TreeCursor::new(self, names);
        cursor.seek(name.as_bytes())?;
        let bytes = match cursor.entry()? {
            Some((key, value)) if key == name.as_bytes() => value.first_chunk().copied(),
            _ => None,
        };
        match bytes.filter(|_| cursor.flags() & TREE_VALUE != 0) {
            Some(bytes) => Ok(PageTree::from_bytes(&bytes)),
            None => Err(self.foreign(&format!("it has no database '{name}'"))),
        }
    }
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
            flags: 0,
        }
    }

    /// Goes down from a page to a leaf by the index that `choose` returns for each branch.
    fn descend(
        &mut self,
        mut number: u64,
        choose: impl Fn(&Self, u64, &PageBytes, usize) -> Result<usize>,
    ) -> Result<()> {
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
    const fn flags(&self) -> u16 {
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
        let pages = (HEADER + length).div_ceil(PAGE) as u64;
        if first.checked_add(pages).is_none_or(|end| end > self.pages.count) {
            return Err(self.pages.damaged(self.number, "a value lies outside of the file"));
        }
        self.value.resize(HEADER + length, 0);
        self.pages.read_into(first, &mut self.value)?;
        if u16::from_le_bytes([self.value[10], self.value[11]]) & OVERFLOW == 0 {
            return Err(self.pages.damaged(first, "it does not hold a value"));
        }
        Ok(Some((node.key, &self.value[HEADER..])))
    }
}
