//! Places of runs (`places`); of a job that keeps what it has done, also what is noted of that.
//!
//! What is noted has to be durable first. A run's last writes are still under way when it is
//! finished, and waiting for them would leave the disk idle: so a run is noted while the next one
//! is written, or when there is no next one.

mod places;
mod room;
mod share;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

use super::crew::Crew;
use crate::error::Result;
use crate::io::{File, sync_directory};
use crate::load::layout::PAGE;
use crate::manifest::{LogEntry, Manifest, Past, RunEntry};
use crate::run::{Run, RunWriter};
use crate::stripe::{SpillPlace, SpillSet};
use crate::sys::space;
use crate::units::ByteSize;

pub use places::Size;
use places::SpillSpots;

/// Number of times that it checks whether a run's writes have ended, and the time between checks.
const QUIET_LOOKS: u32 = 100;
const QUIET_PAUSE: Duration = Duration::from_millis(2);

/// The spill directories of one job; removed, with what is in them, when dropped, unless they are
/// kept.
#[derive(Debug)]
pub struct Spill {
    places: SpillSpots,
    log: Option<Log>,
    /// True if anything was noted from which another job can continue.
    has_noted: bool,
}

/// Log of the work that was done.
#[derive(Debug)]
struct Log {
    manifest: Manifest,
    /// An entry, and the run file that has to be durable before it.
    pending: Option<(LogEntry, Arc<File>)>,
    past: Option<Past>,
    /// The input, where what was read of it is given back once it is in a run; and how far it was.
    freed: Option<(Arc<File>, u64)>,
}

impl Spill {
    /// Returns spill space in `places`, of at most `limit` bytes together. Nothing is made yet.
    pub fn new(places: Vec<SpillPlace>, limit: Option<ByteSize>) -> Self {
        Self { places: SpillSpots::new(places, limit), log: None, has_noted: false }
    }

    /// Returns spill space in existing directories, for a job whose manifest lies in the first,
    /// with a number of run names taken; `past` is the work done before, if any.
    pub fn kept(
        sets: Vec<SpillSet>,
        manifest: Manifest,
        past: Option<Past>,
        runs: usize,
        limit: Option<ByteSize>,
    ) -> Self {
        let has_noted = past.as_ref().is_some_and(|past| past.is_begun);
        let places = SpillSpots::kept(sets, past.as_ref(), runs, limit);
        let log = Some(Log { manifest, pending: None, past, freed: None });
        Self { places, log, has_noted }
    }

    /// Returns where directories are made when they are needed.
    pub fn places(&self) -> &[SpillPlace] {
        self.places.named()
    }

    /// Returns the maximum number of files that a run is made of.
    pub fn members(&self) -> usize {
        self.places.members()
    }

    /// Returns the number of locks still to be opened, apart from those of the largest place.
    pub fn further_locks(&self) -> usize {
        self.places.further_locks()
    }

    /// Returns this spill space for a job that gives back the room of its one input as it is read.
    #[must_use]
    pub fn freeing(mut self, input: Arc<File>) -> Self {
        if let Some(log) = &mut self.log {
            log.freed = Some((input, 0));
        }
        self
    }

    /// Returns the number of bytes of a record, on average, as far as was noted.
    pub fn average_length(&self) -> Option<usize> {
        let past = self.log.as_ref()?.past.as_ref()?;
        let (records, bytes) = past.taken;
        bytes.checked_div(records).map(|average| (average as usize).max(1))
    }

    /// Returns whether anything was noted from which another job can continue.
    pub fn has_noted(&self) -> bool {
        self.has_noted
    }

    /// Marks that something was noted from which another job can continue.
    pub fn mark_begun(&mut self) {
        self.has_noted = true;
    }

    /// Returns what was done before, if anything was.
    pub fn take_past(&mut self) -> Option<Past> {
        self.log.as_mut().and_then(|log| log.past.take())
    }

    /// Removes everything when this is dropped: it is of no more use.
    pub fn forget(&mut self) {
        self.places.forget();
    }

    /// Checks that `bytes` more bytes will be allowed for.
    ///
    /// # Errors
    ///
    /// [`Error::OverLimit`](crate::Error::OverLimit) with the numbers.
    pub fn check_limit(&self, bytes: u64) -> Result<()> {
        self.places.check_limit(bytes)
    }

    /// Checks that `bytes` will fit in all places together, in files of at most `run_bytes`. Where
    /// one shares its file system with an input whose room is given back, `beside` bytes of all are
    /// enough.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`](crate::Error::NoSpace) with the numbers.
    pub fn check_space(&self, bytes: u64, run_bytes: u64, beside: u64) -> Result<()> {
        let freed = self.log.as_ref().and_then(|log| log.freed.as_ref());
        let freed = freed.map(|(input, _)| space::device(input.path())).transpose()?;
        self.places.check_space(bytes, run_bytes, freed, beside)
    }

    /// Creates the file of the next run, of this size, with `create`: in the place that its share
    /// calls for, or another if that is full.
    ///
    /// # Errors
    ///
    /// Those of `create`; [`Error::OverLimit`](crate::Error::OverLimit) where it would be too much.
    pub fn create(
        &mut self,
        size: Size,
        create: impl Fn(&Path) -> Result<RunWriter>,
    ) -> Result<RunWriter> {
        self.places.create(size, create)
    }

    /// Removes a run that has been merged.
    pub fn remove(&self, run: &Run) -> Result<()> {
        self.places.remove(run)
    }

    /// Returns whether there is something to note.
    pub fn is_pending(&self) -> bool {
        self.log.as_ref().is_some_and(|log| log.pending.is_some())
    }

    /// Notes what is pending, once its last writes have ended, which workers see to meanwhile. If
    /// that takes long, it is left for later.
    pub fn settle_meanwhile(&mut self) -> Result<()> {
        for _ in 0..QUIET_LOOKS {
            match self.log.as_ref().and_then(|log| log.pending.as_ref()) {
                Some((_, file)) if Arc::strong_count(file) > 1 => std::thread::sleep(QUIET_PAUSE),
                _ => return self.settle_pending(),
            }
        }
        Ok(())
    }

    /// Notes what `entry` returns about the run in `file` later, if the job can be resumed; a
    /// pending entry is noted now.
    pub fn note(
        &mut self,
        file: Arc<File>,
        crew: &mut Crew<'_>,
        entry: impl FnOnce(&Crew<'_>) -> LogEntry,
    ) -> Result<()> {
        self.settle(crew)?;
        if let Some(log) = &mut self.log {
            log.pending = Some((entry(crew), file));
        }
        Ok(())
    }

    /// Notes what is pending.
    pub fn settle(&mut self, crew: &mut Crew<'_>) -> Result<()> {
        let pending = self.log.as_ref().and_then(|log| log.pending.as_ref());
        // Whoever else holds the file is a write under way.
        if pending.is_some_and(|(_, file)| Arc::strong_count(file) > 1) {
            crew.flush()?;
        }
        self.settle_pending()
    }

    /// Notes what is pending, none of whose writes is under way. A file that is not whole is never
    /// noted: the worker whose write has failed reports the error.
    fn settle_pending(&mut self) -> Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        // The count of references is read without an order. A worker notes a failed write before
        // it gives up its reference.
        fence(Ordering::Acquire);
        let is_whole = |(_, file): &mut (LogEntry, Arc<File>)| {
            file.share().is_none_or(|share| !share.has_failed())
        };
        let Some((entry, file)) = log.pending.take_if(is_whole) else { return Ok(()) };
        file.sync_data()?;
        file.directories().into_iter().try_for_each(sync_directory)?;
        log.manifest.append(&entry)?;
        self.has_noted = true;
        if let (Some((input, freed)), LogEntry::Run(RunEntry { next, .. })) =
            (&mut log.freed, &entry)
        {
            let end = if next.source == 0 { next.offset } else { input.len() };
            let whole = end / PAGE as u64 * PAGE as u64;
            if whole > *freed {
                if *freed == 0 {
                    input.mark(self.places.first())?;
                }
                input.free(*freed..whole)?;
                *freed = whole;
            }
        }
        Ok(())
    }

    /// Returns the manifest, for what is left to be noted of a job whose runs are all there.
    pub fn take_manifest(&mut self) -> Option<Manifest> {
        self.log.take().map(|log| log.manifest)
    }
}
