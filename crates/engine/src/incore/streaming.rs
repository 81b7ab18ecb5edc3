//! Stores past the caches, for bytes that nobody reads soon.
//!
//! An ordinary store reads its cache line first, and takes the place of a line that may be needed.
//! A streaming store does neither. Whole lines are written, since parts of lines go to memory one
//! by one.

use super::prefetch::CACHE_LINE;

/// Copies whole cache lines past the caches.
///
/// # Safety
///
/// `to` must be valid for writing `BYTES` bytes and aligned to a cache line; `from` must be valid
/// for reading as many. `BYTES` must be a multiple of a cache line.
#[inline]
#[cfg(target_arch = "x86_64")]
pub unsafe fn stream_lines<const BYTES: usize>(from: *const u8, to: *mut u8) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // SAFETY: the caller's duty; all x86-64 has SSE2.
    unsafe {
        for part in 0..BYTES / size_of::<__m128i>() {
            let value = _mm_loadu_si128(from.cast::<__m128i>().add(part));
            _mm_stream_si128(to.cast::<__m128i>().add(part), value);
        }
    }
}

/// Copies whole cache lines.
///
/// # Safety
///
/// `to` must be valid for writing `BYTES` bytes; `from` must be valid for reading as many.
#[inline]
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn stream_lines<const BYTES: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's duty.
    unsafe { std::ptr::copy_nonoverlapping(from, to, BYTES) };
}

/// Makes streamed lines visible to whatever synchronizes with this thread from now on.
pub fn finish_streaming() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a fence touches no memory; all x86-64 has it.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Copies bytes into as many others, whole cache lines past the caches. [`finish_streaming`] must
/// follow.
pub fn stream(from: &[u8], to: &mut [u8]) {
    // SAFETY: a line is bytes, and all bytes may be seen as bytes.
    let (head, lines, tail) = unsafe { to.align_to_mut::<CacheLine>() };
    let (from_head, rest) = from.split_at(head.len());
    let (from_lines, from_tail) = rest.split_at(lines.len() * CACHE_LINE);
    head.copy_from_slice(from_head);
    for (to, from) in lines.iter_mut().zip(from_lines.as_chunks::<CACHE_LINE>().0) {
        // SAFETY: both are one line, and the type of the target aligns it.
        unsafe { stream_lines::<CACHE_LINE>(from.as_ptr(), to.0.as_mut_ptr()) };
    }
    tail.copy_from_slice(from_tail);
}

/// The bytes of a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct CacheLine(pub [u8; CACHE_LINE]);

#[cfg(test)]
mod tests;
