//! Measurements of a kernel: seconds and processor counts, run by run.
//!
//! A *lap* is one step of one run. A section of the bench is tables and charts made of laps, with
//! all the samples behind them.

use std::time::Instant;

use sortwell::Progress;
use sortwell::unstable::sys::counters::{CountedThreads, CounterEvent, Counters, Counts};
use sortwell::{Error, Result};

use super::super::finding::{Chart, FigureTable, Samples};
use crate::samples::Spread;

/// A clock, and counters where there are any.
#[derive(Debug)]
pub struct KernelMeter<'p> {
    runs: usize,
    progress: &'p Progress,
    counters: std::result::Result<Counters, String>,
}

/// One step of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lap {
    seconds: f64,
    counts: Counts,
}

/// One step in all runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Laps(Vec<Lap>);

impl<'p> KernelMeter<'p> {
    /// Creates a meter that repeats everything `runs` times.
    pub fn new(runs: usize, progress: &'p Progress) -> Self {
        Self { runs, progress, counters: Counters::new(CountedThreads::This) }
    }

    /// Returns why the processor counts nothing, if it does not.
    pub fn without_counters(&self) -> Option<&str> {
        self.counters.as_ref().err().map(String::as_str)
    }

    /// Does a step, and measures it.
    pub fn lap<R>(&mut self, work: impl FnOnce() -> R) -> (R, Lap) {
        let timed = || {
            let begun = Instant::now();
            let result = work();
            (result, begun.elapsed().as_secs_f64())
        };
        let ((result, seconds), counts) = match &self.counters {
            Ok(counters) => counters.measure(timed),
            Err(_) => (timed(), Counts::default()),
        };
        (result, Lap { seconds, counts })
    }

    /// Does all runs of something that has `STEPS` steps.
    ///
    /// # Errors
    ///
    /// Those of a run; [`Error::Interrupted`].
    pub fn repeat<const STEPS: usize>(
        &mut self,
        mut run: impl FnMut(&mut Self) -> Result<[Lap; STEPS]>,
    ) -> Result<[Laps; STEPS]> {
        let mut steps = std::array::from_fn(|_| Laps::default());
        for _ in 0..self.runs {
            if self.progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            for (laps, lap) in steps.iter_mut().zip(run(self)?) {
                laps.0.push(lap);
            }
        }
        Ok(steps)
    }
}

impl Laps {
    /// Returns seconds of each run.
    pub fn seconds(&self) -> Vec<f64> {
        self.0.iter().map(|lap| lap.seconds).collect()
    }

    /// Nanoseconds of each run, for each of `records`.
    pub fn nanoseconds(&self, records: usize) -> Vec<f64> {
        self.0.iter().map(|lap| lap.seconds * 1e9 / records.max(1) as f64).collect()
    }

    /// Steps that follow one another, as one.
    #[must_use]
    pub fn and(&self, next: &Self) -> Self {
        let both = |(a, b): (&Lap, &Lap)| {
            let counts = a
                .counts
                .0
                .iter()
                .filter_map(|(event, count)| Some((*event, count + b.counts.of(*event)?)));
            Lap { seconds: a.seconds + b.seconds, counts: Counts(counts.collect()) }
        };
        Self(self.0.iter().zip(&next.0).map(both).collect())
    }

    /// Returns the number of an event for each of `records`, with its spread over all runs.
    fn count(&self, event: CounterEvent, records: usize) -> Option<Spread> {
        let counts = self.0.iter().map(|lap| lap.counts.of(event));
        let counts = counts.collect::<Option<Vec<f64>>>().filter(|counts| !counts.is_empty())?;
        let each: Vec<f64> = counts.iter().map(|count| count / records.max(1) as f64).collect();
        Some(Spread::of(&each))
    }
}

/// Counts of a kernel, for each record.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelCounts {
    /// The kernel, and how many records it had.
    pub of: String,
    /// In the order of [`CounterEvent::ALL`].
    pub counts: [Option<Spread>; CounterEvent::ALL.len()],
}

/// A part of what the bench finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// Tables of the section.
    pub tables: Vec<FigureTable>,
    /// Charts of the section.
    pub charts: Vec<Chart>,
    /// All that was measured.
    pub samples: Vec<Samples>,
    /// Counts of the processor, if any.
    pub counted: Vec<KernelCounts>,
}

impl Section {
    /// Notes seconds of each run of a kernel's step.
    pub fn note_seconds(&mut self, of: &str, laps: &Laps) -> Spread {
        let values = laps.seconds();
        let spread = Spread::of(&values);
        self.samples.push(Samples { of: of.to_owned(), unit: "s", values });
        spread
    }

    /// Notes nanoseconds of each run of a kernel, for each of `records`.
    pub fn note_nanoseconds(&mut self, of: &str, laps: &Laps, records: usize) -> Spread {
        let of = format!("{of}, {records}");
        let values = laps.nanoseconds(records);
        let spread = Spread::of(&values);
        self.samples.push(Samples { of: of.clone(), unit: "ns", values });
        self.note_counts(of, laps, records);
        spread
    }

    /// Notes what the processor counted of a kernel, if anything.
    pub fn note_counts(&mut self, of: String, laps: &Laps, records: usize) {
        let counts = CounterEvent::ALL.map(|event| laps.count(event, records));
        if counts.iter().any(Option::is_some) {
            self.counted.push(KernelCounts { of, counts });
        }
    }
}

#[cfg(test)]
mod tests;
