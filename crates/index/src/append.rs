//! Adding records to an index: those at the end of the last data file, and those of new files.
//!
//! ```text
//!   old index ------------------------------.
//!                                           v
//!   new records --> build --> part index --> merge --> new index, in place of the old one
//! ```
//!
//! Both trees are read from left to right, and the new one is written so. The old index stays as it
//! is until then.

use std::cmp::Ordering;
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::io::{Direct, TempFile, check_replaceable};
use sortwell_engine::job::Budget;
use sortwell_engine::operator::Unique;
use sortwell_engine::stats::{Phase, Progress};
use sortwell_engine::{Error, Result};

use crate::build::{BuildJob, Built, OpenData, SortSettings, equal, write_meta};
use crate::description::{Description, ENTRIES};
use crate::entry::{EntryForm, Parsed, write_number};
use crate::index::Index;
use crate::lmdb::pages::Pages;
use crate::lmdb::reader::TreeCursor;
use crate::lmdb::tree::PageTree;
use crate::lmdb::writer::{NewTree, PageFile};
use crate::scanned::ScannedFile;
use crate::source::{DataFile, Positions};
use crate::store::IndexTarget;

/// Entries between two looks whether the job was stopped.
const STOP_CHECK: u64 = 65_536;

/// One append: an index, and more data.
#[derive(Clone, Debug)]
pub struct AppendJob {
    /// The index, which is replaced.
    pub index: PathBuf,
    /// New data files.
    pub data: Vec<PathBuf>,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Directories for run files; empty means the index's directory.
    pub temp: Vec<PathBuf>,
    /// True to replace an index that has no write permission.
    pub force: bool,
    /// True to make the index durable before it gets its name.
    pub sync: bool,
}

impl AppendJob {
    /// Adds the new records. Blocks until the new index is in place.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause; [`Error::Malformed`] if the data that
    /// was indexed before has changed. Then the old index stays.
    pub fn run(&self, progress: &Progress) -> Result<Built> {
        let index = Index::open_without_data(&self.index)?;
        index.pages().lock_for_replacement()?;
        if !self.force {
            check_replaceable(&self.index)?;
        }
        let old = index.description();
        let (kept, mut again) = without_records(old);
        let mut job = self.part(old);
        again.append(&mut job.data);
        job.data = again;
        let open = grown(old, kept, job.open()?)?;
        let data = open.data.clone();
        let columns = open.named_columns();
        let (part, built) = job.build(open, None, false, progress)?;
        progress.enter(Phase::Writing);
        let part_file = part.file().as_fd().try_clone_to_owned();
        let part_file = part_file.map_err(|error| Error::io("use", &self.index, error))?;
        let (pages, names) = Pages::of(part_file.into(), &self.index)?;
        let temporary = TempFile::create(&self.index, Direct::Off)?;
        let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
        let merge = TreeMerge {
            unique: job.unique,
            positions: Positions::new(data.iter().map(DataFile::end)),
            data: &data,
            progress,
        };
        let earlier = TreeCursor::new(index.pages(), index.tree());
        let added = TreeCursor::new(&pages, pages.tree(names, ENTRIES)?);
        // The new entries are in proven order.
        let tree = merge.write(earlier, added, &file).map_err(|error| match error {
            Error::Disorder { .. } => {
                let message = "the index is damaged: its entries are not in order; build it again";
                let (path, message) = (self.index.clone(), message.to_owned().into());
                Error::Malformed { path, message }
            }
            error => error,
        })?;
        let entries = tree.entries;
        let description = Description { data: data.clone(), entries, columns, ..old.clone() };
        let bytes = write_meta(&file, tree, &description)?;
        // A build that ended meanwhile has replaced the index that was added to.
        index.pages().lock_for_replacement()?;
        temporary.persist(&self.index, self.sync)?;
        let (leaf_pages, branch_pages) = (tree.leaf_pages, tree.branch_pages);
        Ok(Built { entries, bytes, leaf_pages, branch_pages, ..built })
    }

    /// Returns the build of an index of the new records.
    fn part(&self, description: &Description) -> BuildJob {
        let Description { format, keys, order, header, include, unique, .. } = description.clone();
        BuildJob {
            data: self.data.clone(),
            output: self.index.clone(),
            format,
            keys,
            order,
            header,
            include,
            target: IndexTarget::Lmdb,
            unique,
            memory: self.memory,
            threads: self.threads,
            temp: self.temp.clone(),
            sort: SortSettings::default(),
            force: true,
            sync: false,
            resume: false,
        }
    }
}

/// Returns the data files of a description that stay, and the last one if it had no record: its
/// header may not have been whole, so it is read again from its beginning.
fn without_records(description: &Description) -> (&[DataFile], Vec<PathBuf>) {
    match description.data.split_last() {
        Some((last, others)) if last.top == last.end() => (others, vec![last.path.clone()]),
        _ => (&description.data, Vec::new()),
    }
}

/// Returns the `kept` data files of a description as they are now, with what is new of them to
/// scan, and then those that were opened.
fn grown(description: &Description, kept: &[DataFile], added: OpenData) -> Result<OpenData> {
    let mut open = OpenData { data: Vec::new(), files: Vec::new(), columns: None };
    if let (Some(old), Some(new)) = (&description.columns, &added.columns)
        && *old != new.cells
    {
        return Err(other_columns(old, &new.cells, &added.data));
    }
    for (number, old) in kept.iter().enumerate() {
        if number + 1 < description.data.len() {
            // A copy of the same bytes may have its name.
            let file = old.reopen(false)?;
            let found = file.metadata().map_err(|error| Error::io("open", &old.path, error))?;
            open.data.push(DataFile { inode: (found.dev(), found.ino()), ..old.clone() });
            continue;
        }
        let (now, file) = DataFile::open(&old.path)?;
        if now.bytes == old.bytes {
            old.reopen(true)?;
        }
        old.check_beginning(&file, now.bytes)?;
        if now.bytes > old.bytes && old.is_bgzf {
            let message = "a compressed file has grown; append new records in a file of their own";
            let (path, message) = (old.path.clone(), message.to_owned().into());
            return Err(Error::Malformed { path, message });
        }
        if now.bytes > old.bytes {
            check_end(description, old, &file)?;
            let (path, start, end) = (old.path.clone(), old.bytes, now.bytes);
            open.files.push(ScannedFile { number, file, path, start, end, is_bgzf: false });
        }
        open.data.push(DataFile { top: old.top, ..now });
    }
    // The first row of all says how many cells the new ones have.
    open.columns = description.columns_in(kept)?.or(added.columns);
    for scanned in added.files {
        let number = scanned.number + kept.len();
        open.files.push(ScannedFile { number, ..scanned });
    }
    for data in added.data {
        data.check_new(&open.data, "in the index already")?;
        open.data.push(data);
    }
    Ok(open)
}

/// Returns the error that the `new` columns are not the `old` ones of an index.
fn other_columns(old: &[Vec<u8>], new: &[Vec<u8>], data: &[DataFile]) -> Error {
    let name = |cell: Option<&Vec<u8>>| match cell {
        Some(cell) => format!("'{}'", String::from_utf8_lossy(cell)),
        None => "missing".to_owned(),
    };
    let at = (0..).find(|at| old.get(*at) != new.get(*at)).unwrap_or_default();
    let file = data.first().map(|data| data.path.display().to_string()).unwrap_or_default();
    let message = format!(
        "the columns of {file} are not those of the index: column {} is {} in the file, and {} in \
         the index; append files with the same columns, or build an index of their own",
        at + 1,
        name(new.get(at)),
        name(old.get(at)),
    );
    Error::config(ConfigErrorKind::UnknownColumn, message)
}

/// Checks that the last record of a file that has grown had its end when it was indexed.
fn check_end(description: &Description, old: &DataFile, file: &File) -> Result<()> {
    if old.has_end(description.format, file)? {
        return Ok(());
    }
    let message = format!(
        "the record before offset {} had no end when the index was built, so that it may have \
         grown; build the index again",
        old.bytes
    );
    Err(Error::Malformed { path: old.path.clone(), message: message.into() })
}

/// The merge of two trees of entries.
struct TreeMerge<'a> {
    unique: Option<Unique>,
    positions: Positions,
    data: &'a [DataFile],
    progress: &'a Progress,
}

impl TreeMerge<'_> {
    /// Writes the entries of both trees in order.
    fn write(
        &self,
        mut old: TreeCursor,
        mut new: TreeCursor,
        file: &Arc<PageFile>,
    ) -> Result<PageTree> {
        let form = EntryForm { is_unique: self.unique.is_some() };
        let tree = NewTree::new(file);
        let mut leaves = tree.begin(0);
        let (mut key, mut value) = (Vec::new(), Vec::new());
        old.seek_first()?;
        new.seek_first()?;
        for rank in 0.. {
            if rank % STOP_CHECK == 0 && self.progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let (one, other) = (parsed(form, &mut old)?, parsed(form, &mut new)?);
            let order = match (&one, &other) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => one.order(other),
            };
            let taken = match (one, other, order, self.unique) {
                (Some(one), Some(other), Ordering::Equal, Some(Unique::Error)) => {
                    return Err(equal(self.data, &self.positions, [one.position, other.position]));
                }
                (_, Some(other), Ordering::Equal, Some(Unique::Last)) => other,
                (_, Some(other), Ordering::Greater, _) => other,
                (Some(one), ..) => one,
                (None, ..) => break,
            };
            taken.write(form, rank, &mut key, &mut value);
            leaves.add(&key, [&value, taken.columns])?;
            let drops_other = order.is_eq() && self.unique.is_some();
            if order.is_le() {
                old.step()?;
            }
            if order.is_gt() || drops_other {
                new.step()?;
            }
        }
        leaves.finish(1)?;
        tree.finish()
    }
}

impl Parsed<'_> {
    /// Returns the order of the whole keys of two entries.
    fn order(&self, other: &Self) -> Ordering {
        match (self.rest, other.rest) {
            (b"", b"") => self.key.cmp(other.key),
            _ => self.key.iter().chain(self.rest).cmp(other.key.iter().chain(other.rest)),
        }
    }

    /// Writes the entry as it is at a rank among all, without the columns.
    fn write(&self, form: EntryForm, rank: u64, key: &mut Vec<u8>, value: &mut Vec<u8>) {
        key.clear();
        value.clear();
        key.extend_from_slice(self.key);
        if self.ordinal.is_some() {
            key.extend_from_slice(&rank.to_be_bytes());
            write_number(value, self.rest.len() as u64);
            value.extend_from_slice(self.rest);
        }
        if form.is_unique {
            write_number(value, self.position);
        } else {
            key.extend_from_slice(&self.position.to_be_bytes());
        }
        write_number(value, self.length);
    }
}

/// Returns the entry at a cursor; `None` at the end.
fn parsed<'c>(form: EntryForm, cursor: &'c mut TreeCursor) -> Result<Option<Parsed<'c>>> {
    let Some((key, value)) = cursor.entry()? else { return Ok(None) };
    match form.read(key, value) {
        None => Err(Error::Malformed {
            path: Path::new("the index").to_owned(),
            message: "an entry is not one of an index; build it again".to_owned().into(),
        }),
        entry => Ok(entry),
    }
}
