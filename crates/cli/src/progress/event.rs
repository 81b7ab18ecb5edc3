//! Progress events for programs: one JSON object a line.

use std::time::Duration;

use serde::Serialize;
use sortwell::unstable::stats::Stream;
use sortwell::{Phase, Progress};

/// A moment of a job.
#[derive(Debug, Serialize)]
pub struct ProgressEvent {
    /// Phase that the job is in.
    phase: Phase,
    /// Seconds since it began.
    seconds: f64,
    /// The share of the work that is done, from 0 to 1; it never becomes less.
    done: Option<f64>,
    /// Seconds that it will still take.
    seconds_left: Option<f64>,
    /// Bytes read and written so far.
    bytes_done: u64,
    /// Bytes to be read and written in all.
    bytes_total: Option<u64>,
    /// Bytes read of the inputs so far,
    input_read: u64,
    /// written to temporary files,
    spill_written: u64,
    /// read of them,
    spill_read: u64,
    /// and written to the output.
    output_written: u64,
}

impl ProgressEvent {
    /// Returns the event of this moment, after `elapsed`, of a job. `most` is the largest share
    /// done so far.
    pub fn of(job: &Progress, elapsed: Duration, most: &mut Option<f64>) -> Self {
        *most = job.done().map(|done| most.unwrap_or(0.0).max(done));
        let (bytes_done, bytes_total) = job.bytes();
        Self {
            phase: job.phase(),
            seconds: elapsed.as_secs_f64(),
            done: *most,
            seconds_left: job.left().map(|left| left.as_secs_f64()),
            bytes_done,
            // Direct requests of whole pages move a little more than was expected.
            bytes_total: bytes_total.map(|total| total.max(bytes_done)),
            input_read: job.bytes_of(Stream::InputRead),
            spill_written: job.bytes_of(Stream::SpillWritten),
            spill_read: job.bytes_of(Stream::SpillRead),
            output_written: job.bytes_of(Stream::OutputWritten),
        }
    }

    /// Returns the event of the end of a job that succeeded: all of it is done, although less may
    /// have been moved than was expected.
    pub fn at_success(self) -> Self {
        let bytes_total = Some(self.bytes_done);
        Self { done: Some(1.0), seconds_left: Some(0.0), bytes_total, ..self }
    }

    /// Returns the line, with its end.
    pub fn line(&self) -> String {
        // Only numbers and a word: there is nothing in it that JSON cannot hold.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}
