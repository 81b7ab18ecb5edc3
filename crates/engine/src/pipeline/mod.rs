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
//! [`sort`] is that outline. Each bracket is a stage (`stage`): all workers fill one load or slab
//! while they drain the one before. A sort in memory has two stages, to fill and to drain. A merge
//! as streams has no slabs (`sorted`).

mod chain;
mod checkpoints;
mod crew;
mod dealing;
mod delivery;
mod destination;
mod edges;
mod entry_room;
mod expectation;
mod gate;
mod gathering;
mod generate;
mod heading;
mod intake;
mod leftover;
pub mod merge;
mod merging;
mod names;
mod new_run;
mod outcome;
mod phase_clock;
mod raw_load;
mod reading;
mod record_intake;
mod record_place;
mod reorder;
mod replacement;
pub mod rewriting;
mod sample;
mod sieve_intake;
mod slab_merge;
mod slabs;
pub mod sorted;
mod spill;
mod spill_packing;
mod stage;
mod stream;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{ALL_INPUTS, ConfigErrorKind, Result, Setting, config};
use crate::format::Framing;
use crate::incore::KeyedLoad;
use crate::io::{Direct, Engine, File};
use crate::key::KeyEncoder;
use crate::load::LayoutInput;
use crate::manifest::SlabEntry;
use crate::operator::{KeptMemory, KeptRoom, Making, Select};
use crate::output::OpenOutput;
use crate::plan::Plan;
use crate::plan::passes::{
    Choice, MergeMethod, copies_beside, least_budget_mib, longest_bytes, raised_budget_mib,
};
use crate::plan::volume::Volume;
use crate::proof::Sum;
use crate::run::Run;
use crate::stats::{Phase, Progress};
use crate::stripe::SpillPlace;
use crate::units::ByteSize;

use checkpoints::Checkpoints;
use crew::Crew;
use delivery::{Delivery, prove};
use expectation::Expectation;
pub use gate::{Gate, Passed, RowShape, Shape};
use gathering::Gathering;
use generate::{Generated, GeneratedRuns, IntakeCounts};
pub use heading::{Columns, Heading, TOP_MAX, Top, TopSize};
use merge::{Brought, MergeContext, Narrowed, RecordRules};
pub use names::Names;
pub use outcome::{Outcome, SortEnd, Written};
pub use sample::average_length;
pub use spill::Spill;
pub use spill_packing::SpillPacking;
pub use stage::WorkerObservations;
pub use stream::InputStream;

/// Open source of the records.
#[derive(Debug)]
pub enum JobInput {
    /// Files, read anywhere.
    Files(Vec<Arc<File>>),
    /// Streams, read in order.
    Stream(Arc<Mutex<InputStream>>),
}

/// The first lines of files.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// First lines of the first file that has some.
    pub bytes: Vec<u8>,
    /// Their size in each file.
    pub sizes: Vec<TopSize>,
}

/// A job with everything decided.
#[derive(Debug)]
pub struct Work {
    /// The plan.
    pub plan: Plan,
    /// Source of the records.
    pub input: JobInput,
    /// Places to which runs are spilled.
    pub temp: Vec<SpillPlace>,
    /// Framing that separates records.
    pub framing: Framing,
    /// Bytes per record; of records that differ, their average as far as it is known.
    pub record_length: usize,
    /// The engine.
    pub engine: Engine,
    /// Choice of whether run files bypass the page cache.
    pub direct: Direct,
    /// Selection of the records that are written.
    pub select: Select,
    /// Changes made to the selected records.
    pub making: Arc<Making>,
    /// Header at the top of files, which is not sorted.
    pub header: Header,
    /// Conditions on records.
    pub gate: Gate,
    /// True if the output is proven.
    pub verify: bool,
    /// True if checkpoints are spaced out in time; false for one after each slab.
    pub is_thrifty: bool,
    /// True if the output takes the place of the input, whose space is freed while it is read.
    pub is_in_place: bool,
    /// Compression of runs.
    pub packing: SpillPacking,
}

impl JobInput {
    /// Makes sure that files are whole after they have been read. Streams look at their end.
    ///
    /// # Errors
    ///
    /// Those of [`File::check_whole`].
    pub fn check_whole(&self) -> Result<()> {
        match self {
            Self::Files(files) => files.iter().try_for_each(|file| file.check_whole()),
            Self::Stream(_) => Ok(()),
        }
    }

    /// Returns the number of bytes the inputs hold, where that is known: of files, and of streams
    /// that say so.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Files(files) => Some(files.iter().map(|file| file.len()).sum()),
            Self::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.extent().map(|extent| extent.bytes)
            }
        }
    }

    /// Returns whether every input is read past the page cache.
    pub fn is_direct(&self) -> bool {
        match self {
            Self::Files(files) => files.iter().all(|file| file.is_direct()),
            Self::Stream(_) => false,
        }
    }
}

impl Work {
    /// Returns the most copies of a long record that the selection holds at once.
    pub fn kept_copies(&self) -> u64 {
        self.making.kept_copies(&self.select)
    }

    /// Returns the most copies where numbers that are added up may be long, too.
    fn ample_copies(&self) -> u64 {
        self.making.ample_copies(&self.select)
    }

    /// Returns the least budget, in MiB, for records of `longest` bytes, whether they are merged or
    /// lie in memory.
    fn least_budget_mib(&self, longest: u64) -> u64 {
        let (copies, ample) = (self.kept_copies(), self.ample_copies());
        let merged = least_budget_mib(&self.plan, &[longest; 2], ample);
        let least = match ample > copies {
            true => merged.max(self.plan.budget_with_room_mib(ample_room(ample * longest))),
            false => merged,
        };
        raised_budget_mib(&self.plan, least)
    }

    /// Returns the most copies of a long record for which a merge of `runs` has room.
    fn copies_beside(&self, runs: &[Run]) -> u64 {
        copies_beside(&self.plan, runs, self.kept_copies(), self.ample_copies())
    }

    /// Returns what of the selection can be done before all records are together.
    fn early(&self) -> Option<Select> {
        self.making.early(&self.select)
    }

    /// Returns the rules for the records that are written.
    fn rules(&self) -> RecordRules {
        RecordRules {
            framing: self.framing,
            select: self.select.clone(),
            making: Arc::clone(&self.making),
            verify: self.verify,
            proves_order: self.verify,
            origin: self.origin(),
            packing: self.packing.of_run(),
        }
    }

    /// Returns the inputs as the layout sees them; a stream is as long as can be.
    fn sources(&self) -> Vec<LayoutInput> {
        let skips = self.header.sizes.iter().map(|size| size.bytes).chain(std::iter::repeat(0));
        match &self.input {
            JobInput::Files(files) => files
                .iter()
                .zip(skips)
                .map(|(file, skip)| LayoutInput {
                    bytes: file.len(),
                    is_direct: file.is_direct(),
                    skip,
                })
                .collect(),
            JobInput::Stream(_) => {
                let length = self.framing.fixed_length().unwrap_or(1) as u64;
                let bytes = i64::MAX as u64 / length * length;
                vec![LayoutInput { bytes, is_direct: false, skip: 0 }]
            }
        }
    }

    /// Returns what stands at the top of the output; of a stream, once it has been read.
    fn header(&self) -> Vec<u8> {
        match &self.input {
            JobInput::Files(_) => self.header.bytes.clone(),
            JobInput::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.header().to_vec()
            }
        }
    }

    /// Returns the number of bytes that a worker writes at a time.
    fn task_bytes(&self) -> u64 {
        // Selected records are held back in a buffer until it is the task's turn.
        let most = if self.select.is_all() { u64::MAX } else { self.plan.lane.capacity as u64 / 2 };
        self.plan.task_bytes.min(most)
    }

    /// Returns the name that messages about a sorted record give to its source.
    fn origin(&self) -> PathBuf {
        match &self.input {
            JobInput::Files(files) if files.len() == 1 => files[0].path().to_owned(),
            _ => PathBuf::from(ALL_INPUTS),
        }
    }

    /// Returns the number of bytes that the output may have more than the input: each file's last
    /// line may lack its end.
    fn terminators_lacking(&self) -> u64 {
        match (&self.input, self.framing.terminator()) {
            (JobInput::Files(files), Some(_)) => files.len() as u64,
            _ => 0,
        }
    }

    /// Returns whether a stream has ended. Files say so by having no next load.
    fn is_stream_at_end(&self) -> bool {
        match &self.input {
            JobInput::Files(_) => false,
            JobInput::Stream(stream) => stream.lock().is_ok_and(|stream| stream.is_at_end()),
        }
    }
}

/// Sorts.
pub fn sort<K: KeyEncoder>(
    work: &Work,
    key: &K,
    output: &mut OpenOutput,
    spill: &mut Spill,
    progress: &Progress,
) -> Result<SortEnd> {
    let past = spill.take_past();
    let slab = past.as_ref().and_then(|past| past.slab.clone());
    let expectation = Expectation::new(work, progress);
    if let Some(bytes) = work.input.bytes() {
        let left = bytes.saturating_sub(past.as_ref().map_or(0, |past| past.taken.1));
        reserve(work, bytes, left, output, spill)?;
        // The job does not move again the bytes that an earlier one has read and written.
        let written = slab.as_ref().map_or(0, |slab| slab.ends.iter().sum());
        expectation.of_bytes(bytes, bytes - left, written);
    } else {
        expectation.of_stream();
    }
    let (mut crew, memory) = Crew::of_sort(&work.plan, work.engine, progress)?;
    let past = past.unwrap_or_default();
    let generated = generate::generate(work, key, &mut crew, memory, past, spill)?;
    expectation.settle(&generated);
    let made = match generated {
        Generated::Crowded(average) => return Ok(SortEnd::Crowded(average)),
        Generated::Unsieved => return Ok(SortEnd::Unsieved),
        Generated::Whole(load, taken) => {
            write_load(work, key, &mut crew, Some(&load), taken, output)?
        }
        Generated::Nothing(taken) => write_load(work, key, &mut crew, None, taken, output)?,
        Generated::Runs(runs) => write_runs(work, key, &mut crew, runs, spill, slab, output)?,
    };
    crew.enter(Phase::Finishing)?;
    let proof = proof_of(work, &crew, made.records)?;
    let (phases, engine, seen) = (crew.phases(), crew.engine(), crew.seen());
    let is_order_proven = work.verify;
    let keys = key.findings(&crew.keys);
    let buffers = crew.inputs.buffers;
    let microruns = work.plan.microruns.map(|_| crew.microruns);
    let proven = Outcome { phases, engine, proof, is_order_proven, seen, keys, ..made };
    let compression = work.packing.account();
    let outcome = Outcome { buffers, microruns, compression, ..proven };
    Ok(SortEnd::Sorted(Box::new(outcome)))
}

/// Makes sure that there is room, before there is work that could be lost.
fn reserve(work: &Work, bytes: u64, left: u64, output: &OpenOutput, spill: &Spill) -> Result<()> {
    if work.is_in_place {
        let volume = work.plan.volume(left);
        let (needed, beside) = (volume.run_space(), volume.in_place_space());
        spill.check_limit(volume.file_space())?;
        return spill.check_space(needed, run_file_bytes(&volume), beside);
    }
    let bytes = bytes + work.terminators_lacking();
    if work.select.is_all() && work.gate.admits_all() {
        output.reserve(bytes)?;
    }
    // What another job has done has its room.
    let volume = work.plan.volume(left.min(bytes));
    let needed = volume.run_space();
    // How much compressed runs need turns out as they are written.
    if needed == 0 || work.packing.is_chosen() {
        return Ok(());
    }
    // Of what is dropped on the way nobody knows how much it will be.
    let keeps_all = work.early().is_none() && work.gate.admits_all();
    if !keeps_all || work.plan.wanted.is_some() || work.plan.sieve().is_some() {
        return Ok(());
    }
    spill.check_limit(volume.file_space())?;
    spill.check_space(needed, run_file_bytes(&volume), needed)
}

/// Returns the maximum number of bytes of the file of a run that a load becomes.
fn run_file_bytes(volume: &Volume) -> u64 {
    volume.run_bytes + volume.run_bytes / 100
}

/// Returns the room to ask for where copies take `bytes` bytes: a plan with more memory divides it
/// in another way, and leaves up to a tenth less.
fn ample_room(bytes: u64) -> u64 {
    bytes + bytes / 8
}

/// Returns the memory for copies of records of the only load, where the kept ones stay.
fn kept_of_load<'a>(work: &Work, load: &'a KeyedLoad) -> KeptMemory<'a> {
    let others = work.ample_copies().saturating_sub(u64::from(work.select.groups()));
    let room = work.plan.room_beside(load.records(), load.bytes());
    let least = work.plan.budget_with_room_mib(ample_room(others * load.longest_bytes()));
    let least = raised_budget_mib(&work.plan, least);
    let room = KeptRoom { bytes: room, least: Some(ByteSize::mib(least)) };
    KeptMemory { load: load.loaded_bytes().unwrap_or_default(), room }
}

/// Returns the memory for copies of records of `runs`.
fn kept_of_runs(work: &Work, runs: &[Run]) -> KeptMemory<'static> {
    let (copies, longest) = (work.copies_beside(runs), longest_bytes(runs));
    // Only fields that are written many times take more than the ample room.
    let ample = work.ample_copies();
    let least = || ByteSize::mib(work.least_budget_mib(longest));
    let room = KeptRoom { bytes: copies * longest, least: (copies < ample).then(least) };
    KeptMemory { load: &[], room }
}

/// Gathers the only load, if any record is left for it, to the output.
fn write_load<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    load: Option<&KeyedLoad>,
    taken: IntakeCounts,
    output: &mut OpenOutput,
) -> Result<Outcome> {
    crew.enter(Phase::Writing)?;
    let IntakeCounts { records, bytes, ragged } = taken;
    let ragged = work.gate.drops_ragged().then_some(ragged);
    let (rules, header, size) = (&work.rules(), work.header(), Some((records, bytes)));
    let kept = load.map(|load| kept_of_load(work, load)).unwrap_or_default();
    let delivery = Delivery { rules, header, size, checkpoints: Checkpoints::NONE, kept };
    let (written, _) = delivery.write(key, crew, output, |crew, to| {
        if let Some(load) = load {
            let gathering = Gathering::new(key, load, work, to);
            stage::run(&mut crew.workers, None, Some(&gathering), stage::NOTHING_ELSE)?;
        }
        Ok(Brought::default())
    })?;
    let loads = load.map_or(0, |_| 1);
    Ok(Outcome { records, bytes, written, passes: 1, loads, ragged, ..Outcome::default() })
}

/// Merges runs to the output.
fn write_runs<K: KeyEncoder>(
    work: &Work,
    key: &K,
    crew: &mut Crew<'_>,
    generated: GeneratedRuns<'_>,
    spill: &mut Spill,
    slab: Option<SlabEntry>,
    output: &mut OpenOutput,
) -> Result<Outcome> {
    let GeneratedRuns { external, runs, taken, mut memory } = generated;
    let IntakeCounts { records, bytes, ragged } = taken;
    let generated = runs.len() as u64;
    if work.is_in_place && slab.is_some() {
        // What was merged of the runs has been given back, so that they are merged by slabs only.
        let choice = Choice::new(&work.plan, external, &runs, work.copies_beside(&runs))?;
        let Choice { way, groups, .. } = choice;
        if way != MergeMethod::Slabs || !groups.is_empty() {
            return Err(config!(
                ConfigErrorKind::ResumeMismatch,
                "the interrupted merge had more memory; give as much as before with {}, and the \
                 same {}",
                Setting::Memory,
                Setting::Overlap,
            ));
        }
    }
    crew.enter(Phase::IntermediateMerge)?;
    let (rules, mut places) = (&work.rules(), merge::places_of(runs));
    let merge = MergeContext::of_runs(work, external, rules, key);
    let Narrowed { way, passes: more, merged } =
        merge.narrow(crew, &mut memory, spill, &mut places)?;
    crew.enter(Phase::Writing)?;
    let merge_width = generated.min(places.len() as u64);
    let is_possible = |slab: &SlabEntry| way == MergeMethod::Streams || slab.streams.is_none();
    let slab = slab.filter(|slab| is_possible(slab) && slab.ends.len() == places.len());
    let mut checkpoints = Checkpoints::new(spill.take_manifest(), slab, work.is_thrifty);
    if work.is_in_place {
        checkpoints = checkpoints.freeing(&merge::runs_of(&places));
    }
    let (header, size, checkpoints) = (work.header(), Some((records, bytes)), &checkpoints);
    let kept = kept_of_runs(work, &merge::runs_of(&places));
    let delivery = Delivery { rules, header, size, checkpoints, kept };
    let (written, _) = delivery
        .write(key, crew, output, |crew, to| merge.merge(crew, way, &mut memory, &places, to))?;
    let passes = if generated == 0 { 1 } else { 2 + more };
    Ok(Outcome {
        records,
        bytes,
        written,
        passes,
        loads: generated,
        runs: generated,
        runs_merged_again: merged,
        merge_width,
        ragged: work.gate.drops_ragged().then_some(ragged),
        merged: (places.len() > 1).then_some(way),
        ..Outcome::default()
    })
}

/// Compares what was written with what was read, and that with what the files had.
fn proof_of(work: &Work, crew: &Crew<'_>, records: u64) -> Result<Option<Sum>> {
    if let (JobInput::Files(files), Framing::Fixed(length), false, true) =
        (&work.input, work.framing, work.select.is_partial(), work.gate.admits_all())
    {
        let bytes: u64 = files.iter().map(|file| file.len()).sum();
        assert_eq!(records, bytes / length as u64, "every record is in some load");
    }
    // Records that nobody wants are not even sorted.
    let is_proven = work.verify && !work.select.is_partial();
    is_proven.then(|| prove(crew, Some(records))).transpose()
}
