//! Writing a tree: leaves by several tasks at the same time, branches above them in order.
//!
//! ```text
//!   task 0   entries --> leaf pages --> claim numbers, write --> (first key, page) ... --.
//!   task 1   entries --> leaf pages --> claim numbers, write --> (first key, page) ... --+
//!                                                                                        v
//!            in the order of tasks: level 1 | level 2 | ... | root        NewTree
//! ```
//!
//! Leaf pages lie wherever their numbers put them, and no leaf knows its neighbours. So a task
//! needs to know nothing of those before it. The pages of one task are claimed in groups of up to
//! [`GROUP_PAGES`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::io::File;
use sortwell_engine::{ByteSize, Error, Result};

use super::page::{NewPage, set_number};
use super::tree::PageTree;
use super::{
    BIG_VALUE, DATA_VERSION, FIRST_PAGE, HEADER, MAGIC, META, META_LAST, META_MAGIC, META_MAP,
    META_TRANSACTION, META_TREES, META_VERSION, NODE, NODE_MAX, OVERFLOW, PAGE, TREE, TREE_VALUE,
    VALUE_MAX,
};

/// Pages that a task writes at once.
const GROUP_PAGES: usize = 64;

/// Least bytes of address space that LMDB takes for a file, unless a program asks for more.
const MAP_MIN: u64 = 1 << 20;

/// Flag of the tree of free pages: its keys are integers.
const INTEGER_KEYS: u16 = 0x08;

/// A file that is filled with pages.
#[derive(Debug)]
pub struct PageFile {
    file: Arc<File>,
    /// The number of the next page to claim.
    next: AtomicU64,
}

impl PageFile {
    /// Returns an empty file of pages.
    pub const fn new(file: Arc<File>) -> Self {
        Self { file, next: AtomicU64::new(FIRST_PAGE) }
    }

    /// Returns the number of the first of `pages` new pages.
    fn claim(&self, pages: u64) -> u64 {
        self.next.fetch_add(pages, Ordering::Relaxed)
    }

    /// Writes pages, the first of which has this number.
    fn write(&self, first: u64, bytes: &[u8]) -> Result<()> {
        self.file.write_at(bytes, first * PAGE as u64)
    }

    /// Writes a value to overflow pages, and returns the number of the first and how many there
    /// are.
    fn write_value(&self, value: [&[u8]; 2]) -> Result<(u64, u64)> {
        let length = value[0].len() + value[1].len();
        let pages = (HEADER + length).div_ceil(PAGE);
        let first = self.claim(pages as u64);
        let mut bytes = Vec::with_capacity(pages * PAGE);
        bytes.extend_from_slice(&first.to_le_bytes());
        bytes.extend_from_slice(&[0; 2]);
        bytes.extend_from_slice(&OVERFLOW.to_le_bytes());
        bytes.extend_from_slice(&(pages as u32).to_le_bytes());
        value.iter().for_each(|part| bytes.extend_from_slice(part));
        bytes.resize(pages * PAGE, 0);
        self.write(first, &bytes)?;
        Ok((first, pages as u64))
    }

    /// Writes the tree of named trees and the meta pages. Returns the bytes of the file.
    pub fn finish(&self, named: &[(&str, PageTree)]) -> Result<u64> {
        let mut page = NewPage::leaf();
        let mut named = named.to_vec();
        named.sort_by_key(|(name, _)| *name);
        for (name, tree) in &named {
            page.add_leaf(name.as_bytes(), TREE as u32, TREE_VALUE, [&tree.to_bytes(), b""]);
        }
        let entries = named.len() as u64;
        let root = self.claim(1);
        let mut bytes = Vec::with_capacity(PAGE);
        page.finish(&mut bytes);
        set_number(&mut bytes, root);
        self.write(root, &bytes)?;
        let names = PageTree { depth: 1, leaf_pages: 1, entries, root, ..PageTree::EMPTY };
        let free = PageTree { padding: PAGE as u32, flags: INTEGER_KEYS, ..PageTree::EMPTY };
        let pages = self.next.load(Ordering::Relaxed);
        for number in 0..FIRST_PAGE {
            self.write(number, &meta_page(number, pages, [free, names]))?;
        }
        Ok(pages * PAGE as u64)
    }
}

/// Returns a meta page of a file of `pages` pages. The second one is that of the last transaction.
fn meta_page(number: u64, pages: u64, trees: [PageTree; 2]) -> Vec<u8> {
    let mut page = vec![0; PAGE];
    set_number(&mut page, number);
    page[10..12].copy_from_slice(&META.to_le_bytes());
    page[META_MAGIC..META_VERSION].copy_from_slice(&MAGIC.to_le_bytes());
    page[META_VERSION..META_VERSION + 4].copy_from_slice(&DATA_VERSION.to_le_bytes());
    // Programs that write to the file find room. It takes none on the disk.
    let map = (pages * PAGE as u64).saturating_mul(2).max(MAP_MIN);
    page[META_MAP..META_TREES].copy_from_slice(&map.to_le_bytes());
    for (place, tree) in page[META_TREES..META_LAST].chunks_exact_mut(TREE).zip(trees) {
        place.copy_from_slice(&tree.to_bytes());
    }
    page[META_LAST..META_TRANSACTION].copy_from_slice(&(pages - 1).to_le_bytes());
    page[META_TRANSACTION..META_TRANSACTION + 8].copy_from_slice(&number.to_le_bytes());
    page
}

/// A page with the first key in it or below it.
#[derive(Debug)]
struct Child {
    key: Box<[u8]>,
    page: u64,
}

/// One level of branches, built from left to right.
#[derive(Debug, Default)]
struct BranchLevel {
    /// Children that are on no page yet.
    waiting: Vec<Child>,
    /// Bytes that they take on a page.
    bytes: usize,
    /// Number of pages written.
    pages: u64,
}

impl BranchLevel {
    /// Returns the bytes that a child takes on a page.
    fn taken(child: &Child) -> usize {
        (NODE + child.key.len()).next_multiple_of(2) + super::OFFSET
    }

    fn push(&mut self, child: Child) {
        self.bytes += Self::taken(&child);
        self.waiting.push(child);
    }

    /// Writes the first waiting children to a page, as many as fit but at most `most`, and returns
    /// the page as a child.
    fn write(&mut self, file: &PageFile, most: usize) -> Result<Child> {
        let mut page = NewPage::branch();
        let mut count = 0;
        for child in self.waiting.iter().take(most) {
            // The first key of a branch is never compared.
            let key: &[u8] = if count == 0 { b"" } else { &child.key };
            if !page.has_room(NODE + key.len()) {
                break;
            }
            page.add_branch(key, child.page);
            count += 1;
        }
        let number = file.claim(1);
        let mut bytes = Vec::with_capacity(PAGE);
        page.finish(&mut bytes);
        set_number(&mut bytes, number);
        file.write(number, &bytes)?;
        self.pages += 1;
        let mut written = self.waiting.drain(..count);
        let first = written.next().map(|child| child.key).unwrap_or_default();
        drop(written);
        self.bytes = self.waiting.iter().map(Self::taken).sum();
        Ok(Child { key: first, page: number })
    }
}

/// The leaves of a task that wait for those before them.
#[derive(Debug, Default)]
struct WaitingLeaves {
    leaves: Vec<Child>,
    /// The last key so far.
    last: Vec<u8>,
    /// Offset at which the task ends, once it has.
    end: Option<u64>,
}

#[derive(Debug, Default)]
struct LevelsState {
    levels: Vec<BranchLevel>,
    /// Tasks by the offsets at which they begin.
    tasks: BTreeMap<u64, WaitingLeaves>,
    /// Offset of the task whose leaves come next.
    turn: u64,
    /// The last key below the levels.
    last: Vec<u8>,
    tree: PageTree,
}

impl Default for PageTree {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// The branches of a tree, built in order from leaves that arrive in any order of tasks.
#[derive(Debug)]
pub struct NewTree {
    file: Arc<PageFile>,
    state: Mutex<LevelsState>,
}

impl NewTree {
    /// Returns a tree without leaves.
    pub fn new(file: &Arc<PageFile>) -> Self {
        Self { file: Arc::clone(file), state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, LevelsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the task at an offset.
    pub fn begin(&self, offset: u64) -> LeafWriter<'_> {
        LeafWriter {
            levels: self,
            offset,
            page: NewPage::leaf(),
            first: Vec::new(),
            last: Vec::new(),
            group: Vec::new(),
            firsts: Vec::new(),
            entries: 0,
            overflow_pages: 0,
        }
    }

    /// Takes leaves of a task, in order, and what it has counted; `end` says where it ended.
    fn add(&self, task: &mut LeafWriter<'_>, leaves: Vec<Child>, end: Option<u64>) -> Result<()> {
        let mut state = self.state();
        state.tree.leaf_pages += leaves.len() as u64;
        state.tree.entries += std::mem::take(&mut task.entries);
        state.tree.overflow_pages += std::mem::take(&mut task.overflow_pages);
        if end == Some(task.offset) {
            return Ok(()); // another task begins at the same place
        }
        let waiting = state.tasks.entry(task.offset).or_default();
        waiting.leaves.extend(leaves);
        waiting.last.clone_from(&task.last);
        waiting.end = end;
        state.fold(&self.file)
    }

    /// Writes the branches that are left, and returns the tree.
    ///
    /// # Errors
    ///
    /// Those of writing; [`Error::Disorder`] if a task is missing.
    pub fn finish(&self) -> Result<PageTree> {
        let mut state = self.state();
        if !state.tasks.is_empty() {
            return Err(disorder("between two tasks".to_owned()));
        }
        let mut tree = state.tree;
        let mut at = 0;
        while let Some(level) = state.levels.get_mut(at) {
            let is_root = level.pages == 0 && level.waiting.len() == 1;
            if is_root && let Some(child) = level.waiting.pop() {
                (tree.root, tree.depth) = (child.page, at as u16 + 1);
                break;
            }
            while state.levels[at].waiting.len() > 1 {
                state.close(&self.file, at)?;
            }
            tree.branch_pages += state.levels[at].pages;
            at += 1;
        }
        Ok(tree)
    }
}

impl LevelsState {
    /// Builds branches over the leaves whose turn it is.
    fn fold(&mut self, file: &PageFile) -> Result<()> {
        while let Some(task) = self.tasks.get_mut(&self.turn) {
            let leaves = std::mem::take(&mut task.leaves);
            let (last, end) = (std::mem::take(&mut task.last), task.end);
            if let Some(first) = leaves.first() {
                if self.tree.root != super::NO_PAGE && *first.key <= *self.last {
                    return Err(disorder(format!("on page {}", first.page)));
                }
                self.tree.root = 0; // not empty; set at the end
                self.last = last;
            }
            for leaf in leaves {
                self.push(file, 0, leaf)?;
            }
            let Some(end) = end else { break };
            self.tasks.remove(&self.turn);
            self.turn = end;
        }
        Ok(())
    }

    /// Adds a child to a level, and a full page of it to the level above.
    fn push(&mut self, file: &PageFile, at: usize, child: Child) -> Result<()> {
        if self.levels.len() <= at {
            self.levels.resize_with(at + 1, BranchLevel::default);
        }
        self.levels[at].push(child);
        // A branch has at least two children, so two stay for the last page.
        if self.levels[at].bytes >= 2 * PAGE {
            let most = self.levels[at].waiting.len() - 2;
            let page = self.levels[at].write(file, most)?;
            self.push(file, at + 1, page)?;
        }
        Ok(())
    }

    /// Writes a page of the children that wait at the end of a level.
    fn close(&mut self, file: &PageFile, at: usize) -> Result<()> {
        let level = &mut self.levels[at];
        let most = match level.waiting.len() {
            few @ ..=3 => few,
            // Those that do not fit are at least two.
            many if level.bytes > PAGE - HEADER => many - 2,
            many => many,
        };
        let page = level.write(file, most)?;
        self.push(file, at + 1, page)
    }
}

fn too_long(length: usize) -> Error {
    let message = format!(
        "the key and the included parts of a record have {}, and an index takes at most {}; \
         include less, or use a shorter key",
        ByteSize(length as u64),
        ByteSize(VALUE_MAX as u64)
    );
    Error::config(ConfigErrorKind::Unsupported, message)
}

fn disorder(place: String) -> Error {
    Error::Disorder { target: "the index", place, is_compared: false }
}

/// Packs the entries of one task into leaf pages.
#[derive(Debug)]
pub struct LeafWriter<'a> {
    levels: &'a NewTree,
    /// Offset at which the task begins.
    offset: u64,
    page: NewPage,
    /// The first key on the page.
    first: Vec<u8>,
    /// The key that was added last.
    last: Vec<u8>,
    /// Pages that are full and not written.
    group: Vec<u8>,
    /// Their first keys.
    firsts: Vec<Box<[u8]>>,
    entries: u64,
    overflow_pages: u64,
}

impl LeafWriter<'_> {
    /// Adds the next entry. The value is in two parts.
    ///
    /// # Errors
    ///
    /// Those of writing, [`Error::Disorder`] for a key that is not greater than the one before, and
    /// [`Error::Config`] for a value that no reader takes.
    pub fn add(&mut self, key: &[u8], value: [&[u8]; 2]) -> Result<()> {
        let is_first = self.page.nodes() == 0 && self.firsts.is_empty() && self.last.is_empty();
        if !is_first && key <= &self.last[..] {
            return Err(disorder(format!("after entry {} of a task", self.entries)));
        }
        let length = value[0].len() + value[1].len();
        if length > VALUE_MAX {
            return Err(too_long(length));
        }
        if NODE + key.len() + length <= NODE_MAX {
            self.make_room(key, length)?;
            self.page.add_leaf(key, length as u32, 0, value);
        } else {
            let (first, pages) = self.levels.file.write_value(value)?;
            self.overflow_pages += pages;
            self.make_room(key, size_of::<u64>())?;
            self.page.add_leaf(key, length as u32, BIG_VALUE, [&first.to_le_bytes(), b""]);
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        self.entries += 1;
        Ok(())
    }

    /// Ends the page if it has no room for a node with this key that holds `held` bytes.
    fn make_room(&mut self, key: &[u8], held: usize) -> Result<()> {
        if !self.page.has_room(NODE + key.len() + held) {
            self.end_page();
            if self.firsts.len() == GROUP_PAGES {
                self.write_group(None)?;
            }
        }
        if self.page.nodes() == 0 {
            self.first.clear();
            self.first.extend_from_slice(key);
        }
        Ok(())
    }

    fn end_page(&mut self) {
        self.page.finish(&mut self.group);
        self.firsts.push(self.first.as_slice().into());
    }

    fn write_group(&mut self, end: Option<u64>) -> Result<()> {
        let file = &self.levels.file;
        let first = file.claim(self.firsts.len() as u64);
        for (page, number) in self.group.chunks_exact_mut(PAGE).zip(first..) {
            set_number(page, number);
        }
        if !self.group.is_empty() {
            file.write(first, &self.group)?;
        }
        self.group.clear();
        let firsts = self.firsts.drain(..).zip(first..);
        let leaves = firsts.map(|(key, page)| Child { key, page }).collect();
        let levels = self.levels;
        levels.add(self, leaves, end)
    }

    /// Ends the task. The next one begins at offset `end`.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add).
    pub fn finish(mut self, end: u64) -> Result<()> {
        if self.page.nodes() > 0 {
            self.end_page();
        }
        self.write_group(Some(end))
    }
}
