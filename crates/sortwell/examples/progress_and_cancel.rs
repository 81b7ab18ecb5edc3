//! Sorts a file, shows how far the sort is, and stops it after a time limit.
//!
//! Run it as `cargo run --release --example progress_and_cancel INPUT OUTPUT SECONDS`.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use sortwell::{Format, Progress, Result, SortJob, Statistics};

/// Sorts lines. Shows the done share of the work every half a second, and stops the sort when
/// `limit` is over: the result is then `Error::Interrupted`.
pub fn sort_within(
    input: &Path,
    output: &Path,
    limit: Duration,
    mut show: impl FnMut(f64) + Send,
) -> Result<Statistics> {
    let job = SortJob::new(Format::LINES, input, output);
    let progress = Progress::new();
    let end = Instant::now() + limit;
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let progress = &progress;
        scope.spawn(move || {
            loop {
                show(progress.done().unwrap_or(0.0));
                let left = end.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    progress.request_stop();
                    break;
                }
                let wait = left.min(Duration::from_millis(500));
                if is_done.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
        });
        let result = job.run_with(progress);
        drop(done);
        result
    })
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let [input, output, seconds] = words.as_slice() else {
        return Err("usage: progress_and_cancel INPUT OUTPUT SECONDS".into());
    };
    let limit = Duration::from_secs(seconds.to_string_lossy().parse()?);
    let show = |done: f64| eprintln!("{:.0}%", 100.0 * done);
    let statistics = sort_within(input.as_ref(), output.as_ref(), limit, show)?;
    println!("{} lines in {:.2} s", statistics.records, statistics.seconds);
    Ok(())
}
