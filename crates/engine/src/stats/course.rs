//! Progress of a job, and the time that is left.
//!
//! Bytes differ in what they cost: those of a first pass are dealt into buckets, those of the last
//! are only written. So each phase has a weight, which is what it is expected to take beside the
//! others, and what is left of a phase is estimated at that phase's own pace, the more of it is
//! done the more; what is to come, at the pace of all that was done.
//!
//! The bytes that a stream will bring are not known. If the length of its source is known, as that
//! of a compressed file, they are estimated by the part of the source that was read.

use std::fmt;
use std::time::{Duration, Instant};

use super::{Phase, SourceShare};

/// A phase yet to come, or under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseShare {
    /// Phase.
    pub phase: Phase,
    /// Bytes that it reads and writes.
    pub bytes: u64,
    /// Time that it is expected to take, in any unit that all shares have.
    pub weight: f64,
}

impl PhaseShare {
    /// Returns the share of the only phase of a job.
    pub const fn only(phase: Phase, bytes: u64) -> Self {
        Self { phase, bytes, weight: 1.0 }
    }
}

/// Returns the phases of a job whose input has this many bytes.
type SharesOf = Box<dyn Fn(u64) -> Vec<PhaseShare> + Send>;

/// Phases of a job whose input is a stream, which depend on what it will bring.
pub struct Forecast {
    source: SourceShare,
    shares_of: SharesOf,
    /// Bytes of inputs that were read before this job.
    brought_before: u64,
}

impl fmt::Debug for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forecast").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Forecast {
    /// Returns the forecast of a job that reads a stream made from `source`, after
    /// `brought_before` bytes of other inputs.
    pub fn new(
        source: SourceShare,
        brought_before: u64,
        shares_of: impl Fn(u64) -> Vec<PhaseShare> + Send + 'static,
    ) -> Self {
        Self { source, shares_of: Box::new(shares_of), brought_before }
    }
}

/// Less than this part of the first phase says little about its pace.
const LEAST_PART: f64 = 0.03;

/// Part of a phase that the work before it counts as, for its pace: a slab has to be read before
/// anything of it is written, so that the beginning of a phase seems slow.
const PRIOR: f64 = 0.15;

/// The phases of a job, and when it came to the present one.
#[derive(Debug)]
pub struct Course {
    shares: Vec<PhaseShare>,
    /// Source of the shares while a stream is read.
    forecast: Option<Forecast>,
    phase: Phase,
    begun: Instant,
    entered: Instant,
    /// Bytes moved before the present phase.
    bytes_before: u64,
}

impl Default for Course {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            shares: Vec::new(),
            forecast: None,
            phase: Phase::Planning,
            begun: now,
            entered: now,
            bytes_before: 0,
        }
    }
}

impl Course {
    /// Sets the phases to come, after `bytes_done` bytes were moved. Phases are entered in this
    /// order; a job that is planned again is in the first of them already.
    pub fn expect(&mut self, shares: Vec<PhaseShare>, bytes_done: u64, now: Instant) {
        (self.shares, self.entered, self.bytes_before) = (shares, now, bytes_done);
        self.forecast = None;
    }

    /// Sets the forecast of the phases to come, after `bytes_done` bytes were moved.
    pub fn expect_by(&mut self, forecast: Forecast, bytes_done: u64, now: Instant) {
        self.expect(Vec::new(), bytes_done, now);
        self.forecast = Some(forecast);
    }

    /// Estimates the phases by the forecast, if there is one, now that `brought` bytes of inputs
    /// were read.
    pub fn foresee(&mut self, brought: u64) {
        let Some(Forecast { source, shares_of, brought_before }) = &self.forecast else { return };
        if let Some(bytes) = source.expected(brought.saturating_sub(*brought_before)) {
            self.shares = shares_of(bytes);
        }
    }

    /// Sets the phases, now that all of a stream was read.
    pub fn settle(&mut self, shares: Vec<PhaseShare>) {
        (self.shares, self.forecast) = (shares, None);
    }

    /// Returns whether it is known what is to come.
    pub fn is_known(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Sets the bytes of a phase that moves more than was expected; its weight grows with them.
    pub fn expect_of(&mut self, phase: Phase, bytes: u64) {
        if let Some(share) = self.shares.iter_mut().find(|share| share.phase == phase) {
            share.weight *= bytes as f64 / share.bytes.max(1) as f64;
            share.bytes = bytes;
        }
    }

    /// Enters a phase, after `bytes_done` bytes were moved.
    pub fn enter(&mut self, phase: Phase, bytes_done: u64, now: Instant) {
        if phase != self.phase {
            (self.phase, self.entered, self.bytes_before) = (phase, now, bytes_done);
        }
    }

    /// Returns the share of the work that is done, from 0 to 1, after `bytes_done` bytes; `None`
    /// while nobody knows the total. Finishing counts as not begun until it is over.
    pub fn done(&self, bytes_done: u64) -> Option<f64> {
        let (before, part, share) = self.place(bytes_done)?;
        let all: f64 = self.shares.iter().map(|share| share.weight).sum();
        (all > 0.0).then(|| ((before + part * share.weight) / all).min(1.0))
    }

    /// Returns how long the job will still take; `None` while that cannot be said.
    pub fn left(&self, bytes_done: u64, now: Instant) -> Option<Duration> {
        let (before, part, share) = self.place(bytes_done)?;
        let done = before + part * share.weight;
        let (all_seconds, own_seconds) = (
            now.saturating_duration_since(self.begun).as_secs_f64(),
            now.saturating_duration_since(self.entered).as_secs_f64(),
        );
        if done <= 0.0 || (before <= 0.0 && part < LEAST_PART) {
            return None;
        }
        let usual_pace = all_seconds / done;
        let all: f64 = self.shares.iter().map(|share| share.weight).sum();
        let usual_seconds = share.weight * usual_pace;
        let own_left = match share.bytes {
            0 => usual_seconds - own_seconds,
            _ => (1.0 - part) * (own_seconds + PRIOR * usual_seconds) / (part + PRIOR),
        };
        let later = (all - before - share.weight).max(0.0) * usual_pace;
        Duration::try_from_secs_f64((own_left + later).max(0.0)).ok()
    }

    /// Returns how long it will still take where all that is known is that so much of it is done.
    pub fn left_of(&self, done: f64, now: Instant) -> Option<Duration> {
        let seconds = now.saturating_duration_since(self.begun).as_secs_f64();
        // Nothing done yet makes the quotient infinite: the time left is then unknown.
        Duration::try_from_secs_f64(seconds * (1.0 - done).max(0.0) / done).ok()
    }

    /// Returns the weight of all phases before the present one, the part of it that is done, and
    /// its share.
    fn place(&self, bytes_done: u64) -> Option<(f64, f64, &PhaseShare)> {
        let at = self.shares.iter().position(|share| share.phase == self.phase)?;
        let before = self.shares[..at].iter().map(|share| share.weight).sum();
        let share = &self.shares[at];
        let moved = bytes_done.saturating_sub(self.bytes_before) as f64;
        let part = if share.bytes == 0 { 0.0 } else { (moved / share.bytes as f64).min(1.0) };
        Some((before, part, share))
    }
}

#[cfg(test)]
mod tests;
