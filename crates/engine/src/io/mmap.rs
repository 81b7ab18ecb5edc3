//! The mapping engines: reads copy out of short-lived mappings of pieces, writes are plain.
//!
//! Best where the input is in the page cache, since the copy then needs no call per block beyond
//! the mapping. The kernel is asked to bring a piece in (`MADV_POPULATE_READ`) before it is
//! copied, so that bad sectors and files cut short answer with an error and not with a signal; only
//! a file cut short between that and the copy, some microseconds later, could still end the
//! process. Reads past the page cache make no sense here: files are best opened with `Direct::Off`.
//!
//! `mmap-plain` gives no advice, so that pages come as they are touched: what NOW-Sort measured
//! mappings with advice against (Arpaci-Dusseau et al. 1997, Figure 2), and good for nothing else.
//! There the kernel does the copy (`process_vm_readv`), and says which pages it could not have.

use std::os::fd::BorrowedFd;
use std::ptr::{copy_nonoverlapping, null_mut};

use rustix::fs::fstat;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, munmap};

use super::Answer;
use super::queue::Direction;
use super::sync;
use super::transfer::TransferStep;

pub(super) const NAME: &str = "mmap";
pub(super) const NAME_PLAIN: &str = "mmap-plain";

/// Bytes that are mapped at once. They are in memory twice while they are copied.
const PIECE_BYTES: usize = 256 << 10;

/// Function that copies a number of bytes from a mapping to memory that has room for them.
type CopyFunction = unsafe fn(*const u8, *mut u8, usize) -> Answer<()>;

/// Reads through a mapping. Files that cannot be mapped, and every write, go the plain way.
pub(super) fn perform(step: &TransferStep) -> Answer<usize> {
    perform_by(step, copy_advised)
}

/// Reads through a mapping without advice to the kernel.
pub(super) fn perform_plain(step: &TransferStep) -> Answer<usize> {
    perform_by(step, copy_touched)
}

/// Checks that the kernel copies for this process.
pub(super) fn probe_plain() -> Answer<()> {
    let (from, mut to) = ([1_u8; 8], [0_u8; 8]);
    // SAFETY: both have as many bytes.
    unsafe { copy_touched(from.as_ptr(), to.as_mut_ptr(), from.len()) }
}

fn perform_by(step: &TransferStep, copy: CopyFunction) -> Answer<usize> {
    if step.operation == Direction::Write {
        return sync::perform(step);
    }
    match copy_mapped(step, copy) {
        Ok(bytes) => Ok(bytes),
        // No mappings in this file system, none on this kernel, or the end came nearer meanwhile:
        // the plain read works, or knows the true reason.
        Err(_) => sync::perform(step),
    }
}

/// Copies what the file holds of the step's range, piece by piece; 0 at its end.
fn copy_mapped(step: &TransferStep, copy: CopyFunction) -> Answer<usize> {
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
    for done in (0..length).step_by(PIECE_BYTES) {
        let (offset, piece) = (step.offset + done as u64, PIECE_BYTES.min(length - done));
        let before = (offset % rustix::param::page_size() as u64) as usize;
        // SAFETY: the mapping is new, at an address of the kernel's choice, read only within its
        // length and below the file's end as of now, and gone before this block ends. The step's
        // memory has room for `length` bytes, belongs to the transfer alone, and cannot overlap a
        // mapping made after it.
        unsafe {
            let (at, mapped) = (offset - before as u64, piece + before);
            let pages = mmap(null_mut(), mapped, ProtFlags::READ, MapFlags::SHARED, file, at)?;
            let copied = copy(pages.cast::<u8>().add(before), step.pointer.add(done), piece);
            let _ = munmap(pages, mapped);
            copied?;
        }
    }
    Ok(length)
}

/// Copies after all pages have been brought in.
///
/// # Safety
///
/// Both are memory of `length` bytes, the first mapped from the start of the page that it is in.
unsafe fn copy_advised(from: *const u8, to: *mut u8, length: usize) -> Answer<()> {
    let before = from.addr() % rustix::param::page_size();
    // SAFETY: the mapping begins with that page, and its pages are there when they are copied.
    unsafe {
        let pages = from.sub(before).cast_mut().cast();
        let _ = madvise(pages, before + length, Advice::Sequential);
        madvise(pages, before + length, Advice::LinuxPopulateRead)?;
        copy_nonoverlapping(from, to, length);
    }
    Ok(())
}

/// Lets the kernel copy, which brings in page after page.
///
/// # Safety
///
/// Both are memory of `length` bytes.
unsafe fn copy_touched(from: *const u8, to: *mut u8, length: usize) -> Answer<()> {
    let vector = |base: *mut u8| libc::iovec { iov_base: base.cast(), iov_len: length };
    let (from, to) = (vector(from.cast_mut()), vector(to));
    // SAFETY: the caller's memory; where it cannot be had, the kernel says so.
    let copied = unsafe { libc::process_vm_readv(libc::getpid(), &to, 1, &from, 1, 0) };
    match usize::try_from(copied) {
        Ok(copied) if copied == length => Ok(()),
        Ok(_) => Err(Errno::FAULT),
        Err(_) => Err(sync::last_error()),
    }
}
