//! Sorting the entries of all records into a store: at once, or in parts that are kept.
//!
//! ```text
//!   at once:   data --> scan --> sort --> store
//!   in parts:  data --> scan --> sort --> part 0, part 1, ... --> merge --> store
//!                                         durable, and noted
//! ```

use std::path::{Path, PathBuf};
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
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::sys::limits;
use sortwell_engine::{ByteSize, Error, Result};

use crate::build::{BuildJob, SortSettings};
use crate::entry::LONGEST_MAX;
use crate::ordered::{OrderedBlocks, ScannedEntries};
use crate::scan::{ENTRY_MAX, Scan, ScannedData};
use crate::scanned::ScannedFile;
use crate::source::Positions;
use crate::store::cache_bytes;
use crate::typed::EntryParts;

/// Bytes of a block of data, at most and at least.
const BLOCK_MAX: u64 = 1 << 20;
const BLOCK_MIN: u64 = 64 << 10;

/// Blocks of memory that each thread of the scan takes: data, a piece of entries, pieces that wait,
/// and the ones that the sort reads or needs next.
const BLOCKS_EACH: u64 = 6;

/// Blocks of each thread that wait.
const WAITING_EACH: usize = 2;

/// Memory of branches, of files, and of all that is small.
const FIXED: u64 = 4 << 20;

/// Memory of a scanning and of a packing thread: their stacks, a group of pages, and what waits for
/// its turn.
const EACH: u64 = 1 << 20;

/// Most bytes of data whose entries become one part, and the share of memory that their entries
/// may take: so the sort of a part seldom spills.
const PART_MAX: u64 = 1 << 30;
const PART_SHARE: u64 = 2;

/// One sort of entries.
pub struct EntrySort {
    data: ScannedData,
    threads: usize,
    /// All memory, and what the scan and the packing take of it.
    memory: u64,
    taken: u64,
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
        let memory = job.memory.resolve()?.bytes();
        let each = memory / 8 / threads as u64 / BLOCKS_EACH;
        let block = each.clamp(BLOCK_MIN, BLOCK_MAX);
        let cache = cache_bytes(job.target, memory);
        let taken = FIXED + cache + threads as u64 * (block * BLOCKS_EACH + EACH);
        let longest = (memory / 16).clamp(BLOCK_MAX, LONGEST_MAX) as usize;
        // Keys of a whole record, and included parts, are longer than the record.
        let entry_max = (longest * 4).min(ENTRY_MAX);
        let block = block as usize;
        let tally = Mutex::default();
        let data = ScannedData { tally, files, positions, rows, parts, block, longest, entry_max };
        let (temp, unique) = (job.temp(), job.unique.filter(|unique| *unique != Unique::Error));
        let settings = job.sort;
        Ok(Self { data, threads, memory, taken, temp, unique, settings })
    }

    /// Sorts all entries into `outlet`.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that data, disks or options can cause.
    pub fn whole(&self, outlet: Outlet, progress: &Progress) -> Result<Statistics> {
        let output = Output::Pipe(outlet);
        let (mut sorted, _) = self.sorted(self.data.first(), u64::MAX, output, progress)?;
        sorted.keys = self.data.findings();
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
        let most = (self.memory / PART_SHARE).min(PART_MAX);
        let earlier = parts.next();
        let mut place = earlier.unwrap_or_else(|| self.data.first());
        while !self.data.is_end(place) {
            let output = Output::File(parts.next_path());
            let (sorted, next) = self.sorted(place, most, output, progress)?;
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
        // Nothing is known of the keys in earlier parts.
        if earlier.is_none() {
            merged.keys = self.data.findings();
        }
        Ok(merged)
    }

    /// Returns the memory of a sort or merge.
    fn left(&self) -> Budget {
        Budget::Bytes(ByteSize(self.memory.saturating_sub(self.taken)))
    }

    /// Returns the settings of requests of a sort or merge.
    fn requests(&self) -> (Engine, DirectStreams, Levers) {
        let SortSettings { engine, direct, levers, .. } = self.settings;
        (engine, DirectStreams { spill: direct, ..DirectStreams::default() }, levers)
    }

    /// Sorts the entries of records from a place on, about `most` bytes of data. Returns the place
    /// after them.
    fn sorted(
        &self,
        from: InputPlace,
        most: u64,
        output: Output,
        progress: &Progress,
    ) -> Result<(Statistics, InputPlace)> {
        let entries = OrderedBlocks::new(self.threads * WAITING_EACH * self.data.piece_bytes());
        let scan = Scan::new(&self.data, from, most, Arc::clone(&entries));
        let supplied =
            Supplied::new("the entries".as_ref(), ScannedEntries::new(Arc::clone(&entries)));
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
        let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = error.config_kind()
        else {
            return error;
        };
        let least = ByteSize((least.bytes() + self.taken).next_multiple_of(1 << 20));
        let message = format!(
            "a memory budget of {} is too small to build the index; give at least {least}, or \
             fewer threads",
            ByteSize(self.memory)
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
