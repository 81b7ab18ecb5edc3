//! Timeline of a job, interval by interval: the I/O profile of Oracle's figures. It takes a fixed
//! amount of memory: once it is full, each two neighbouring intervals become one.

use std::time::Duration;

use serde::Serialize;

use super::{Phase, Progress, Stream, Waits};
use crate::units::ByteSize;

/// Time between two samples at first.
const INTERVAL: Duration = Duration::from_millis(100);

/// Samples at most.
const SAMPLES_MAX: usize = 600;

/// Activity in each interval; all intervals have the same length, except the last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timeline {
    /// Seconds of an interval.
    pub interval_seconds: f64,
    /// Phase at the end of each interval.
    pub phase: Vec<Phase>,
    /// Bytes read from the inputs.
    pub input_read: Vec<u64>,
    /// Bytes written to runs.
    pub spill_written: Vec<u64>,
    /// Bytes read from runs.
    pub spill_read: Vec<u64>,
    /// Bytes written to the output.
    pub output_written: Vec<u64>,
    /// Reads in flight at the end of each interval.
    pub reads_in_flight: Vec<f64>,
    /// Writes in flight at the end of each interval.
    pub writes_in_flight: Vec<f64>,
    /// Processor seconds in user mode, all threads.
    pub user_seconds: Vec<f64>,
    /// Processor seconds in the kernel, all threads.
    pub system_seconds: Vec<f64>,
    /// Seconds that workers were blocked on I/O, summed over workers, by the end of each wait.
    pub waiting_seconds: Vec<f64>,
    /// The part of `waiting_seconds` for requests of each stream.
    pub waiting_for: StreamSeconds,
    /// Resident bytes of the process at the end of each interval; the maximum of joined intervals.
    pub memory: Vec<u64>,
    #[serde(skip)]
    last: Totals,
}

/// Values of a moment that only the system knows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Now {
    /// Processor seconds in user mode so far.
    pub user_seconds: f64,
    /// Processor seconds in the kernel so far.
    pub system_seconds: f64,
    /// Resident bytes of the process.
    pub memory: ByteSize,
}

/// Totals that only grow, as they were at the end of the last interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Totals {
    bytes: [u64; Stream::ALL.len()],
    waited: Waits,
    user_seconds: f64,
    system_seconds: f64,
}

impl Timeline {
    /// Returns a timeline that begins `now`.
    pub fn begin(progress: &Progress, now: &Now) -> Self {
        Self {
            interval_seconds: INTERVAL.as_secs_f64(),
            phase: Vec::new(),
            input_read: Vec::new(),
            spill_written: Vec::new(),
            spill_read: Vec::new(),
            output_written: Vec::new(),
            reads_in_flight: Vec::new(),
            writes_in_flight: Vec::new(),
            user_seconds: Vec::new(),
            system_seconds: Vec::new(),
            waiting_seconds: Vec::new(),
            waiting_for: StreamSeconds::default(),
            memory: Vec::new(),
            last: Totals::at(progress, now),
        }
    }

    /// Intervals so far.
    pub fn len(&self) -> usize {
        self.phase.len()
    }

    /// Returns whether none has ended yet.
    pub fn is_empty(&self) -> bool {
        self.phase.is_empty()
    }

    /// Ends an interval `now`.
    pub fn add(&mut self, progress: &Progress, now: &Now) {
        let totals = Totals::at(progress, now);
        let last = std::mem::replace(&mut self.last, totals);
        let (reads, writes) = progress.in_flight();
        self.phase.push(progress.phase());
        for (number, bytes) in self.streams().into_iter().enumerate() {
            bytes.push(totals.bytes[number] - last.bytes[number]);
        }
        self.reads_in_flight.push(reads as f64);
        self.writes_in_flight.push(writes as f64);
        self.user_seconds.push(totals.user_seconds - last.user_seconds);
        self.system_seconds.push(totals.system_seconds - last.system_seconds);
        let waited = totals.waited.since(last.waited);
        self.waiting_seconds.push(waited.total().as_secs_f64());
        for (seconds, stream) in self.waiting_for.each().into_iter().zip(Stream::ALL) {
            seconds.push(waited.of(stream).as_secs_f64());
        }
        self.memory.push(now.memory.bytes());
        if self.len() == SAMPLES_MAX {
            self.halve();
        }
    }

    /// Makes one interval of each two, twice as long.
    fn halve(&mut self) {
        self.interval_seconds *= 2.0;
        join(&mut self.phase, |_, second| second);
        for bytes in self.streams() {
            join(bytes, |first, second| first + second);
        }
        for mean in [&mut self.reads_in_flight, &mut self.writes_in_flight] {
            join(mean, f64::midpoint);
        }
        for sum in [&mut self.user_seconds, &mut self.system_seconds, &mut self.waiting_seconds] {
            join(sum, |first, second| first + second);
        }
        for sum in self.waiting_for.each() {
            join(sum, |first, second| first + second);
        }
        join(&mut self.memory, u64::max);
    }

    /// Returns the bytes of each stream, in the order of [`Stream::ALL`].
    fn streams(&mut self) -> [&mut Vec<u64>; Stream::ALL.len()] {
        [
            &mut self.input_read,
            &mut self.spill_written,
            &mut self.spill_read,
            &mut self.output_written,
        ]
    }
}

/// Seconds of each interval, stream by stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct StreamSeconds {
    /// Seconds of reads of inputs,
    pub input_read: Vec<f64>,
    /// writes of runs,
    pub spill_written: Vec<f64>,
    /// reads of runs,
    pub spill_read: Vec<f64>,
    /// and writes of the output.
    pub output_written: Vec<f64>,
}

impl StreamSeconds {
    /// Returns the series of each stream, in the order of [`Stream::ALL`].
    fn each(&mut self) -> [&mut Vec<f64>; Stream::ALL.len()] {
        [
            &mut self.input_read,
            &mut self.spill_written,
            &mut self.spill_read,
            &mut self.output_written,
        ]
    }
}

impl Totals {
    fn at(progress: &Progress, now: &Now) -> Self {
        Self {
            bytes: Stream::ALL.map(|stream| progress.bytes_of(stream)),
            waited: progress.waited(),
            user_seconds: now.user_seconds,
            system_seconds: now.system_seconds,
        }
    }
}

/// Makes one of each two neighbours.
fn join<T: Copy>(all: &mut Vec<T>, both: impl Fn(T, T) -> T) {
    let count = all.len().div_ceil(2);
    for place in 0..count {
        let first = all[2 * place];
        all[place] = all.get(2 * place + 1).map_or(first, |second| both(first, *second));
    }
    all.truncate(count);
}

#[cfg(test)]
mod tests;
