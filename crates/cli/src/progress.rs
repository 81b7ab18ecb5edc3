//! The progress line of a running job, on standard error.
//!
//! A thread reads the job's counters ten times a second and, once the job has run for a second,
//! draws one line: the phase, how far it is, how fast bytes move, how long it will still take. The
//! counters take reads and writes of every pass together, so the time left is right through all of
//! them. The line is wiped before anything else is printed. Off a terminal (`--progress always`)
//! the same words come as plain lines, one every few seconds. Programs get events (`event`).

mod event;
mod line;
mod meter;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use sortwell::Progress;
use sortwell::unstable::stats::Stream;

use self::event::ProgressEvent;
use self::line::ProgressLine;
use self::meter::{Meter, ProgressSample};
use crate::standard;

/// Condition under which the progress line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Always; off a terminal as plain lines
    Always,
    /// Never
    Never,
    /// An event a second, for programs
    Json,
}

/// Form in which progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A line for people.
    Line,
    /// Lines of JSON.
    Events,
}

impl When {
    /// Returns the style of progress, or `None` if it is not shown. `has_terminal` says whether a
    /// terminal is free for it.
    pub fn style(self, has_terminal: bool) -> Option<Style> {
        match self {
            Self::Auto => has_terminal.then_some(Style::Line),
            Self::Always => Some(Style::Line),
            Self::Never => None,
            Self::Json => Some(Style::Events),
        }
    }
}

/// Jobs shorter than this end without a word.
const SILENT: Duration = Duration::from_secs(1);
/// Between two looks at the counters: quick to the eye, nothing to the processor.
const POLL: Duration = Duration::from_millis(100);
/// Between two events.
const EVENT: Duration = Duration::from_secs(1);
/// The longest time that the last event waits for a slow reader.
const LAST_PATIENCE: Duration = Duration::from_secs(10);
/// The memory ceiling counts the watcher's stack too.
const STACK_BYTES: usize = 256 << 10;

/// Does `work` with or without its progress shown. Without a thread for that, work continues alone.
pub fn shown<T, E>(
    style: Option<Style>,
    job: &Progress,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let Some(style) = style else { return work() };
    thread::scope(|scope| {
        let (done, is_done) = channel::<bool>();
        let watch = move || match style {
            Style::Line => watch(job, &is_done),
            Style::Events => tell(job, &is_done),
        };
        let watcher = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, watch);
        let result = work();
        // A watcher that has ended does not need it.
        let _ = done.send(result.is_ok());
        // Dropped, also by a panic in the work, this ends the watcher.
        drop(done);
        if let Ok(watcher) = watcher {
            // A watcher that panicked has drawn its last line; the work's result is what counts.
            let _ = watcher.join();
        }
        result
    })
}

fn watch(job: &Progress, is_done: &Receiver<bool>) {
    let start = Instant::now();
    let mut meter = Meter::default();
    let mut line: Option<ProgressLine> = None;
    while is_done.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
        let sample = ProgressSample {
            elapsed: start.elapsed(),
            words: job.phase().words(),
            bytes_done: job.bytes().0,
            input_read: job.bytes_of(Stream::InputRead),
            spilled: job.bytes_of(Stream::SpillWritten),
            done: job.done(),
            left: job.left(),
        };
        meter.add(sample);
        if sample.elapsed >= SILENT {
            line.get_or_insert_with(ProgressLine::new).draw(&meter);
        }
    }
    if let Some(line) = line {
        line.clear();
    }
}

/// Prints one event a second, and one at the end. `is_done` receives whether the job succeeded.
fn tell(job: &Progress, is_done: &Receiver<bool>) {
    let (start, mut most) = (Instant::now(), None);
    loop {
        let end = is_done.recv_timeout(EVENT);
        let is_over = end != Err(RecvTimeoutError::Timeout);
        let event = ProgressEvent::of(job, start.elapsed(), &mut most);
        let event = if end == Ok(true) { event.at_success() } else { event };
        let line = event.line();
        if !is_over {
            standard::tell_within(&line, Duration::ZERO); // Nobody misses one of many.
            continue;
        }
        let told = Instant::now();
        while !standard::tell_within(&line, POLL)
            && !job.is_stopping()
            && told.elapsed() < LAST_PATIENCE
        {}
        return;
    }
}

#[cfg(test)]
mod tests;
