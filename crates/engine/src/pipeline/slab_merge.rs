//! Merging runs by slabs: one is read while another is merged, if there is memory for both.

use super::checkpoints::MergedTo;
use super::crew::Crew;
use super::destination::Destination;
use super::merge::{Brought, MergeContext};
use super::merging::Merging;
use super::slabs::{ExpectedSlab, LoadedSlab, RawSlab};
use super::stage::{self, Drain, Fill};
use crate::error::{Error, Result};
#[cfg(feature = "disorder")]
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::manifest::SlabEntry;
use crate::merge::{Bound, Planner};
#[cfg(feature = "disorder")]
use crate::order::disorder;
use crate::plan::passes::{kept_bytes, longest_bytes};
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

/// Returns, for each run, the byte at which the first slab begins, or the first one after what was
/// merged before; for the latter also the record at which the slab before it ended.
fn begin(
    runs: &[Run],
    destination: Destination<'_>,
    crew: &mut Crew<'_>,
) -> Result<(Vec<u64>, Option<Bound>)> {
    let is_own = |past: &SlabEntry| past.ends.len() == runs.len() && past.bound.0 < runs.len();
    let past = destination.checkpoints.begin(&destination, crew, is_own)?;
    let Some(past) = past else { return Ok((vec![0; runs.len()], None)) };
    let (run, offset) = past.bound;
    Ok((past.ends, Some(Bound { run, offset })))
}

/// Returns a planner whose first slab begins at `starts`, and there at the record `bound`.
fn planner_from<'a>(
    key: &'a dyn KeyEncoder,
    readers: &[&'a RunReader],
    starts: &[u64],
    bound: Option<Bound>,
    capacity: usize,
    window_bytes: usize,
) -> Result<Planner<'a>> {
    let planner = Planner::new(key, readers, starts, capacity, window_bytes)?;
    match bound {
        Some(bound) if planner.next_bound() != Some(bound) => {
            let message = format!("no record begins at byte {}, where a slab ended", bound.offset);
            Err(Error::corrupt(readers[bound.run].path(), 0, message))
        }
        _ => Ok(planner),
    }
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

/// Gives the system the pages of each area after its first `slab_bytes` bytes: loads have used
/// them, and copies of long records need them.
fn release_beyond(memory: &mut Vec<Region>, slab_bytes: usize) {
    let released = |mut area: Region| {
        let mut rest = area.split_off(slab_bytes.min(area.len()));
        rest.release();
        area.join(rest)
    };
    *memory = memory.drain(..).map(released).collect();
}

/// Merges slab after slab, one being read while another is merged, if there is memory for both.
///
/// In iteration `n` of the loop, the variables hold:
///
/// ```text
///   expected   slab n, which was planned in iteration n - 1
///   raw        slab n, while it is read
///   next       slab n + 1, which is planned meanwhile; it is `expected` in iteration n + 1
///   loaded     slab n - 1, which was read in iteration n - 1
///   merging    slab n - 1, while it is merged
///   starts     for each run, the byte at which slab n - 1 begins, and then slab n
/// ```
///
/// With memory for one slab, an iteration either reads or merges.
pub fn merge_slabs<K: KeyEncoder>(
    merge: &MergeContext<'_, K>,
    plan: &Plan,
    external: &ExternalPlan,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    runs: &[Run],
    destination: Destination<'_>,
) -> Result<Brought> {
    let key = merge.key;
    let open = |run: &Run| RunReader::open(run, merge.direct.spill);
    let readers: Vec<RunReader> = runs.iter().map(open).collect::<Result<_>>()?;
    let mut sum = Sum::default();
    readers.iter().for_each(|run| sum.add(run.footer().sum));
    let window_bytes = table_window_bytes(external, runs.len());
    let walked: Vec<&RunReader> = readers.iter().collect();
    let (mut starts, bound) = begin(runs, destination, crew)?;
    let copies = merge.rules.copies_beside(plan, runs);
    let capacity = external.slab_for(runs, copies);
    if kept_bytes(runs, copies) > 0 {
        release_beyond(memory, capacity);
    }
    let mut planner = planner_from(key, &walked, &starts, bound, capacity, window_bytes)?;
    let mut next_expected = || match planner.next_slab()? {
        Some(slab) => ExpectedSlab::new(&readers, slab, plan.block_bytes).map(Some),
        None => Ok(None),
    };

    assert!(!memory.is_empty(), "one slab has memory, at least");
    let mut expected = next_expected()?;
    #[cfg(feature = "disorder")]
    if let (Some(first), true) = (&expected, destination.order.last().is_some()) {
        shift_starts(&mut starts, &first.slab, merge.rules.framing);
    }
    let mut loaded: Option<LoadedSlab> = None;
    while (expected.is_some() || loaded.is_some()) && !destination.is_full() {
        // Of one slab the memory is free when it has been merged.
        let raw = match memory.pop_if(|_| expected.is_some()) {
            Some(memory) => expected.take().map(|slab| RawSlab::new(&readers, slab, memory)),
            None => None,
        };
        let begin = |slab| Merging::new(merge, slab, &starts, destination);
        let merging = loaded.as_ref().map(begin).transpose()?;
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
