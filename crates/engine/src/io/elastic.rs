//! Memory that grows and shrinks without copies: a window on records whose length nobody knows
//! before they have been read.
//!
//! A mapping of its own. The kernel may move it to another address where it has no room to grow
//! (`mremap`): no byte is copied, nothing is held twice, and what is given up is free at once. An
//! allocator promises none of that: a vector of megabytes may be copied to grow, and stays resident
//! when it was freed. Pages count as resident only once they were written to.

use std::ops::{Deref, DerefMut};
use std::ptr::{NonNull, null_mut};

use rustix::mm::{MapFlags, MremapFlags, ProtFlags, mmap_anonymous, mremap, munmap};

use super::Answer;
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::units::ByteSize;

/// The only owner of a mapping. Dereferences to `[u8]`; bytes are zero until written, so they are
/// always initialised.
#[derive(Debug)]
pub struct ElasticRegion {
    /// First byte.
    base: NonNull<u8>,
    /// Bytes that are shown.
    length: usize,
    /// Bytes that are mapped: whole pages, at least one, no fewer than are shown.
    mapped: usize,
}

// SAFETY: the mapping is private and anonymous, and reached through this one owner only.
unsafe impl Send for ElasticRegion {}
// SAFETY: a shared borrow only reads.
unsafe impl Sync for ElasticRegion {}

impl ElasticRegion {
    /// Returns a region of `length` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where the system has no room for it.
    pub fn new(length: usize) -> Result<Self> {
        let mapped = whole_pages(length).map_err(|e| refused(length, e))?;
        // NORESERVE as in an arena: pages are taken when they are written to.
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe {
            mmap_anonymous(null_mut(), mapped, ProtFlags::READ | ProtFlags::WRITE, flags)
        };
        let start = start.map_err(|e| refused(length, e))?;
        let base = NonNull::new(start.cast()).ok_or(rustix::io::Errno::NOMEM);
        Ok(Self { base: base.map_err(|e| refused(length, e))?, length, mapped })
    }

    /// Makes the region `length` bytes long. Bytes before that stay as they are; those added are
    /// zero, or what they were before an earlier call gave up less than a page.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where the system has no room for it; the region is as it was.
    pub fn resize(&mut self, length: usize) -> Result<()> {
        let mapped = whole_pages(length).map_err(|e| refused(length, e))?;
        if mapped != self.mapped {
            let (old, old_bytes) = (self.base.as_ptr().cast(), self.mapped);
            // SAFETY: the whole mapping, ours alone; `&mut self` says that nobody refers to its
            // bytes, which may lie elsewhere afterwards.
            let moved = unsafe { mremap(old, old_bytes, mapped, MremapFlags::MAYMOVE) };
            let moved = moved.map_err(|e| refused(length, e))?;
            let base = NonNull::new(moved.cast()).ok_or(rustix::io::Errno::NOMEM);
            (self.base, self.mapped) = (base.map_err(|e| refused(length, e))?, mapped);
        }
        self.length = length;
        Ok(())
    }
}

/// Returns the bytes of the pages that `length` bytes lie on; there is always one page.
fn whole_pages(length: usize) -> Answer<usize> {
    let pages = length.max(1).checked_next_multiple_of(rustix::param::page_size());
    pages.ok_or(rustix::io::Errno::NOMEM)
}

fn refused(length: usize, why: rustix::io::Errno) -> Error {
    let size = ByteSize(length as u64);
    config!(
        ConfigErrorKind::OutOfResources,
        "cannot reserve {} of memory for a record ({}); give a smaller {}",
        size,
        why,
        Setting::Memory,
    )
}

impl Deref for ElasticRegion {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the mapping is at least as long, initialised (zero or written), lives as long as
        // `self`, and is borrowed with it.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.length) }
    }
}

impl DerefMut for ElasticRegion {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and the exclusive borrow of the only owner makes it exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.base.as_ptr(), self.length) }
    }
}

impl Drop for ElasticRegion {
    fn drop(&mut self) {
        // SAFETY: our mapping, with the length it has now; no reference into it outlives `self`.
        // Failure would only leak it.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

#[cfg(test)]
mod tests;
