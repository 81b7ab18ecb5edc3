//! An index that is open: what it is of, and searches by values of its keys.

use std::ops::{Bound, RangeBounds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::key::ListMemory;
use sortwell_engine::{Error, Result};

use crate::description::{Description, ENTRIES, Lines, META, META_MAX, check_size};
use crate::entry::EntryForm;
use crate::lmdb::pages::Pages;
use crate::lmdb::reader::TreeCursor;
use crate::lmdb::tree::PageTree;
use crate::matches::{KeyRange, Matches, successor};
use crate::record_file::RecordFile;
use crate::source::{DataFile, Positions};
use crate::values::ValueKeys;

/// An open index. A clone is the same index, for another thread.
#[derive(Clone, Debug)]
pub struct Index(Arc<IndexParts>);

#[derive(Debug)]
struct IndexParts {
    pages: Arc<Pages>,
    entries: PageTree,
    lines: Lines,
    description: Description,
    form: EntryForm,
    positions: Positions,
    keys: ValueKeys,
    /// The data files; none if the index was opened without them.
    data: Vec<RecordFile>,
}

/// Use of the data files of an index that is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataUse {
    /// They must be those that were indexed.
    Checked,
    /// They may have changed.
    Stale,
    /// They are not opened.
    Closed,
}

/// An entry that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The number of the data file, from 0.
    pub file: usize,
    /// Offset of the record in the file; in a file of BGZF, a virtual one.
    pub offset: u64,
    /// Bytes of the record, with what ends it.
    pub bytes: u64,
}

impl Index {
    /// Opens an index and its data files, and checks that these are as they were when they were
    /// indexed.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]. [`Error::Malformed`] for a file that is no index, is damaged, or has another
    /// version, and for data that has changed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for(path.as_ref(), DataUse::Checked)
    }

    /// Opens an index and its data files, which may have changed. If a record has changed or moved,
    /// other bytes are found in its place.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), but for data that has changed.
    pub fn open_stale(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for(path.as_ref(), DataUse::Stale)
    }

    /// Opens an index without its data files. Then records cannot be read.
    ///
    /// # Errors
    ///
    /// Those of [`open_stale`](Self::open_stale), but for missing data files.
    pub fn open_without_data(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_for(path.as_ref(), DataUse::Closed)
    }

    fn open_for(path: &Path, data_use: DataUse) -> Result<Self> {
        let (pages, names) = Pages::open(path)?;
        let meta = pages.tree(names, META)?;
        let (mut lines, mut bytes) = (Lines::new(), 0);
        let mut cursor = TreeCursor::new(&pages, meta).with_value_max(META_MAX);
        cursor.seek_first()?;
        while let Some((name, value)) = cursor.entry()? {
            bytes += name.len() + value.len();
            check_size(path, bytes)?;
            lines.insert(String::from_utf8_lossy(name).into_owned(), value.to_vec());
            cursor.step()?;
        }
        let description = Description::read(path, &lines)?;
        let entries = pages.tree(names, ENTRIES)?;
        let form = EntryForm { is_unique: description.unique.is_some() };
        let positions = Positions::new(description.data.iter().map(DataFile::end));
        let format = description.format;
        let order = description.order.bind(&description.keys, format, ListMemory::UNBOUNDED)?;
        let columns = description.columns_in(&[])?;
        let names = description.keys.iter().map(ToString::to_string).collect();
        let keys = ValueKeys::new(format, &order, names, columns)?;
        let data = match data_use {
            DataUse::Closed => Vec::new(),
            DataUse::Checked | DataUse::Stale => {
                description.open_data(data_use == DataUse::Stale)?
            }
        };
        let parts = IndexParts { pages, entries, lines, description, form, positions, keys, data };
        Ok(Self(Arc::new(parts)))
    }

    /// Returns what the index is of.
    pub fn description(&self) -> &Description {
        &self.0.description
    }

    /// Returns the entries of the database `meta`.
    pub fn lines(&self) -> &Lines {
        &self.0.lines
    }

    /// Returns the tree of entries.
    pub(crate) fn tree(&self) -> PageTree {
        self.0.entries
    }

    /// Returns the pages.
    pub(crate) fn pages(&self) -> &Arc<Pages> {
        &self.0.pages
    }

    /// Returns the path of the index.
    pub(crate) fn path(&self) -> &Path {
        self.0.pages.path()
    }

    /// Returns how entries are written.
    pub(crate) fn form(&self) -> EntryForm {
        self.0.form
    }

    /// Returns the data file and the offset of a position.
    pub(crate) fn place(&self, position: u64) -> (usize, u64) {
        self.0.positions.place(position)
    }

    /// Returns the number of levels, of pages with entries, of pages above them, and of pages with
    /// long values.
    pub fn sizes(&self) -> [u64; 4] {
        let tree = self.0.entries;
        [u64::from(tree.depth), tree.leaf_pages, tree.branch_pages, tree.overflow_pages]
    }

    /// Returns the path of data file `number`.
    pub fn data_path(&self, number: usize) -> PathBuf {
        self.0.description.data.get(number).map(|file| file.path.clone()).unwrap_or_default()
    }

    /// Finds the records whose first keys have these values: those of all keys or of fewer.
    ///
    /// A value is text as it stands in the data. Keys of binary records take numbers, text, or
    /// bytes as hexadecimal digits after `0x`.
    /// Records of which a later key is invalid are found too, before or after the others.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for values that keys cannot have, and [`Error::Malformed`] for a damaged
    /// index.
    pub fn get<V: AsRef<[u8]>>(&self, values: &[V]) -> Result<Matches> {
        self.beginning_with(self.0.keys.of(values)?, values.len())
    }

    /// Finds the records whose first keys have these values, but for the last key, which begins
    /// with its value. Every key begins with an empty one, also that of a missing value.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get), and [`Error::Config`] for a key whose values have no
    /// beginnings.
    pub fn prefix<V: AsRef<[u8]>>(&self, values: &[V]) -> Result<Matches> {
        let is_any = values.last().is_some_and(|last| last.as_ref().is_empty());
        let count = values.len() - usize::from(is_any);
        self.beginning_with(self.0.keys.of_prefix(values)?, count)
    }

    /// Finds the records whose keys begin with the `key` of `count` values, and those of which a
    /// later key is invalid.
    fn beginning_with(&self, key: Vec<u8>, count: usize) -> Result<Matches> {
        let others = self.0.keys.with_invalid_later(&key, count);
        let mut ranges: Vec<KeyRange> =
            others.into_iter().chain([key]).map(KeyRange::beginning_with).collect();
        ranges.sort_by(|one, other| one.low.cmp(&other.low));
        Matches::within(self, ranges)
    }

    /// Finds the records between two ends, each with values of the first keys. The beginning comes
    /// before the end in the order of the index.
    ///
    /// # Errors
    ///
    /// Those of [`get`](Self::get).
    pub fn range<S, V>(&self, range: impl RangeBounds<S>) -> Result<Matches>
    where
        S: AsRef<[V]>,
        V: AsRef<[u8]>,
    {
        let key = |values: &S| self.0.keys.of(values.as_ref());
        let low = match range.start_bound() {
            Bound::Unbounded => None,
            Bound::Included(values) => Some(key(values)?),
            Bound::Excluded(values) => match successor(key(values)?) {
                // Nothing comes after the greatest key.
                None => return Matches::within(self, Vec::new()),
                after => after,
            },
        };
        let high = match range.end_bound() {
            Bound::Unbounded => None,
            Bound::Included(values) => successor(key(values)?),
            Bound::Excluded(values) => Some(key(values)?),
        };
        Matches::within(self, vec![KeyRange { low, high }])
    }

    /// Finds all records.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a damaged index.
    pub fn entries(&self) -> Result<Matches> {
        Matches::within(self, vec![KeyRange::default()])
    }

    /// Returns the keys of values, for programs that have values as numbers and days.
    #[doc(hidden)] // of the Python package
    pub fn values(&self) -> &ValueKeys {
        &self.0.keys
    }

    /// Returns the byte between columns of the data; a tab if records are no rows.
    pub fn column_separator(&self) -> u8 {
        match self.0.description.format {
            Format::Csv(csv) => csv.dialect.separator,
            _ => b'\t',
        }
    }

    /// Returns the byte that ends records, if this one lacks it: the last of a file may.
    pub fn missing_end(&self, record: &[u8]) -> Option<u8> {
        let end = self.0.description.format.framing().terminator();
        end.filter(|end| record.last() != Some(end))
    }

    /// Returns the record of an entry.
    ///
    /// # Errors
    ///
    /// Those of [`read_into`](Self::read_into).
    pub fn read(&self, found: &Found) -> Result<Vec<u8>> {
        let mut record = Vec::new();
        self.read_into(found, &mut record).map(|()| record)
    }

    /// Reads the record of an entry into `out`, in place of what is there.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if the index was opened without its data; [`Error::Io`], and
    /// [`Error::Malformed`] for a record that is not in the file, and for data that changed 10
    /// milliseconds ago or earlier, unless the index was opened with
    /// [`open_stale`](Self::open_stale).
    pub fn read_into(&self, found: &Found, out: &mut Vec<u8>) -> Result<()> {
        let file = self.data_file(found.file)?;
        file.read(found.offset, found.bytes, out)?;
        file.check()
    }

    /// Reads a record as [`read_into`](Self::read_into) does, for a caller that calls
    /// [`check_data`](Self::check_data) before it uses the record.
    ///
    /// # Errors
    ///
    /// Those of [`read_into`](Self::read_into), but for data that has changed.
    #[doc(hidden)] // of the command and the Python package
    pub fn read_unchecked(&self, found: &Found, out: &mut Vec<u8>) -> Result<()> {
        self.data_file(found.file)?.read(found.offset, found.bytes, out)
    }

    /// Checks that the data files of these numbers had not changed 10 milliseconds ago. Takes the
    /// numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] with what has changed.
    #[doc(hidden)] // of the command and the Python package
    pub fn check_data(&self, files: &mut Vec<usize>) -> Result<()> {
        files.sort_unstable();
        files.dedup();
        files.drain(..).try_for_each(|file| self.data_file(file)?.check())
    }

    fn data_file(&self, number: usize) -> Result<&RecordFile> {
        self.0.data.get(number).ok_or_else(|| {
            let (kind, message) = match self.0.data.len() {
                0 => (ConfigErrorKind::Other, "the data files are not open".to_owned()),
                files => (
                    ConfigErrorKind::InvalidValue,
                    format!(
                        "the index has {files} data files, from number 0 on, and no number \
                         {number}; give an entry that this index has found"
                    ),
                ),
            };
            Error::config(kind, message)
        })
    }
}
