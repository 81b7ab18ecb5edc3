//! The mapping engine: reads copy out of a short-lived mapping of the block, writes are plain.
//!
//! Best where the input is in the page cache, since the copy then needs no call per block beyond
//! the mapping. The kernel is asked to bring the block in (`MADV_POPULATE_READ`) before it is
//! copied, so that bad sectors and files cut short answer with an error and not with a signal; only
//! a file cut short between that and the copy, some microseconds later, could still end the
//! process. Reads past the page cache make no sense here: files are best opened with `Direct::Off`.

use std::os::fd::BorrowedFd;
use std::ptr::{copy_nonoverlapping, null_mut};

use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

use super::Answer;
use super::queue::Operation;
use super::sync;
use super::transfer::Step;

pub(super) const NAME: &str = "mmap";

/// Reads through a mapping; whatever cannot be mapped, and every write, goes the plain way.
pub(super) fn perform(step: &Step) -> Answer<usize> {
    if step.operation == Operation::Write {
        return sync::perform(step);
    }
    match copy_mapped(step) {
        Ok(bytes) => Ok(bytes),
        // No mappings in this file system, none on this kernel, or the end came nearer meanwhile:
        // the plain read works, or knows the true reason.
        Err(_) => sync::perform(step),
    }
}

/// Copies what the file holds of the step's range; 0 at its end.
fn copy_mapped(step: &Step) -> Answer<usize> {
    // SAFETY: the transfer's file keeps the descriptor open while its step is carried out.
    let file = unsafe { BorrowedFd::borrow_raw(step.descriptor) };
    let file_bytes = u64::try_from(fstat(file)?.st_size).unwrap_or(0);
    // A block device has no length in its inode: the plain read serves it.
    if file_bytes == 0 {
        return Err(Errno::NODEV);
    }
    let Some(rest) = file_bytes.checked_sub(step.offset).filter(|rest| *rest > 0) else {
        return Ok(0);
    };
    let length = usize::try_from(rest).map_or(step.length, |rest| rest.min(step.length));
    let before = (step.offset % rustix::param::page_size() as u64) as usize;
    // SAFETY: the mapping is new, at an address of the kernel's choice, read only within its length
    // and below the file's end as of now, with its pages brought in, and gone before this block
    // ends. The step's memory has room for `length` bytes, belongs to the transfer alone, and
    // cannot overlap a mapping made after it.
    unsafe {
        let (at, mapped) = (step.offset - before as u64, length + before);
        let pages = mmap(null_mut(), mapped, ProtFlags::READ, MapFlags::SHARED, file, at)?;
        let _ = madvise(pages, mapped, Advice::Sequential);
        let brought_in = madvise(pages, mapped, Advice::LinuxPopulateRead);
        if brought_in.is_ok() {
            copy_nonoverlapping(pages.cast::<u8>().add(before), step.pointer, length);
        }
        let _ = munmap(pages, mapped);
        brought_in.map(|()| length)
    }
}
