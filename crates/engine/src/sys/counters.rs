//! Hardware counters: cycles, instructions and misses of one thread or of a whole job, as far as
//! the system shows them.
//!
//! Many do not: virtual machines rarely have any, and containers and careful kernels forbid them.
//! So there are either counters, or words that say why not and what would change that. A zero
//! that was not counted is never reported. The system call is `perf_event_open`, through a crate
//! (`perf`), which a build without the feature `counters` goes without.
//!
//! Invariant: each event is a counter of its own, in no group, as groups cannot be
//! inherited by threads; and nothing here fails the work that is measured.

#[cfg(feature = "counters")]
mod perf;

use std::fs::File;
use std::io::{self, Read};

use crate::error::named;

named! {
    /// Events that are counted, in user mode.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CounterEvent {
        /// Cycles of the processor's clock.
        Cycles = "cycles",
        /// Instructions that were carried out.
        Instructions = "instructions",
        /// Misses of the last cache that the processor counts them for.
        CacheMisses = "cache misses",
        /// Loads whose page was not in the first-level data TLB.
        TlbMisses = "TLB misses",
    }
}

/// Threads whose events are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedThreads {
    /// The one that makes the counters.
    This,
    /// The calling thread, and all threads that it and its descendants start later.
    AndLater,
}

/// Counts of events. Events that could not be counted are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts(pub Vec<(CounterEvent, f64)>);

impl Counts {
    /// Returns the count of an event.
    pub fn of(&self, event: CounterEvent) -> Option<f64> {
        self.0.iter().find(|(counted, _)| *counted == event).map(|(_, count)| *count)
    }
}

/// Counters that count since they were made, each a file to read.
#[derive(Debug)]
pub struct Counters(Vec<(CounterEvent, File)>);

impl Counters {
    /// Opens the counters that the system has.
    ///
    /// # Errors
    ///
    /// The reason, and what would change that, in one sentence without a full stop.
    #[cfg(feature = "counters")]
    pub fn new(of: CountedThreads) -> Result<Self, String> {
        perf::open(of).map(Self)
    }

    /// Returns an error: this program was built without the feature `counters`.
    ///
    /// # Errors
    ///
    /// Always, in one sentence without a full stop.
    #[cfg(not(feature = "counters"))]
    pub fn new(_: CountedThreads) -> Result<Self, String> {
        Err("this build does not support them: build it with the cargo feature 'counters'"
            .to_owned())
    }

    /// Does some work, and counts what it takes.
    pub fn measure<R>(&self, work: impl FnOnce() -> R) -> (R, Counts) {
        let before = self.read();
        let result = work();
        let after = self.read();
        let pairs = self.0.iter().zip(before.iter().zip(&after));
        let counted = pairs.filter_map(|((event, _), (before, after))| {
            Some((*event, between(before.as_ref()?, after.as_ref()?)?))
        });
        (result, Counts(counted.collect()))
    }

    fn read(&self) -> Vec<Option<CounterReading>> {
        self.0.iter().map(|(_, counter)| CounterReading::of(counter).ok()).collect()
    }
}

/// Values of a counter, for all its threads together. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CounterReading {
    count: u64,
    /// Time for which the counter was enabled.
    enabled: u64,
    /// Time for which it counted: less where counters take turns.
    running: u64,
}

impl CounterReading {
    /// Reads the kernel's three numbers. The crate's own way of reading them insists that none ran
    /// longer than it was enabled, which threads that still come and go may break by an instant.
    fn of(mut counter: &File) -> io::Result<Self> {
        let mut bytes = [0; 3 * size_of::<u64>()];
        counter.read_exact(&mut bytes)?;
        let mut numbers = [0; 3];
        for (number, of) in numbers.iter_mut().zip(bytes.as_chunks().0) {
            *number = u64::from_ne_bytes(*of);
        }
        let [count, enabled, running] = numbers;
        Ok(Self { count, enabled, running })
    }
}

/// Returns the count between two readings. Where there are fewer counters than events, they take
/// turns; the count is then scaled to the whole time. Returns `None` if this one had no turn.
fn between(before: &CounterReading, after: &CounterReading) -> Option<f64> {
    let count = after.count.checked_sub(before.count)? as f64;
    let running = after.running.checked_sub(before.running)? as f64;
    let enabled = after.enabled.checked_sub(before.enabled)? as f64;
    (running > 0.0).then(|| count * enabled / running)
}

#[cfg(test)]
mod tests;
