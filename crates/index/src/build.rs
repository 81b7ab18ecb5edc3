//! Building an index: scan, sort, store, prove, name.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use sortwell_engine::error::{ConfigErrorKind, Message, Setting};
use sortwell_engine::format::{Format, HeaderLines};
use sortwell_engine::io::{Direct, Engine, TempFile, check_replaceable, directory_of, sweep};
use sortwell_engine::job::{Budget, KeptParts, RowKeys};
use sortwell_engine::key::text::TextOrder;
use sortwell_engine::key::{Key, ListMemory, OrderOptions};
use sortwell_engine::operator::Unique;
use sortwell_engine::pipeline::{Columns, Heading, Top};
use sortwell_engine::plan::levers::Levers;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{Error, Result};

use crate::description::{Description, ENTRIES, META, check_size, check_supported};
use crate::include::{Include, Included};
use crate::lmdb::pages::lock_for_replacement;
use crate::lmdb::tree::PageTree;
use crate::lmdb::writer::{NewTree, PageFile};
use crate::scanned::ScannedFile;
use crate::sort::{EntrySort, prove};
use crate::source::{DataFile, Positions, allow_open_files};
use crate::store::{EntryStore, IndexTarget, StoreSize};
use crate::typed::{EntryParts, TypedColumn};
use crate::values::check_places;

/// One build: which records, in which order, and where the index goes.
#[derive(Clone, Debug)]
pub struct BuildJob {
    /// The data files, in the order of their records.
    pub data: Vec<PathBuf>,
    /// The index.
    pub output: PathBuf,
    /// The format of records.
    pub format: Format,
    /// The keys, most significant first; at least one.
    pub keys: Vec<Key>,
    /// Options of the order that apply to all keys.
    pub order: OrderOptions,
    /// Lines at the top of each file that are no records.
    pub header: HeaderLines,
    /// Parts of the records that entries hold.
    pub include: Vec<Include>,
    /// The kind of file to write.
    pub target: IndexTarget,
    /// Treatment of records with equal keys; `None` keeps all.
    pub unique: Option<Unique>,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Directories for run files; empty means the index's directory.
    pub temp: Vec<PathBuf>,
    /// Settings of the sort of the entries.
    pub sort: SortSettings,
    /// True to replace an index that has no write permission.
    pub force: bool,
    /// True to make the index durable before it gets its name.
    pub sync: bool,
    /// True to keep sorted parts of the entries if the build fails, and to continue from those of
    /// an earlier build.
    pub resume: bool,
}

/// Settings of the sort of a build's entries. They apply to its temporary files: the entries come
/// from the scan of the data, and pages are written of them as they are merged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SortSettings {
    /// The I/O engine.
    pub engine: Engine,
    /// The use of direct I/O for runs.
    pub direct: Direct,
    /// Settings of the plan.
    pub levers: Levers,
    /// True to record a timeline for the statistics.
    pub timeline: bool,
}

/// The result of a build.
#[derive(Debug)]
pub struct Built {
    /// Number of entries.
    pub entries: u64,
    /// Bytes of the index.
    pub bytes: u64,
    /// Number of pages with entries; 0 of a database.
    pub leaf_pages: u64,
    /// Number of pages above them; 0 of a database.
    pub branch_pages: u64,
    /// Statistics of the sort of the entries.
    pub statistics: Statistics,
}

/// The data files, open, and their columns.
#[derive(Debug)]
pub struct OpenData {
    /// The files as they are now.
    pub data: Vec<DataFile>,
    /// The files to scan.
    pub files: Vec<ScannedFile>,
    /// The columns that the header or the first row shows, if records are rows.
    pub columns: Option<Columns>,
}

impl OpenData {
    /// Returns the names of the columns, if a header names them.
    pub fn named_columns(&self) -> Option<Vec<Vec<u8>>> {
        let named = self.columns.as_ref().filter(|columns| columns.are_named)?;
        Some(named.cells.clone())
    }
}

impl BuildJob {
    /// Builds the index. Blocks until it is in place. Another thread may stop it through
    /// `progress`.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause. Then no index exists under its name.
    pub fn run(&self, progress: &Progress) -> Result<Built> {
        check_supported(self.format, &self.keys)?;
        let order = self.order.bind(&self.keys, self.format, ListMemory::UNBOUNDED)?;
        check_places(self.format, &order, &self.keys)?;
        self.check_output()?;
        if !self.force {
            check_replaceable(&self.output)?;
        }
        // Until the new index is in place, so that records which are added meanwhile are not lost.
        let _locked = self.lock_output()?;
        let mut parts = if self.resume { Some(self.kept_parts()?) } else { None };
        let made = self.open().and_then(|open| {
            let (temporary, built) = self.build(open, parts.as_mut(), true, progress)?;
            temporary.persist(&self.output, self.sync)?;
            Ok(built)
        });
        let Some(parts) = parts else { return made };
        match made {
            Ok(built) => {
                parts.finish();
                Ok(built)
            }
            Err(error) => Err(parts.abandon(error)),
        }
    }

    /// Checks that the output is no pipe or device: an index is written in any order.
    fn check_output(&self) -> Result<()> {
        let Ok(found) = fs::metadata(&self.output) else { return Ok(()) };
        if found.is_file() || found.is_dir() {
            return Ok(());
        }
        let message = format!(
            "{} is a pipe or device, and an index is a regular file; give another name",
            self.output.display()
        );
        Err(Error::config(ConfigErrorKind::InvalidPath, message))
    }

    /// Locks the file that is replaced, if there is one, until it is closed.
    fn lock_output(&self) -> Result<Option<File>> {
        // Opening something else, such as a pipe, may wait for ever.
        if !fs::metadata(&self.output).is_ok_and(|found| found.is_file()) {
            return Ok(None);
        }
        let Ok(file) = File::open(&self.output) else { return Ok(None) };
        lock_for_replacement(&file, &self.output)?;
        Ok(Some(file))
    }

    /// Returns the parts of an earlier build like this one, or none of a new one.
    fn kept_parts(&self) -> Result<KeptParts> {
        let settings = [
            ("format", format!("{:?}", self.format)),
            ("order", format!("{:?} {:?}", self.keys, self.order)),
            ("header", format!("{:?}", self.header)),
            ("use of unique", format!("{:?}", self.unique)),
            ("list of included parts", format!("{:?}", self.include)),
            ("kind of index", format!("{:?}", self.target)),
        ];
        KeptParts::open(&self.output, &self.data, &settings, &self.temp()[0])
    }

    /// Returns the directories for temporary files.
    pub fn temp(&self) -> Vec<PathBuf> {
        match self.temp.as_slice() {
            [] => vec![directory_of(&self.output).to_owned()],
            temp => temp.to_vec(),
        }
    }

    /// Builds the index under a temporary name, from `parts` if the build can be continued.
    /// `is_all` is true if the job is done then, so that its share is known.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn build(
        &self,
        open: OpenData,
        parts: Option<&mut KeptParts>,
        is_all: bool,
        progress: &Progress,
    ) -> Result<(TempFile, Built)> {
        let named_columns = open.named_columns();
        let OpenData { data, files, columns } = open;
        let order = self.order.bind(&self.keys, self.format, ListMemory::UNBOUNDED)?;
        let rows = RowKeys::ended(self.format, &order, columns.as_ref())?;
        let parts_of = self.entry_parts(&order, columns.as_ref())?;
        let description = Description {
            format: self.format,
            keys: self.keys.clone(),
            order: self.order.clone(),
            unique: self.unique,
            header: self.header.clone(),
            include: self.include.clone(),
            columns: named_columns,
            data,
            entries: 0,
        };
        // A description that cannot be read back is an error before the work, not after it.
        let lines = description.lines();
        check_size(&self.output, lines.iter().map(|(name, value)| name.len() + value.len()).sum())?;
        Description::read(&self.output, &lines)?;
        let temporary = TempFile::create(&self.output, Direct::Off)?;
        sweep(temporary.directory())?;
        let positions = Positions::new(description.data.iter().map(DataFile::end));
        let store = EntryStore::new(self, &temporary, &positions, parts_of.columns())?;
        let sort = EntrySort::new(self, files, positions.clone(), rows, parts_of)?;
        let statistics = match parts {
            None => sort.whole(store.outlet(), is_all, progress),
            Some(parts) => sort.in_parts(parts, store.outlet(), progress),
        };
        let statistics = match store.duplicate() {
            Some(found) => return Err(equal(&description.data, &positions, found)),
            None => statistics?,
        };
        let records = statistics.records_selected.unwrap_or(statistics.records);
        let size = store.finish(&temporary, |entries| {
            prove(records, entries)?;
            // Entries of a file that changed while it was read are of no use.
            description.data.iter().try_for_each(|file| file.check_scanned(self.format))?;
            Ok(Description { entries, ..description })
        })?;
        let StoreSize { entries, bytes, leaf_pages, branch_pages } = size;
        Ok((temporary, Built { entries, bytes, leaf_pages, branch_pages, statistics }))
    }

    /// Returns the parts of records that entries hold.
    fn entry_parts(&self, order: &TextOrder, columns: Option<&Columns>) -> Result<EntryParts> {
        let (include, format) = (&self.include, self.format);
        Ok(match self.target {
            IndexTarget::Lmdb => EntryParts::Included(Included::new(include, format, columns)?),
            IndexTarget::Sqlite => {
                EntryParts::Typed(TypedColumn::all(order, include, format, columns)?)
            }
        })
    }

    /// Opens the data files and reads their tops.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for files with other columns.
    pub fn open(&self) -> Result<OpenData> {
        allow_open_files(self.data.len())?;
        let heading = Heading::of(self.format, &self.header)?;
        let mut open = OpenData { data: Vec::new(), files: Vec::new(), columns: None };
        let mut first: Option<Top> = None;
        for (number, path) in self.data.iter().enumerate() {
            let (mut data, file) = DataFile::open(path)?;
            if data.is_at(&self.output) {
                let message =
                    format!("{} is a data file; give the index a name of its own", path.display());
                return Err(Error::config(ConfigErrorKind::InvalidPath, message));
            }
            data.check_new(&open.data, "given twice")?;
            let (top, scanned) = data.read_top(path, number, file, &heading)?;
            data.top = scanned.start;
            open.files.push(scanned);
            open.data.push(data);
            match &first {
                Some(first) => first.check_same(&top, &heading).map_err(with_own_advice)?,
                None if top.is_nothing(&heading) => {}
                None => {
                    open.columns = top.columns(&heading);
                    first = Some(top);
                }
            }
        }
        Ok(open)
    }
}

/// Returns the error of a file with other columns. An index cannot find columns by their names in
/// each file, as a sort can.
fn with_own_advice(error: Error) -> Error {
    match error {
        Error::Malformed { path, message } => {
            let fault = message.to_string();
            let fault = fault.split("; ").next().unwrap_or_default();
            let message = format!("{fault}; index files with the same columns together");
            Error::Malformed { path, message: message.into() }
        }
        error => error,
    }
}

/// Writes the description and all that is left of a file whose entries are written. Returns the
/// bytes of the file.
///
/// # Errors
///
/// Those of writing.
pub fn write_meta(
    file: &Arc<PageFile>,
    entries: PageTree,
    description: &Description,
) -> Result<u64> {
    let meta = NewTree::new(file);
    let mut lines = meta.begin(0);
    for (name, value) in description.lines() {
        lines.add(name.as_bytes(), [&value, b""])?;
    }
    lines.finish(1)?;
    file.finish(&[(ENTRIES, entries), (META, meta.finish()?)])
}

/// Returns the error of two records with the same key, at these positions.
pub fn equal(data: &[DataFile], positions: &Positions, found: [u64; 2]) -> Error {
    let [(file, offset), (other, later)] = found.map(|position| positions.place(position));
    let path = |file: usize| data.get(file).map(|data| data.path.clone()).unwrap_or_default();
    let also = if file == other { String::new() } else { format!(" of {}", path(file).display()) };
    let message = format!(
        "the record at offset {later} has the key of the record at offset {offset}{also}; an index \
         of unique keys needs different keys; keep one of them with "
    );
    let [first, last] = ["first", "last"].map(|which| Setting::Unique.to(which));
    let message = Message::from(message).and(first, " or ").and(last, "");
    Error::Malformed { path: path(other), message }
}
