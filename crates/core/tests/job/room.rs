//! The room that files take while a job is at work on them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// In this time no job here takes, or gives back, a megabyte.
const GLANCE: Duration = Duration::from_millis(1);

/// Bytes that all files below a folder take of their disk at this moment; `None` where they were
/// looked at one so long after another that they may never have taken that together.
pub fn taken(folder: &Path) -> Option<u64> {
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
