//! Checking whether inputs are sorted.

use memchr::memchr_iter;

use super::coders::Coders;
use super::{Budget, Input, framing, gate, key, open};
use crate::error::Result;
use crate::format::Format;
use crate::io::compression::Decompress;
use crate::io::{Direct, Engine, limits};
use crate::key::text::TextOrder;
use crate::key::{KeySpec, with_encoder};
use crate::pipeline::Heading;
use crate::pipeline::sorted::{self, CheckWork, Checked, Place};
use crate::plan::levers::Levers;
use crate::plan::streams::{StreamNeed, StreamPlan};
use crate::stats::Progress;

/// One check: whether each input, by itself, is sorted.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// The inputs. One ends where the next begins; nothing is compared across.
    pub inputs: Vec<Input>,
    /// Which inputs are compressed.
    pub decompress: Decompress,
    /// Where records begin and end.
    pub format: Format,
    /// What records of fixed length are ordered by, most significant first; empty means the whole
    /// record as bytes.
    pub keys: Vec<KeySpec>,
    /// What lines are ordered by; the whole line as bytes without it.
    pub order: Option<TextOrder>,
    /// Whether records with equal keys are out of order too.
    pub unique: bool,
    /// Ceiling of the process's resident size.
    pub memory: Budget,
    /// How bytes are moved.
    pub engine: Engine,
    /// Whether the page cache is bypassed.
    pub direct: Direct,
}

impl CheckJob {
    /// A job with every choice left to sortwell.
    pub fn new(inputs: Vec<Input>, format: Format) -> Self {
        Self {
            inputs,
            decompress: Decompress::Off,
            format,
            keys: Vec::new(),
            order: None,
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
        let framing = framing(self.format)?;
        limits::raise_open_files();
        let mut coders = Coders::new(self.memory.resolve()?, limits::cores(), &self.inputs);
        let mut inputs = open::places(&coders.in_turn(&self.inputs, self.decompress)?, framing)?;
        let heading = Heading::of(self.format, 0)?;
        let (header, columns) = open::tops(heading, &mut inputs, progress)?;
        let key = key(self.format, &self.keys, self.order.as_ref(), columns.as_ref())?;
        let need = StreamNeed {
            inputs: 1,
            input_bytes: inputs.iter().map(Place::bytes).sum(),
            budget: coders.budget(),
            besides: coders.besides(),
            descriptors: limits::open_files_left(),
            run_members: 1,
            width: None,
            levers: Levers::default(),
        };
        let work = CheckWork {
            plan: StreamPlan::new(&need).map_err(|e| coders.explain(e))?,
            inputs,
            framing,
            gate: gate(self.format, columns.as_ref()),
            header_lines: memchr_iter(b'\n', &header).count() as u64,
            engine: self.engine.probe()?,
            direct: self.direct,
            is_strict: self.unique,
        };
        with_encoder!(&key, |key| sorted::check(&work, key, progress))
    }
}
