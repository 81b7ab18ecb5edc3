//! Merging runs: into fewer runs while there are too many, at last into the output.

use super::Work;
use super::crew::Crew;
use super::gathering::Destination;
use super::merging::Merging;
use super::slabs::{ExpectedSlab, LoadedSlab, RawSlab};
use super::spill::Spill;
use super::stage::{self, Drain, Fill};
use crate::error::{Error, Result};
use crate::io::Region;
use crate::key::KeyEncoder;
use crate::merge::Planner;
use crate::plan::passes::intermediate_groups;
use crate::proof::Sum;
use crate::run::layout::Geometry;
use crate::run::{Run, RunReader, RunWriter};

/// The windows on the runs' indexes may together take one part in so many of a slab: a share of the
/// budget's reserve. At the greatest merge width each is still tens of kilobytes, hundreds of keys.
const INDEX_SHARE: usize = 16;

/// Merges neighbouring runs until `work.plan.merge_width` or fewer are left; how often each record
/// was moved for that, at most.
pub fn narrow<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    memory: &mut Vec<Region>,
    (spill, runs): (&mut Spill, &mut Vec<Run>),
) -> Result<u32> {
    let mut passes = 0;
    loop {
        let groups = intermediate_groups(runs.len(), work.plan.merge_width);
        if groups.is_empty() {
            return Ok(passes);
        }
        passes += 1;
        let mut merged = Vec::with_capacity(runs.len());
        let mut done = 0;
        for group in groups {
            merged.extend_from_slice(&runs[done..group.start]);
            let records = runs[group.clone()].iter().map(|run| run.records).sum();
            let geometry = Geometry::new(work.record_length, key.key_length(), records);
            let writer = RunWriter::create(&spill.next_path()?, work.direct, geometry)?;
            let destination =
                Destination { sink: writer.sink(), index: Some(writer.index()), is_summed: false };
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
    let (length, plan) = (work.record_length, &work.plan);
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
    while expected.is_some() || loaded.is_some() {
        let raw = expected.map(|expected| {
            let memory = memory.pop().unwrap_or_else(|| unreachable!("one of two is free"));
            RawSlab::new(&readers, expected, memory)
        });
        let merging = loaded
            .as_ref()
            .map(|slab| Merging::new(key, length, slab, &starts, destination, plan.task_bytes));
        let is_last = raw.is_none();
        expected = stage::run(
            &mut crew.workers,
            raw.as_ref().map(|raw| raw as &dyn Fill),
            merging.as_ref().map(|merging| merging as &dyn Drain),
            || if is_last { Ok(None) } else { next_expected() },
        )?;
        if let Some(merging) = merging {
            starts = merging.ends();
        }
        memory.extend(loaded.take().map(LoadedSlab::into_region));
        loaded = raw.map(RawSlab::finish);
    }
    Ok(sum)
}
