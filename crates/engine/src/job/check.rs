//! Checking whether inputs are sorted.

use super::coders::Coders;
use super::contents::Look;
use super::records::{bound, framing, gate, key};
use super::union::{self, Turns};
use super::{Budget, Input, open};
use crate::codec::Decompress;
use crate::error::Result;
use crate::format::{Format, HeaderLines};
use crate::io::{Direct, DirectStreams, Engine};
use crate::key::{Key, OrderOptions, with_encoder};
use crate::pipeline::sorted::{self, CheckWork, Checked, SortedPlace};
use crate::pipeline::{Gate, Heading};
use crate::plan::levers::Levers;
use crate::plan::open_files::OpenFiles;
use crate::plan::scratch::Lengths;
use crate::plan::streams::{StreamNeed, StreamPlan};
use crate::stats::Progress;
use crate::sys::limits;

/// One check whether each input is sorted. Inputs are checked separately.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// The inputs. Records of different inputs are not compared.
    pub inputs: Vec<Input>,
    /// The decompression of inputs.
    pub decompress: Decompress,
    /// The format of records.
    pub format: Format,
    /// The keys, most significant first; the whole record as bytes without any.
    pub keys: Vec<Key>,
    /// Options of the order that apply to all keys.
    pub order: OrderOptions,
    /// The lines at the top of each input that are not records.
    pub header: HeaderLines,
    /// True if records with equal keys are out of order too.
    pub unique: bool,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// The I/O engine.
    pub engine: Engine,
    /// The use of direct I/O.
    pub direct: Direct,
}

impl CheckJob {
    /// Returns a job with the default for every option.
    pub fn new(inputs: Vec<Input>, format: Format) -> Self {
        Self {
            inputs,
            decompress: Decompress::Off,
            format,
            keys: Vec::new(),
            order: OrderOptions::default(),
            header: HeaderLines::NONE,
            unique: false,
            memory: Budget::Auto,
            engine: Engine::Auto,
            direct: Direct::Auto,
        }
    }

    /// Checks until the first disorder, which is no error; `progress` may be watched, and the job
    /// stopped through it, from another thread.
    ///
    /// # Errors
    ///
    /// Whatever the world does wrong, as an [`Error`](crate::Error).
    pub fn run(&self, progress: &Progress) -> Result<Checked> {
        let order = bound(self.format, &self.keys, &self.order, self.memory)?;
        let framing = framing(self.format)?;
        let heading = Heading::of(self.format, &self.header)?;
        limits::raise_open_files();
        let budget = self.memory.resolve()?;
        let coders = Coders::new(budget, limits::cores(), &self.inputs, &order);
        let mut coders = coders.with_files_of(self.format);
        let early = heading.early(|| key(&order, None))?;
        let look = Look::new(self.decompress, self.format, false, progress);
        let in_turn = coders.in_turn(&self.inputs, &look)?;
        let mut inputs = open::sorted_places(&in_turn, framing, progress)?;
        let tops = union::tops(&heading, &mut inputs, &mut coders, Turns::InTurn, progress)?;
        let columns = tops.columns;
        coders.note_held(columns.as_ref(), 0);
        let key = early.map_or_else(|| key(&order, columns.as_ref()), Ok)?;
        let engine = self.engine.probe()?;
        let need = StreamNeed {
            threads: 1,
            inputs: 1,
            input_bytes: inputs.iter().map(SortedPlace::bytes).sum(),
            budget: coders.budget(),
            besides: coders.besides(Lengths::Unknown),
            files: OpenFiles::now(engine, DirectStreams::from(self.direct)),
            run_members: 1,
            width: None,
            selects: false,
            levers: Levers::default(),
        };
        let work = CheckWork {
            plan: StreamPlan::new(&need).map_err(|e| coders.explain(e))?,
            inputs,
            framing,
            gate: Gate {
                scratch: coders.scratch(Lengths::Unknown),
                ..gate(self.format, columns.as_ref())
            },
            engine,
            direct: self.direct,
            is_strict: self.unique,
        };
        with_encoder!(&key, |key| sorted::check(&work, key, progress))
    }
}
