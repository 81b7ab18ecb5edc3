//! The fence around unsafe memory and the kernel: everything above this layer is safe code.
//!
//! Memory: an [`Arena`] is one huge-page mapping for a whole job, and a [`Region`] is the exclusive
//! owner of a range of it. Requests take their region by value and give it back when they are done,
//! so the kernel never writes into memory that anyone else can see. An [`ElasticRegion`] grows
//! without copies, for records whose length is not known.
//!
//! Files: a [`File`] knows both ways into a file, through the page cache and past it, and sends
//! every request the best way that its alignment allows. A [`Queue`] carries requests out, many at
//! once, with an engine: `uring`, `threads`, `mmap` (with advice and without) and `sync`, a file
//! each. All share `transfer`, the one place that knows about short transfers, interruptions and
//! the end of a file. A [`Cursor`] reads a file as a stream; `striped` makes one file of several.
//!
//! Around them: [`TempFile`] and [`SpillDirectory`] never become litter (`scratch`, `sweep`).
//! `final_name` finds where a rename leads, and refuses names that no file can have. A [`Holding`]
//! counts what temporary files take of a place, and how fast. `pipe` serves streams that have no
//! offsets, `supply` those that the caller makes. `redirect` knows those that have offsets after
//! all, `inherited` the descriptors that were open when the process began, `kind` tells which
//! inputs have offsets. `faulty` makes faults to order, for tests.
//!
//! Invariant: no pointer leaves this layer, and memory is unmapped only after the last
//! request that could touch it has come back.

mod arena;
mod cache;
mod consumer;
mod cursor;
mod direct;
mod elastic;
#[doc(hidden)]
pub mod faulty;
mod file;
mod final_name;
mod holding;
mod identity;
pub mod inherited;
mod kind;
mod lending;
mod mmap;
pub mod pipe;
mod queue;
pub mod redirect;
mod scratch;
pub mod striped;
mod supply;
mod sweep;
mod sync;
mod threads;
mod transfer;
mod uring;

use std::str::FromStr;

use crate::error::{ConfigErrorKind, ParseError, Result, Setting, config, message, named};
use crate::sys::limits;

/// Kernel's answer to a call.
type Answer<T> = rustix::io::Result<T>;

pub use arena::{Arena, PageSize, Region};
pub use consumer::{ConsumeTask, Consumer, SharedConsumer};
pub use cursor::Cursor;
pub(crate) use direct::ALIGNMENT_MAX;
pub use direct::{Direct, DirectStreams};
pub use elastic::ElasticRegion;
pub(crate) use file::not_opened;
pub use file::{File, check_whole_at};
pub use final_name::{check_name, check_replaceable, directory_of, rename_target};
pub use holding::{Allowance, Holding, HoldingShare};
pub use identity::{DirectoryIdentity, NameIdentity, distinct};
pub use kind::InputKind;
pub use lending::{FillNext, LentSource, lend};
pub use queue::{Completion, Direction, Queue, Request};
pub(crate) use scratch::random;
pub use scratch::{KEPT_NAME, SpillDirectory, TempFile, sync_directory};
pub use supply::{BegunStream, Extent, Supplied, Supply};
pub use sweep::{
    abandoned, belonging_directories, is_part, is_spill_directory, spill_directories, sweep,
};
pub(crate) use sweep::{free_lock, open_followed};

named! {
    /// Ways for requests to reach the kernel.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum Engine {
        /// io_uring where it works and enough files may be open, else a pool of threads.
        #[default]
        Auto = "auto",
        /// io_uring: many requests in flight from one thread.
        Uring = uring::NAME,
        /// A pool of threads doing positional reads and writes.
        Threads = threads::NAME,
        /// Reads copy out of short-lived mappings; writes are plain. Best with cached inputs.
        Mmap = mmap::NAME,
        /// Mappings without advice to the kernel: slower, for comparison.
        MmapPlain = mmap::NAME_PLAIN,
        /// One plain request after the other.
        Sync = sync::NAME,
    }
}

impl Engine {
    /// Returns the engine that will really be used: `Auto` becomes one that works here, any other
    /// stays what it is. An engine asked for by name that cannot work is an error that says why.
    pub fn probe(self) -> Result<Self> {
        match self {
            Self::Auto if limits::are_files_few() => Ok(Self::Threads),
            Self::Auto => Ok(if uring::probe().is_ok() { Self::Uring } else { Self::Threads }),
            Self::Uring => uring::probe().map(|()| self).map_err(|e| {
                config!(
                    ConfigErrorKind::Unsupported,
                    "io_uring cannot be used here ({}); use {} or {}",
                    e,
                    Setting::Engine.to("auto"),
                    Setting::Engine.to("threads"),
                )
            }),
            Self::MmapPlain => mmap::probe_plain().map(|()| self).map_err(|e| {
                config!(
                    ConfigErrorKind::Unsupported,
                    "{} cannot be used here, as the kernel does not copy for this process \
                     (process_vm_readv: {}); use {}",
                    Setting::Engine.to("mmap-plain"),
                    e,
                    Setting::Engine.to("mmap"),
                )
            }),
            Self::Threads | Self::Mmap | Self::Sync => Ok(self),
        }
    }

    /// Returns whether a worker can continue while the engine carries out its requests.
    pub fn is_asynchronous(self) -> bool {
        matches!(self, Self::Auto | Self::Uring | Self::Threads)
    }

    /// Returns whether the engine always reads through the page cache.
    pub fn is_mapping(self) -> bool {
        matches!(self, Self::Mmap | Self::MmapPlain)
    }

    /// Returns a new queue with room for `depth` requests in flight. More may be submitted; they
    /// wait their turn inside the queue.
    pub fn queue(self, depth: usize) -> Result<Box<dyn Queue>> {
        let depth = depth.max(1);
        Ok(striped::around(faulty::around(match self {
            Self::Auto if limits::are_files_few() => Box::new(threads::ThreadPool::new(depth)?),
            // Rings are memory too: where one more is refused, threads do the work.
            Self::Auto => match uring::Uring::new(depth) {
                Ok(ring) if uring::probe().is_ok() => Box::new(ring),
                _ => Box::new(threads::ThreadPool::new(depth)?),
            },
            Self::Uring => Box::new(uring::Uring::new(depth).map_err(|e| {
                config!(
                    ConfigErrorKind::OutOfResources,
                    "cannot set up io_uring ({}); use {}",
                    e,
                    Setting::Engine.to("threads"),
                )
            })?),
            Self::Threads => Box::new(threads::ThreadPool::new(depth)?),
            Self::Mmap => Box::new(sync::Inline::new(mmap::NAME, mmap::perform)),
            Self::MmapPlain => Box::new(sync::Inline::new(mmap::NAME_PLAIN, mmap::perform_plain)),
            Self::Sync => Box::new(sync::Inline::new(sync::NAME, sync::perform)),
        })))
    }
}

impl FromStr for Engine {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        Self::ALL.into_iter().find(|engine| engine.name() == text).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let message = message!("'{}' is not an I/O engine; use one of {}", text, names);
            ParseError::new("I/O engine", text, message)
        })
    }
}

#[cfg(test)]
mod tests;
