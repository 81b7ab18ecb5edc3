//! Time of workers by activity: AlphaSort's "where the time goes" (Nyberg et al., VLDB Journal
//! 1995, Figure 5), worker by worker.

use std::time::{Duration, Instant};

use serde::Serialize;

use super::Waits;

/// The activity of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Activity {
    /// Requesting reads and processing them; checking blocks of runs.
    Reading,
    /// Dealing records into buckets, or passing them through replacement selection.
    Dealing,
    /// Sorting buckets.
    Sorting,
    /// Merging runs.
    Merging,
    /// Gathering sorted records into output buffers.
    Gathering,
    /// Idle: other workers do the work that it waits for, or the job is between two steps.
    Resting,
}

impl Activity {
    const COUNT: usize = Self::Resting as usize + 1;
}

/// Seconds of a worker, by activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WorkerTime {
    /// Requesting reads and processing them; checking blocks of runs.
    pub reading: f64,
    /// Blocked on I/O.
    pub waiting: f64,
    /// The part of `waiting` for requests of each stream.
    pub waiting_for: Waits,
    /// Dealing records into buckets, or passing them through replacement selection.
    pub dealing: f64,
    /// Sorting buckets.
    pub sorting: f64,
    /// Merging runs.
    pub merging: f64,
    /// Gathering sorted records into output buffers.
    pub gathering: f64,
    /// Handing output buffers to the system.
    pub writing: f64,
    /// Idle: other workers do the work that it waits for, or the job is between two steps.
    pub resting: f64,
}

impl WorkerTime {
    /// Returns the activity with the remainder of `seconds` as rest.
    #[must_use]
    pub fn rested_of(self, seconds: f64) -> Self {
        let Self { reading, waiting, dealing, sorting, merging, gathering, writing, .. } = self;
        let busy = reading + waiting + dealing + sorting + merging + gathering + writing;
        Self { resting: (seconds - busy).max(0.0), ..self }
    }
}

/// The clock of a worker. What the worker was blocked on, or handed to the system, during an
/// activity is known to its lane alone, and is taken off the activity at its end.
#[derive(Clone, Copy, Debug)]
pub struct WorkerClock {
    spent: [Duration; Activity::COUNT],
    at: Activity,
    since: Instant,
    /// Time that the lane had counted when it was last asked.
    counted: Duration,
}

impl Default for WorkerClock {
    fn default() -> Self {
        let (spent, counted) = Default::default();
        Self { spent, at: Activity::Resting, since: Instant::now(), counted }
    }
}

impl WorkerClock {
    /// Turns to another activity.
    pub fn turn_to(&mut self, next: Activity) {
        let now = Instant::now();
        self.spent[self.at as usize] += now - self.since;
        (self.at, self.since) = (next, now);
    }

    /// Turns to another activity, where the lane has counted so much time so far.
    pub fn turn_from(&mut self, counted: Duration, next: Activity) {
        let last = self.at;
        self.turn_to(next);
        let taken = counted.saturating_sub(std::mem::replace(&mut self.counted, counted));
        let spent = &mut self.spent[last as usize];
        *spent = spent.saturating_sub(taken);
    }

    /// Returns the account of all that was spent, with what the lane has counted.
    pub fn time(&self, waited: Waits, written: Duration) -> WorkerTime {
        let spent = |activity: Activity| self.spent[activity as usize].as_secs_f64();
        WorkerTime {
            reading: spent(Activity::Reading),
            waiting: waited.total().as_secs_f64(),
            waiting_for: waited,
            dealing: spent(Activity::Dealing),
            sorting: spent(Activity::Sorting),
            merging: spent(Activity::Merging),
            gathering: spent(Activity::Gathering),
            writing: written.as_secs_f64(),
            resting: spent(Activity::Resting),
        }
    }
}

#[cfg(test)]
mod tests;
