//! How far a merge into the output has come, noted from time to time, so that another job can go on
//! from there.
//!
//! Between two slabs nothing is half done: everything of those before is in the output, but for the
//! last bytes, which do not fill a granule and are noted themselves. What is noted has to be
//! durable first, which takes a while: so it is done only when a hundred times as long has passed
//! since it was done last.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::crew::Crew;
use super::gathering::Destination;
use crate::error::{Error, Result};
use crate::manifest::{Bytes, Entry, Manifest, SlabEntry};
use crate::merge::Bound;
use crate::proof::Sum;
use crate::run::Run;
use crate::sink::Sink;

/// Checkpoints take one part in so many of the time.
const SHARE: u32 = 100;

/// What a checkpoint is taken to take before one was made.
const EXPECTED: Duration = Duration::from_millis(50);

/// The checkpoints of one merge.
#[derive(Debug)]
pub struct Checkpoints(Mutex<State>);

#[derive(Debug)]
struct State {
    manifest: Manifest,
    past: Option<SlabEntry>,
    /// Runs, whose files give back what was merged, where that is wanted.
    freed: Option<Vec<Run>>,
    /// What was written before the merge began, in this job.
    before: Sum,
    /// When the last one was made, or the merge began, and how long one takes.
    last: Instant,
    taking: Duration,
}

impl Checkpoints {
    /// Checkpoints in this manifest, behind `past`. Without `is_thrifty` there is one after each
    /// slab.
    pub fn new(manifest: Manifest, past: Option<SlabEntry>, is_thrifty: bool) -> Self {
        let taking = if is_thrifty { EXPECTED } else { Duration::ZERO };
        let (freed, before, last) = (None, Sum::default(), Instant::now());
        Self(Mutex::new(State { manifest, past, freed, before, last, taking }))
    }

    /// The same, that give back the room of what was merged of `runs`.
    pub fn freeing(self, runs: &[Run]) -> Self {
        self.state().freed = Some(runs.to_vec());
        self
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether some of it was done before.
    pub fn are_behind_others(&self) -> bool {
        self.state().past.is_some()
    }

    /// Begins the merge into `destination`; what of it was done before.
    pub fn begin(
        &self,
        destination: &Destination<'_>,
        crew: &mut Crew<'_>,
    ) -> Result<Option<SlabEntry>> {
        let mut state = self.state();
        state.before = crew.sums().1;
        let (Some(past), Sink::File(sink)) = (state.past.take(), destination.sink) else {
            return Ok(None);
        };
        if past.edge.0.len() as u64 != past.offset % sink.granule() as u64 {
            return Err(Error::Usage(
                "the output was begun with blocks of another size; give the same --direct as \
                 before"
                    .to_owned(),
            ));
        }
        let (worker, written) = (&mut crew.workers[0], past.written.into());
        match (destination.selection, &past.selected) {
            (None, None) => worker.sum_out.add(written),
            (Some(selection), Some(selected))
                if selection.go_on((past.offset, written), selected) => {}
            _ => {
                let message = "what it notes of the output is of another job".to_owned();
                return Err(Error::Corrupt {
                    path: state.manifest.path().to_owned(),
                    block: 0,
                    message,
                });
            }
        }
        sink.restore(&mut worker.lane, past.offset, &past.edge.0)?;
        Ok(Some(past))
    }

    /// Notes that a slab is merged into `destination` which ended at `bound`, so that the runs go
    /// on at `ends`, if it is time. Of each run, what lies before `needed` will not be read again.
    pub fn slab_is_merged(
        &self,
        destination: &Destination<'_>,
        (bound, ends): (Bound, &[u64]),
        needed: impl Iterator<Item = u64>,
        crew: &mut Crew<'_>,
    ) -> Result<()> {
        let (Sink::File(sink), mut state) = (destination.sink, self.state()) else {
            return Ok(());
        };
        if state.last.elapsed() < state.taking * SHARE {
            return Ok(());
        }
        let (offset, written, selected) = match destination.selection {
            None => {
                let offset = destination.start + ends.iter().sum::<u64>();
                (offset, crew.sums().1.less(state.before), None)
            }
            Some(selection) => {
                let Some((offset, written, selected)) = selection.standing() else {
                    return Ok(());
                };
                (offset, written, Some(selected))
            }
        };
        let begun = Instant::now();
        crew.flush()?;
        sink.file().sync_data()?;
        let entry = SlabEntry {
            bound: (bound.run, bound.offset),
            ends: ends.to_vec(),
            offset,
            edge: Bytes(sink.edge_before(offset)),
            written: written.into(),
            selected,
        };
        // Nothing is given back that would have to be merged again.
        if !state.manifest.append_if_short(&Entry::Slab(entry))? {
            return Ok(());
        }
        for (run, end) in state.freed.iter().flatten().zip(needed) {
            run.free_before(end)?;
        }
        if state.taking > Duration::ZERO {
            state.taking = begun.elapsed();
        }
        state.last = Instant::now();
        Ok(())
    }
}
