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

/// Bits per digit. Counters of 2 x 2048 x 4 bytes fit half a first-level cache; 8 bits would need a
/// third scatter, 12 bits spill the counters.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Below this, counting costs more than it saves.
const SMALL: usize = 128;

/// Moves per entry after which insertion has lost against quicksort.
const MOVES_PER_ENTRY: usize = 4;

/// Sorts `entries`, using `spare` (at least as long) in between.
pub fn sort(entries: &mut [u64], spare: &mut [u64]) {
    if entries.is_sorted() {
        return;
    }
    if entries.len() < SMALL {
        entries.sort_unstable();
        return;
    }
    let any = entries.iter().fold(0, |any, entry| any | entry);
    let low_bit = (u64::BITS - any.leading_zeros()).saturating_sub(2 * DIGIT_BITS);
    let spare = &mut spare[..entries.len()];

    let mut low_starts = [0; DIGITS];
    let mut high_starts = [0; DIGITS];
    for entry in entries.iter() {
        low_starts[digit(*entry, low_bit)] += 1;
        high_starts[digit(*entry, low_bit + DIGIT_BITS)] += 1;
    }
    make_starts(&mut low_starts);
    make_starts(&mut high_starts);
    scatter(entries, spare, &mut low_starts, low_bit);
    scatter(spare, entries, &mut high_starts, low_bit + DIGIT_BITS);
    clean_up(entries);
}

#[inline]
fn digit(entry: u64, bit: u32) -> usize {
    (entry >> bit) as usize & (DIGITS - 1)
}

/// Turns counts into the places where each digit's entries begin.
fn make_starts(counts: &mut [u32; DIGITS]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

fn scatter(from: &[u64], to: &mut [u64], starts: &mut [u32; DIGITS], bit: u32) {
    for entry in from {
        let start = &mut starts[digit(*entry, bit)];
        to[*start as usize] = *entry;
        *start += 1;
    }
}

/// Insertion sort of what is almost sorted.
fn clean_up(entries: &mut [u64]) {
    let mut moves_left = entries.len() * MOVES_PER_ENTRY;
    for next in 1..entries.len() {
        let entry = entries[next];
        let mut hole = next;
        while hole > 0 && entries[hole - 1] > entry {
            entries[hole] = entries[hole - 1];
            hole -= 1;
        }
        entries[hole] = entry;
        let moves = next - hole;
        if moves > moves_left {
            entries.sort_unstable();
            return;
        }
        moves_left -= moves;
    }
}

#[cfg(test)]
mod tests;
