//! What of a job is compressed: inputs become streams, the output passes through threads, and both
//! take a part of the budget.

use std::sync::Arc;

use super::Input;
use crate::error::{Error, Result};
use crate::io::compression::{
    Appetite, Codec, Compression, Decoding, Decompress, Origin, encoders,
};
use crate::output::Output;
use crate::stats::Statistics;
use crate::units::ByteSize;

/// The threads that expand and compress for a job, and their memory.
#[derive(Debug)]
pub struct Coders {
    budget: ByteSize,
    threads: usize,
    /// Bytes of the budget that are taken.
    taken: u64,
    decoding: Option<Arc<Decoding>>,
}

impl Coders {
    /// None yet, for a job with so many workers.
    pub fn new(budget: ByteSize, threads: usize) -> Self {
        Self { budget, threads, taken: 0, decoding: None }
    }

    /// The inputs as they are to be read, one after the other.
    pub fn in_turn(&mut self, inputs: &[Input], how: Decompress) -> Result<Vec<Input>> {
        let packed = packed(inputs, how);
        if packed.is_empty() {
            return Ok(inputs.to_vec());
        }
        let appetite = Appetite::in_turn(&packed, self.budget, self.threads)?;
        self.expanded(inputs, how, packed, &appetite)
    }

    /// The inputs as they are to be read, all at once, and how many that may be.
    pub fn at_once(
        &mut self,
        inputs: &[Input],
        how: Decompress,
        width: Option<usize>,
    ) -> Result<(Vec<Input>, Option<usize>)> {
        let packed = packed(inputs, how);
        if packed.is_empty() {
            return Ok((inputs.to_vec(), width));
        }
        let appetite = Appetite::at_once(&packed, self.budget, self.threads)?;
        let width = width.unwrap_or(usize::MAX).min(appetite.width);
        Ok((self.expanded(inputs, how, packed, &appetite)?, Some(width)))
    }

    fn expanded(
        &mut self,
        inputs: &[Input],
        how: Decompress,
        packed: Vec<(Origin, Codec)>,
        appetite: &Appetite,
    ) -> Result<Vec<Input>> {
        let started = Decoding::start(packed, appetite)?;
        let (decoding, streams) = started;
        self.decoding = Some(decoding);
        self.taken += appetite.bytes;
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
        self.taken += bytes;
        output.compressed(how, threads)
    }

    /// What is left of the budget.
    pub fn rest(&self) -> ByteSize {
        ByteSize(self.budget.bytes().saturating_sub(self.taken))
    }

    /// An error about the rest of the budget, as one about all of it.
    pub fn explain(&self, error: Error) -> Error {
        match error {
            Error::Usage(message) if self.taken > 0 => Error::Usage(format!(
                "{message}; that is besides {} which compressed files take",
                ByteSize(self.taken)
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
