//! Sorting the entries of all records into a store: at once, or in parts that are kept.
//!
//! ```text
//!   at once:   data --> scan --> sort --> store
//!   in parts:  data --> scan --> sort --> part 0, part 1, ... --> merge --> store
//!                                         durable, and noted
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::thread;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{DirectStreams, Engine, Supplied};
use sortwell_engine::job::{
    Budget, Input, InputPlace, KeptParts, MergeJob, Output, RowKeys, SortJob,
};
use sortwell_engine::operator::Unique;
use sortwell_engine::plan::levers::Levers;
use sortwell_engine::stats::{Progress, SourceShare, Statistics};
use sortwell_engine::sys::limits;
use sortwell_engine::{ByteSize, Error, Result};

use crate::build::{BuildJob, SortSettings};
use crate::ordered::{OrderedBlocks, ScannedEntries};
use crate::scan::{ENTRY_MAX, Scan, ScannedData};
use crate::scan_memory::ScanMemory;
use crate::scanned::ScannedFile;
use crate::source::Positions;
use crate::typed::EntryParts;

/// Blocks of each thread that wait.
const WAITING_EACH: usize = 2;

/// Most bytes of data whose entries become one part, and the share of memory that their entries
/// may take: so the sort of a part seldom spills.
const PART_MAX: u64 = 1 << 30;
const PART_SHARE: u64 = 2;

/// One sort of entries.
pub struct EntrySort {
    data: ScannedData,
    threads: usize,
    memory: ScanMemory,
    temp: Vec<PathBuf>,
    unique: Option<Unique>,
    settings: SortSettings,
}

impl EntrySort {
    /// Returns the sort of the entries of `files` for a build.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a budget that is no number of bytes.
    pub fn new(
        job: &BuildJob,
        files: Vec<ScannedFile>,
        positions: Positions,
        rows: RowKeys,
        parts: EntryParts,
    ) -> Result<Self> {
        let threads = job.threads.unwrap_or_else(limits::cores).max(1);
        let memory = ScanMemory::new(job.memory.resolve()?.bytes(), threads as u64, job.target);
        // Keys of a whole record, and included parts, are longer than the record.
        let entry_max = (memory.longest as usize * 4).min(ENTRY_MAX);
        let parts_max = (job.keys.len() + parts.count()) as u64;
        let data = ScannedData {
            tally: Mutex::default(),
            ragged: AtomicU64::default(),
            read: Arc::default(),
            files,
            positions,
            rows,
            parts,
            block: memory.block as usize,
            memory,
            entry_max,
            parts_max,
        };
        let (temp, unique) = (job.temp(), job.unique.filter(|unique| *unique != Unique::Error));
        let settings = job.sort;
        Ok(Self { data, threads, memory, temp, unique, settings })
    }

    /// Sorts all entries into `outlet`. `is_all` is true if the job is done then.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause.
    pub fn whole(&self, outlet: Outlet, is_all: bool, progress: &Progress) -> Result<Statistics> {
        let output = Output::Pipe(outlet);
        let source = is_all.then(|| self.data.source());
        let (mut sorted, _) = self.sorted(self.data.first(), u64::MAX, source, output, progress)?;
        sorted.keys = self.data.findings();
        sorted.ragged_rows_dropped = self.data.ragged_dropped();
        sorted.memory_budget = ByteSize(self.memory.budget);
        Ok(sorted)
    }

    /// Sorts the entries that are in no part yet into further parts, and merges all of them into
    /// `outlet`.
    ///
    /// # Errors
    ///
    /// Those of [`whole`](Self::whole).
    pub fn in_parts(
        &self,
        parts: &mut KeptParts,
        outlet: Outlet,
        progress: &Progress,
    ) -> Result<Statistics> {
        let most = (self.memory.budget / PART_SHARE).min(PART_MAX);
        let earlier = parts.next();
        let mut place = earlier.unwrap_or_else(|| self.data.first());
        while !self.data.is_end(place) {
            let output = Output::File(parts.next_path());
            let (sorted, next) = self.sorted(place, most, None, output, progress)?;
            parts.note(sorted.records_selected.unwrap_or(sorted.records), next)?;
            place = next;
        }
        let inputs = parts.paths().into_iter().map(Input::File).collect();
        let mut job = MergeJob::new(inputs, Output::Pipe(outlet), Format::KEYED);
        job.select.unique = self.unique;
        job.memory = self.left();
        job.threads = Some(self.threads);
        job.temp.clone_from(&self.temp);
        (job.engine, job.direct, job.levers) = self.requests();
        job.timeline = self.settings.timeline;
        let mut merged = job.run(progress).map_err(|error| self.with_scan(error))?;
        prove(parts.records(), merged.records)?;
        merged.memory_budget = ByteSize(self.memory.budget);
        // Nothing is known of the rows of earlier parts.
        if earlier.is_none() {
            merged.keys = self.data.findings();
            merged.ragged_rows_dropped = self.data.ragged_dropped();
        }
        Ok(merged)
    }

    /// Returns the memory of a sort or merge.
    fn left(&self) -> Budget {
        Budget::Bytes(ByteSize(self.memory.left()))
    }

    /// Returns the settings of requests of a sort or merge.
    fn requests(&self) -> (Engine, DirectStreams, Levers) {
        let SortSettings { engine, direct, levers, .. } = self.settings;
        (engine, DirectStreams { spill: direct, ..DirectStreams::default() }, levers)
    }

    /// Sorts the entries of records from a place on, about `most` bytes of data. Returns the place
    /// after them. `source` is that of all entries, if this sort is the whole job.
    fn sorted(
        &self,
        from: InputPlace,
        most: u64,
        source: Option<SourceShare>,
        output: Output,
        progress: &Progress,
    ) -> Result<(Statistics, InputPlace)> {
        let entries = OrderedBlocks::new(self.threads * WAITING_EACH * self.data.piece_bytes());
        let scan = Scan::new(&self.data, from, most, Arc::clone(&entries));
        let scanned = ScannedEntries::new(Arc::clone(&entries));
        let supplied = Supplied::new("the entries".as_ref(), scanned).made_from(source);
        let mut job = SortJob::new(vec![Input::Supplied(supplied)], output, Format::KEYED);
        job.memory = self.left();
        job.threads = Some(self.threads);
        job.temp.clone_from(&self.temp);
        (job.engine, job.direct, job.levers) = self.requests();
        job.timeline = self.settings.timeline;
        job.select.unique = self.unique;
        thread::scope(|scope| {
            for _ in 0..self.threads {
                let scanning = thread::Builder::new().name("scan".to_owned());
                let started = scanning.spawn_scoped(scope, || scan.work(progress));
                started.map_err(|e| {
                    entries.abandon();
                    Error::io("start", Path::new("a scan thread"), e)
                })?;
            }
            let sorted = job.run(progress);
            entries.abandon();
            let sorted = sorted.map_err(|error| self.with_scan(error))?;
            prove(scan.records(), sorted.records)?;
            Ok((sorted, scan.place()))
        })
    }

    /// Returns the error of a budget that is too small with the memory of the scan, and any other
    /// error as it is.
    fn with_scan(&self, error: Error) -> Error {
        if let Error::BudgetExceeded { path, least: Some(least), .. } = &error
            && self.data.files.iter().all(|file| file.path != *path)
        {
            let least = self.memory.least_leaving(least.bytes());
            let message = format!(
                "the entry of a record is too long for a memory budget of {}; give at least {} MiB",
                ByteSize(self.memory.budget),
                least.bytes() >> 20
            );
            let path = self.data.files.first().map_or(path, |file| &file.path).clone();
            return Error::BudgetExceeded { path, message: message.into(), least: Some(least) };
        }
        let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = error.config_kind()
        else {
            return error;
        };
        let least = self.memory.least_leaving(least.bytes());
        let message = format!(
            "a memory budget of {} is too small to build the index; give at least {} MiB, or \
             fewer threads",
            ByteSize(self.memory.budget),
            least.bytes() >> 20
        );
        Error::config(ConfigErrorKind::BudgetTooSmall { least: Some(least) }, message)
    }
}

/// Compares the number of records before and after a step.
///
/// # Errors
///
/// [`Error::Proof`] if they differ.
pub fn prove(before: u64, after: u64) -> Result<()> {
    if before == after {
        return Ok(());
    }
    let (checksum_in, checksum_out) = (0, 0);
    Err(Error::Proof { records_in: before, checksum_in, records_out: after, checksum_out })
}
