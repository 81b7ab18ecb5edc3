//! Hardware counters: cycles, instructions and misses of this thread, as far as the system shows
//! them.
//!
//! Many do not: virtual machines rarely have any, and containers and careful kernels forbid them.
//! So either counters are there, or words that say why not and what would change that; a nought
//! that was not counted is never told. The system call is `perf_event_open`, through a crate.

use std::fs::read_to_string;
use std::io;

use perf_event::events::{self, CacheOp, CacheResult, Hardware, WhichCache};
use perf_event::{Builder, CountAndTime, Counter};

/// Who may count what.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// What is counted, of this thread in user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Cycles of the processor's clock.
    Cycles,
    /// Instructions that were carried out.
    Instructions,
    /// Misses of the last cache that the processor counts them for.
    CacheMisses,
    /// Loads whose page was not in the first-level data TLB.
    TlbMisses,
}

impl Event {
    /// All of them.
    pub const ALL: [Self; 4] =
        [Self::Cycles, Self::Instructions, Self::CacheMisses, Self::TlbMisses];

    /// Its name, in the plural.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cycles => "cycles",
            Self::Instructions => "instructions",
            Self::CacheMisses => "cache misses",
            Self::TlbMisses => "TLB misses",
        }
    }

    fn kind(self) -> events::Event {
        match self {
            Self::Cycles => Hardware::CPU_CYCLES.into(),
            Self::Instructions => Hardware::INSTRUCTIONS.into(),
            Self::CacheMisses => Hardware::CACHE_MISSES.into(),
            Self::TlbMisses => events::Cache {
                which: WhichCache::DTLB,
                operation: CacheOp::READ,
                result: CacheResult::MISS,
            }
            .into(),
        }
    }
}

/// What was counted; an event that could not be is not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts(pub Vec<(Event, f64)>);

impl Counts {
    /// How many there were of an event.
    pub fn of(&self, event: Event) -> Option<f64> {
        self.0.iter().find(|(counted, _)| *counted == event).map(|(_, count)| *count)
    }
}

/// Counters of the thread that made them.
#[derive(Debug)]
pub struct Counters(Vec<(Event, Counter)>);

impl Counters {
    /// Those that there are.
    ///
    /// # Errors
    ///
    /// Why there are none, and what would change that, in one sentence without a full stop.
    pub fn new() -> Result<Self, String> {
        let counters = Event::ALL.map(|event| open(event).map(|counter| (event, counter)));
        let [cycles, ..] = &counters;
        if let Err(error) = cycles {
            return Err(why(error, read_to_string(PARANOID).ok().as_deref()));
        }
        // Some processors count no misses of the TLB; that is no reason to do without cycles.
        Ok(Self(counters.into_iter().filter_map(Result::ok).collect()))
    }

    /// Does some work, and counts what it takes.
    pub fn measure<R>(&mut self, work: impl FnOnce() -> R) -> (R, Counts) {
        let before = self.read();
        let result = work();
        let after = self.read();
        let pairs = self.0.iter().zip(before.iter().zip(&after));
        let counted = pairs.filter_map(|((event, _), (before, after))| {
            Some((*event, between(before.as_ref()?, after.as_ref()?)?))
        });
        (result, Counts(counted.collect()))
    }

    fn read(&mut self) -> Vec<Option<CountAndTime>> {
        self.0.iter_mut().map(|(_, counter)| counter.read_count_and_time().ok()).collect()
    }
}

fn open(event: Event) -> io::Result<Counter> {
    let mut counter = Builder::new().kind(event.kind()).build()?;
    counter.enable()?;
    Ok(counter)
}

/// What was counted between two readings. Where counters take turns, as there are fewer than are
/// asked for, it is what there would have been in the whole time; none if this one had no turn.
fn between(before: &CountAndTime, after: &CountAndTime) -> Option<f64> {
    let count = after.count.checked_sub(before.count)? as f64;
    let running = after.time_running.checked_sub(before.time_running)? as f64;
    let enabled = after.time_enabled.checked_sub(before.time_enabled)? as f64;
    (running > 0.0).then(|| count * enabled / running)
}

/// What an error of opening a counter means; `paranoid` is what the kernel says of its caution.
fn why(error: &io::Error, paranoid: Option<&str>) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            let is = paranoid.map_or_else(String::new, |level| {
                format!(" (kernel.perf_event_paranoid is {})", level.trim())
            });
            format!(
                "the system forbids them{is}: 'sysctl kernel.perf_event_paranoid=2' allows them, \
                 in a container together with the capability CAP_PERFMON"
            )
        }
        io::ErrorKind::Unsupported if error.raw_os_error().is_some() => format!(
            "the system does not have them ({error}): a sandbox may hide perf_event_open, or the \
             processor's counters"
        ),
        io::ErrorKind::NotFound => "the processor shows none, as in most virtual machines: the \
                                    host has to pass its counters on (a virtual PMU)"
            .to_owned(),
        _ => format!("the system refused them: {error}"),
    }
}

#[cfg(test)]
mod tests;
