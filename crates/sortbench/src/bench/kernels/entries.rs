//! Keys with pointers as single integers: 32 bits of the key above a pointer of 32.
//!
//! NOW-Sort's entries (Arpaci-Dusseau et al., SIGMOD 1997, section 4.2) are of that form, and
//! AlphaSort's key prefixes with pointers (Nyberg et al., VLDB Journal 1995, section 4). As no two
//! pointers are alike, no two entries are.

use crate::sequence::Sequence;

/// Bits of the pointer.
const POINTER_BITS: u32 = 32;

/// Returns the entry of a key that begins with `prefix`.
#[inline]
pub const fn entry(prefix: u32, pointer: u32) -> u64 {
    (prefix as u64) << POINTER_BITS | pointer as u64
}

/// Returns the first bits of an entry's key.
#[inline]
pub const fn prefix(entry: u64) -> u32 {
    (entry >> POINTER_BITS) as u32
}

/// Returns an entry's pointer.
#[inline]
pub const fn pointer(entry: u64) -> u32 {
    entry as u32
}

/// Makes entries of random keys, whose pointers count up.
pub fn fill(entries: &mut [u64]) {
    let mut sequence = Sequence::after(0);
    for (pointer, to) in (0..).zip(entries) {
        *to = entry((sequence.step() >> 96) as u32, pointer);
    }
}

/// Asserts that entries made by [`fill`] are all there, and in order.
pub fn assert_sorted(entries: &[u64]) {
    assert!(entries.is_sorted(), "a kernel's output is in order");
    let sum = entries.iter().map(|entry| u64::from(pointer(*entry))).sum::<u64>();
    let count = entries.len() as u64;
    assert_eq!(sum, count * count.saturating_sub(1) / 2, "a kernel's output is its input");
}
