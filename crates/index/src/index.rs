//! Finding records by their keys.

use std::fs::File;
use std::ops::Bound;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::key::ListMemory;
use sortwell_engine::pipeline::Columns;
use sortwell_engine::{Error, Result};

use crate::description::{Description, ENTRIES, Lines, META};
use crate::entry::{CUT, EntryForm, NUMBER, Parsed, read_number};
use crate::lmdb::reader::{Pages, TreeCursor};
use crate::lmdb::tree::PageTree;
use crate::source::Positions;
use crate::values::ValueKeys;

/// An open index.
#[derive(Debug)]
pub struct Index {
    pages: Pages,
    entries: PageTree,
    lines: Lines,
    description: Description,
    form: EntryForm,
    positions: Positions,
    keys: ValueKeys,
    /// The data files with their lengths, once they are open.
    data: Vec<(File, u64)>,
}

/// Values of the first keys, as text.
pub type Values = Vec<Vec<u8>>;

/// A range of keys: values of the first keys at either end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The beginning, in the order of the index.
    pub from: Bound<Values>,
    /// The end, in the order of the index.
    pub to: Bound<Values>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { from: Bound::Unbounded, to: Bound::Unbounded }
    }
}

/// An entry that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number of the data file, from 0.
    pub file: usize,
    /// Offset of the record in the file.
    pub offset: u64,
    /// Bytes of the record, with what ends it.
    pub bytes: u64,
}

impl Index {
    /// Opens an index, without its data.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a file that is no index, is damaged, or has
    /// another version.
    pub fn open(path: &Path) -> Result<Self> {
        let (pages, names) = Pages::open(path)?;
        let meta = pages.tree(names, META)?;
        let mut lines = Lines::new();
        let mut cursor = TreeCursor::new(&pages, meta);
        cursor.seek_first()?;
        while let Some((name, value)) = cursor.entry()? {
            lines.insert(String::from_utf8_lossy(name).into_owned(), value.to_vec());
            cursor.step()?;
        }
        let description = Description::read(path, &lines)?;
        let entries = pages.tree(names, ENTRIES)?;
        let form = EntryForm { is_unique: description.unique.is_some() };
        let positions = Positions::new(description.data.iter().map(|file| file.bytes));
        let format = description.format;
        let order = description.order.bind(&description.keys, format, ListMemory::UNBOUNDED)?;
        let columns = description.columns.clone();
        let columns = columns.map(Self::columns_of);
        let names = description.keys.iter().map(ToString::to_string).collect();
        let keys = ValueKeys::new(format, &order, names, columns)?;
        Ok(Self { pages, entries, lines, description, form, positions, keys, data: Vec::new() })
    }

    /// Opens the data files, so that records can be read, and checks that they are those that were
    /// indexed, unless `may_be_stale`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a file that has changed.
    pub fn open_data(&mut self, may_be_stale: bool) -> Result<()> {
        let files = self.description.data.iter().map(|data| {
            let file = data.reopen(may_be_stale)?;
            let found = file.metadata().map_err(|error| Error::io("look at", &data.path, error))?;
            Ok((file, found.len()))
        });
        self.data = files.collect::<Result<_>>()?;
        Ok(())
    }

    /// Returns what the index is of.
    pub const fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the entries of the database `meta`.
    pub const fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Returns the tree of entries.
    pub(crate) const fn tree(&self) -> PageTree {
        self.entries
    }

    /// Returns the pages.
    pub(crate) const fn pages(&self) -> &Pages {
        &self.pages
    }

    /// Returns the number of levels, of pages with entries, of pages above them, and of pages with
    /// long values.
    pub const fn sizes(&self) -> [u64; 4] {
        let tree = self.entries;
        [tree.depth as u64, tree.leaf_pages, tree.branch_pages, tree.overflow_pages]
    }

    /// Returns columns by their names.
    pub(crate) const fn columns_of(cells: Vec<Vec<u8>>) -> Columns {
        Columns { cells, are_named: true }
    }

    /// Returns the path of data file `number`.
    pub fn data_path(&self, number: usize) -> PathBuf {
        self.description.data.get(number).map(|file| file.path.clone()).unwrap_or_default()
    }

    /// Returns the records whose first keys have these values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for values that keys cannot have, and [`Error::Malformed`] for a damaged
    /// index.
    pub fn get(&self, values: &[Vec<u8>]) -> Result<Matches<'_>> {
        let key = self.keys.of(values)?;
        self.walk(Some(key.clone()), successor(key))
    }

    /// Returns the records whose first keys have these values, but for the last key, which begins
    /// with its value.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get), and [`Error::Config`] for a key whose values have no
    /// beginnings.
    pub fn prefix(&self, values: &[Vec<u8>]) -> Result<Matches<'_>> {
        let key = self.keys.of_prefix(values)?;
        self.walk(Some(key.clone()), successor(key))
    }

    /// Returns the records in a range.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn range(&self, bounds: &Bounds) -> Result<Matches<'_>> {
        let key = |values: &Values| self.keys.of(values);
        let low = match &bounds.from {
            Bound::Unbounded => None,
            Bound::Included(values) => Some(key(values)?),
            Bound::Excluded(values) => match successor(key(values)?) {
                // Nothing comes after the greatest key.
                None => return Ok(Matches::nothing(self)),
                after => after,
            },
        };
        let high = match &bounds.to {
            Bound::Unbounded => None,
            Bound::Included(values) => successor(key(values)?),
            Bound::Excluded(values) => Some(key(values)?),
        };
        self.walk(low, high)
    }

    fn walk(&self, low: Option<Vec<u8>>, high: Option<Vec<u8>>) -> Result<Matches<'_>> {
        let mut walk = Matches { low, high, ..Matches::nothing(self) };
        walk.is_over = false;
        walk.begin(false)?;
        Ok(walk)
    }

    /// Returns the byte between columns of the data; a tab if records are no rows.
    pub const fn column_separator(&self) -> u8 {
        match self.description.format {
            Format::Csv(csv) => csv.dialect.separator,
            _ => b'\t',
        }
    }

    /// Returns the byte that ends records, if this one lacks it: the last of a file may.
    pub fn missing_end(&self, record: &[u8]) -> Option<u8> {
        let end = self.description.format.framing().terminator();
        end.filter(|end| record.last() != Some(end))
    }

    /// Reads the record of an entry into `out`, in place of what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] before [`open_data`](Self::open_data); [`Error::Io`], and
    /// [`Error::Malformed`] for a record that is not in the file.
    pub fn read(&self, found: &Found, out: &mut Vec<u8>) -> Result<()> {
        let (Some((file, length)), Some(data)) =
            (self.data.get(found.file), self.description.data.get(found.file))
        else {
            return Err(Error::config(ConfigErrorKind::Other, "the data files are not open"));
        };
        let outside = || {
            let message = format!(
                "the record at offset {} with {} bytes is not in the file; the index is damaged, \
                 or the file has changed",
                found.offset, found.bytes
            );
            Error::Malformed { path: data.path.clone(), message: message.into() }
        };
        if found.offset.checked_add(found.bytes).is_none_or(|end| end > *length) {
            return Err(outside());
        }
        out.resize(found.bytes as usize, 0);
        file.read_exact_at(out, found.offset).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => outside(),
            _ => Error::io_at("read", &data.path, found.offset, error),
        })
    }
}

/// Returns the least bytes that are greater than all that begin with `key`; `None` if there are
/// none.
fn successor(mut key: Vec<u8>) -> Option<Vec<u8>> {
    while let Some(last) = key.pop() {
        if let Some(next) = last.checked_add(1) {
            key.push(next);
            return Some(key);
        }
    }
    None
}

/// The entries of a range, one after the other.
#[derive(Debug)]
pub struct Matches<'a> {
    index: &'a Index,
    cursor: TreeCursor<'a>,
    /// The least key, and the least one that is too great.
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    is_reverse: bool,
    /// True if the cursor is at an entry that was not returned yet.
    is_new: bool,
    is_over: bool,
}

impl<'a> Matches<'a> {
    fn nothing(index: &'a Index) -> Self {
        let cursor = TreeCursor::new(&index.pages, index.entries);
        let (low, high) = (None, None);
        Self { index, cursor, low, high, is_reverse: false, is_new: false, is_over: true }
    }

    /// Returns the entries from the last to the first. It comes before the first entry is taken.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step).
    pub fn reversed(mut self) -> Result<Self> {
        if !self.is_over {
            self.begin(true)?;
        }
        Ok(self)
    }

    fn begin(&mut self, is_reverse: bool) -> Result<()> {
        self.is_reverse = is_reverse;
        self.is_new = true;
        let start = if is_reverse { self.high.take() } else { self.low.take() };
        match (&start, is_reverse) {
            (Some(key), _) => self.seek(key)?,
            (None, false) => self.cursor.seek_first()?,
            (None, true) => self.cursor.seek_end(),
        }
        if is_reverse {
            self.high = start;
            self.cursor.step_back()?;
        } else {
            self.low = start;
        }
        Ok(())
    }

    /// Goes to the first entry whose whole key is not before `key`.
    fn seek(&mut self, key: &[u8]) -> Result<()> {
        let Some(cut) = key.get(..CUT).filter(|_| key.len() > CUT) else {
            return self.cursor.seek(key);
        };
        // Entries that share these bytes are in the order of their ordinals.
        let (mut low, mut high) = (0, u64::MAX);
        let mut place = [cut, &[0; NUMBER]].concat();
        while low < high {
            let middle = low.midpoint(high);
            place[CUT..].copy_from_slice(&middle.to_be_bytes());
            self.cursor.seek(&place)?;
            let before = match parsed(self.index, &mut self.cursor)? {
                Some(entry) if entry.key == cut && entry.compare(key).is_lt() => entry.ordinal,
                _ => None,
            };
            match before {
                Some(ordinal) => low = ordinal.saturating_add(1),
                None => high = middle,
            }
        }
        place[CUT..].copy_from_slice(&low.to_be_bytes());
        self.cursor.seek(&place)
    }

    /// Returns the next entry; `None` after the last one.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub fn step(&mut self) -> Result<Option<Found>> {
        if self.is_over {
            return Ok(None);
        }
        match (std::mem::take(&mut self.is_new), self.is_reverse) {
            (true, _) => {}
            (false, true) => self.cursor.step_back()?,
            (false, false) => self.cursor.step()?,
        }
        let Some(entry) = parsed(self.index, &mut self.cursor)? else {
            self.is_over = true;
            return Ok(None);
        };
        let is_outside = match self.is_reverse {
            false => self.high.as_ref().is_some_and(|high| entry.compare(high).is_ge()),
            true => self.low.as_ref().is_some_and(|low| entry.compare(low).is_lt()),
        };
        if is_outside {
            self.is_over = true;
            return Ok(None);
        }
        let (file, offset) = self.index.positions.place(entry.position);
        Ok(Some(Found { file, offset, bytes: entry.length }))
    }
}

impl Matches<'_> {
    /// Returns the included parts of the entry that was returned last, as they stand in the record.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step).
    pub fn included(&mut self) -> Result<Vec<Vec<u8>>> {
        let number = self.cursor.page();
        let Some(entry) = parsed(self.index, &mut self.cursor)? else { return Ok(Vec::new()) };
        let (mut rest, mut parts) = (entry.columns, Vec::new());
        while !rest.is_empty() {
            let length = read_number(&mut rest).and_then(|length| usize::try_from(length).ok());
            let split = length.and_then(|length| rest.split_at_checked(length));
            let Some((part, behind)) = split else {
                return Err(self.index.pages.damaged(number, "an included column is cut off"));
            };
            parts.push(part.to_vec());
            rest = behind;
        }
        Ok(parts)
    }
}

/// Returns the place of the record of an entry, in words.
pub fn place_of(index: &Index, key: &[u8], value: &[u8]) -> String {
    match index.form.read(key, value) {
        None => "no record".to_owned(),
        Some(entry) => {
            let (file, offset) = index.positions.place(entry.position);
            format!("the record at offset {offset} of {}", index.data_path(file).display())
        }
    }
}

/// Returns the entry at a cursor; `None` at the end.
fn parsed<'c>(index: &Index, cursor: &'c mut TreeCursor<'_>) -> Result<Option<Parsed<'c>>> {
    let number = cursor.page();
    match cursor.entry()? {
        None => Ok(None),
        Some((key, value)) => match index.form.read(key, value) {
            None => Err(index.pages.damaged(number, "an entry is not one of an index")),
            entry => Ok(entry),
        },
    }
}
