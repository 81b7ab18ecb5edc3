//! Opening counters by `perf_event_open`, and what it means if the kernel will not.

use std::fs::{File, read_to_string};
use std::io;
use std::os::fd::{FromRawFd, IntoRawFd, OwnedFd};

use perf_event::Builder;
use perf_event::events::{self, CacheOp, CacheResult, Hardware, WhichCache};

use super::{CountedThreads, CounterEvent};

/// File with the kernel's restrictions on counting.
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";

/// Opens a counter of every event that the system has, counting from now on. Fails with the reason
/// if there are none.
pub fn open(of: CountedThreads) -> Result<Vec<(CounterEvent, File)>, String> {
    let [cycles, others @ ..] = CounterEvent::ALL;
    let refused = |error| why(&error, read_to_string(PARANOID).ok().as_deref());
    let mut counters = vec![(cycles, counter(kind(cycles), of).map_err(refused)?)];
    // Some processors count no misses of the TLB; that is no reason to do without cycles.
    let open = |event| counter(kind(event), of).ok().map(|counter| (event, counter));
    counters.extend(others.into_iter().filter_map(open));
    Ok(counters)
}

/// Opens a counter in user mode, as careful kernels allow no other.
fn counter(kind: events::Event, of: CountedThreads) -> io::Result<File> {
    let mut builder = Builder::new().kind(kind);
    builder.enabled(true).inherit(of == CountedThreads::AndLater);
    let counter = builder.build()?.into_raw_fd();
    // SAFETY: the descriptor was open and the counter's own, which has given it away just now.
    Ok(unsafe { OwnedFd::from_raw_fd(counter) }.into())
}

fn kind(event: CounterEvent) -> events::Event {
    match event {
        CounterEvent::Cycles => Hardware::CPU_CYCLES.into(),
        CounterEvent::Instructions => Hardware::INSTRUCTIONS.into(),
        CounterEvent::CacheMisses => Hardware::CACHE_MISSES.into(),
        CounterEvent::TlbMisses => events::Cache {
            which: WhichCache::DTLB,
            operation: CacheOp::READ,
            result: CacheResult::MISS,
        }
        .into(),
    }
}

/// Explains an error of opening a counter; `paranoid` is the kernel's level of caution.
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
