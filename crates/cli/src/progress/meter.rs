//! From counters to words: how far, how fast, how long still.
//!
//! Speed is that of the last few seconds, which is what a person watching wants to see. Time left
//! is reckoned from the mean over the whole job, because phases differ in speed and the mean of all
//! that was done is the better guess at all that is to come.

use std::collections::VecDeque;
use std::time::Duration;

/// How far back speed looks.
const WINDOW: Duration = Duration::from_secs(3);

/// The counters at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Since the job began.
    pub elapsed: Duration,
    /// What the job was busy with.
    pub words: &'static str,
    /// Bytes read and written so far.
    pub bytes_done: u64,
    /// Bytes to be read and written in all; `None` while unknown.
    pub bytes_total: Option<u64>,
}

/// The samples of the last few seconds.
#[derive(Debug, Default)]
pub struct Meter {
    /// In order of time; all but the first lie within the window.
    samples: VecDeque<Sample>,
}

impl Meter {
    /// Takes the next sample.
    pub fn add(&mut self, sample: Sample) {
        self.samples.push_back(sample);
        let is_past = |old: &Sample| sample.elapsed.saturating_sub(old.elapsed) >= WINDOW;
        while self.samples.get(1).is_some_and(is_past) {
            self.samples.pop_front();
        }
    }

    /// What the job is busy with.
    pub fn doing(&self) -> &'static str {
        self.samples.back().map_or("", |sample| sample.words)
    }

    /// Bytes read and written so far.
    pub fn bytes_done(&self) -> u64 {
        self.samples.back().map_or(0, |sample| sample.bytes_done)
    }

    /// Bytes to be read and written in all.
    pub fn bytes_total(&self) -> Option<u64> {
        self.samples.back().and_then(|sample| sample.bytes_total)
    }

    /// `42%  913 MB/s  12 s left`, or what of it is known.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        match self.bytes_total() {
            Some(total) => {
                let percent = 100 * u128::from(self.bytes_done().min(total)) / u128::from(total);
                parts.push(format!("{percent:3}%"));
            }
            None => parts.push(format!("{} MB", self.bytes_done() / 1_000_000)),
        }
        if let Some(speed) = self.megabytes_per_second() {
            parts.push(format!("{speed:4.0} MB/s"));
        }
        if let Some(left) = self.left() {
            parts.push(format!("{} left", words_of(left)));
        }
        parts.join("  ")
    }

    fn megabytes_per_second(&self) -> Option<f64> {
        let (first, last) = (self.samples.front()?, self.samples.back()?);
        let seconds = last.elapsed.saturating_sub(first.elapsed).as_secs_f64();
        let bytes = last.bytes_done.saturating_sub(first.bytes_done);
        (seconds > 0.0).then(|| bytes as f64 / 1e6 / seconds)
    }

    fn left(&self) -> Option<Duration> {
        let last = self.samples.back()?;
        let to_do = last.bytes_total?.saturating_sub(last.bytes_done);
        let seconds = last.elapsed.as_secs_f64() * to_do as f64 / last.bytes_done as f64;
        // Nothing done yet makes the quotient infinite: the time left is then unknown.
        Duration::try_from_secs_f64(seconds).ok()
    }
}

/// A time to wait, as a person would say it.
fn words_of(time: Duration) -> String {
    match time.as_secs_f64().ceil() as u64 {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min {:02} s", s / 60, s % 60),
        s => format!("{} h {:02} min", s / 3600, s % 3600 / 60),
    }
}

#[cfg(test)]
mod tests;
