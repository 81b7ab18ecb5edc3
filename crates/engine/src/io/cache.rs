//! Estimate of how much of a file is in the page cache, from a sample and without reading.
//!
//! Reading cached data past the cache would wait for the disk in vain, reading uncached data
//! through it costs a copy and half the disk's speed. `mincore` on a short-lived mapping tells
//! which it is. For files that the caller neither owns nor may write the kernel hides the truth and
//! calls every page resident, so there the answer is taken to be "not cached".

use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::ptr::null_mut;

use rustix::fs::{Access, AtFlags, CWD, Stat, accessat};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Places looked at. With 64 the answer "more than half" is wrong for a file that is a third or two
/// thirds cached at random less than one time in 100.
const WINDOWS: u64 = 64;

/// Pages looked at in each place. Caching comes in read-ahead pieces, so more of them tell little.
const WINDOW_PAGES: u64 = 32;

/// Returns whether more than half of the sampled pages of a file are in the page cache.
pub(super) fn is_mostly_cached(file: impl AsFd, path: &Path, stat: &Stat, length: u64) -> bool {
    if length == 0 || !is_answer_honest(path, stat) {
        return false;
    }
    let page_bytes = rustix::param::page_size() as u64;
    let pages = length.div_ceil(page_bytes);
    let window = WINDOW_PAGES.min(pages);
    let windows = WINDOWS.min(pages.div_ceil(window));
    let (mut resident, mut seen) = (0, 0);
    for index in 0..windows {
        // The first window at the start, the last one at the end, the others evenly between.
        let first = (pages - window) * index / (windows - 1).max(1);
        match resident_pages(&file, first * page_bytes, (window * page_bytes) as usize) {
            Some(count) => resident += count,
            None => return false,
        }
        seen += window;
    }
    resident * 2 > seen
}

/// Returns whether `mincore` tells this process the truth about the file: it does to the owner and
/// to those who may write it.
fn is_answer_honest(path: &Path, stat: &Stat) -> bool {
    let user = rustix::process::geteuid();
    user.is_root()
        || user.as_raw() == stat.st_uid
        || accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// Pages in the cache among those that hold `length` bytes from `offset` on.
fn resident_pages(file: impl AsFd, offset: u64, length: usize) -> Option<u64> {
    let mut flags = [0_u8; WINDOW_PAGES as usize];
    assert!(length <= flags.len() * rustix::param::page_size());
    debug_assert!(file.as_fd().as_raw_fd() >= 0);
    // SAFETY: the mapping is new, at an address of the kernel's choice, is never read through, and
    // is gone again before this block ends; `flags` has a byte for each of its pages.
    let answer = unsafe {
        let pages =
            mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, offset).ok()?;
        let answer = libc::mincore(pages, length, flags.as_mut_ptr());
        let _ = munmap(pages, length);
        answer
    };
    (answer == 0).then(|| flags.iter().filter(|flag| **flag & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests;
