//! Conversion of counters into words: the share done, the speed and the time left.
//!
//! Speed is that of the last few seconds, which is what a person watching wants to see. The engine
//! (`sortwell::unstable::stats::Course`) says how far a job is and how long it will still take; the
//! share that is done never becomes less here, even where there turns out to be more to do.

use std::collections::VecDeque;
use std::time::Duration;

/// Time span over which speed is measured.
const WINDOW: Duration = Duration::from_secs(3);

/// The counters at one moment.
#[derive(Clone, Copy, Debug)]
pub struct ProgressSample {
    /// Since the job began.
    pub elapsed: Duration,
    /// Description of the job's phase.
    pub words: &'static str,
    /// Bytes read and written so far.
    pub bytes_done: u64,
    /// Bytes among them that were read from the inputs.
    pub input_read: u64,
    /// Bytes among them that were written to temporary files.
    pub spilled: u64,
    /// The share of the work that is done, from 0 to 1; `None` while unknown.
    pub done: Option<f64>,
    /// Time that the job will still take; `None` while unknown.
    pub left: Option<Duration>,
}

/// The samples of the last few seconds.
#[derive(Debug, Default)]
pub struct Meter {
    /// In order of time; all but the first lie within the window.
    samples: VecDeque<ProgressSample>,
    /// The largest share that was ever done.
    most_done: Option<f64>,
}

impl Meter {
    /// Takes the next sample.
    pub fn add(&mut self, sample: ProgressSample) {
        self.samples.push_back(sample);
        self.most_done = sample.done.map(|done| self.most_done.unwrap_or(0.0).max(done));
        let is_past = |old: &ProgressSample| sample.elapsed.saturating_sub(old.elapsed) >= WINDOW;
        while self.samples.get(1).is_some_and(is_past) {
            self.samples.pop_front();
        }
    }

    /// Returns a description of the job's phase.
    pub fn doing(&self) -> &'static str {
        self.samples.back().map_or("", |sample| sample.words)
    }

    /// Returns the share of the work that is done, from 0 to 1.
    pub fn done(&self) -> Option<f64> {
        self.most_done
    }

    /// Returns ` 42%  913 MB/s  5120 MB spilled  12 s left`, or what of it is known. Of a pipe,
    /// whose end is not known, `1810 MB read in 2 s  913 MB/s  5120 MB spilled`.
    pub fn words(&self) -> String {
        let Some(last) = self.samples.back() else { return String::new() };
        let mut parts = vec![match self.done() {
            Some(done) => format!("{:3}%", (100.0 * done) as u32),
            None => format!(
                "{} MB read in {}",
                last.input_read / 1_000_000,
                words_of(last.elapsed.as_secs())
            ),
        }];
        if let Some(speed) = self.megabytes_per_second() {
            parts.push(format!("{speed:4.0} MB/s"));
        }
        if last.spilled > 0 {
            parts.push(format!("{} MB spilled", last.spilled / 1_000_000));
        }
        if let Some(left) = last.left.filter(|_| self.done().is_some()) {
            parts.push(format!("{} left", words_of(left.as_secs_f64().ceil() as u64)));
        }
        parts.join("  ")
    }

    fn megabytes_per_second(&self) -> Option<f64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = last.elapsed.saturating_sub(first.elapsed).as_secs_f64();
        let bytes = last.bytes_done.saturating_sub(first.bytes_done);
        (seconds > 0.0).then(|| bytes as f64 / 1e6 / seconds)
    }
}

/// Returns a time in seconds, as a person would say it.
fn words_of(seconds: u64) -> String {
    match seconds {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        s => format!("{} h {:02} min", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests;
