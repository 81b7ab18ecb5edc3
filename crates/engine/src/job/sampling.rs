//! Looking at a job ten times a second while it runs, for its [`Timeline`], and having the
//! processor count what it does.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::stats::{Counted, Now, Progress, Statistics, Timeline};
use crate::sys::counters::{CountedThreads, CounterEvent, Counters, Counts};
use crate::sys::limits;

/// The memory ceiling counts this thread's stack too.
const STACK_BYTES: usize = 64 << 10;

/// Does a job's `work`; where it is `wanted`, its statistics get a timeline, and counts.
pub fn sampled_if(
    wanted: bool,
    progress: &Progress,
    work: impl FnOnce() -> Result<Statistics>,
) -> Result<Statistics> {
    if !wanted {
        return work();
    }
    // Counters come after the thread that looks on, as what that does is not the job's.
    let ((done, counted), timeline) = sampled(progress, || counted(work));
    let counters = Some(counted);
    done.map(|statistics| Statistics { timeline, counters, ..statistics })
}

/// Does `work`, and samples it meanwhile. If no thread can be started, the work runs without
/// samples.
fn sampled<T>(progress: &Progress, work: impl FnOnce() -> T) -> (T, Option<Timeline>) {
    // From before the first byte, however late the thread comes to it.
    let timeline = Timeline::begin(progress, &now());
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let watcher = thread::Builder::new()
            .name("sampler".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || watch(timeline, progress, &is_done));
        let result = work();
        // Dropped, also by a panic in the work, this ends the watcher.
        drop(done);
        (result, watcher.ok().and_then(|watcher| watcher.join().ok()))
    })
}

fn watch(mut timeline: Timeline, progress: &Progress, is_done: &Receiver<()>) -> Timeline {
    let mut next = Instant::now();
    loop {
        next += Duration::from_secs_f64(timeline.interval_seconds);
        let left = next.saturating_duration_since(Instant::now());
        let is_over = is_done.recv_timeout(left) != Err(RecvTimeoutError::Timeout);
        timeline.add(progress, &now());
        if is_over {
            return timeline;
        }
    }
}

/// Does `work`, and tells what the processor counted of it, in all threads that it starts.
fn counted<T>(work: impl FnOnce() -> T) -> (T, Counted) {
    match Counters::new(CountedThreads::AndLater) {
        Ok(counters) => {
            let (done, counts) = counters.measure(work);
            (done, told(&counts))
        }
        Err(missing) => (work(), Counted::Nothing { missing }),
    }
}

/// Counts as statistics have them, in whole numbers.
fn told(counts: &Counts) -> Counted {
    let of = |event| counts.of(event).map(|count| count.round() as u64);
    Counted::Events {
        cycles: of(CounterEvent::Cycles),
        instructions: of(CounterEvent::Instructions),
        cache_misses: of(CounterEvent::CacheMisses),
        tlb_misses: of(CounterEvent::TlbMisses),
    }
}

/// Returns what only the system knows.
fn now() -> Now {
    let used = limits::processor_time();
    Now {
        user_seconds: used.user_seconds,
        system_seconds: used.system_seconds,
        memory: limits::memory_now().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
