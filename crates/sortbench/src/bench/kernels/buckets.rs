//! NOW-Sort's way with keys: distribute them into buckets that fit a cache, and sort each of these.
//!
//! ```text
//!   entries --top bits--> | bucket | bucket | ... | bucket |      each by quicksort, or:
//!
//!   bucket --next 22 bits: lower 11--> spare --upper 11--> bucket --insertion--> in order
//! ```
//!
//! Arpaci-Dusseau et al., "High-Performance Sorting on Networks of Workstations", SIGMOD 1997,
//! section 4.2 with Figure 3: "bucket + quicksort" and "bucket + partial-radix", whose clean-up
//! sorts what the bits that were looked at leave out of order. Their keys are evenly spread, and
//! these are taken to be; where they are not, a bucket may be as large as the input, and clean-up
//! leaves to quicksort what takes more than a few moves an entry, so that nothing is quadratic.

use super::quicksort;

/// Bits of a digit: two passes of 11 look at 22.
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Moves an entry after which clean-up has lost against quicksort.
const MOVES_PER_ENTRY: usize = 4;

/// Returns top bits to distribute `count` entries by, so that a bucket has about `most` at most.
pub fn bits_for(count: usize, most: usize) -> u32 {
    count.div_ceil(most.max(1)).next_power_of_two().ilog2()
}

/// Distributes entries by their top `bits` bits, of 20 at most, in the order in which they come;
/// where each bucket ends.
pub fn distribute(from: &[u64], to: &mut [u64], bits: u32) -> Vec<usize> {
    assert!(bits <= 20 && from.len() == to.len());
    // Two shifts: by all 64 bits at once is none.
    let bucket = |entry: u64| (entry >> 1 >> (u64::BITS - 1 - bits)) as usize;
    let mut places = vec![0_usize; 1 << bits];
    for entry in from {
        places[bucket(*entry)] += 1;
    }
    make_starts(&mut places);
    for entry in from {
        let place = &mut places[bucket(*entry)];
        to[*place] = *entry;
        *place += 1;
    }
    places
}

/// Sorts each of the buckets that end at `ends`.
pub fn sort_each(entries: &mut [u64], ends: &[usize], mut sort: impl FnMut(&mut [u64])) {
    let mut start = 0;
    for &end in ends {
        sort(&mut entries[start..end]);
        start = end;
    }
}

/// Sorts a bucket of entries that agree in their top `skip` bits: by radix of the next 22, then
/// cleaned up. `spare` is at least as long.
pub fn partial_radix(bucket: &mut [u64], spare: &mut [u64], skip: u32) {
    let low = u64::BITS.saturating_sub(skip + 2 * DIGIT_BITS);
    let spare = &mut spare[..bucket.len()];
    let digit = |entry: u64, bit: u32| (entry >> bit) as usize % DIGITS;
    let (mut lower, mut upper) = ([0_usize; DIGITS], [0_usize; DIGITS]);
    for entry in bucket.iter() {
        lower[digit(*entry, low)] += 1;
        upper[digit(*entry, low + DIGIT_BITS)] += 1;
    }
    make_starts(&mut lower);
    make_starts(&mut upper);
    let scatter = |from: &[u64], to: &mut [u64], places: &mut [usize; DIGITS], bit: u32| {
        for entry in from {
            let place = &mut places[digit(*entry, bit)];
            to[*place] = *entry;
            *place += 1;
        }
    };
    scatter(bucket, spare, &mut lower, low);
    scatter(spare, bucket, &mut upper, low + DIGIT_BITS);
    clean_up(bucket);
}

/// Sorts what is almost in order.
fn clean_up(entries: &mut [u64]) {
    if !quicksort::insert(entries, entries.len() * MOVES_PER_ENTRY, u64::cmp) {
        quicksort::sort(entries, u64::cmp);
    }
}

/// Turns counts into the places where each begins.
fn make_starts(counts: &mut [usize]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

#[cfg(test)]
mod tests;
