//! Merging runs whose records are too long for slabs: as streams, a window on each.
//!
//! ```text
//!   run a   |....|<- window: the next record, whole ->|<- piece read ahead ->|........|
//!   run b   |..........|<- window ->|<- piece ->|.....................................|
//! ```
//!
//! A run says how long its longest record is, so that windows are sure to have room. One worker
//! does all, while the engine reads ahead and writes behind; what the others and the loads had of
//! memory is given back before, as windows are memory of their own.
//!
//! Where it is noted how far the output has come, that is done between two stages: nothing is half
//! done there, and each run goes on at its next record.

use super::emission::{Emission, Emitted};
use super::feed::Feed;
use super::source::{Source, Standing};
use super::tournament::Tournament;
use crate::error::{Error, Result};
use crate::io::Arena;
use crate::key::KeyEncoder;
use crate::manifest::StreamsEntry;
use crate::merge::Bound;
use crate::operator::TaskOutlet;
use crate::pipeline::Work;
use crate::pipeline::checkpoints::Checkpoints;
use crate::pipeline::crew::{Crew, cut};
use crate::pipeline::gathering::Destination;
use crate::pipeline::passes::table_window_bytes;
use crate::pipeline::stage::Worker;
use crate::plan::passes::longest_bytes;
use crate::plan::streams::{READS_USUAL, RunStreams};
use crate::proof::Sum;
use crate::run::{Run, RunBlocks, RunReader};
use crate::stats::Activity;
use crate::units::ByteSize;

/// Merges `runs` to `destination`; the sum of the runs. The crew's loads hold no memory now.
pub fn merge_runs<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    runs: &[Run],
    destination: Destination<'_>,
) -> Result<Sum> {
    crew.rest()?;
    let stay = crew.workers[0].begin_alone(Activity::Merging);
    let checkpoints = destination.checkpoints.filter(|_| !work.is_in_place);
    let past = checkpoints.map(|checkpoints| checkpoints.begin(&destination, crew));
    let starts = past.transpose()?.flatten().map_or_else(|| vec![0; runs.len()], |past| past.ends);
    let (mut feed, window_bytes) = feed(work, crew, runs)?;
    let (sources, sum) = open(work, (runs, &starts), window_bytes, &mut feed)?;
    let mut tree = Tournament::new(key, sources, None, &mut feed)?;
    let stage_bytes = checkpoints.map_or(u64::MAX, Checkpoints::stage_bytes);
    let bytes = starts.iter().sum();
    let mut emitted = Emitted { bytes, taken: bytes, ..Emitted::default() };
    while tree.winner().is_some() && !destination.is_full() {
        let until = emitted.taken.saturating_add(stage_bytes);
        let (before, framing) = (emitted.bytes, work.framing);
        let Worker { lane, sum_out, .. } = &mut crew.workers[0];
        let mut check = destination.check(key);
        destination.write_from(key, lane, before, |outlet| {
            let (feed, filter) = (&mut feed, None);
            let (sum, check) = (sum_out, &mut check);
            let mut emission = Emission { key, framing, feed, destination, sum, check, filter };
            let so_far = (&mut emitted, until);
            match outlet {
                TaskOutlet::All(writer) => emission.write(&mut tree, writer, so_far)?,
                TaskOutlet::Selected(writer) => emission.select(&mut tree, writer, so_far)?,
            }
            Ok(emitted.bytes - before)
        })?;
        destination.order.end_task(key, 0, check)?;
        if let (Some(checkpoints), Some(_)) = (checkpoints, tree.winner()) {
            let (first, sources) = tree.standing();
            let ends: Vec<u64> = sources.iter().map(|source| source.standing().offset).collect();
            let bound = Bound { run: first, offset: ends[first] };
            let place = (bound, &ends[..], Some(StreamsEntry::default()));
            checkpoints.slab_is_merged(&destination, place, ends.iter().copied(), crew)?;
        }
    }
    let expected = runs.iter().map(|run| run.bytes).sum();
    if destination.selection.is_none() && emitted.bytes != expected {
        return Err(Error::Changed { expected, found: emitted.bytes });
    }
    for source in tree.into_sources() {
        source.close(&mut feed)?;
    }
    crew.workers[0].lane.count(feed.counters());
    crew.workers[0].end_alone(stay);
    Ok(sum)
}

/// Returns what reads the runs, a piece of each, and the bytes of a window on each.
fn feed<'p>(work: &Work, crew: &Crew<'p>, runs: &[Run]) -> Result<(Feed<'p>, usize)> {
    let plan = &work.plan;
    let longest: Vec<u64> = runs.iter().map(|run| run.longest_bytes).collect();
    // A selection keeps a record of its own, which no window counts.
    let kept = if work.select.groups() { longest_bytes(runs) as usize } else { 0 };
    let streams = RunStreams::new(&longest, plan.stream_bytes().saturating_sub(kept));
    let mut arena = Arena::new(ByteSize((runs.len() * streams.piece_bytes) as u64))?;
    let pieces = plan.levers.merge_buffers.pieces(streams.piece_bytes, runs.len());
    let pieces = pieces.into_iter().map(|bytes| cut(&mut arena, bytes)).collect();
    let depth = plan.levers.queue_depth.unwrap_or(READS_USUAL);
    let feed = Feed::new((work.engine, depth), pieces, streams.spare_bytes, crew.progress)?;
    Ok((feed, streams.piece_bytes))
}

/// Returns the runs as sources that begin at `starts`, and their sum.
fn open(
    work: &Work,
    (runs, starts): (&[Run], &[u64]),
    window_bytes: usize,
    feed: &mut Feed<'_>,
) -> Result<(Vec<Source>, Sum)> {
    let framing = work.framing;
    let (mut sources, mut sum) = (Vec::with_capacity(runs.len()), Sum::default());
    for (run, start) in runs.iter().zip(starts) {
        let reader = RunReader::open(run, work.direct)?;
        sum.add(reader.footer().sum);
        let blocks = RunBlocks::new(reader, table_window_bytes(&work.plan, runs.len()))?;
        let source = Source::new(feed.open_run(blocks, *start)?, framing, window_bytes, false)?;
        sources.push(source.at(Standing { offset: *start, ..Standing::default() }));
    }
    Ok((sources, sum))
}
