//! Asking memory for what will be needed: hints, which any address may be given to.

/// Bytes the memory yields at once.
pub const CACHE_LINE: usize = 64;

/// Lines prefetched of a record; the hardware follows a longer copy by itself.
const LINES_MAX: usize = 4;

/// Asks for the first lines of `bytes`, and for the last.
#[inline]
pub fn prefetch(bytes: &[u8]) {
    prefetch_all(bytes.as_ptr(), bytes.len().min(LINES_MAX * CACHE_LINE));
    if let Some(last) = bytes.last() {
        prefetch_line(last);
    }
}

/// Asks for all lines of the `length` bytes at `start`.
#[inline]
pub fn prefetch_all(start: *const u8, length: usize) {
    for offset in (0..length).step_by(CACHE_LINE) {
        prefetch_line(start.wrapping_add(offset));
    }
    // Where the first begins within a line, the last may end in one more.
    if length > 0 {
        prefetch_line(start.wrapping_add(length - 1));
    }
}

/// Asks for the line at an address.
#[inline]
#[cfg(target_arch = "x86_64")]
pub fn prefetch_line(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: prefetching is a hint; it cannot fault, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

/// Asks for nothing: there is no portable hint.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub fn prefetch_line(_at: *const u8) {}
