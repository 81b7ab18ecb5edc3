//! A forecast of a sort: the plan that it would carry out, and the estimated work.

use serde::Serialize;

use super::Resume;
use super::open::Opened;
use super::packed_sample::{PackedForecast, forecasts};
use super::records::framing;
use super::resume::Wanted;
use super::{Asked, SortJob, destinations, open};
use crate::error::{ConfigErrorKind, Message, Result, Setting, config};
use crate::io::{Direct, Engine};
use crate::pipeline::JobInput;
use crate::plan::decisions::{Decision, JobConditions};
use crate::plan::outlook::Outlook;
use crate::plan::prediction::Rates;
use crate::plan::price::PassForecast;
use crate::plan::{ExternalPlan, Need, Plan};
use crate::stats::{LeverSetting, Prediction, Progress, WriteBuffers};
use crate::stripe::SpillPlace;
use crate::units::ByteSize;

/// The plan of a sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// Bytes of all inputs.
    pub bytes: ByteSize,
    /// Bytes per record; where records differ, their average over a sample.
    pub record_length: u64,
    /// True if records differ in length.
    pub varies: bool,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Memory that records, buckets and buffers are in.
    pub arena_bytes: ByteSize,
    /// The part of `arena_bytes` for write buffers of outputs and runs.
    pub buffer_bytes: ByteSize,
    /// The part of `arena_bytes` for the sort space of all workers.
    pub scratch_bytes: ByteSize,
    /// The part of `arena_bytes` for one load: read buffers and buckets; or the tree of replacement
    /// selection, with its records.
    pub load_bytes: ByteSize,
    /// Number of loads in memory at once: with 2, one is read while another is written. Replacement
    /// selection has 1.
    pub loads_at_once: u32,
    /// Number of workers.
    pub threads: u64,
    /// Number of workers asked for; memory may allow fewer.
    pub threads_wanted: u64,
    /// The engine that moves bytes.
    pub engine: &'static str,
    /// True if reads of the inputs bypass the page cache.
    pub is_direct: bool,
    /// True if writes of runs bypass the page cache where the file system allows it; `None` without
    /// runs.
    pub is_spill_direct: Option<bool>,
    /// True if workers continue while their requests are carried out.
    pub is_asynchronous: bool,
    /// Settings of the plan that the user has set.
    pub levers: Vec<LeverSetting>,
    /// Output buffers of each worker.
    pub write_buffers: WriteBuffers,
    /// Bytes of a read request.
    pub block_bytes: ByteSize,
    /// Requests that each worker keeps in flight.
    pub read_depth: u64,
    /// Decisions of the plan, each with its reason.
    pub decisions: Vec<Decision>,
    /// Predicted passes, runs, bytes and memory.
    pub outlook: Outlook,
    /// Forecast of one pass in the least memory that allows it, if any does.
    pub one_pass: Option<PassForecast>,
    /// Forecast of two passes in the least memory that allows them, if any does.
    pub two_passes: Option<PassForecast>,
    /// Estimated bytes of runs with each compression that they may have.
    pub compressed_runs: Vec<PackedForecast>,
    /// True if the outlook is an upper bound, because the sort drops records.
    pub is_at_most: bool,
    /// True if runs take the place of the input.
    pub is_in_place: bool,
    /// Predicted time, if the machine was measured.
    pub prediction: Option<Prediction>,
    /// Reason for the absence of a prediction.
    pub unpredicted: Option<Message>,
}

/// Inputs to the forecasts of other budgets than the job's.
struct ForecastInputs<'f> {
    need: &'f Need,
    bytes: u64,
    spill_directories: usize,
    is_in_place: bool,
    rates: Option<&'f Rates>,
}

impl ForecastInputs<'_> {
    /// Returns the forecast of a sort within `budget`, if it takes this number of passes.
    fn within(&self, budget: ByteSize, passes: u32) -> Option<PassForecast> {
        let plan = Plan::new(&self.need.within(budget)).ok()?;
        let volume = plan.volume(self.bytes);
        let is_spilling = volume.runs > 0;
        let space = if self.is_in_place { volume.in_place_space() } else { volume.run_space() };
        let forecast = PassForecast {
            budget,
            spill_space: ByteSize(space),
            spill_directories: if is_spilling { self.spill_directories.max(1) as u64 } else { 0 },
            seconds: self.rates.map(|rates| rates.predict(&plan, self.bytes).seconds),
        };
        (volume.passes == passes).then_some(forecast)
    }
}

/// Returns the number of loads that are in memory at once, and the bytes of each. The tree of
/// replacement selection counts as one load.
fn loads(plan: &Plan) -> (usize, usize) {
    let tree = plan.external().and_then(ExternalPlan::replacement);
    let tree = tree.map(|memory| (1, memory.tree_bytes()));
    tree.unwrap_or((plan.load_areas(), plan.load.bytes()))
}

/// Returns the bytes of the input of a plan.
fn known_bytes(input: &JobInput) -> Result<u64> {
    input.bytes().ok_or_else(|| {
        config!(
            ConfigErrorKind::Unsupported,
            "the length of a pipe, of a compressed input, or of an input that {} rewrites is not \
             known in advance; give plain files",
            Setting::UnionByName,
        )
    })
}

impl SortJob {
    fn conditions(&self, engine: Engine) -> JobConditions {
        JobConditions {
            is_asynchronous: engine.is_asynchronous(),
            is_overlap_of_place: self.in_place && self.levers.is_overlap_open(),
        }
    }

    /// Returns the plan of [`run`](Self::run), without carrying it out. This opens the inputs, and
    /// samples records that differ in length; it writes nothing.
    ///
    /// # Errors
    ///
    /// The errors that a sort finds before it reads records, and
    /// [`Error::Config`](crate::Error::Config) for inputs of unknown size.
    pub fn explain(&self) -> Result<Explanation> {
        let (order, progress) = (self.bound()?, Progress::new());
        let opened = open::open_inputs(self, &order, &progress)?;
        let Opened { engine, budget, mut coders, input, asked, columns, .. } = opened;
        if let Some(how) = self.compression()? {
            coders.note_output(how);
        }
        let bytes = known_bytes(&input)?;
        let Asked { gate, key, .. } = asked;
        if self.resume != Resume::Off && !self.in_place {
            // A plan refuses the jobs whose work a sort cannot keep.
            Wanted::sort(self, &order, &input, &gate.folds, gate.is_open(key.encoder()))?;
        }
        coders.note_held(columns.as_ref(), gate.held_bytes());
        let record_length = open::record_length(&input, framing(self.format)?)?;
        let mut need = self.need(&order, Some(bytes), record_length, engine, &coders);
        need.drops_copies = self.drops_copies(&input, &gate, key.encoder());
        let temp = destinations::run_places(&self.temp, self.check_temp, &self.output)?;
        need.run_members = temp.iter().map(SpillPlace::members).max().unwrap_or(1);
        let rates = self.rates(&input, &temp);
        let plan = match &rates {
            Ok(rates) => rates.choose(&need, bytes)?,
            Err(_) => Plan::new(&need)?,
        };
        let outlook = Outlook::new(&need, &plan, bytes);
        let forecast = ForecastInputs {
            need: &need,
            bytes,
            spill_directories: temp.iter().map(SpillPlace::members).sum(),
            is_in_place: self.in_place,
            rates: rates.as_ref().ok(),
        };
        let (one, two) = (outlook.one_pass_budget, outlook.two_pass_budget);
        let per_worker = |bytes: usize| ByteSize((plan.threads * bytes) as u64);
        Ok(Explanation {
            bytes: ByteSize(bytes),
            record_length: record_length as u64,
            varies: need.varies,
            budget,
            arena_bytes: ByteSize(plan.used_bytes() as u64),
            buffer_bytes: per_worker(plan.lane.bytes()),
            scratch_bytes: per_worker(plan.scratch_bytes),
            load_bytes: ByteSize(loads(&plan).1 as u64),
            loads_at_once: loads(&plan).0 as u32,
            threads: plan.threads as u64,
            threads_wanted: plan.threads_wanted as u64,
            engine: engine.name(),
            is_direct: input.is_direct(),
            is_spill_direct: plan
                .external()
                .map(|_| plan.spill_direct(self.direct.spill) != Direct::Off),
            is_asynchronous: engine.is_asynchronous() && !self.levers.waits(),
            levers: self.choices().set(),
            write_buffers: plan.lane.write_buffers(),
            block_bytes: ByteSize(plan.block_bytes as u64),
            read_depth: plan.read_depth as u64,
            decisions: plan.decisions(&need, bytes, self.conditions(engine)),
            one_pass: one.and_then(|budget| forecast.within(budget, 1)),
            two_passes: two.and_then(|budget| forecast.within(budget, 2)),
            compressed_runs: forecasts(&input, need.levers.compress_runs, outlook.spilled_bytes)?,
            outlook,
            is_at_most: !self.select.is_all() || !gate.admits_all(),
            is_in_place: self.in_place,
            prediction: rates.as_ref().ok().map(|rates| rates.predict(&plan, bytes)),
            unpredicted: rates.err(),
        })
    }
}
