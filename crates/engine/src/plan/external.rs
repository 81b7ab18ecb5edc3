//! Plan of a sort that needs runs: how loads become runs, and the memory in which runs are merged.

use super::Need;
use super::levers::{AREAS_MAX, Levers};
use super::memory::{LoadMemory, Sizes};
use super::passes::{self, MergeMethod};
use super::refusal::too_long_to_select;
use super::replacement::ReplacementMemory;
use super::sieve::SieveMemory;
use super::{Algorithm, PAGE};
use crate::error::Result;
use crate::units::ByteSize;

/// Ways to make runs of the input. A further one is a variant here, and a function of the pipeline
/// that makes runs so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunGeneration {
    /// Loads that are sorted one by one.
    Loads,
    /// Loads of lines without their copies.
    Sieve(SieveMemory),
    /// Replacement selection: records pass through memory one by one.
    Replacement(ReplacementMemory),
}

/// Reason why the input is not sorted in one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpillReason {
    /// The length of a stream is not known.
    UnknownLength,
    /// The user has limited the bytes of a run.
    RunSize(ByteSize),
    /// The input, with its entries, needs more memory than loads have.
    TooLarge {
        /// Bytes that one load of everything would take.
        needed: ByteSize,
        /// Bytes that loads have.
        room: ByteSize,
    },
    /// So few records are wanted that memory for all of them is not worth its time.
    FewWanted,
    /// New memory is so slow on this machine that two passes in less of it end first.
    SlowMemory,
}

/// Reason for the size of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadLimit {
    /// It has the whole memory of an area.
    Memory,
    /// More memory would make nothing faster.
    Enough,
    /// The user has limited the bytes of a run.
    RunSize,
    /// Few records are wanted.
    FewWanted,
}

/// Reason for the maximum number of runs merged at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WidthLimit {
    /// Each run needs a piece of memory of this size.
    Memory,
    /// No more files can be open.
    OpenFiles,
    /// The user has set it.
    Asked,
}

/// Part of a plan that a sort in memory does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalPlan {
    /// Reason why there are runs.
    pub reason: SpillReason,
    /// Way in which runs are made.
    pub generation: RunGeneration,
    /// Loads that are in memory at once: two that take turns, or one.
    pub load_areas: usize,
    /// Memory of each of them.
    pub area_bytes: usize,
    /// Slabs of a merge that are in memory at once: two that take turns, or one.
    pub slabs: usize,
    /// Maximum memory of a load, unless a long record needs more.
    pub load_limit: usize,
    /// Reason for the memory of a load.
    pub load_reason: LoadLimit,
    /// Memory of one slab of a merge.
    pub slab_bytes: usize,
    /// Bytes of a slab that are used unless a long record takes more.
    pub slab_wanted: usize,
    /// Bytes of the smallest piece of a run that is worth a request of its own, of records of the
    /// usual length.
    pub piece_bytes: usize,
    /// The part of them for a disk that takes time to begin a read.
    pub seek_bytes: usize,
    /// Most runs merged at once.
    pub merge_width: usize,
    /// Reason for that number.
    pub width_reason: WidthLimit,
    /// Most runs open at once, whatever memory there is.
    pub open_max: usize,
}

impl ExternalPlan {
    /// Returns the load of a sort that needs runs, and the rest of its plan, for loads that share
    /// `shared` bytes; `None` where these are too few. A merge of streams has `further` bytes more.
    pub(super) fn new(
        need: &Need,
        sizes: &Sizes,
        shared: usize,
        further: usize,
        reason: SpillReason,
    ) -> Option<(LoadMemory, Self)> {
        let levers = &need.levers;
        let (areas, slabs) = (levers.overlap.areas(), levers.overlap_of_merges().areas());
        let [area, slab_bytes] = [areas, slabs].map(|count| (shared / count) & !(PAGE - 1));
        let width = MergeWidth::new(
            need,
            slab_bytes,
            areas_bytes(areas, area, slabs, slab_bytes) + further,
            sizes.threads,
        );
        let limit = load_limit(need, sizes);
        let most = limit.unwrap_or(usize::MAX).min(area);
        let enough_of = |areas| enough(need, sizes, width.runs, areas);
        let enough = enough_of(areas).unwrap_or(area);
        let load_limit = enough.min(most);
        let of_run = need.levers.run.map(|run| sizes.load_of(run.bytes()));
        let of_run = of_run.filter(|load| load.bytes() <= load_limit);
        let load = of_run.unwrap_or_else(|| sizes.load_within(load_limit));
        let is_load = load.records_bytes >= sizes.least_load() && load.records_max >= 2;
        if !is_load || width.runs < 2 {
            return None;
        }
        let sieve = super::sieve(need, sizes, area, area);
        let load_reason = match (need.levers.run, limit) {
            _ if load_limit == area => LoadLimit::Memory,
            _ if enough < most => LoadLimit::Enough,
            (Some(_), _) => LoadLimit::RunSize,
            _ => LoadLimit::FewWanted,
        };
        let external = Self {
            reason,
            generation: sieve.map_or(RunGeneration::Loads, RunGeneration::Sieve),
            load_areas: areas,
            area_bytes: area,
            slabs,
            load_limit,
            load_reason,
            slab_bytes,
            slab_wanted: enough_of(slabs).unwrap_or(slab_bytes).min(slab_bytes),
            piece_bytes: passes::usual_piece(need.record_length, width.seek_bytes),
            seek_bytes: width.seek_bytes,
            merge_width: width.runs,
            width_reason: width.reason,
            open_max: width.open_max,
        };
        Some((load, external))
    }

    /// Returns the number of bytes for loads, which are those for slabs as well.
    pub fn areas_bytes(&self) -> usize {
        areas_bytes(self.load_areas, self.area_bytes, self.slabs, self.slab_bytes)
    }

    /// Returns how many of them are used where no record is longer than usual.
    pub(super) fn used_bytes(&self) -> usize {
        let of_loads = self.load_areas * self.load_limit;
        of_loads.max(self.slabs * self.slab_wanted).min(self.areas_bytes())
    }

    /// Makes runs by replacement selection.
    pub(super) fn select(&mut self, sizes: &Sizes) -> Result<()> {
        let memory = ReplacementMemory::new(self, sizes, sizes.record_length);
        let memory = memory.ok_or_else(|| too_long_to_select(sizes.record_length))?;
        self.generation = RunGeneration::Replacement(memory);
        Ok(())
    }

    /// Returns the memory in which copies are dropped as they are read, if they are.
    pub(super) fn sieve(&self) -> Option<SieveMemory> {
        match self.generation {
            RunGeneration::Sieve(memory) => Some(memory),
            _ => None,
        }
    }

    /// Returns the memory of replacement selection, if runs are made so.
    pub fn replacement(&self) -> Option<&ReplacementMemory> {
        match &self.generation {
            RunGeneration::Replacement(memory) => Some(memory),
            _ => None,
        }
    }
}

/// Returns the bytes of an arena for as many loads, and for as many slabs, of such sizes.
fn areas_bytes(areas: usize, area_bytes: usize, slabs: usize, slab_bytes: usize) -> usize {
    (areas * area_bytes).max(slabs * slab_bytes)
}

/// Loads of which hardly anything is kept are not worth memory that was never touched before: it
/// takes longer to get than the input takes to read.
const LOAD_LEAST: u64 = 64 << 20;

/// Size limit of a load, as a multiple of the bytes of the wanted records.
const LOAD_TIMES: u64 = 8;

/// Returns the maximum memory of a load for a need, if it is less than all memory.
pub(super) fn load_limit(need: &Need, sizes: &Sizes) -> Option<usize> {
    let wanted_bytes = |wanted: u64| wanted.saturating_mul(need.record_length as u64);
    let limit = need.wanted.map(|wanted| wanted_bytes(wanted).saturating_mul(LOAD_TIMES));
    // Buffers that short records are read through come first: large budgets have large ones.
    let buffers = sizes.buffers_bytes();
    let least = |limit: u64| (limit.max(LOAD_LEAST) as usize & !(PAGE - 1)).saturating_add(buffers);
    let of_run = need.levers.run.map(|run| sizes.load_of(run.bytes()).bytes());
    limit.map(least).into_iter().chain(of_run).min()
}

/// Size of pieces of runs that are as good as any, if they are also large multiples of the least
/// worthwhile request. Then the beginning of a request is a small part of its time.
const PIECE_ENOUGH: u64 = 16 << 20;
const PIECES_ENOUGH: u64 = 16;

/// Loads smaller than this make so large a number of runs that merging them takes longer.
const ENOUGH_LEAST: u64 = 128 << 20;

/// Returns the memory of one of `areas` loads, or slabs, beyond which more makes nothing faster.
/// With loads of `l` bytes, `n` bytes become `n / l` runs, and a slab as large holds `l * l / n`
/// bytes of each run. Once that is a piece like any other, more memory only takes time to get. On a
/// machine where fresh memory comes at 0.3 to 3 GB/s, 4 GB take a third less time in 512 MiB than
/// in 2 GiB. A load that is alone has what two in turn would have.
fn enough(need: &Need, sizes: &Sizes, merge_width: usize, areas: usize) -> Option<usize> {
    let bytes = need.input_bytes?;
    // Long runs are what selection is for; streams divide all memory anew; and runs may be given.
    let Levers { merge, run, .. } = need.levers;
    let is_selected = need.algorithm == Algorithm::ReplacementSelection;
    if is_selected || merge == Some(MergeMethod::Streams) || run.is_some() {
        return None;
    }
    let piece = PIECE_ENOUGH.max(PIECES_ENOUGH * need.levers.seek_bytes() as u64);
    let enough = bytes.saturating_mul(piece).isqrt().max(ENOUGH_LEAST);
    let times = AREAS_MAX / areas;
    let enough = usize::try_from(enough).ok()?.next_multiple_of(PAGE).saturating_mul(times);
    // A further pass would cost more than memory does.
    let run_bytes = sizes.load_within(enough).records_bytes.max(1);
    (bytes.div_ceil(run_bytes) <= merge_width as u64).then_some(enough)
}

/// Limits of the number of runs.
struct MergeWidth {
    /// Most runs merged at once.
    runs: usize,
    /// Most runs open at once in any case.
    open_max: usize,
    reason: WidthLimit,
    /// Bytes that the read factor adds to a piece. Two pieces fit in any case: the factor describes
    /// a disk, and there is no way to use a slow one that reads in larger pieces.
    seek_bytes: usize,
}

impl MergeWidth {
    /// Returns the limits with slabs of `slab_bytes`, or of streams in `stream_bytes`.
    fn new(need: &Need, slab_bytes: usize, stream_bytes: usize, threads: usize) -> Self {
        let files = passes::open_max(need.files, need.run_members, threads);
        let asked = need.levers.merge_width.map_or(usize::MAX, |asked| asked.max(2));
        let open_max = files.min(asked);
        let length = need.record_length;
        let seek = need.levers.seek_bytes();
        let (seek_bytes, room) = match need.levers.merge {
            Some(MergeMethod::Streams) => {
                let seek_bytes = seek.min(passes::streams_seek_max(stream_bytes, length));
                (seek_bytes, passes::stream_width(stream_bytes, length, seek_bytes))
            }
            _ => {
                let seek_bytes = seek.min(passes::slabs_seek_max(slab_bytes, length));
                (seek_bytes, passes::merge_width(slab_bytes, length, seek_bytes))
            }
        };
        let reason = match () {
            () if room < open_max => WidthLimit::Memory,
            () if asked <= files => WidthLimit::Asked,
            () => WidthLimit::OpenFiles,
        };
        Self { runs: room.min(open_max), open_max, reason, seek_bytes }
    }
}
