//! The front door: what a user means by "sort this", and the call that does it.
//!
//! A [`SortJob`] says what is wanted and nothing about how; `plan` decides how, `pipeline` does it.
//! [`MergeJob`] and [`CheckJob`] are for inputs that are sorted already, and [`sort_lines`] is for
//! a few lines in memory.

mod account;
mod advice;
mod asked;
mod budget;
mod check;
mod coders;
mod contents;
mod copy;
mod destinations;
mod endpoints;
mod explain;
mod filtering;
mod in_place;
mod leftovers;
mod lines;
mod merge;
mod named_files;
mod open;
mod packed_sample;
mod rates;
mod record_key;
mod records;
mod resume;
mod row_keys;
mod sampling;
mod single_streams;
mod union;

use std::path::PathBuf;
use std::sync::Arc;

use crate::codec::{Compress, Compression, Decompress};
use crate::error::{ConfigErrorKind, Result, Setting, config};
use crate::format::{Format, Framing, HeaderLines};
use crate::io::{DirectStreams, Engine, Extent};
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, Key, KeyEncoder, OrderOptions, with_encoder};
pub use crate::load::InputPlace;
use crate::operator::Select;
use crate::output;
use crate::pipeline::{self, Gate, Heading, Outcome, SortEnd, Spill, SpillPacking, Work};
pub use crate::plan::Algorithm;
use crate::plan::levers::{JobChoices, Levers};
use crate::plan::open_files::OpenFiles;
use crate::plan::prediction::Rates;
use crate::plan::scratch::Lengths;
use crate::plan::{Need, Plan};
use crate::predicate::RecordFilter;
use crate::profile::Profile;
use crate::stats::{Progress, Statistics};
use crate::stripe::SpillPlace;
use crate::sys::limits;
use crate::units::ByteSize;

use account::Account;
use advice::Endpoints;
use asked::{Asked, Asking};
use coders::Coders;
pub use coders::names_bytes;
use open::Opened;
use records::{bound, framing};

pub use crate::pipeline::sorted::{Checked, Disorder};
pub use budget::Budget;
pub use check::CheckJob;
pub use copy::CopyJob;
pub use endpoints::{Input, Output};
pub use explain::Explanation;
pub use leftovers::{Leftover, LeftoverState, leftovers, remove_leftovers};
pub use lines::{sort_lines, write_lines};
pub use merge::MergeJob;
pub use packed_sample::PackedForecast;
pub use record_key::RecordKey;
pub use resume::{KeptParts, Resume};
use resume::{Places, Wanted};
pub use row_keys::{KeyedRow, RowKeys};
pub use single_streams::distinct_streams;

/// One sort: what to read, how to order it, where to put it, and what it may use.
#[derive(Clone, Debug)]
pub struct SortJob {
    /// The inputs, which are sorted together; their order decides between equal keys.
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
    /// Conditions on records; other records are ignored.
    pub filter: RecordFilter,
    /// The selection of sorted records to write.
    pub select: Select,
    /// The lines at the top of each input that are not sorted. Those of the first input that has
    /// some stay at the top of the output; those of the others are left out.
    pub header: HeaderLines,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// The algorithm that sorts in memory or makes runs.
    pub algorithm: Algorithm,
    /// Number of worker threads; `None` for one per core.
    pub threads: Option<usize>,
    /// Directories for run files; empty means the output's directory. The definition of a striped
    /// file stands for the directories of its members: each run lies striped over all of them.
    pub temp: Vec<PathBuf>,
    /// Most bytes of run files together; `None` for as many as there is room for.
    pub temp_limit: Option<ByteSize>,
    /// True to check `temp` even if this job spills nothing. A later job with a larger input would
    /// otherwise be the first to report a mistake.
    pub check_temp: bool,
    /// The I/O engine.
    pub engine: Engine,
    /// The use of direct I/O, by stream.
    pub direct: DirectStreams,
    /// Settings of the plan.
    pub levers: Levers,
    /// True to prove that the output holds the records of the inputs, in order.
    pub verify: bool,
    /// True to make the output durable before it gets its name.
    pub sync: bool,
    /// True to replace outputs that have no write permission.
    pub force: bool,
    /// Keeps finished work of a job that fails, and continues from the work of an earlier job.
    pub resume: Resume,
    /// True to sort the one input, which is also the output, in place: its space is freed as it is
    /// read, so the sort needs little free space. Finished work is kept; see [`Resume`].
    pub in_place: bool,
    /// The machine profile. With it, the job predicts times, and takes no more memory than was
    /// measured unless `memory` asks for it.
    pub profile: Option<Arc<Profile>>,
    /// True to record a timeline for the statistics, by a thread of its own, ten times a second.
    pub timeline: bool,
}

impl SortJob {
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
            filter: RecordFilter::default(),
            select: Select::default(),
            header: HeaderLines::NONE,
            memory: Budget::Auto,
            algorithm: Algorithm::Auto,
            threads: None,
            temp: Vec::new(),
            temp_limit: None,
            check_temp: true,
            engine: Engine::Auto,
            direct: DirectStreams::default(),
            levers: Levers::default(),
            verify: true,
            sync: true,
            force: false,
            resume: Resume::Off,
            in_place: false,
            profile: None,
            timeline: false,
        }
    }

    /// Sorts. Blocks until the output is in place. Another thread may watch `progress`, and stop
    /// the job through it.
    ///
    /// # Errors
    ///
    /// Every [`Error`] that inputs, disks or options can cause. Then the inputs and a file with the
    /// output's name are unchanged, and no temporary file is left, with these exceptions:
    ///
    /// - If only the last sync of a directory failed, the name is that of the new file.
    /// - With [`resume`](Self::resume), finished work is kept, except after damage.
    /// - With [`in_place`](Self::in_place), all work is kept, and the input has holes once a run
    ///   was recorded.
    /// - If one of several output files cannot be renamed, files that the others replaced are lost.
    /// - A stream keeps what was written to it.
    ///
    /// [`Error`]: crate::Error
    pub fn run(&self, progress: &Progress) -> Result<Statistics> {
        let done = sampling::sampled_if(self.timeline, progress, || self.carry_out(progress));
        done.inspect(|_| progress.complete())
    }

    /// Carries out the job:
    ///
    /// 1. Binds the keys to the format, and opens the inputs.
    /// 2. Opens the places for output and runs, or finds those of an interrupted job.
    /// 3. Plans, after it has measured what the plan depends on.
    /// 4. Sorts.
    /// 5. Gives the output its name, and describes what was done.
    fn carry_out(&self, progress: &Progress) -> Result<Statistics> {
        // 1. Inputs.
        let mut order = self.bound()?;
        order.options.stop_with(progress);
        let order = &order;
        let account = Account::open(order);
        let framing = framing(self.format)?;
        let temp = destinations::run_places(&self.temp, self.check_temp, &self.output)?;
        let opened = open::open_inputs(self, order, progress)?;
        let Opened { engine, budget, mut coders, input, header, columns, asked } = opened;
        let Asked { gate, making, key } = asked;
        let record_length = open::record_length(&input, framing)?;
        let gate = Gate { scratch: coders.scratch(Lengths::Average(record_length)), ..gate };
        coders.note_held(columns.as_ref(), gate.held_bytes());
        let drops_copies = self.drops_copies(&input, &gate, key.encoder());
        // 2. Places.
        let is_open = gate.is_open(key.encoder());
        let mut places = self.places(&temp, &mut coders, progress, || {
            Wanted::sort(self, order, &input, &gate.folds, is_open)
        })?;
        // 3. Plan.
        let record_length = places.spill.average_length().unwrap_or(record_length);
        let need = self.need(order, input.bytes(), record_length, engine, &coders);
        let files = need.files.less(places.spill.further_locks());
        let need = Need { drops_copies, run_members: places.spill.members(), files, ..need };
        let rates = self.rates(&input, &temp).ok().filter(|_| !places.spill.has_noted());
        let plan = match self.plan(&need, rates.as_ref(), &places, &coders) {
            Ok(plan) => plan,
            Err(e) => return Err(places.abandon(e)),
        };
        // 4. Sort.
        let packing = SpillPacking::new(need.levers.compress_runs, rates.as_ref());
        let mut work = Work {
            direct: plan.spill_direct(self.direct.spill),
            plan,
            input,
            temp,
            framing,
            record_length,
            engine,
            select: self.select.clone(),
            making: Arc::new(making),
            header,
            gate,
            verify: self.verify,
            is_thrifty: self.resume != Resume::Often && !self.in_place,
            is_in_place: self.in_place,
            packing,
        };
        let sorted = self.sort(&mut work, &key, need, &mut places, &coders, progress);
        let sorted = order.options.checked(sorted);
        // 5. End.
        let is_direct = places.output.is_direct();
        let is_output_stream = places.output.is_stream();
        let bytes = |outcome: &Outcome| outcome.written.bytes;
        let (outcome, packed) = places.finish(sorted, bytes, self.sync, progress)?;
        let mut statistics = account.close(&work, &outcome, budget, is_direct, self.choices())?;
        let measured = work.input.bytes().zip(rates);
        statistics.prediction = measured.map(|(bytes, rates)| rates.predict(&work.plan, bytes));
        statistics.latency = progress.latency();
        let ends = Endpoints {
            is_input_packed: coders.expand(),
            is_output_packed: packed.is_some(),
            is_output_stream,
            is_durable: self.sync,
        };
        statistics.advice = advice::of(&statistics, &work, &need, ends, self.engine);
        Ok(coders.noted(statistics, packed))
    }

    /// Returns the settings that do not change the output.
    const fn choices(&self) -> JobChoices {
        let Self { algorithm, engine, direct, levers, .. } = *self;
        JobChoices { algorithm, engine, direct, levers }
    }

    /// Returns the places to write to: new ones, or those of an interrupted job that is `wanted`.
    fn places(
        &self,
        temp: &[SpillPlace],
        coders: &mut Coders,
        progress: &Progress,
        wanted: impl FnOnce() -> Result<Wanted>,
    ) -> Result<Places> {
        if self.resume != Resume::Off || self.in_place {
            return Places::kept(&wanted()?, temp);
        }
        let spill = Spill::new(temp.to_vec(), self.temp_limit);
        Ok(Places::new(self.open_output(coders, progress)?, spill))
    }

    /// Sorts to the output, planning again where records are not as was expected.
    fn sort(
        &self,
        work: &mut Work,
        key: &CompiledKey,
        mut need: Need,
        places: &mut Places,
        coders: &Coders,
        progress: &Progress,
    ) -> Result<Outcome> {
        loop {
            let (output, spill) = (&mut places.output, &mut places.spill);
            match with_encoder!(key, |key| pipeline::sort(work, key, output, spill, progress))? {
                SortEnd::Sorted(outcome) if self.in_place => return Ok(*outcome),
                SortEnd::Sorted(outcome) => return work.input.check_whole().map(|()| *outcome),
                // Only streams that said how much they bring are planned for one pass.
                SortEnd::Crowded(_) if matches!(work.input, pipeline::JobInput::Stream(_)) => {
                    return Err(config!(
                        ConfigErrorKind::Other,
                        "a stream brought more than its known length",
                    ));
                }
                // Nothing but reading was done; it is planned again for what was found.
                SortEnd::Crowded(average) => {
                    work.record_length = average.min(work.record_length * 3 / 4).max(1);
                }
                SortEnd::Unsieved => {
                    need.drops_copies = false;
                    places.spill = Spill::new(work.temp.clone(), self.temp_limit);
                }
            }
            need.record_length = work.record_length;
            work.plan = self.plan(&need, None, places, coders)?;
        }
    }
}

impl SortJob {
    /// Returns the order of records, its keys bound to the format.
    fn bound(&self) -> Result<TextOrder> {
        bound(self.format, &self.keys, &self.order, self.memory)
    }

    /// Returns what is asked of records.
    fn asking(&self) -> Asking<'_> {
        let Self { format, header, filter, select, memory, .. } = self;
        Asking { format: *format, header, filter: Some(filter), select, memory: *memory }
    }

    /// Returns whether records that are the same to the byte may be dropped as they are read.
    fn drops_copies(&self, input: &pipeline::JobInput, gate: &Gate, key: &dyn KeyEncoder) -> bool {
        self.select.kept().is_some()
            && key.is_whole_record()
            && gate.is_open(key)
            && matches!((input, self.resume), (pipeline::JobInput::Files(_), Resume::Off))
            && !self.in_place
            && self.algorithm != Algorithm::ReplacementSelection
            && matches!(self.format.framing(), Framing::Terminated(_))
    }

    /// Returns the plan for a need, once the leftovers of other jobs are gone.
    fn plan(
        &self,
        need: &Need,
        rates: Option<&Rates>,
        places: &Places,
        coders: &Coders,
    ) -> Result<Plan> {
        let plan = match (rates, need.input_bytes) {
            _ if places.spill.has_noted() => Plan::after_runs(need),
            (Some(rates), Some(bytes)) => rates.choose(need, bytes),
            _ => Plan::new(need),
        };
        let plan = plan.map_err(|e| coders.explain(e))?;
        // Looking through a directory takes longer than sorting a few lines.
        if !plan.is_one_pass() || self.output.path().is_some() {
            destinations::tidy(places.spill.places())?;
        }
        Ok(plan)
    }

    fn open_output(&self, coders: &mut Coders, progress: &Progress) -> Result<output::OpenOutput> {
        let compression = self.compression()?;
        if self.select.split.is_some() {
            return destinations::open_parts(&self.output, self.direct.output, self.force);
        }
        let output = destinations::open_output(&self.output, self.direct.output, progress)?;
        coders.output(output, compression)
    }

    /// Returns how the output is compressed, if it is.
    fn compression(&self) -> Result<Option<Compression>> {
        let compression = self.compress.of(self.output.path())?;
        if compression.is_none() || self.select.split.is_none() {
            return Ok(compression);
        }
        Err(config!(
            ConfigErrorKind::Conflict(Setting::Split, Setting::Compress),
            "several output files are not compressed yet; give {}, or compress them afterwards",
            Setting::Compress.to("off"),
        ))
    }

    /// Returns whether the inputs, as they are, would be sorted without run files. Of streams that
    /// is not known; they are not opened, which those at their other ends would notice.
    ///
    /// # Errors
    ///
    /// Those of opening the inputs, and of a budget that is too small.
    pub fn is_one_pass(&self) -> Result<bool> {
        if coders::are_any(&self.inputs, self.decompress) || !open::are_files(&self.inputs)? {
            return Ok(false);
        }
        let (order, framing) = (self.bound()?, self.format.framing());
        let engine = self.engine.probe()?;
        let nothing = Heading::Nothing;
        let input = open::open_sources(self, &self.inputs, engine, nothing, &Progress::new())?;
        let record_length = open::record_length(&input, framing)?;
        let coders = self.coders(&order, self.memory.resolve()?);
        let need = self.need(&order, input.bytes(), record_length, engine, &coders);
        Plan::new(&need).map(|plan| plan.is_one_pass())
    }

    /// Checks whether the options suit each other, as far as that does not depend on the input.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config), and those of reading files that keys name.
    pub fn check_options(&self) -> Result<()> {
        let order = self.bound()?;
        framing(self.format)?;
        self.select.check()?;
        let heading = Heading::of(self.format, &self.header)?;
        heading.early(|| self.asking().asked(&order, None)).map(drop)
    }

    /// Returns whether one input of lines, of this extent, would be sorted without run files.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a bad budget or bad keys.
    pub fn would_be_one_pass(&self, extent: Extent) -> Result<bool> {
        let order = self.bound()?;
        let coders = self.coders(&order, self.memory.resolve()?);
        let average = extent.average();
        let need = self.need(&order, Some(extent.bytes), average, self.engine, &coders);
        Ok(Plan::new(&Need { inputs: 1, ..need }).is_ok_and(|plan| plan.is_one_pass()))
    }

    /// Returns the coders with the parts of the budget that are taken before anything is
    /// compressed.
    fn coders(&self, order: &TextOrder, budget: ByteSize) -> Coders {
        let threads = limits::workers(self.threads);
        Coders::new(budget, threads, &self.inputs, order)
            .with_files_of(self.format)
            .with_conditions(&self.filter, self.format)
            .with_conditions(&self.select.having, self.format)
            .with_folds(&self.select)
    }

    fn need(
        &self,
        order: &TextOrder,
        input_bytes: Option<u64>,
        record_length: usize,
        engine: Engine,
        coders: &Coders,
    ) -> Need {
        Need {
            input_bytes,
            inputs: self.inputs.len(),
            record_length,
            varies: self.format.framing().fixed_length().is_none(),
            is_key_wide: order.is_wide(),
            wanted: self.select.end().filter(|_| !self.select.groups()),
            drops_copies: false,
            algorithm: self.algorithm,
            budget: coders.budget(),
            besides: coders.besides(Lengths::Average(record_length)),
            files: OpenFiles::now(engine, self.direct),
            run_members: 1,
            threads: limits::workers(self.threads),
            selects: !self.select.is_all(),
            levers: if self.in_place { in_place::levers(self.levers) } else { self.levers },
        }
    }
}
