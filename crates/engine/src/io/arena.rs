//! One mapping for all the memory of a job, and exclusive owners of its parts.
//!
//! Fresh memory is the scarcest thing of a sort (design: first touch is often slower than the
//! disk), so it is mapped once, in huge pages, and handed from phase to phase instead of being
//! freed. The mapping starts on a 2 MiB border and is not touched here: pages appear when a reader,
//! a worker or [`Region::touch`] first writes to them, and until then they count against nobody.
//!
//! ```text
//!     arena   |<------------------------- one anonymous mapping ------------------------->|
//!     regions |<- load ->|<- entries ->|<- output buffer ->|<- ... ->|    disjoint, owned
//! ```
//!
//! Regions are only ever made by splitting one, so no two overlap; that is what makes a shared
//! mapping safe to hand out as `&mut [u8]`. An empty region is allowed and owns no byte.

use std::hint::black_box;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use rustix::mm::Advice;
#[cfg(not(miri))]
use rustix::mm::{MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

use super::Answer;
use crate::error::{ConfigErrorKind, Result, Setting, config};
use crate::units::ByteSize;

/// Size of a huge page on x86-64 and on aarch64 with 4 KiB pages; elsewhere only an alignment.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Smaller mappings are made of plain pages: of a job that small, a few are touched, and clearing
/// a huge one for each takes longer than the job (0.3 ms of 0.8 for ten lines).
#[cfg(not(miri))]
const HUGE_LEAST_BYTES: usize = 8 * HUGE_PAGE_BYTES;

/// Page sizes that memory can be mapped in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageSize {
    /// Huge ones, if there is enough of it for some, as far as the system has them.
    #[default]
    Huge,
    /// Pages of the processor, usually 4 KiB.
    Small,
}

/// The memory of a job: makes the first [`Region`], from which all others are split.
#[derive(Debug)]
pub struct Arena;

impl Arena {
    /// Maps `size` bytes of zeroed memory and returns all of it as one region. The mapping is given
    /// back to the system when the last region split from it is dropped.
    #[expect(clippy::new_ret_no_self, reason = "an arena is nothing but its regions")]
    pub fn new(size: ByteSize) -> Result<Region> {
        Self::of_pages(size, PageSize::Huge)
    }

    /// Returns a region in pages of the given kind, so that page sizes can be compared.
    pub fn of_pages(size: ByteSize, pages: PageSize) -> Result<Region> {
        let refused = |why: &dyn std::fmt::Display| {
            config!(
                ConfigErrorKind::OutOfResources,
                "cannot reserve {} of memory ({}); give a smaller {}",
                size,
                why,
                Setting::Memory,
            )
        };
        let length = usize::try_from(size.bytes()).map_err(|e| refused(&e))?;
        let mapping = Mapping::new(length, pages).map_err(|e| refused(&e))?;
        Ok(Region { mapping: Arc::new(mapping), start: 0, length })
    }
}

/// The mapping itself. Owned jointly by its regions, which alone may touch its bytes.
#[derive(Debug)]
struct Mapping {
    /// First byte; aligned to [`HUGE_PAGE_BYTES`].
    base: NonNull<u8>,
    /// Mapped bytes from `base` on: whole pages, at least one.
    length: usize,
}

// SAFETY: `Mapping` is an address and a length; the bytes behind it are reached only through
// regions, which are disjoint, so that moving or sharing the mapping itself shares no data.
unsafe impl Send for Mapping {}
// SAFETY: see `Send`; no method of `Mapping` touches the bytes.
unsafe impl Sync for Mapping {}

/// Ignores advice under Miri; callers continue without it.
#[cfg(miri)]
unsafe fn madvise(_: *mut std::ffi::c_void, _: usize, _: Advice) -> Answer<()> {
    Err(rustix::io::Errno::NOSYS)
}

/// Miri, which looks for wrong uses of memory, knows no mappings of which a part is given back.
#[cfg(miri)]
impl Mapping {
    fn layout(length: usize) -> Answer<std::alloc::Layout> {
        let layout = std::alloc::Layout::from_size_align(length, HUGE_PAGE_BYTES);
        layout.map_err(|_| rustix::io::Errno::NOMEM)
    }

    fn new(length: usize, _: PageSize) -> Answer<Self> {
        let length = length.max(1).checked_next_multiple_of(rustix::param::page_size());
        let length = length.ok_or(rustix::io::Errno::NOMEM)?;
        // SAFETY: a layout of at least one page.
        let base = unsafe { std::alloc::alloc_zeroed(Self::layout(length)?) };
        Ok(Self { base: NonNull::new(base).ok_or(rustix::io::Errno::NOMEM)?, length })
    }
}

#[cfg(miri)]
impl Drop for Mapping {
    fn drop(&mut self) {
        if let Ok(layout) = Self::layout(self.length) {
            // SAFETY: allocated by `new` with this layout; nobody holds a reference into it.
            unsafe { std::alloc::dealloc(self.base.as_ptr(), layout) };
        }
    }
}

#[cfg(not(miri))]
impl Mapping {
    fn new(length: usize, pages: PageSize) -> Answer<Self> {
        let page_bytes = rustix::param::page_size();
        let length = length.max(1).checked_next_multiple_of(page_bytes);
        let length = length.ok_or(rustix::io::Errno::NOMEM)?;
        let padded = length.checked_add(HUGE_PAGE_BYTES).ok_or(rustix::io::Errno::NOMEM)?;
        // NORESERVE: the budget may be larger than what is free this moment (page cache gives way).
        let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
        // SAFETY: a new anonymous mapping at an address of the kernel's choice aliases nothing.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), padded, ProtFlags::READ | ProtFlags::WRITE, flags)?
        }
        .cast::<u8>();
        let before = start.align_offset(HUGE_PAGE_BYTES);
        debug_assert!(before < HUGE_PAGE_BYTES);
        let after = padded - before - length;
        // SAFETY: `start..start + padded` was mapped above and nobody else knows it. The slack cut
        // off in front and behind is whole pages (start, base and length are page multiples), and
        // the `length` bytes from `base` on stay mapped. Advice on them changes no contents.
        let base = unsafe {
            let base = start.add(before);
            if before > 0 {
                munmap(start.cast(), before)?;
            }
            if after > 0 {
                munmap(base.add(length).cast(), after)?;
            }
            let advice = match pages {
                PageSize::Huge => (length >= HUGE_LEAST_BYTES).then_some(Advice::LinuxHugepage),
                PageSize::Small => Some(Advice::LinuxNoHugepage),
            };
            if let Some(advice) = advice {
                // A kernel without huge pages says EINVAL and works all the same.
                let _ = madvise(base.cast(), length, advice);
            }
            base
        };
        Ok(Self { base: NonNull::new(base).ok_or(rustix::io::Errno::NOMEM)?, length })
    }
}

#[cfg(not(miri))]
impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new` with this base and length, and is dropped with the
        // last region, so nobody holds a reference into it. Failure would only leak it.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.length) };
    }
}

/// The exclusive owner of a range of an arena's bytes. Dereferences to `[u8]`; the bytes are zero
/// until written, so they are always initialised.
#[derive(Debug)]
pub struct Region {
    mapping: Arc<Mapping>,
    /// Offset of the first owned byte from the mapping's base.
    start: usize,
    /// `start..start + length` lies in the mapping and belongs to this region alone.
    length: usize,
}

impl Region {
    /// Address of the first byte: a place to sort regions by, or to check an alignment. Never a
    /// pointer to go through.
    pub fn address(&self) -> usize {
        self.base().addr()
    }

    /// Splits the region in two: this one keeps `..at`, the new one owns `at..`.
    ///
    /// # Panics
    /// If `at` is beyond the end.
    pub fn split_off(&mut self, at: usize) -> Self {
        assert!(at <= self.length, "split at {at} of a region of {} bytes", self.length);
        let rest = Self {
            mapping: Arc::clone(&self.mapping),
            start: self.start + at,
            length: self.length - at,
        };
        self.length = at;
        rest
    }

    /// Undoes [`Region::split_off`].
    ///
    /// # Panics
    /// If `next` does not begin exactly where this region ends, in the same arena.
    pub fn join(mut self, next: Self) -> Self {
        let Self { mapping, start, length } = next;
        assert!(Arc::ptr_eq(&self.mapping, &mapping), "joined regions of two arenas");
        assert_eq!(self.start + self.length, start, "joined regions that do not touch");
        self.length += length;
        self
    }

    /// Joins regions that touch, in any order, into one.
    ///
    /// # Panics
    /// If there are none, or there are gaps between them.
    pub fn join_all(regions: impl IntoIterator<Item = Self>) -> Self {
        let mut regions: Vec<Self> = regions.into_iter().collect();
        // Memory of no bytes may lie at the same address as its neighbour.
        regions.sort_unstable_by_key(|region| (region.address(), region.length));
        let joined = regions.into_iter().reduce(Self::join);
        joined.unwrap_or_else(|| unreachable!("there is one at least"))
    }

    /// Brings all pages of the region into memory, contents unchanged. Workers call this on regions
    /// of their own at the same time, because clearing pages takes longer than reading a disk.
    pub fn touch(&mut self) {
        if self.length == 0 {
            return;
        }
        let page_bytes = rustix::param::page_size();
        let first = self.start / page_bytes * page_bytes;
        let end = (self.start + self.length).next_multiple_of(page_bytes);
        // SAFETY: whole pages of our own mapping (its length is a page multiple); populating
        // changes no contents, so a neighbour's bytes on the first and last page are not disturbed.
        let populated = unsafe {
            let pages = self.mapping.base.as_ptr().add(first);
            madvise(pages.cast(), end - first, Advice::LinuxPopulateWrite)
        };
        if populated.is_err() {
            // Before Linux 5.14: a write to one byte of our own in each page does the same.
            for at in (0..self.length).step_by(page_bytes).chain([self.length - 1]) {
                self[at] = black_box(self[at]);
            }
        }
    }

    /// Gives the region's pages back to the system; its bytes are zero afterwards. Parts of pages
    /// at either end, which neighbours may share, are only zeroed.
    pub fn release(&mut self) {
        let page_bytes = rustix::param::page_size();
        let head = self.start.next_multiple_of(page_bytes) - self.start;
        let end = (self.start + self.length) / page_bytes * page_bytes;
        let Some(whole) = end.checked_sub(self.start + head).filter(|bytes| *bytes > 0) else {
            self.fill(0);
            return;
        };
        // SAFETY: whole pages that this region owns alone; private anonymous pages read as zero
        // after MADV_DONTNEED. We hold `&mut self`, so nobody looks at them meanwhile.
        let released =
            unsafe { madvise(self.base().add(head).cast(), whole, Advice::LinuxDontNeed) };
        self[..head].fill(0);
        self[head + whole..].fill(0);
        if released.is_err() {
            self[head..head + whole].fill(0);
        }
    }

    /// Returns the start of the region, for the kernel. Requests own their region, so nobody sees
    /// what the kernel does through this pointer
    pub(super) fn base(&self) -> *mut u8 {
        // SAFETY: `start` is at most the mapping's length.
        unsafe { self.mapping.base.as_ptr().add(self.start) }
    }
}

impl Deref for Region {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the range is mapped, initialised (zero or written), lives as long as the mapping
        // we hold, and belongs to this region alone, whose shared borrow forbids writes.
        unsafe { std::slice::from_raw_parts(self.base(), self.length) }
    }
}

impl DerefMut for Region {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`, and the exclusive borrow of the only owner makes it exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.base(), self.length) }
    }
}

#[cfg(test)]
mod tests;
