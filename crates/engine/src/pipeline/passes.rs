//! Merging runs: into fewer runs while there are too many, at last into the output.

use std::ops::Range;

use super::Work;
use super::crew::Crew;
use super::gathering::Destination;
use super::merging::Merging;
use super::new_run::NewRun;
use super::slabs::{ExpectedSlab, LoadedSlab, RawSlab};
use super::sorted;
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::Region;
use crate::key::{KeyEncoder, KeyTally};
use crate::manifest::{LogEntry, MergedEntry, RunText, SumText};
use crate::merge::{Bound, Planner};
#[cfg(feature = "disorder")]
use crate::order::disorder;
use crate::plan::Plan;
use crate::plan::passes::{Choice, Way, longest_bytes};
use crate::proof::Sum;
use crate::run::layout::RunGeometry;
use crate::run::{Run, RunReader};
use crate::stats::Phase;

/// Divisor of the memory for slabs that gives the limit for all windows on the runs' tables: a
/// share of the budget's reserve. No run has less than a page of its table in memory.
const INDEX_SHARE: usize = 32;

/// Returns the number of bytes of the window on each table, where `runs` runs are merged at once.
pub fn table_window_bytes(plan: &Plan, runs: usize) -> usize {
    plan.areas * plan.slab_bytes / INDEX_SHARE / runs.max(1)
}

/// The merges that were needed until all runs could be merged at once.
#[derive(Clone, Copy, Debug)]
pub struct Narrowed {
    /// The way to merge the runs that are left.
    pub way: Way,
    /// The number of times each record was moved, at most.
    pub passes: u32,
    /// Runs that were merged into longer ones.
    pub merged: u64,
}

/// Merges neighbouring runs until no more are left than can be merged at once, given their longest
/// records.
pub fn narrow<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    (spill, runs): (&mut Spill, &mut Vec<Run>),
) -> Result<Narrowed> {
    let framing = work.framing;
    let (mut passes, mut count) = (0, 0);
    loop {
        // Merged, runs with long records are fewer; those that are left may allow for more.
        let Choice { way, groups, .. } = Choice::new(&work.plan, runs, work.select.groups())?;
        if groups.is_empty() {
            return Ok(Narrowed { way, passes, merged: count });
        }
        passes += 1;
        expect(crew, runs, &groups);
        let mut merged = Vec::new();
        let (mut left, mut done) = (std::mem::take(runs).into_iter(), 0);
        for group in groups {
            merged.extend(left.by_ref().take(group.start - done));
            let group_runs: Vec<Run> = left.by_ref().take(group.len()).collect();
            count += group_runs.len() as u64;
            let geometry = geometry(framing, key.key_length(), &group_runs);
            let run = NewRun::create(work, spill, geometry)?;
            let destination = run.destination();
            let sum = merge(work, key, crew, (way, memory), &group_runs, destination)?;
            let (file, before) = (run.file(), crew.sums().1);
            let run = run.finish(key, crew, sum)?;
            if spill.is_logged() {
                let range = (merged.len(), merged.len() + group.len());
                let dropped = crew.sums().1.less(before).into();
                let (run, read) = (RunText::from(&run), SumText::default());
                let keys = KeyTally::default();
                let entry = MergedEntry { range, run, read, ragged: 0, dropped, keys };
                spill.note(LogEntry::Merged(entry), file, crew)?;
                spill.settle(crew)?; // What it was merged from goes now.
            }
            merged.push(run);
            for run in &group_runs {
                spill.remove(run)?;
            }
            done = group.end;
        }
        merged.extend(left);
        *runs = merged;
        for worker in &mut crew.workers {
            worker.lane.flush()?;
        }
    }
}

/// Says how much there is to do, now that these groups are merged before all runs are: more than
/// was planned, if long records make merges narrower.
fn expect(crew: &Crew<'_>, runs: &[Run], groups: &[Range<usize>]) {
    let bytes = |runs: &[Run]| runs.iter().map(|run| run.bytes).sum::<u64>();
    let again: u64 = groups.iter().map(|group| bytes(&runs[group.clone()])).sum();
    let (done, total) = crew.progress.bytes();
    if let Some(total) = total {
        let merged = (Phase::IntermediateMerge, 2 * again);
        crew.progress.expect_more(merged, total.max(done + 2 * (again + bytes(runs))));
    }
}

/// Returns the geometry of what `runs` will be, merged.
fn geometry(framing: Framing, key_length: usize, runs: &[Run]) -> RunGeometry {
    let bytes = runs.iter().map(|run| run.bytes).sum();
    let records = runs.iter().map(|run| run.records).sum();
    RunGeometry::new(framing, key_length, bytes, records, longest_bytes(runs))
}

/// Merges `runs` to `destination`; the sum of the runs.
pub fn merge<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    (way, memory): (Way, &mut Vec<Region>),
    runs: &[Run],
    destination: Destination<'_>,
) -> Result<Sum> {
    match way {
        Way::Slabs => merge_slabs(work, key, crew, memory, runs, destination),
        Way::Streams => {
            memory.iter_mut().for_each(Region::release);
            sorted::merge_runs(work, key, crew, runs, destination)
        }
    }
}

/// Seeks to the first slab, or to the first one after what was merged before. Returns, for each
/// run, the byte at which the slab begins.
fn begin(
    planner: &mut Planner<'_>,
    runs: &[Run],
    destination: Destination<'_>,
    crew: &mut Crew<'_>,
) -> Result<Vec<u64>> {
    let checkpoints = destination.checkpoints;
    let past = checkpoints.map(|checkpoints| checkpoints.begin(&destination, crew));
    let Some(past) = past.transpose()?.flatten() else { return Ok(vec![0; runs.len()]) };
    let (run, offset) = past.bound;
    if !planner.skip_to(Bound { run, offset })? {
        let message = format!("no record begins at byte {offset}, where a slab ended");
        return Err(Error::Corrupt {
            path: runs[run].path.clone(),
            block: 0,
            message: message.into(),
        });
    }
    Ok(past.ends)
}

/// Lets one run begin some records too early and another as many too late, if it is time for that.
#[cfg(feature = "disorder")]
fn shift_starts(starts: &mut [u64], slab: &crate::merge::Slab, framing: Framing) {
    let bytes = 3 * framing.fixed_length().unwrap_or(0) as u64;
    let runs = || 0..starts.len();
    let early = runs().find(|run| starts[*run] >= slab.bytes[*run].start + bytes);
    let late = runs().rfind(|run| starts[*run] + bytes <= slab.bytes[*run].end);
    if let (Some(early), Some(late)) = (early, late)
        && early != late
        && disorder::strikes_first(disorder::DisorderPlace::Resume)
    {
        starts[early] -= bytes;
        starts[late] += bytes;
    }
}

/// Merges slab after slab, one being read while another is merged, if there is memory for both.
fn merge_slabs<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    runs: &[Run],
    destination: Destination<'_>,
) -> Result<Sum> {
    let (framing, plan) = (work.framing, &work.plan);
    let open = |run: &Run| RunReader::open(run, work.direct);
    let readers: Vec<RunReader> = runs.iter().map(open).collect::<Result<_>>()?;
    let mut sum = Sum::default();
    for run in &readers {
        sum.add(run.footer().sum);
    }
    let window_bytes = table_window_bytes(plan, runs.len());
    let walked: Vec<&RunReader> = readers.iter().collect();
    let mut planner = Planner::new(key, &walked, plan.slab_for(runs), window_bytes)?;
    let mut starts = begin(&mut planner, runs, destination, crew)?;
    let mut next_expected = || match planner.next_slab()? {
        Some(slab) => ExpectedSlab::new(&readers, slab, plan.block_bytes).map(Some),
        None => Ok(None),
    };

    assert!(!memory.is_empty(), "one slab has memory, at least");
    let mut expected = next_expected()?;
    #[cfg(feature = "disorder")]
    if let (Some(first), true) = (&expected, destination.order.last().is_some()) {
        shift_starts(&mut starts, &first.slab, framing);
    }
    let mut loaded: Option<LoadedSlab> = None;
    while (expected.is_some() || loaded.is_some()) && !destination.is_full() {
        // Of one slab the memory is free when it has been merged.
        let raw = match memory.pop_if(|_| expected.is_some()) {
            Some(memory) => expected.take().map(|slab| RawSlab::new(&readers, slab, memory)),
            None => None,
        };
        let merging = loaded
            .as_ref()
            .map(|slab| Merging::new(key, framing, slab, &starts, destination, work.task_bytes()));
        let next = stage::run(
            &mut crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            merging.as_ref().map(|merging| merging as &dyn Drain),
            raw.is_some().then_some(&mut next_expected),
        )?;
        expected = expected.or_else(|| next.flatten());
        if let Some(merging) = merging {
            starts = merging.ends();
            let end = loaded.as_ref().and_then(|loaded| loaded.slab.end);
            let next = raw.as_ref().map(RawSlab::slab).or(expected.as_ref().map(|next| &next.slab));
            if let (Some(checkpoints), Some(end), Some(next)) = (destination.checkpoints, end, next)
            {
                let needed = next.bytes.iter().map(|bytes| bytes.start);
                let place = (end, &starts[..], None);
                checkpoints.slab_is_merged(&destination, place, needed, crew)?;
            }
        }
        memory.extend(loaded.take().map(LoadedSlab::into_region));
        loaded = raw.map(RawSlab::finish);
    }
    // Where no more is wanted, a slab may be left.
    memory.extend(loaded.map(LoadedSlab::into_region));
    Ok(sum)
}
