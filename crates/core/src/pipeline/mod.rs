//! Doing: what a plan decided, carried out by a crew of workers.
//!
//! ```text
//!   it fits                         it does not
//!
//!   generate: read and deal all     generate: [read load n+1 | write run n] ...
//!   write:    sort and gather       narrow:   while there are too many runs, merge some
//!                                   write:    [read slab n+1 | merge slab n] ...
//!             \______________________________/
//!                            |
//!                prove, make durable, give its name
//! ```
//!
//! [`sort`] is that plot. Every box is a stage (`stage`): all workers filling one load while they
//! drain the one before.

mod crew;
mod dealing;
mod gathering;
mod generate;
mod intake;
mod line_intake;
mod lines;
mod merging;
mod passes;
mod sample;
mod slabs;
mod spill;
mod stage;
mod stream;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::format::Framing;
use crate::incore::KeyedLoad;
use crate::io::{Direct, Engine, File, Region};
use crate::key::KeyEncoder;
use crate::load::Source;
use crate::output::Output;
use crate::plan::Plan;
use crate::proof::Sum;
use crate::run::Run;
use crate::sink::LaneCounters;
use crate::stats::{Phase, PhaseTime, Progress};

use crew::Crew;
use gathering::{Destination, Gathering};
use generate::Generated;
use spill::Spill;

pub use sample::average_length;
pub use stream::Stream;

/// Where the records come from, open.
#[derive(Debug)]
pub enum Input {
    /// Files, read anywhere.
    Files(Vec<Arc<File>>),
    /// Streams, read in order.
    Stream(Mutex<Stream>),
}

/// A job with everything decided.
#[derive(Debug)]
pub struct Work {
    /// The plan.
    pub plan: Plan,
    /// Where records come from.
    pub input: Input,
    /// Where runs go.
    pub temp: Vec<PathBuf>,
    /// How records are told apart.
    pub framing: Framing,
    /// Bytes per record; of records that differ, their average as far as it is known.
    pub record_length: usize,
    /// The engine.
    pub engine: Engine,
    /// Whether run files bypass the page cache.
    pub direct: Direct,
    /// Whether the output is proven.
    pub verify: bool,
}

impl Input {
    /// Bytes the inputs hold, where they are files.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Files(files) => Some(files.iter().map(|file| file.len()).sum()),
            Self::Stream(_) => None,
        }
    }

    /// Whether every input is read past the page cache.
    pub fn is_direct(&self) -> bool {
        match self {
            Self::Files(files) => files.iter().all(|file| file.is_direct()),
            Self::Stream(_) => false,
        }
    }
}

impl Work {
    /// The inputs as the layout sees them; a stream is as long as can be.
    fn sources(&self) -> Vec<Source> {
        match &self.input {
            Input::Files(files) => files
                .iter()
                .map(|file| Source { bytes: file.len(), is_direct: file.is_direct() })
                .collect(),
            Input::Stream(_) => {
                let length = match self.framing {
                    Framing::Fixed(length) => length as u64,
                    Framing::Terminated(_) => 1,
                };
                vec![Source { bytes: (i64::MAX as u64) / length * length, is_direct: false }]
            }
        }
    }

    /// Bytes that the output may have more than the input: each file's last line may lack its end.
    fn terminators_lacking(&self) -> u64 {
        match (&self.input, self.framing) {
            (Input::Files(files), Framing::Terminated(_)) => files.len() as u64,
            _ => 0,
        }
    }

    /// Whether a stream has ended. Files say so by having no next load.
    fn is_stream_at_end(&self) -> bool {
        match &self.input {
            Input::Files(_) => false,
            Input::Stream(stream) => stream.lock().is_ok_and(|stream| stream.is_at_end()),
        }
    }
}

/// What a sort came to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Records sorted.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time and bytes of each phase.
    pub phases: Vec<(PhaseTime, LaneCounters)>,
    /// The engine that was used.
    pub engine: &'static str,
    /// Count and checksum of the records, where they were proven.
    pub proof: Option<Sum>,
    /// Loads the input was read in.
    pub loads: u64,
    /// Times the data was read and written.
    pub passes: u32,
    /// Runs that were generated.
    pub runs: u64,
    /// Most runs merged at once.
    pub merge_width: u64,
}

/// How a sort ended.
#[derive(Debug)]
pub enum Ended {
    /// With the output written.
    Sorted(Outcome),
    /// With nothing written: records are shorter than was planned for. They have so many bytes, on
    /// average.
    Crowded(usize),
}

/// Sorts.
pub fn sort<K: KeyEncoder>(
    work: &Work,
    key: &K,
    output: &mut Output,
    progress: &Progress,
) -> Result<Ended> {
    let mut spill = Spill::new(work.temp.clone());
    if let Some(bytes) = work.input.bytes() {
        reserve(work, bytes, output, &spill)?;
        progress.expect_bytes(work.plan.bytes_to_move(bytes));
    }
    let (mut crew, memory) = Crew::new(&work.plan, work.engine, progress)?;
    let generated = generate::generate(work, key, &mut crew, memory, &mut spill)?;
    let made = match generated {
        Generated::Crowded(average) => return Ok(Ended::Crowded(average)),
        Generated::Whole(load) => write_load(work, key, &mut crew, &load, output)?,
        Generated::Runs(runs, memory) => {
            write_runs(work, key, &mut crew, (runs, memory), &mut spill, output)?
        }
    };
    crew.enter(Phase::Finishing)?;
    let proof = prove(work, &crew, made.records)?;
    Ok(Ended::Sorted(Outcome { phases: crew.phases(), engine: crew.engine(), proof, ..made }))
}

/// Makes sure that there is room, before there is work that could be lost.
fn reserve(work: &Work, bytes: u64, output: &Output, spill: &Spill) -> Result<()> {
    let bytes = bytes + work.terminators_lacking();
    output.reserve(bytes)?;
    if work.plan.is_one_pass {
        return Ok(());
    }
    // Checksums and index keys take less than one part in a hundred of a run.
    spill.check_space(bytes + bytes / 100 + work.plan.intermediate_bytes(bytes))
}

/// Gathers a load to the output.
fn write_load<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    load: &KeyedLoad,
    output: &mut Output,
) -> Result<Outcome> {
    crew.enter(Phase::Writing)?;
    let records = load.records();
    let bytes = load.bytes();
    let sink = output.sink(bytes)?;
    let destination = Destination { sink: &sink, table: None, is_summed: work.verify };
    let gathering = Gathering::new(key, load, work.framing, destination, work.plan.task_bytes);
    stage::run(&mut crew.workers, None, Some(&gathering), stage::NOTHING_ELSE)?;
    sink.assert_whole();
    Ok(Outcome { records, bytes, passes: 1, loads: 1, ..Outcome::default() })
}

/// Merges runs to the output.
fn write_runs<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    (mut runs, mut memory): (Vec<Run>, Vec<Region>),
    spill: &mut Spill,
    output: &mut Output,
) -> Result<Outcome> {
    let generated = runs.len() as u64;
    let records: u64 = runs.iter().map(|run| run.records).sum();
    let bytes = runs.iter().map(|run| run.bytes).sum();
    crew.enter(Phase::IntermediateMerge)?;
    let more = passes::narrow(work, key, crew, &mut memory, (spill, &mut runs))?;
    crew.enter(Phase::Writing)?;
    let sink = output.sink(bytes)?;
    let destination = Destination { sink: &sink, table: None, is_summed: work.verify };
    passes::merge(work, key, crew, &mut memory, &runs, destination)?;
    sink.assert_whole();
    let merge_width = generated.min(work.plan.merge_width as u64);
    let passes = if records == 0 { 1 } else { 2 + more };
    Ok(Outcome {
        records,
        bytes,
        passes,
        loads: generated,
        runs: generated,
        merge_width,
        ..Outcome::default()
    })
}

/// Holds what was written against what was read, and that against what the files held.
fn prove(work: &Work, crew: &Crew<'_>, records: u64) -> Result<Option<Sum>> {
    if let (Some(bytes), Framing::Fixed(length)) = (work.input.bytes(), work.framing) {
        assert_eq!(records, bytes / length as u64, "every record is in some load");
    }
    if !work.verify {
        return Ok(None);
    }
    let (read, written) = crew.sums();
    if read == written && written.records == records {
        return Ok(Some(written));
    }
    Err(Error::Proof {
        records_in: read.records,
        checksum_in: read.checksum,
        records_out: written.records,
        checksum_out: written.checksum,
    })
}
