//! The room that files take while a job is at work on them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// In this time no job here takes, or gives back, a megabyte.
const GLANCE: Duration = Duration::from_millis(1);

/// Time between two glances.
const PAUSE: Duration = Duration::from_micros(200);

/// Runs something; with what came of it, the most bytes of their disk that all files below a folder
/// were seen to take together meanwhile.
pub fn watched<T>(folder: &Path, run: impl FnOnce() -> T) -> (T, u64) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            // A job that is refused at once may be over before the first glance that is quick.
            let mut most = None;
            while !is_over.load(Ordering::Relaxed) || most.is_none() {
                most = most.max(taken(folder));
                std::thread::sleep(PAUSE);
            }
            most.expect("at least one glance was quick")
        });
        let outcome = run();
        is_over.store(true, Ordering::Relaxed);
        (outcome, watching.join().expect("no panic"))
    })
}

/// Bytes that all files below a folder take of their disk at this moment; `None` where they were
/// looked at one so long after another that they may never have taken that together.
fn taken(folder: &Path) -> Option<u64> {
    let begun = Instant::now();
    let bytes = allocated(folder);
    (begun.elapsed() < GLANCE).then_some(bytes)
}

fn allocated(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match fs::symlink_metadata(entry.path()) {
        Ok(data) if data.is_dir() => allocated(&entry.path()),
        Ok(data) => data.blocks() * 512,
        Err(_) => 0,
    });
    bytes.sum()
}
