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

use super::emission::Emission;
use super::feed::Feed;
use super::source::Source;
use super::tournament::Tournament;
use crate::error::Result;
use crate::io::Arena;
use crate::key::KeyEncoder;
use crate::operator::Outlet;
use crate::pipeline::Work;
use crate::pipeline::crew::{Crew, cut};
use crate::pipeline::gathering::Destination;
use crate::pipeline::passes::table_window_bytes;
use crate::pipeline::stage::Worker;
use crate::plan::passes::longest_bytes;
use crate::plan::streams::RunStreams;
use crate::proof::Sum;
use crate::run::{Blocks, Run, RunReader};
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
    let (plan, framing) = (&work.plan, work.framing);
    destination.selection.inspect(|selection| selection.begin_stage());
    crew.rest()?;
    let stay = crew.workers[0].begin_alone(Activity::Merging);
    let longest: Vec<u64> = runs.iter().map(|run| run.longest_bytes).collect();
    // A selection keeps a record of its own, which no window counts.
    let kept = if work.select.groups() { longest_bytes(runs) as usize } else { 0 };
    let streams = RunStreams::new(&longest, plan.stream_bytes().saturating_sub(kept));
    let piece_bytes = streams.piece_bytes;
    let mut arena = Arena::new(ByteSize((runs.len() * piece_bytes) as u64))?;
    let pieces = plan.levers.merge_buffers.pieces(piece_bytes, runs.len());
    let pieces = pieces.into_iter().map(|bytes| cut(&mut arena, bytes)).collect();
    let mut feed = Feed::new(work.engine, pieces, streams.spare_bytes, crew.progress)?;
    let mut sum = Sum::default();
    let mut sources = Vec::with_capacity(runs.len());
    for run in runs {
        let reader = RunReader::open(run, work.direct)?;
        sum.add(reader.footer().sum);
        let blocks = Blocks::new(reader, table_window_bytes(plan, runs.len()))?;
        sources.push(Source::new(feed.open_run(blocks)?, framing, piece_bytes, false)?);
    }
    let mut tree = Tournament::new(key, sources, None, &mut feed)?;
    let bytes = runs.iter().map(|run| run.bytes).sum();
    let Worker { lane, sum_out, .. } = &mut crew.workers[0];
    destination.write(key, lane, (0, 0, bytes), |outlet| {
        let (feed, filter) = (&mut feed, None);
        let mut emission = Emission { key, framing, feed, destination, sum: sum_out, filter };
        match outlet {
            Outlet::All(writer) => emission.write(&mut tree, writer).map(drop),
            Outlet::Selected(writer) => emission.select(&mut tree, writer),
        }
    })?;
    for source in tree.into_sources() {
        source.close(&mut feed)?;
    }
    lane.count(feed.counters());
    crew.workers[0].end_alone(stay);
    Ok(sum)
}
