//! The pages of a file by their offset, every number in them checked.
//!
//! Branch pages stay in memory, as far as [`BRANCHES_MAX`] allows.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasherDefault, Hasher};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustix::fs::{FlockOperation, flock, fstat, stat};
use rustix::io::Errno;
use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::{Error, Result};

use super::reader::TreeCursor;
use super::tree::{PageTree, number_at};
use super::{
    BRANCH, DATA_VERSION, FIRST_PAGE, HEADER, LEAF, MAGIC, META, META_LAST, META_MAGIC,
    META_TRANSACTION, META_TREES, META_VERSION, OFFSET, OVERFLOW, PAGE, TREE, TREE_VALUE,
};

/// The beginning of a database of SQLite, which a build can write as well.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// Branch pages that stay in memory: 8 MiB.
const BRANCHES_MAX: usize = 2048;

/// The bytes of a page.
pub(super) type PageBytes = [u8; PAGE];

/// An open file of pages.
#[derive(Debug)]
pub struct Pages {
    file: File,
    path: PathBuf,
    /// Number of pages in the file.
    pub(super) count: u64,
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

/// Returns the number of nodes of a page, or what is wrong with its header.
pub(super) fn nodes_of(
    page: &PageBytes,
    number: u64,
    kind: u16,
) -> std::result::Result<usize, &'static str> {
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

pub(super) fn half_at(page: &PageBytes, at: usize) -> u16 {
    u16::from_le_bytes([page[at], page[at + 1]])
}

/// Returns whether an open file is the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    let opened = fstat(file).map(|found| (found.st_dev, found.st_ino));
    opened.is_ok() && opened == stat(path).map(|found| (found.st_dev, found.st_ino))
}

/// Locks the file at `path`, until it is closed, for a job that replaces it.
///
/// # Errors
///
/// [`Error::Config`] if another job does so, or has done so since the file was opened.
pub fn lock_for_replacement(file: &File, path: &Path) -> Result<()> {
    // A file system without locks has none that another job could hold.
    let lock = flock(file, FlockOperation::NonBlockingLockExclusive);
    if lock != Err(Errno::WOULDBLOCK) && is_at(file, path) {
        return Ok(());
    }
    let message = format!(
        "another command is writing {}, or has replaced it; run one after the other",
        path.display()
    );
    Err(Error::config(ConfigErrorKind::InUse, message))
}

impl Pages {
    /// Opens a file, and returns it with the tree of named trees.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a file that is no LMDB file or is not whole.
    pub fn open(path: &Path) -> Result<(Arc<Self>, PageTree)> {
        let failed = |error| Error::io("open", path, error);
        // Opening something else, such as a pipe, may wait for ever.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            let message = "this is no index: it is no regular file".to_owned().into();
            return Err(Error::Malformed { path: path.to_owned(), message });
        }
        Self::of(File::open(path).map_err(failed)?, path)
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
            if page.starts_with(SQLITE) {
                let message = "this is an SQLite database; read it with a program that has SQLite";
                return Err(pages.malformed(message.to_owned()));
            }
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

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether the file has this path too.
    pub fn is_at(&self, path: &Path) -> bool {
        is_at(&self.file, path)
    }

    /// Locks the file, until it is closed, for a job that replaces it.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if another job does so, or has done so since the file was opened.
    pub fn lock_for_replacement(&self) -> Result<()> {
        lock_for_replacement(&self.file, &self.path)
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

    pub(super) fn read_into(&self, number: u64, page: &mut [u8]) -> Result<()> {
        if number >= self.count {
            return Err(self.malformed(format!("page {number} is not in the file")));
        }
        let offset = number * PAGE as u64;
        let read = self.file.read_exact_at(page, offset);
        read.map_err(|error| Error::io_at("read", &self.path, offset, error))
    }

    /// Checks that overflow pages from `first` on hold a value of `length` bytes, before these are
    /// read: a page of a damaged file may name any length.
    pub(super) fn check_value(&self, first: u64, length: usize) -> Result<()> {
        let pages = (HEADER + length).div_ceil(PAGE) as u64;
        if first.checked_add(pages).is_none_or(|end| end > self.count) {
            return Err(self.damaged(first, "a value lies outside of the file"));
        }
        let mut header = [0; HEADER];
        self.read_into(first, &mut header)?;
        let is_value = u16::from_le_bytes([header[10], header[11]]) & OVERFLOW != 0;
        if is_value && number_at(&header, 8) >> 32 == pages {
            return Ok(());
        }
        Err(self.damaged(first, &format!("it does not hold a value of {length} bytes")))
    }

    fn read(&self, number: u64) -> Result<Arc<PageBytes>> {
        let mut page = [0; PAGE];
        self.read_into(number, &mut page)?;
        Ok(Arc::new(page))
    }

    /// Returns a branch page.
    pub(super) fn branch(&self, number: u64) -> Result<Arc<PageBytes>> {
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
