//! Merging inputs that are sorted already.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::account::{Account, Made, streams_of_merge};
use super::asked::{Asked, Asking};
use super::coders::Coders;
use super::contents::Look;
use super::records::{bound, framing};
use super::resume::{KEPT_FILES, Places, Resume, Wanted};
use super::union::{self, Tops, Turns};
use super::{Budget, Input, Output, destinations, open, sampling};
use crate::codec::{Compress, Decompress};
use crate::error::{ALL_INPUTS, ConfigErrorKind, Result, Setting, config};
use crate::format::{Format, Framing, HeaderLines};

use crate::io::inherited::{self, STDOUT};
use crate::io::{DirectStreams, Engine, redirect};
use crate::key::text::TextOrder;
use crate::key::{Key, OrderOptions, with_encoder};
use crate::operator::{Making, Select};
use crate::pipeline::merge::RecordRules;
use crate::pipeline::sorted::{self, InputAccount, MergeWork, SortedPlace};
use crate::pipeline::{Gate, Heading, Outcome, Spill};
use crate::plan::Algorithm;
use crate::plan::levers::{JobChoices, Levers};
use crate::plan::memory::LaneMemory;
use crate::plan::open_files::OpenFiles;
use crate::plan::scratch::Lengths;
use crate::plan::streams::{StreamNeed, StreamPlan};
use crate::stats::{Progress, Statistics};
use crate::stripe::SpillPlace;
use crate::sys::limits;
use crate::units::ByteSize;

/// One merge: sorted inputs in, one sorted output. Reads each input once, in order, and holds a few
/// megabytes of each. If several workers merge, each a range of keys, plain files are sampled and
/// searched first, and opened again for each range.
///
/// With more inputs than can be open at once, or have memory, neighbours are merged to temporary
/// files first. Of equal records those of earlier inputs go first.
#[derive(Clone, Debug)]
pub struct MergeJob {
    /// The inputs, each sorted by the same keys.
    pub inputs: Vec<Input>,
    /// The decompression of inputs.
    pub decompress: Decompress,
    /// The output.
    pub output: Output,
    /// The compression of the output.
    pub compress: Compress,
    /// The format of records.
    pub format: Format,
    /// The keys, most significant first; without any, the whole record is compared as bytes.
    pub keys: Vec<Key>,
    /// Options of the order that apply to all keys.
    pub order: OrderOptions,
    /// The lines at the top of each input that are not records. Those of the first input that has
    /// some stay at the top of the output; those of the others are left out.
    pub header: HeaderLines,
    /// The selection of merged records to write. Its split is not used: there is one output.
    pub select: Select,
    /// Number of records of each input, where it is known; of later inputs, it is not. A file that
    /// has another number at its end is an error.
    pub input_records: Vec<Option<u64>>,
    /// True if an input out of order is an error; otherwise the output has no certain order.
    pub check: bool,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Settings of requests and buffers, and of the number of inputs merged at once. Other settings
    /// apply to sorts only.
    pub levers: Levers,
    /// Directories for temporary files, as of a sort; empty means the output's directory.
    pub temp: Vec<PathBuf>,
    /// Most bytes of temporary files together; `None` for as many as there is room for.
    pub temp_limit: Option<ByteSize>,
    /// True to check `temp` even if this job spills nothing. A later job with a larger input would
    /// otherwise be the first to report a mistake.
    pub check_temp: bool,
    /// The I/O engine.
    pub engine: Engine,
    /// The use of direct I/O, by stream.
    pub direct: DirectStreams,
    /// True to prove that the output holds the records of the inputs, in order.
    pub verify: bool,
    /// True to make the output durable before it gets its name.
    pub sync: bool,
    /// True to replace an output that has no write permission.
    pub force: bool,
    /// Keeps finished work of a job that fails, and continues from the work of an earlier job.
    pub resume: Resume,
    /// True to record a timeline for the statistics.
    pub timeline: bool,
}

impl MergeJob {
    /// Returns a job with the default for every option.
    pub fn new(inputs: Vec<Input>, output: Output, format: Format) -> Self {
        Self {
            inputs,
            decompress: Decompress::Off,
            output,
            compress: Compress::Off,
            format,
            keys: Vec::new(),
            order: OrderOptions::default(),
            header: HeaderLines::NONE,
            select: Select::default(),
            input_records: Vec::new(),
            check: false,
            memory: Budget::Auto,
            threads: None,
            levers: Levers::default(),
            temp: Vec::new(),
            temp_limit: None,
            check_temp: true,
            engine: Engine::Auto,
            direct: DirectStreams::default(),
            verify: true,
            sync: true,
            force: false,
            resume: Resume::Off,
            timeline: false,
        }
    }

    /// Merges. Blocks until the output is in place. Another thread may watch `progress`, and stop
    /// the job through it.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that inputs, disks or options can cause. Then no output exists under its
    /// name, no temporary file is left, and the inputs are unchanged.
    ///
    /// [`Error`]: crate::Error
    pub fn run(&self, progress: &Progress) -> Result<Statistics> {
        let done = sampling::sampled_if(self.timeline, progress, || self.carry_out(progress));
        done.inspect(|_| progress.complete())
    }

    /// Refuses an open descriptor as the output if it writes over an input, which is read at the
    /// same time. An input that is read to its end, wherever that is, must not be appended to
    /// either.
    fn refuse_writing_over(&self, is_read_to_end: impl Fn(usize) -> bool) -> Result<()> {
        let number = match &self.output {
            Output::Stdout => Some(STDOUT),
            Output::File(path) => inherited::named_by(path),
            Output::Striped(_) | Output::Pipe(_) => None,
        };
        let Some(number) = number else { return Ok(()) };
        for (number_of_input, input) in self.inputs.iter().enumerate() {
            let path = match input {
                Input::File(path) => path,
                Input::Stdin => Path::new("/dev/stdin"),
                Input::Striped(_) | Input::Supplied(_) => continue,
            };
            let is_open = is_read_to_end(number_of_input);
            if redirect::writes_over(number, path, is_open) {
                return Err(config!(
                    ConfigErrorKind::InvalidPath,
                    "the output would be written {} {} while that is read; give a file with {}",
                    if is_open { "to" } else { "over" },
                    path.display(),
                    Setting::Output,
                ));
            }
        }
        Ok(())
    }

    fn carry_out(&self, progress: &Progress) -> Result<Statistics> {
        let mut order = bound(self.format, &self.keys, &self.order, self.memory)?;
        order.options.stop_with(progress);
        let account = Account::open(&order);
        let framing = framing(self.format)?;
        let heading = Heading::of(self.format, &self.header)?;
        limits::raise_open_files();
        let engine = self.levers.probe(self.engine)?;
        let temp = destinations::run_places(&self.temp, self.check_temp, &self.output)?;
        let budget = self.memory.resolve()?;
        let mut coders = self.coders(&order, budget);
        let compression = self.compress.of(self.output.path())?;
        destinations::check_output(&self.output, self.force)?;
        self.refuse_writing_over(|_| false)?;
        let early = heading.early(|| self.asking().asked(&order, None))?;
        let (inputs, tops) = self.open(&heading, &mut coders, progress)?;
        self.refuse_writing_over(|number| !matches!(inputs[number], SortedPlace::File { .. }))?;
        let Tops { header, columns, width } = tops;
        let asked = early.map_or_else(|| self.asking().asked(&order, columns.as_ref()), Ok)?;
        let Asked { gate, making, key } = asked;
        coders.note_held(columns.as_ref(), gate.held_bytes());
        let gate = Gate { scratch: coders.scratch(Lengths::Unknown), ..gate };
        let need = |coders: &Coders| self.need(&inputs, width, &temp, engine, coders);
        let plan = |coders: &Coders| StreamPlan::new(&need(coders)).map_err(|e| coders.explain(e));
        let kept = if self.resume == Resume::Off { 0 } else { KEPT_FILES };
        // Heard of before there is an output, which is a file as well.
        need(&coders).check_files(kept + usize::from(self.output.path().is_some()))?;
        let mut places = match self.resume {
            Resume::Off => {
                let output = destinations::open_output(&self.output, self.direct.output, progress)?;
                let output = coders.output(output, compression)?;
                Places::new(output, Spill::new(temp.clone(), self.temp_limit))
            }
            _ => {
                coders.note_inputs(&self.inputs);
                plan(&coders)?; // before what there is to note takes the memory
                Places::kept(&Wanted::merge(self, &order, &inputs, &gate.folds)?, &temp)?
            }
        };
        let plan = plan(&coders);
        let rules = self.rules(framing, making);
        let lane = plan.as_ref().map(|plan| plan.lane).unwrap_or_default();
        let merged = plan.and_then(|plan| {
            let mut work = MergeWork {
                plan,
                inputs,
                rules,
                gate,
                header,
                engine,
                direct: self.direct,
                is_checked: self.check,
                is_thrifty: self.resume != Resume::Often,
            };
            let (output, spill) = (&mut places.output, &mut places.spill);
            with_encoder!(&key, |key| sorted::merge(&mut work, key, output, spill, progress))
        });
        let merged = order.options.checked(merged);
        let direct_output = places.output.is_direct();
        let bytes = |(outcome, _): &(Outcome, _)| outcome.written.bytes;
        let ((outcome, inputs), packed) = places.finish(merged, bytes, self.sync, progress)?;
        let made = self.made(&outcome, &inputs, engine, lane, direct_output);
        let mut statistics = account.close_with(&outcome, budget, &made)?;
        statistics.latency = progress.latency();
        Ok(coders.noted(statistics, packed))
    }

    /// Returns the record of how the bytes were moved.
    fn made(
        &self,
        outcome: &Outcome,
        inputs: &InputAccount,
        engine: Engine,
        lane: LaneMemory,
        direct_output: bool,
    ) -> Made {
        let (streams, requests) = streams_of_merge(&outcome.phases, inputs);
        Made {
            algorithm: None,
            threads: inputs.threads,
            direct_input: inputs.is_direct,
            direct_output,
            lane,
            choices: JobChoices {
                algorithm: Algorithm::Auto,
                engine: self.engine,
                direct: self.direct,
                levers: self.levers,
            },
            engine,
            streams,
            requests,
        }
    }

    /// Looks at the inputs, and reads what stands at the top of them.
    fn open(
        &self,
        heading: &Heading,
        coders: &mut Coders,
        progress: &Progress,
    ) -> Result<(Vec<SortedPlace>, Tops)> {
        let look = Look::new(self.decompress, self.format, true, progress);
        let (inputs, width) = coders.at_once(&self.inputs, &look, self.levers.merge_width)?;
        let mut places = open::sorted_places(&inputs, self.format.framing(), progress)?;
        let known = places.iter_mut().zip(&self.input_records);
        known.for_each(|(place, records)| place.expect_records(*records));
        let turns = Turns::AtOnce(width);
        let tops = union::tops(heading, &mut places, coders, turns, progress)?;
        Ok((places, tops))
    }

    /// Returns the rules for the records that are written.
    fn rules(&self, framing: Framing, making: Making) -> RecordRules {
        RecordRules {
            framing,
            select: self.select.clone(),
            making: Arc::new(making),
            verify: self.verify,
            // The order of inputs that are merged unchecked is whatever it is.
            proves_order: self.verify && self.check,
            origin: self.origin(),
            packing: None,
        }
    }

    /// Returns the name that messages about a merged record give to its source.
    fn origin(&self) -> PathBuf {
        match &self.inputs[..] {
            [Input::File(path)] => path.clone(),
            _ => PathBuf::from(ALL_INPUTS),
        }
    }

    /// Returns the coders with the parts of the budget that are taken before anything is expanded.
    fn coders(&self, order: &TextOrder, budget: ByteSize) -> Coders {
        Coders::new(budget, limits::cores(), &self.inputs, order)
            .with_files_of(self.format)
            .with_conditions(&self.select.having, self.format)
            .with_folds(&self.select)
    }

    /// Returns what is asked of records.
    fn asking(&self) -> Asking<'_> {
        let Self { format, header, select, memory, .. } = self;
        Asking { format: *format, header, filter: None, select, memory: *memory }
    }

    /// Returns the inputs to a plan that merges at most the given number of inputs at once.
    fn need(
        &self,
        inputs: &[SortedPlace],
        width: Option<usize>,
        temp: &[SpillPlace],
        engine: Engine,
        coders: &Coders,
    ) -> StreamNeed {
        let members = temp.iter().map(SpillPlace::members);
        let run_members = members.clone().max().unwrap_or(1);
        let further_locks = members.sum::<usize>() - run_members;
        StreamNeed {
            threads: limits::workers(self.threads),
            inputs: inputs.len(),
            input_bytes: inputs.iter().map(SortedPlace::bytes).sum(),
            budget: coders.budget(),
            besides: coders.besides(Lengths::Unknown),
            files: OpenFiles::now(engine, self.direct).less(further_locks),
            run_members,
            width,
            selects: !self.select.is_all(),
            levers: self.levers,
        }
    }
}
