//! What of a job is compressed: inputs become streams, the output passes through threads, and both
//! take a part of the budget. So do the names of inputs, where there are many.

use std::borrow::Cow;
use std::sync::Arc;

use super::Input;
use crate::error::{Error, Result};
use crate::io::compression::{
    Appetite, Codec, Compression, Decoding, Decompress, OUTPUT_SHARE, Origin, encoders,
};
use crate::output::Output;
use crate::plan::besides::{Besides, Part};
use crate::stats::Statistics;
use crate::units::ByteSize;

/// The threads that expand and compress for a job, and their memory.
#[derive(Debug)]
pub struct Coders {
    budget: ByteSize,
    threads: usize,
    /// What is taken of the budget.
    besides: Besides,
    decoding: Option<Arc<Decoding>>,
}

impl Coders {
    /// None yet, for a job with so many workers and these inputs.
    pub fn new(budget: ByteSize, threads: usize, inputs: &[Input]) -> Self {
        let mut besides = Besides::default();
        besides.add(Part::fixed(names_bytes(inputs).bytes()));
        Self { budget, threads, besides, decoding: None }
    }

    /// The inputs as they are to be read, one after the other.
    pub fn in_turn<'i>(
        &mut self,
        inputs: &'i [Input],
        how: Decompress,
    ) -> Result<Cow<'i, [Input]>> {
        let packed = packed(inputs, how);
        if packed.is_empty() {
            return Ok(Cow::Borrowed(inputs));
        }
        let appetite = Appetite::in_turn(&packed, self.budget, self.threads)?;
        self.expanded(inputs, how, packed, &appetite).map(Cow::Owned)
    }

    /// The inputs as they are to be read, all at once, and how many that may be.
    pub fn at_once<'i>(
        &mut self,
        inputs: &'i [Input],
        how: Decompress,
        width: Option<usize>,
    ) -> Result<(Cow<'i, [Input]>, Option<usize>)> {
        let packed = packed(inputs, how);
        if packed.is_empty() {
            return Ok((Cow::Borrowed(inputs), width));
        }
        let appetite = Appetite::at_once(&packed, self.budget, self.threads)?;
        let width = width.unwrap_or(usize::MAX).min(appetite.width);
        Ok((Cow::Owned(self.expanded(inputs, how, packed, &appetite)?), Some(width)))
    }

    fn expanded(
        &mut self,
        inputs: &[Input],
        how: Decompress,
        packed: Vec<(Origin, Codec)>,
        appetite: &Appetite,
    ) -> Result<Vec<Input>> {
        self.besides.add(Part::fixed(packed_bytes(&packed)));
        let started = Decoding::start(packed, appetite)?;
        let (decoding, streams) = started;
        self.decoding = Some(decoding);
        for (bytes, share) in appetite.parts() {
            self.besides.add(Part { bytes, share });
        }
        let mut streams = streams.into_iter().map(Input::Supplied);
        let expanded = |input: &Input| match codec_of(input, how) {
            Some(_) => streams.next(),
            None => Some(input.clone()),
        };
        Ok(inputs.iter().filter_map(expanded).collect())
    }

    /// The output, compressed if that is wanted.
    pub fn output(&mut self, output: Output, how: Option<Compression>) -> Result<Output> {
        let Some(how) = how else { return Ok(output) };
        let (threads, bytes) = encoders(how, self.budget, self.threads);
        self.besides.add(Part { bytes, share: OUTPUT_SHARE });
        output.compressed(how, threads)
    }

    /// Counts what is noted of these inputs, where a merge is kept.
    pub fn note_inputs(&mut self, inputs: &[Input]) {
        let bytes = inputs.iter().skip(FEW_NAMES).map(|input| kept_bytes(input) as u64).sum();
        self.besides.add(Part::fixed(bytes));
    }

    /// The whole budget.
    pub fn budget(&self) -> ByteSize {
        self.budget
    }

    /// What is taken of the budget.
    pub fn besides(&self) -> Besides {
        self.besides
    }

    /// An error about the budget, with what of it is taken.
    pub fn explain(&self, error: Error) -> Error {
        let taken = ByteSize(self.besides.bytes());
        match error {
            Error::Usage(message) if taken > ByteSize(0) => Error::Usage(format!(
                "{message} ({taken} of it are taken by the names of inputs and by compressed files)"
            )),
            _ => error,
        }
    }

    /// The account of the job, with how much all was in the files.
    pub fn noted(&self, mut statistics: Statistics, written: Option<u64>) -> Statistics {
        statistics.streams.compressed_read =
            self.decoding.as_ref().map(|decoding| ByteSize(decoding.bytes()));
        statistics.streams.compressed_written = written.map(ByteSize);
        statistics
    }
}

/// Names of so many inputs are nothing beside all else that a process has in memory.
const FEW_NAMES: usize = 1000;

/// What the name of a file takes, at most: with whoever named it, in the list that a sort or a
/// merge makes of it, and of places where its records begin.
const NAME_BYTES: usize = 136;
const NAME_COPIES: usize = 2;

/// What an input that is compressed takes besides, until its turn comes and after that.
const PACKED_BYTES: usize = 1100;
const PACKED_COPIES: usize = 4;

/// What an input takes besides of which it is noted what it was like, before and now, and the line
/// that says so.
const KEPT_BYTES: usize = 900;
const KEPT_COPIES: usize = 6;

/// What the names of inputs take of a budget, if they are many: whether they are read or not, they
/// are all in memory as long as the job runs.
pub fn names_bytes(inputs: &[Input]) -> ByteSize {
    let bytes = |input: &Input| (NAME_BYTES + NAME_COPIES * name_length(input)) as u64;
    ByteSize(inputs.iter().skip(FEW_NAMES).map(bytes).sum())
}

/// What is noted of an input.
fn kept_bytes(input: &Input) -> usize {
    KEPT_BYTES + KEPT_COPIES * name_length(input)
}

/// Bytes of an input's name.
fn name_length(input: &Input) -> usize {
    match input {
        Input::File(path) | Input::Striped(path) => path.as_os_str().len(),
        Input::Stdin | Input::Supplied(_) => 0,
    }
}

/// What compressed inputs take besides, if they are many.
fn packed_bytes(packed: &[(Origin, Codec)]) -> u64 {
    let bytes = |(origin, _): &(Origin, Codec)| {
        let length = if let Origin::File(path) = origin { path.as_os_str().len() } else { 0 };
        (PACKED_BYTES + PACKED_COPIES * length) as u64
    };
    packed.iter().skip(FEW_NAMES).map(bytes).sum()
}

/// Whether any input is compressed.
pub fn are_any(inputs: &[Input], how: Decompress) -> bool {
    inputs.iter().any(|input| codec_of(input, how).is_some())
}

/// The compressed inputs.
fn packed(inputs: &[Input], how: Decompress) -> Vec<(Origin, Codec)> {
    let packed = |input: &Input| {
        let origin = match input {
            Input::File(path) => Origin::File(path.clone()),
            Input::Stdin => Origin::Stdin,
            Input::Striped(_) | Input::Supplied(_) => return None,
        };
        codec_of(input, how).map(|codec| (origin, codec))
    };
    inputs.iter().filter_map(packed).collect()
}

/// How an input is compressed. What the caller makes is taken as it is, and so are striped files.
fn codec_of(input: &Input, how: Decompress) -> Option<Codec> {
    match input {
        Input::File(path) => how.of_file(path),
        Input::Stdin => how.of_stream(),
        Input::Striped(_) | Input::Supplied(_) => None,
    }
}
