//! Sorting the entries of one bucket, as plain integers: two scatters and a clean-up.
//!
//! NOW-Sort's "partial radix sort with clean-up" (SIGMOD 1997, section 4.2): least significant
//! digit first over only as many of the highest bits as tell nearly all entries apart, then one
//! insertion pass over what is almost in order. A bucket of 24 Ki entries has 22 bits looked at;
//! some 70 pairs are left for the clean-up. Where the highest bits say little (heavy duplicates,
//! clustered keys) the clean-up would be quadratic: past a few moves per entry it leaves the rest
//! to the standard library's pattern-defeating quicksort.
//!
//! Entries and the spare space of equal size should fit a second-level cache together.

use std::ops::BitOr;

use super::insert;

/// Bits per digit. Counters of 2 x 2048 x 4 bytes fit half a first-level cache; 8 bits would need a
/// third scatter, 12 bits spill the counters.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Below this, counting costs more than it saves.
const SMALL: usize = 320;

/// Moves per entry after which insertion has lost against quicksort.
const MOVES_PER_ENTRY: usize = 4;

/// Integer that is sorted, of one width or another.
trait Integer: Copy + Ord + BitOr<Output = Self> + Default {
    /// Bits up to the highest that is set.
    fn bits(self) -> u32;

    /// Returns the number whose lowest bit is bit `bit`, cut to [`DIGIT_BITS`].
    fn digit(self, bit: u32) -> usize;
}

impl Integer for u64 {
    fn bits(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, bit: u32) -> usize {
        (self >> bit) as usize & (DIGITS - 1)
    }
}

impl Integer for u128 {
    fn bits(self) -> u32 {
        Self::BITS - self.leading_zeros()
    }

    #[inline]
    fn digit(self, bit: u32) -> usize {
        (self >> bit) as usize & (DIGITS - 1)
    }
}

/// Sorts `entries`, using `spare` (at least as long) in between.
pub fn sort(entries: &mut [u64], spare: &mut [u64]) {
    let is_almost = by_highest_bits(entries, spare).is_some();
    if is_almost && !insert(entries, entries.len() * MOVES_PER_ENTRY) {
        entries.sort_unstable();
    }
}

/// Sorts wide entries, using `spare` (at least as long) in between. Their highest bits are letters,
/// which leave some to be cleaned up all over: each stretch of equal ones by itself.
pub fn sort_wide(entries: &mut [u128], spare: &mut [u128]) {
    if let Some(low_bit) = by_highest_bits(entries, spare) {
        let stretches = entries.chunk_by_mut(|a, b| a >> low_bit == b >> low_bit);
        stretches.filter(|equal| equal.len() > 1).for_each(<[u128]>::sort_unstable);
    }
}

/// Sorts by the bits from one on, which is returned; or wholly, if that is soon done.
fn by_highest_bits<T: Integer>(entries: &mut [T], spare: &mut [T]) -> Option<u32> {
    if entries.is_sorted() {
        return None;
    }
    if entries.len() < SMALL {
        entries.sort_unstable();
        return None;
    }
    let any = entries.iter().fold(T::default(), |any, entry| any | *entry);
    let low_bit = any.bits().saturating_sub(2 * DIGIT_BITS);
    let spare = &mut spare[..entries.len()];

    let mut low_starts = [0; DIGITS];
    let mut high_starts = [0; DIGITS];
    for entry in entries.iter() {
        low_starts[entry.digit(low_bit)] += 1;
        high_starts[entry.digit(low_bit + DIGIT_BITS)] += 1;
    }
    make_starts(&mut low_starts);
    make_starts(&mut high_starts);
    scatter(entries, spare, &mut low_starts, low_bit);
    scatter(spare, entries, &mut high_starts, low_bit + DIGIT_BITS);
    Some(low_bit)
}

/// Turns counts into the places where each digit's entries begin.
fn make_starts(counts: &mut [u32; DIGITS]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

fn scatter<T: Integer>(from: &[T], to: &mut [T], starts: &mut [u32; DIGITS], bit: u32) {
    for entry in from {
        let start = &mut starts[entry.digit(bit)];
        to[*start as usize] = *entry;
        *start += 1;
    }
}
