//! The progress line of a running job, on standard error.
//!
//! A thread reads the job's counters ten times a second and, once the job has run for a second,
//! draws one line: the phase, how far it is, how fast bytes move, how long it will still take. The
//! counters take reads and writes of every pass together, so the time left is right through all of
//! them. The line is wiped before anything else is printed. Off a terminal (`--progress always`)
//! the same words come as plain lines, one every few seconds.

mod meter;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use sortwell::stats::Progress;

use self::meter::{Meter, Sample};

/// When the progress line is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Always; off a terminal as plain lines
    Always,
    /// Never
    Never,
}

impl When {
    /// Whether to show it, given whether there is a terminal for it alone.
    pub fn is_shown(self, has_terminal: bool) -> bool {
        match self {
            Self::Auto => has_terminal,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Jobs shorter than this end without a word.
const SILENT: Duration = Duration::from_secs(1);
/// Between two looks at the counters: quick to the eye, nothing to the processor.
const POLL: Duration = Duration::from_millis(100);
/// Between two plain lines, in looks.
const PLAIN_LINE_POLLS: u64 = 20;
/// The memory ceiling counts the watcher's stack too.
const STACK_BYTES: usize = 256 << 10;

/// Does `work` with or without a progress line. Without a thread to draw it, work goes on alone.
pub fn shown<T>(is_shown: bool, job: &Progress, work: impl FnOnce() -> T) -> T {
    if !is_shown {
        return work();
    }
    thread::scope(|scope| {
        let (done, is_done) = channel::<()>();
        let watch = move || watch(job, &is_done);
        let watcher = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, watch);
        let result = work();
        // Dropped, also by a panic in the work, this ends the watcher.
        drop(done);
        if let Ok(watcher) = watcher {
            // A watcher that panicked has drawn its last line; the work's result is what counts.
            let _ = watcher.join();
        }
        result
    })
}

fn watch(job: &Progress, is_done: &Receiver<()>) {
    let start = Instant::now();
    let mut meter = Meter::default();
    let mut line: Option<Line> = None;
    while is_done.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
        let (bytes_done, bytes_total) = job.bytes();
        let sample = Sample {
            elapsed: start.elapsed(),
            words: job.phase().words(),
            bytes_done,
            bytes_total,
        };
        meter.add(sample);
        if sample.elapsed >= SILENT {
            line.get_or_insert_with(Line::new).draw(&meter);
        }
    }
    if let Some(line) = line {
        line.clear();
    }
}

/// Where the line is drawn.
enum Line {
    Terminal(ProgressBar),
    Plain { polls: u64 },
}

impl Line {
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if bar.is_hidden() { Self::Plain { polls: 0 } } else { Self::Terminal(bar) }
    }

    fn draw(&mut self, meter: &Meter) {
        match self {
            Self::Terminal(bar) => {
                let template = match meter.bytes_total() {
                    Some(_) => "{prefix:15} [{wide_bar}] {msg}",
                    None => "{prefix:15} {msg}",
                };
                // Both templates are constant and well formed; a plain style would be drawn else.
                let style = ProgressStyle::with_template(template)
                    .unwrap_or_else(|_| ProgressStyle::default_bar());
                bar.set_style(style.progress_chars("=> "));
                bar.set_prefix(meter.doing());
                bar.set_message(meter.words());
                if let Some(total) = meter.bytes_total() {
                    bar.set_length(total);
                    bar.set_position(meter.bytes_done().min(total));
                }
                bar.tick();
            }
            Self::Plain { polls } => {
                if *polls % PLAIN_LINE_POLLS == 0 {
                    eprintln!("{}: {}", meter.doing(), meter.words());
                }
                *polls += 1;
            }
        }
    }

    fn clear(self) {
        if let Self::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests;
