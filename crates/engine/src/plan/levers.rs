//! Settings of a plan by users. Each is left to the plan where nothing is said; what is said
//! counts, and where it cannot be had the plan is refused.

use std::str::FromStr;

use super::algorithm::Algorithm;
use super::besides::Reservation;
use super::geometry::Geometry;
use super::passes::Way;
use crate::error::{ConfigErrorKind, ParseError, Setting, config, message};
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
    /// Loads, or slabs, that memory is divided among.
    pub fn areas(self) -> usize {
        match self {
            Self::Auto | Self::Pipelined => AREAS_MAX,
            Self::Sync => 1,
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
    /// Number of 4 KiB blocks that could be read in the time that it takes to begin a read: Oracle
    /// 7's `SORT_READ_FAC`. With a higher number, a merge reads runs in larger pieces and merges
    /// fewer runs at once.
    pub read_factor: Option<u32>,
    /// Most runs merged at once.
    pub merge_width: Option<usize>,
    /// Way in which runs are merged.
    pub merge: Option<Way>,
    /// Sizes of buffers where runs are merged as streams, if they are set.
    pub merge_buffers: Option<Geometry>,
    /// Entries of a run in memory: psort's microrun.
    pub microrun: Option<usize>,
    /// Number of runs in memory that AlphaSort merges.
    pub alphasort_runs: Option<usize>,
    /// Choice of whether reading and writing overlap.
    pub overlap: Overlap,
    /// Choice of whether workers stay on their processors.
    pub affinity: Affinity,
}

/// Bytes of the blocks that a read factor counts.
const FACTOR_BLOCK: usize = 4096;

/// Time to read a piece, as a multiple of the time to begin. With several reads in flight, the
/// beginning of one overlaps with the others, so twice is enough.
const FACTOR_TIMES: usize = 2;

/// The factor that suits the disks we know: a quarter of a megabyte.
pub(super) const FACTOR_USUAL: u32 = 32;

/// Largest piece that a factor may ask for.
const PIECE_MAX: usize = 64 << 20;

/// Largest memory of a request in flight, without its buffer: the stack of the thread that waits
/// for it, or its places in a ring.
const REQUEST_BYTES: u64 = 24 << 10;

/// Requests of a worker that the plan's reserve has room for.
const REQUESTS_USUAL: usize = 16;

impl Levers {
    /// Checks that they go together, and with how runs are made.
    pub(super) fn check(&self, algorithm: Algorithm) -> crate::Result<()> {
        if self.merge_buffers.is_some() && self.merge != Some(Way::Streams) {
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

    /// Returns the number of bytes of the smallest piece of a run that is worth a request of its
    /// own.
    pub(super) fn piece_bytes(&self) -> usize {
        let factor = self.read_factor.unwrap_or(FACTOR_USUAL) as usize;
        (FACTOR_TIMES * FACTOR_BLOCK).saturating_mul(factor).clamp(FACTOR_BLOCK, PIECE_MAX)
    }
}
