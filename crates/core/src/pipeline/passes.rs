//! Merging runs: into fewer runs while there are too many, at last into the output.

use super::Work;
use super::crew::Crew;
use super::gathering::Destination;
use super::merging::Merging;
use super::slabs::{ExpectedSlab, LoadedSlab, RawSlab};
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::merge::Planner;
use crate::plan::passes::{intermediate_groups, width_of};
use crate::proof::Sum;
use crate::run::layout::Geometry;
use crate::run::{Run, RunReader, RunWriter};

/// The windows on the runs' indexes may together take one part in so many of a slab: a share of the
/// budget's reserve. No run has less than a page of its table in memory.
const INDEX_SHARE: usize = 16;

/// Merges neighbouring runs until no more are left than can be merged at once, given their longest
/// records; how often each record was moved for that, at most.
pub fn narrow<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    (spill, runs): (&mut Spill, &mut Vec<Run>),
) -> Result<u32> {
    let framing = work.framing;
    let longest_bytes = runs.iter().map(|run| run.longest_bytes).max().unwrap_or(0);
    let width = if runs.len() > 1 { width_of(&work.plan, longest_bytes)? } else { 2 };
    let mut passes = 0;
    loop {
        let groups = intermediate_groups(runs.len(), width);
        if groups.is_empty() {
            return Ok(passes);
        }
        passes += 1;
        let mut merged = Vec::with_capacity(runs.len());
        let mut done = 0;
        for group in groups {
            merged.extend_from_slice(&runs[done..group.start]);
            let geometry = geometry(framing, key.key_length(), &runs[group.clone()]);
            let writer = RunWriter::create(&spill.next_path()?, work.direct, geometry)?;
            let destination = Destination::run(&writer);
            let sum = merge(work, key, crew, memory, &runs[group.clone()], destination)?;
            merged.push(writer.finish(&mut crew.workers[0].lane, sum)?);
            for run in &runs[group.clone()] {
                std::fs::remove_file(&run.path).map_err(|e| Error::io("remove", &run.path, e))?;
            }
            done = group.end;
        }
        merged.extend_from_slice(&runs[done..]);
        *runs = merged;
        for worker in &mut crew.workers {
            worker.lane.flush()?;
        }
    }
}

/// The geometry of what `runs` will be, merged.
fn geometry(framing: Framing, key_length: usize, runs: &[Run]) -> Geometry {
    let bytes = runs.iter().map(|run| run.bytes).sum();
    let records = runs.iter().map(|run| run.records).sum();
    let longest_bytes = runs.iter().map(|run| run.longest_bytes).max().unwrap_or(0);
    Geometry::new(framing, key_length, bytes, records, longest_bytes)
}

/// Merges `runs` to `destination`, one slab being read while another is merged; the sum of the
/// runs.
pub fn merge<K: KeyEncoder>(
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
    let window_bytes = plan.slab_bytes / INDEX_SHARE / runs.len().max(1);
    let walked: Vec<&RunReader> = readers.iter().collect();
    let mut planner = Planner::new(key, &walked, plan.slab_bytes, window_bytes)?;
    let mut next_expected = || match planner.next_slab()? {
        Some(slab) => ExpectedSlab::new(&readers, slab, plan.block_bytes).map(Some),
        None => Ok(None),
    };

    let mut expected = next_expected()?;
    let mut loaded: Option<LoadedSlab> = None;
    let mut starts = vec![0; readers.len()];
    while (expected.is_some() || loaded.is_some()) && !destination.is_full() {
        let raw = expected.map(|expected| {
            let memory = memory.pop().unwrap_or_else(|| unreachable!("one of two is free"));
            RawSlab::new(&readers, expected, memory)
        });
        let merging = loaded
            .as_ref()
            .map(|slab| Merging::new(key, framing, slab, &starts, destination, work.task_bytes()));
        let is_last = raw.is_none();
        let next = stage::run(
            &mut crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            merging.as_ref().map(|merging| merging as &dyn Drain),
            (!is_last).then_some(&mut next_expected),
        )?;
        expected = next.flatten();
        if let Some(merging) = merging {
            starts = merging.ends();
        }
        memory.extend(loaded.take().map(LoadedSlab::into_region));
        loaded = raw.map(RawSlab::finish);
    }
    Ok(sum)
}
