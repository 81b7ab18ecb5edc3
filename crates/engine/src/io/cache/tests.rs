//! Tests of the question what the page cache holds.

use std::fs::File;
use std::io::Write;

use rustix::fs::{Advice, fadvise, fstat};

use super::*;

const LENGTH: u64 = 8 << 20;

/// Asks about a file of `LENGTH` bytes of which a part is kept in the cache.
fn is_cached_with(kept: std::ops::Range<u64>) -> bool {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&vec![1; LENGTH as usize]).unwrap();
    file.as_file().sync_all().unwrap();
    fadvise(&file, 0, std::num::NonZero::new(LENGTH), Advice::DontNeed).unwrap();
    // Without read-ahead exactly what is read is kept.
    fadvise(&file, 0, None, Advice::Random).unwrap();
    let mut buffer = vec![0; (kept.end - kept.start) as usize];
    if !buffer.is_empty() {
        rustix::io::pread(&file, &mut buffer, kept.start).unwrap();
    }
    is_mostly_cached(&file, file.path(), &fstat(&file).unwrap(), LENGTH)
}

#[test]
fn more_than_half_is_mostly() {
    assert!(is_cached_with(0..LENGTH));
    assert!(is_cached_with(0..LENGTH * 3 / 4));
    assert!(is_cached_with(LENGTH / 4..LENGTH));
}

#[test]
fn small_files_and_empty_ones_have_an_answer() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let ask = |file: &tempfile::NamedTempFile, length| {
        is_mostly_cached(file, file.path(), &fstat(file).unwrap(), length)
    };
    assert!(!ask(&file, 0));
    file.write_all(b"x").unwrap();
    assert!(ask(&file, 1));
}

#[test]
fn a_file_in_memory_is_cached_and_a_dropped_one_is_not() {
    if let Ok(directory) = tempfile::tempdir_in("/dev/shm") {
        let path = directory.path().join("file");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let file = File::open(&path).unwrap();
        assert!(is_mostly_cached(&file, &path, &fstat(&file).unwrap(), 1 << 20));
    }
    let directory = tempfile::tempdir().unwrap();
    let system = rustix::fs::statfs(directory.path()).unwrap();
    const EXT4: u64 = 0xef53;
    // Only there do we know that dropped pages are gone at once.
    if system.f_type as u64 == EXT4 {
        assert!(!is_cached_with(0..0));
        assert!(!is_cached_with(0..LENGTH / 4));
    }
}
