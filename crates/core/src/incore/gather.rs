//! Gathering: copying records into the output in the order of their entries.
//!
//! Every record lies on cache lines nobody touched since it was dealt, so that the cost is misses, and
//! the cure is to ask for them early: the record some places ahead is prefetched while this one is
//! copied (AlphaSort, section 4: "the gather phase").

use super::bucket::number;
use crate::load::Records;

/// How far ahead records are asked for. A miss takes some 100 ns and copying 100 bytes some 8 ns.
const AHEAD: usize = 16;

const CACHE_LINE: usize = 64;

/// Lines prefetched of each record; the hardware follows a longer copy by itself.
const LINES_MAX: usize = 4;

/// Copies as many of the records that `entries` name as `out` holds, back to back. `out` is a multiple
/// of the record length; entries beyond it are only prefetched.
pub fn gather(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    let length = records.length();
    debug_assert_eq!(out.len() % length, 0);
    for (place, to) in out.chunks_exact_mut(length).enumerate() {
        if let Some(ahead) = entries.get(place + AHEAD) {
            prefetch(records.get(number(*ahead)));
        }
        to.copy_from_slice(records.get(number(entries[place])));
    }
}

/// Asks the memory for the first lines of `bytes` (a hint).
#[inline]
pub fn prefetch(bytes: &[u8]) {
    for line in bytes.chunks(CACHE_LINE).take(LINES_MAX) {
        prefetch_line(line.as_ptr());
    }
    if let Some(last) = bytes.last() {
        prefetch_line(last);
    }
}

#[inline]
#[cfg(target_arch = "x86_64")]
fn prefetch_line(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: prefetching is a hint; it cannot fault, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
}

#[inline]
#[cfg(not(target_arch = "x86_64"))]
fn prefetch_line(_at: *const u8) {}
