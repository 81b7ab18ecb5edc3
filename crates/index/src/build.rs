//! Building an index: scan, sort, pack, prove, name.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::{Format, HeaderLines};
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Direct, Supplied, TempFile, check_replaceable, sweep};
use sortwell_engine::job::{Budget, Input, Output, RowKeys, SortJob};
use sortwell_engine::key::{Key, ListMemory, OrderOptions};
use sortwell_engine::operator::Unique;
use sortwell_engine::pipeline::{Columns, Heading, Top};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::sys::limits;
use sortwell_engine::{ByteSize, Error, Result};

use crate::description::{Description, ENTRIES, META, check_supported};
use crate::entry::EntryForm;
use crate::include::{Include, Included};
use crate::lmdb::tree::PageTree;
use crate::lmdb::writer::{NewTree, PageFile};
use crate::pack::Packer;
use crate::scan::{OrderedBlocks, Scan, ScannedEntries, ScannedFile};
use crate::source::{DataFile, Positions};

/// Bytes of a block of data, at most and at least.
const BLOCK_MAX: u64 = 1 << 20;
const BLOCK_MIN: u64 = 64 << 10;

/// Most bytes of a record: the length of an entry, and of its key, has 32 bits.
const RECORD_MAX: u64 = 1 << 29;

/// Blocks of memory that each thread of the scan takes: data, entries, and entries that wait.
const BLOCKS_EACH: u64 = 6;

/// Memory of threads, of branches, and of all that is small.
const FIXED: u64 = 2 << 20;

/// Memory of a packing thread: a group of pages, and what waits for its turn.
const PACKING: u64 = 512 << 10;

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
    /// Treatment of records with equal keys; `None` keeps all.
    pub unique: Option<Unique>,
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

/// The result of a build.
#[derive(Debug)]
pub struct Built {
    /// Number of entries.
    pub entries: u64,
    /// Bytes of the index.
    pub bytes: u64,
    /// Number of pages with entries.
    pub leaf_pages: u64,
    /// Number of pages above them.
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
    /// The columns, if records are rows.
    pub columns: Option<Columns>,
}

impl BuildJob {
    /// Builds the index. Blocks until it is in place. Another thread may stop it through
    /// `progress`.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause. Then no index exists under its name.
    pub fn run(&self, progress: &Progress) -> Result<Built> {
        check_supported(self.format, &self.keys, &self.order)?;
        self.order.bind(&self.keys, self.format, ListMemory::UNBOUNDED)?;
        if !self.force {
            check_replaceable(&self.output)?;
        }
        let (temporary, built) = self.build(self.open()?, progress)?;
        temporary.persist(&self.output, self.sync)?;
        Ok(built)
    }

    /// Builds the index under a temporary name.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn build(&self, open: OpenData, progress: &Progress) -> Result<(TempFile, Built)> {
        let OpenData { data, files, columns } = open;
        let order = self.order.bind(&self.keys, self.format, ListMemory::UNBOUNDED)?;
        let rows = RowKeys::ended(self.format, &order, columns.as_ref())?;
        let included = Included::new(&self.include, self.format, columns.as_ref())?;
        let temporary = TempFile::create(&self.output, Direct::Off)?;
        sweep(temporary.directory())?;
        let file = Arc::new(PageFile::new(Arc::clone(temporary.file())));
        let form = EntryForm { is_unique: self.unique.is_some() };
        let packer = Arc::new(Packer::new(&file, form, self.unique == Some(Unique::Error)));
        let positions = Positions::new(data.iter().map(|file| file.bytes));
        let statistics = self.sort(files, positions.clone(), (rows, included), &packer, progress);
        let statistics = match packer.duplicate() {
            Some(found) => return Err(equal(&data, &positions, found)),
            None => statistics?,
        };
        let tree = packer.finish()?;
        prove(statistics.records_selected.unwrap_or(statistics.records), tree.entries)?;
        let description = Description {
            format: self.format,
            keys: self.keys.clone(),
            order: self.order.clone(),
            unique: self.unique,
            include: self.include.clone(),
            columns: columns.filter(|columns| columns.are_named).map(|columns| columns.cells),
            data,
            entries: tree.entries,
        };
        // Entries of a file that changed while it was read are of no use.
        description.data.iter().try_for_each(|file| file.reopen(false).map(drop))?;
        let bytes = write_meta(&file, tree, &description)?;
        let (entries, leaf_pages) = (tree.entries, tree.leaf_pages);
        let branch_pages = tree.branch_pages;
        Ok((temporary, Built { entries, bytes, leaf_pages, branch_pages, statistics }))
    }

    /// Opens the data files and reads their tops.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for files with other columns.
    pub fn open(&self) -> Result<OpenData> {
        let heading = Heading::of(self.format, &self.header)?;
        let mut open = OpenData { data: Vec::new(), files: Vec::new(), columns: None };
        let mut first: Option<Top> = None;
        for (number, path) in self.data.iter().enumerate() {
            let (mut data, file) = DataFile::open(path)?;
            let mut reader = &file;
            let (top, _) = heading.read(path, |buffer| {
                let mut filled = 0;
                while filled < buffer.len() {
                    match std::io::Read::read(&mut reader, &mut buffer[filled..]) {
                        Ok(0) => break,
                        Ok(read) => filled += read,
                        Err(error) => return Err(Error::io("read", path, error)),
                    }
                }
                Ok(filled)
            })?;
            (data.top, data.top_lines) = (top.size.bytes, top.size.lines);
            let (start, end) = (data.top, data.bytes);
            open.files.push(ScannedFile { number, file, path: path.clone(), start, end });
            open.data.push(data);
            match &first {
                Some(first) => first.check_same(&top, &heading)?,
                None if top.is_nothing(&heading) => {}
                None => {
                    open.columns = top.columns(&heading);
                    first = Some(top);
                }
            }
        }
        Ok(open)
    }

    /// Sorts the entries of all records into the packer.
    fn sort(
        &self,
        files: Vec<ScannedFile>,
        positions: Positions,
        rows: (RowKeys, Included),
        packer: &Arc<Packer>,
        progress: &Progress,
    ) -> Result<Statistics> {
        let threads = self.threads.unwrap_or_else(limits::cores).max(1);
        let memory = self.memory.resolve()?.bytes();
        let each = memory / 8 / threads as u64 / BLOCKS_EACH;
        let block = each.clamp(BLOCK_MIN, BLOCK_MAX);
        let taken = FIXED + threads as u64 * (block * BLOCKS_EACH + PACKING);
        let longest = (memory / 16).clamp(BLOCK_MAX, RECORD_MAX) as usize;
        let entries = OrderedBlocks::new(threads * 2);
        let scan =
            Scan::new(files, positions, rows, (block as usize, longest), Arc::clone(&entries));
        let supplied =
            Supplied::new("the entries".as_ref(), ScannedEntries::new(Arc::clone(&entries)));
        let consumer = Output::Pipe(Outlet::consumer(Arc::<Packer>::clone(packer)));
        let mut job = SortJob::new(vec![Input::Supplied(supplied)], consumer, Format::KEYED);
        job.memory = Budget::Bytes(ByteSize(memory.saturating_sub(taken)));
        job.threads = Some(threads);
        job.temp = match self.temp.as_slice() {
            [] => vec![sortwell_engine::io::directory_of(&self.output).to_owned()],
            temp => temp.to_vec(),
        };
        job.select.unique = self.unique.filter(|unique| *unique != Unique::Error);
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| scan.work(progress));
            }
            let sorted = job.run(progress);
            entries.abandon();
            let sorted = sorted.map_err(|error| with_scan(error, memory, taken))?;
            prove(scan.records(), sorted.records)?;
            Ok(sorted)
        })
    }
}

/// Compares the number of records before and after a step.
///
/// # Errors
///
/// [`Error::Proof`] if they differ.
fn prove(before: u64, after: u64) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let (checksum_in, checksum_out) = (0, 0);
    Err(Error::Proof { records_in: before, checksum_in, records_out: after, checksum_out })
}

/// Returns the error of a budget that is too small with the memory of the scan, and any other error
/// as it is.
fn with_scan(error: Error, memory: u64, taken: u64) -> Error {
    let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = error.config_kind() else {
        return error;
    };
    let least = ByteSize((least.bytes() + taken).next_multiple_of(1 << 20));
    let message = format!(
        "a memory budget of {} is too small to build the index; give at least {least}, or fewer \
         threads",
        ByteSize(memory)
    );
    Error::config(ConfigErrorKind::BudgetTooSmall { least: Some(least) }, message)
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
         of unique keys needs different keys, or must be asked to keep the first or the last"
    );
    Error::Malformed { path: path(other), message: message.into() }
}
