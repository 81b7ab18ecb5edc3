//! Progress of a merge into the output, recorded from time to time, so that another job can
//! continue there.
//!
//! Between two slabs nothing is half done: everything of those before is in the output, but for the
//! last bytes, which do not fill a granule and are recorded themselves. The output is made durable
//! first, which takes a while. So a checkpoint is made only when the time since the last one
//! exceeds 100 times the duration of a checkpoint.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::destination::Destination;
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::manifest::{LogEntry, Manifest, SlabEntry, StreamsEntry};
use crate::merge::Bound;
use crate::proof::Sum;
use crate::run::Run;
use crate::sink::{Lane, Sink};

/// Divisor of the time that gives the part for checkpoints.
const SHARE: u32 = 100;

/// Assumed duration of a checkpoint before one was made.
const EXPECTED: Duration = Duration::from_millis(50);

/// Bytes that streams merge between two looks whether it is time for one: enough that the last
/// write of each, which is short, costs nothing; and where they are wanted as often as can be.
const STAGE_BYTES: u64 = 64 << 20;
const STAGE_BYTES_OFTEN: u64 = 1 << 20;

/// The place that a merge has come to.
#[derive(Debug)]
pub struct MergedTo<'a> {
    /// The next record.
    pub bound: Bound,
    /// Bytes at which each source goes on.
    pub ends: &'a [u64],
    /// Bytes of records in the output, where there is no selection.
    pub bytes: u64,
    /// Further progress of a merge of streams.
    pub streams: Option<StreamsEntry>,
}

/// The checkpoints of one merge; [`Checkpoints::NONE`] notes nothing.
#[derive(Debug)]
pub struct Checkpoints(Option<Mutex<CheckpointState>>);

#[derive(Debug)]
struct CheckpointState {
    manifest: Manifest,
    past: Option<SlabEntry>,
    /// Runs, whose files give back what was merged, where that is wanted.
    freed: Option<Vec<Run>>,
    /// Records written before the merge began, in this job.
    before: Sum,
    /// Time of the last checkpoint or of the start of the merge, and the duration of a checkpoint.
    last: Instant,
    taking: Duration,
    has_noted: bool,
}

impl Checkpoints {
    /// The checkpoints of a merge that cannot be resumed.
    pub const NONE: &Self = &Self(None);

    /// Returns checkpoints in this manifest, after `past`. Without `is_thrifty` there is one after
    /// each slab.
    pub fn new(manifest: Option<Manifest>, past: Option<SlabEntry>, is_thrifty: bool) -> Self {
        let Some(manifest) = manifest else { return Self(None) };
        let taking = if is_thrifty { EXPECTED } else { Duration::ZERO };
        let (freed, before, last, has_noted) = (None, Sum::default(), Instant::now(), false);
        let state = CheckpointState { manifest, past, freed, before, last, taking, has_noted };
        Self(Some(Mutex::new(state)))
    }

    /// Returns these checkpoints, set to give back the room of the merged parts of `runs`.
    pub fn freeing(self, runs: &[Run]) -> Self {
        if let Some(mut state) = self.state() {
            state.freed = Some(runs.to_vec());
        }
        self
    }

    fn state(&self) -> Option<MutexGuard<'_, CheckpointState>> {
        let state = self.0.as_ref()?;
        Some(state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the number of bytes that streams merge before it is seen whether one is due: all,
    /// if nothing is noted.
    pub fn stage_bytes(&self) -> u64 {
        match self.state() {
            None => u64::MAX,
            Some(state) if state.taking.is_zero() => STAGE_BYTES_OFTEN,
            Some(_) => STAGE_BYTES,
        }
    }

    /// Returns whether any can be made.
    pub fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether any was made.
    pub fn were_noted(&self) -> bool {
        self.state().is_some_and(|state| state.has_noted)
    }

    /// Returns whether some of the merge was done before.
    pub fn are_behind_others(&self) -> bool {
        self.state().is_some_and(|state| state.past.is_some())
    }

    /// Returns these checkpoints for a merge of streams: none where the room of runs is given back,
    /// which takes slabs.
    pub fn of_streams(&self) -> &Self {
        let is_freed = self.state().is_some_and(|state| state.freed.is_some());
        if is_freed { Self::NONE } else { self }
    }

    /// Begins the merge into `destination`. Returns what of it was done before, if that is a merge
    /// of what `is_own` accepts.
    pub fn begin(
        &self,
        destination: &Destination<'_>,
        crew: &mut Crew<'_>,
        is_own: impl Fn(&SlabEntry) -> bool,
    ) -> Result<Option<SlabEntry>> {
        let Some(mut state) = self.state() else { return Ok(None) };
        state.before = crew.sums().1;
        let worker = &mut crew.workers[0];
        let mut past = state.go_on(destination.sink, &mut worker.lane)?;
        if let Some(past) = &mut past {
            destination.order.resume(past.last.take());
            let written = past.written;
            match (destination.selection, &past.selected) {
                // What stands at the top of the output was written before anything was noted.
                _ if past.offset < destination.start || !is_own(past) => {
                    return Err(state.foreign());
                }
                (None, None) => worker.sum_out.add(written),
                (Some(selection), Some(selected))
                    if selection.go_on(past.offset, written, selected) => {}
                _ => return Err(state.foreign()),
            }
        }
        Ok(past)
    }

    /// Returns whether it is time for another.
    pub fn is_due(&self) -> bool {
        self.state().is_some_and(|state| state.last.elapsed() >= state.taking * SHARE)
    }

    /// Notes, if it is time, how far a merge into `destination` has come. Of each source, what lies
    /// before `needed` will not be read again.
    pub fn note_merged(
        &self,
        destination: &Destination<'_>,
        place: MergedTo<'_>,
        needed: impl Iterator<Item = u64>,
        crew: &mut Crew<'_>,
    ) -> Result<()> {
        if !self.is_due() {
            return Ok(());
        }
        let MergedTo { bound, ends, bytes, streams } = place;
        let (offset, written, selected) = match destination.selection {
            None => {
                let before = self.state().map(|state| state.before).unwrap_or_default();
                let written = crew.sums().1.less(before);
                (destination.start + bytes, written, None)
            }
            Some(selection) => {
                let Some((offset, written, selected)) = selection.standing() else {
                    return Ok(());
                };
                (offset, written, Some(selected))
            }
        };
        let entry = SlabEntry {
            bound: (bound.run, bound.offset),
            ends: ends.to_vec(),
            offset,
            edge: Vec::new(),
            written,
            selected,
            streams,
            last: destination.order.last(),
        };
        let Some(mut state) = self.state() else { return Ok(()) };
        // Nothing is given back that would have to be merged again.
        if !state.note(destination.sink, entry, || crew.flush())? {
            return Ok(());
        }
        for (run, end) in state.freed.iter().flatten().zip(needed) {
            run.free_before(end)?;
        }
        Ok(())
    }
}

impl CheckpointState {
    /// Continues in `sink` where another job was, and returns where that was.
    fn go_on(&mut self, sink: &Sink, lane: &mut Lane<'_>) -> Result<Option<SlabEntry>> {
        let (Some(past), Sink::File(sink)) = (self.past.take(), sink) else { return Ok(None) };
        if past.edge.len() as u64 != past.offset % sink.granule() as u64 {
            return Err(config!(
                ConfigErrorKind::ResumeMismatch,
                "the output was started with another block size; give the same {} as before",
                Setting::Direct,
            ));
        }
        sink.restore(lane, past.offset, &past.edge)?;
        Ok(Some(past))
    }

    fn foreign(&self) -> Error {
        let message = "its state of the output belongs to another job".to_owned();
        Error::Corrupt { path: self.manifest.path().to_owned(), block: 0, message: message.into() }
    }

    /// Notes `entry`, without the last bytes of `sink`, which it adds itself, once all before is
    /// durable; `flush` waits for pending writes. Returns whether it could be noted.
    fn note(
        &mut self,
        sink: &Sink,
        entry: SlabEntry,
        flush: impl FnOnce() -> Result<()>,
    ) -> Result<bool> {
        let Sink::File(sink) = sink else { return Ok(false) };
        let begun = Instant::now();
        flush()?;
        sink.file().sync_data()?;
        let edge = sink.edge_before(entry.offset);
        if !self.manifest.append_if_short(&LogEntry::Slab(SlabEntry { edge, ..entry }))? {
            return Ok(false);
        }
        self.has_noted = true;
        if self.taking > Duration::ZERO {
            self.taking = begun.elapsed();
        }
        self.last = Instant::now();
        Ok(true)
    }
}
