//! Settings of a plan by users. Each is left to the plan where nothing is said; what is said
//! counts, and where it cannot be had the plan is refused.

mod choices;

use std::str::FromStr;

pub use choices::JobChoices;

use super::algorithm::Algorithm;
use super::besides::Reservation;
use super::geometry::Geometry;
use super::passes::MergeMethod;
use crate::codec::{CompressRuns, Compression, block_coder_bytes};
use crate::error::{ConfigErrorKind, ParseError, Setting, config, message, named};
use crate::incore::GatherStores;
use crate::io::Engine;
use crate::run::layout::BLOCK;
use crate::sys::Affinity;
use crate::units::ByteSize;

/// Loads, or slabs, that take turns where one is read while another is written.
pub(super) const AREAS_MAX: usize = 2;

/// NOW-Sort's two forms of run generation and of merging (Arpaci-Dusseau et al. 1997, section 6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlap {
    /// Pipelined, but where fewer runs are merged more than once if nothing overlaps.
    #[default]
    Auto,
    /// A load of all memory is read, then sorted and written, and then comes the next: runs are
    /// twice as long, and disks rest while processors work.
    Sync,
    /// The next load is read while one is sorted and written: each has half of the memory.
    Pipelined,
}

impl Overlap {
    /// Returns the number of loads, or slabs, that memory is divided among.
    pub fn areas(self) -> usize {
        match self {
            Self::Auto | Self::Pipelined => AREAS_MAX,
            Self::Sync => 1,
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Sync => "sync",
            Self::Pipelined => "pipelined",
        }
    }
}

impl FromStr for Overlap {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        match text {
            "auto" => Ok(Self::Auto),
            "sync" => Ok(Self::Sync),
            "pipelined" => Ok(Self::Pipelined),
            _ => {
                let message = message!("'{}' is not an overlap; use auto, sync or pipelined", text);
                Err(ParseError::new("overlap", text, message))
            }
        }
    }
}

/// Choice of overlap for each phase of a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseOverlap {
    /// Run generation.
    pub runs: Overlap,
    /// Merges.
    pub merge: Overlap,
}

impl FromStr for PhaseOverlap {
    type Err = ParseError;

    /// Reads one choice for both, or `runs=sync,merge=pipelined`; a phase that is not named is
    /// `auto`.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        if !text.contains('=') {
            return text.parse().map(|all| Self { runs: all, merge: all });
        }
        let mut phases = Self::default();
        for part in text.split(',') {
            let (name, choice) = part.split_once('=').unwrap_or((part, ""));
            let phase = match name {
                "runs" => &mut phases.runs,
                "merge" => &mut phases.merge,
                _ => {
                    let message = message!("'{}' is not a phase; use runs or merge", name);
                    return Err(ParseError::new("phase", name, message));
                }
            };
            *phase = choice.parse()?;
        }
        Ok(phases)
    }
}

named! {
    /// Choice of whether a worker continues while its requests are carried out.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum AsyncIo {
        /// As the engine can: several requests in flight where it takes them.
        #[default]
        Auto = "auto",
        /// Several requests in flight; an error where the engine carries out one at a time.
        On = "on",
        /// A worker waits for each request before it does anything else.
        Off = "off",
    }
}

impl FromStr for AsyncIo {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|choice| choice.name() == text).ok_or_else(|| {
            let setting = Setting::AsyncIo;
            let message = message!("'{}' is not a value of {}; use auto, on or off", text, setting);
            ParseError::new("choice for asynchronous I/O", text, message)
        })
    }
}

/// The levers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Levers {
    /// Reads in flight, of all workers together; each has two at least.
    pub queue_depth: Option<usize>,
    /// Bytes of a read request of run generation, and the most of one of a merge.
    pub block: Option<ByteSize>,
    /// Output buffers of each worker: Oracle 7's `SORT_WRITE_BUFFERS`.
    pub write_buffers: Option<usize>,
    /// Bytes of each: Oracle 7's `SORT_WRITE_BUFFER_SIZE`.
    pub write_buffer: Option<ByteSize>,
    /// About the most bytes of a run that a load makes; longer records make longer ones.
    pub run: Option<ByteSize>,
    /// Oracle 7's `SORT_READ_FAC`: the time to read a block of 4 KiB, divided by the time that each
    /// further block of the same read takes. It is 1 for a disk that begins a read at once. With a
    /// higher number, a merge reads runs in larger pieces and merges fewer runs at once.
    pub read_factor: Option<u32>,
    /// Most runs merged at once.
    pub merge_width: Option<usize>,
    /// Way in which runs are merged.
    pub merge: Option<MergeMethod>,
    /// Sizes of buffers where runs are merged as streams, if they are set.
    pub merge_buffers: Option<Geometry>,
    /// Compression of runs.
    pub compress_runs: CompressRuns,
    /// Entries of a run in memory: psort's microrun.
    pub microrun: Option<usize>,
    /// Number of runs in memory that AlphaSort merges.
    pub alphasort_runs: Option<usize>,
    /// Stores by which records get into output buffers: psort's cache refresh.
    pub gather_stores: GatherStores,
    /// Choice of whether reading and writing overlap in run generation; in merges, too, unless
    /// `merge_overlap` is set.
    pub overlap: Overlap,
    /// Choice of whether they overlap in merges.
    pub merge_overlap: Option<Overlap>,
    /// Choice of whether workers continue while their requests are carried out.
    pub async_io: AsyncIo,
    /// Choice of whether workers stay on their processors.
    pub affinity: Affinity,
}

/// Bytes of the blocks that a read factor counts.
const FACTOR_BLOCK: usize = 4096;

/// Time to read what a piece has beyond the smallest one, as a multiple of the time to begin a
/// read. The smallest piece of a run in a slab is four parts, one of which is read twice, so that
/// three in four bytes are read for the first time. Three times the beginning keeps that share.
const FACTOR_TIMES: usize = 3;

/// The factor where nothing is said. Where several reads are in flight, the beginning of one
/// overlaps with the others.
pub(super) const FACTOR_USUAL: u32 = 1;

/// Most bytes that a factor may add to a piece.
const SEEK_MAX: usize = 64 << 20;

/// Largest memory of a request in flight, without its buffer: the stack of the thread that waits
/// for it, or its places in a ring.
const REQUEST_BYTES: u64 = 24 << 10;

/// Requests of a worker that the plan's reserve has room for.
const REQUESTS_USUAL: usize = 16;

impl Levers {
    /// Checks that they go together, and with how runs are made.
    pub(super) fn check(&self, algorithm: Algorithm) -> crate::Result<()> {
        if self.merge_buffers.is_some() && self.merge != Some(MergeMethod::Streams) {
            return Err(config!(
                ConfigErrorKind::NotApplicable(Setting::MergeBuffers),
                "{} applies to runs that are merged as streams; add {}",
                Setting::MergeBuffers,
                Setting::Merge.to("streams")
            ));
        }
        let of_algorithms = [
            (self.microrun, Setting::Microrun, Algorithm::MERGESORT),
            (self.alphasort_runs, Setting::AlphasortRuns, Algorithm::ALPHASORT),
        ];
        for (lever, setting, of) in of_algorithms {
            if lever.is_some() && algorithm != of {
                return Err(config!(
                    ConfigErrorKind::NotApplicable(setting),
                    "{} applies to one algorithm only; add {}",
                    setting,
                    Setting::Algorithm.to(of.name())
                ));
            }
        }
        let is_packed = matches!(self.compress_runs, CompressRuns::As(_));
        if is_packed && cfg!(not(feature = "compression")) {
            return Err(config!(
                ConfigErrorKind::Unsupported,
                "this build does not support {}; build it with the cargo feature 'compression'",
                Setting::CompressRuns
            ));
        }
        if self.run.is_some() && algorithm == Algorithm::ReplacementSelection {
            return Err(config!(
                ConfigErrorKind::Conflict(Setting::RunSize, Setting::Algorithm),
                "{} does not apply to replacement selection, where the order of the input decides \
                 the length of runs; leave it out",
                Setting::RunSize
            ));
        }
        Ok(())
    }

    /// Returns the part of the budget that requests beyond the default number take, for `threads`
    /// workers.
    pub(super) fn requests(&self, threads: usize) -> Reservation {
        let reads = self.queue_depth.unwrap_or(0).div_ceil(threads.max(1));
        let each = reads.saturating_add(self.write_buffers.unwrap_or(0));
        let more = each.saturating_sub(REQUESTS_USUAL).saturating_mul(threads);
        Reservation::fixed(REQUEST_BYTES.saturating_mul(more as u64))
    }

    /// Returns the part of the budget that compressing and expanding runs takes, for `threads`
    /// workers and the calling thread.
    pub(super) fn coders(&self, threads: usize) -> Reservation {
        let bytes = |compression: &Compression| block_coder_bytes(*compression, BLOCK).bytes();
        let each = self.compress_runs.candidates().iter().map(bytes).max().unwrap_or(0);
        Reservation::fixed(each.saturating_mul(threads as u64 + 1))
    }

    /// Returns the number of bytes by which the read factor makes pieces of runs longer.
    pub(super) fn seek_bytes(&self) -> usize {
        let further = self.read_factor.unwrap_or(FACTOR_USUAL).saturating_sub(1) as usize;
        (FACTOR_TIMES * FACTOR_BLOCK).saturating_mul(further).min(SEEK_MAX)
    }

    /// Returns the choice of overlap in merges.
    pub fn overlap_of_merges(&self) -> Overlap {
        self.merge_overlap.unwrap_or(self.overlap)
    }

    /// Returns a copy in which a choice of overlap that is left to the plan is `choice`.
    #[must_use]
    pub fn with_open_overlap(self, choice: Overlap) -> Self {
        let fixed = |overlap| if overlap == Overlap::Auto { choice } else { overlap };
        let (overlap, merge_overlap) = (fixed(self.overlap), self.merge_overlap.map(fixed));
        Self { overlap, merge_overlap, ..self }
    }

    /// Returns whether the plan chooses the overlap of a phase.
    pub fn is_overlap_open(&self) -> bool {
        [self.overlap, self.overlap_of_merges()].contains(&Overlap::Auto)
    }

    /// Returns the engine that will really be used, which can do what is asked of it.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::probe`], and [`Error::Config`](crate::Error::Config) for asynchronous
    /// requests of an engine that carries out one at a time.
    pub fn probe(&self, engine: Engine) -> crate::Result<Engine> {
        if self.async_io == AsyncIo::On && !engine.is_asynchronous() {
            return Err(config!(
                ConfigErrorKind::Conflict(Setting::AsyncIo, Setting::Engine),
                "{} carries out one request at a time; use {} or {}, or leave out {}",
                Setting::Engine.to(engine.name()),
                Setting::Engine.to("uring"),
                Setting::Engine.to("threads"),
                Setting::AsyncIo.to("on"),
            ));
        }
        engine.probe()
    }

    /// Returns whether a worker waits for each of its requests.
    pub fn waits(&self) -> bool {
        self.async_io == AsyncIo::Off
    }
}

#[cfg(test)]
mod tests;
