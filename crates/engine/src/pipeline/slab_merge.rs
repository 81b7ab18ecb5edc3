//! Merging runs by slabs: one is read while another is merged, if there is memory for both.

use super::checkpoints::MergedTo;
use super::crew::Crew;
use super::destination::Destination;
use super::merge::{Brought, Merge};
use super::merging::Merging;
use super::slabs::{ExpectedSlab, LoadedSlab, RawSlab};
use super::stage::{self, Drain, Fill};
use crate::error::{Error, Result};
#[cfg(feature = "disorder")]
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::merge::{Bound, Planner};
#[cfg(feature = "disorder")]
use crate::order::disorder;
use crate::plan::passes::longest_bytes;
use crate::plan::{ExternalPlan, Plan};
use crate::proof::Sum;
use crate::run::{Run, RunReader};

/// Divisor of the memory for slabs that gives the limit for all windows on the runs' tables: a
/// share of the budget's reserve. No run has less than a page of its table in memory.
const INDEX_SHARE: usize = 32;

/// Returns the number of bytes of the window on each table, where `runs` runs are merged at once.
pub fn table_window_bytes(plan: &ExternalPlan, runs: usize) -> usize {
    plan.areas_bytes() / INDEX_SHARE / runs.max(1)
}

/// Seeks to the first slab, or to the first one after what was merged before. Returns, for each
/// run, the byte at which the slab begins.
fn begin(
    planner: &mut Planner<'_>,
    runs: &[Run],
    destination: Destination<'_>,
    crew: &mut Crew<'_>,
) -> Result<Vec<u64>> {
    let past = destination.checkpoints.begin(&destination, crew, |_| true)?;
    let Some(past) = past else { return Ok(vec![0; runs.len()]) };
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
pub fn merge_slabs<K: KeyEncoder>(
    merge: &Merge<'_, K>,
    plan: &Plan,
    external: &ExternalPlan,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    runs: &[Run],
    destination: Destination<'_>,
) -> Result<Brought> {
    let (key, framing) = (merge.key, merge.rules.framing);
    let open = |run: &Run| RunReader::open(run, merge.direct.spill);
    let readers: Vec<RunReader> = runs.iter().map(open).collect::<Result<_>>()?;
    let mut sum = Sum::default();
    for run in &readers {
        sum.add(run.footer().sum);
    }
    let window_bytes = table_window_bytes(external, runs.len());
    let walked: Vec<&RunReader> = readers.iter().collect();
    let mut planner = Planner::new(key, &walked, external.slab_for(runs), window_bytes)?;
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
            .map(|slab| Merging::new(key, framing, slab, &starts, destination, merge.task_bytes));
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
            if let (Some(end), Some(next)) = (end, next) {
                let needed = next.bytes.iter().map(|bytes| bytes.start);
                let (bytes, ends) = (starts.iter().sum(), &starts[..]);
                let place = MergedTo { bound: end, ends, bytes, streams: None };
                destination.checkpoints.note_merged(&destination, place, needed, crew)?;
            }
        }
        memory.extend(loaded.take().map(LoadedSlab::into_region));
        loaded = raw.map(RawSlab::finish);
    }
    // Where no more is wanted, a slab may be left.
    memory.extend(loaded.map(LoadedSlab::into_region));
    let bytes = runs.iter().map(|run| run.bytes).sum();
    Ok(Brought { sum, bytes, longest_bytes: longest_bytes(runs) })
}
