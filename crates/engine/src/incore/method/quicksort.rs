//! Quicksort of entries, as AlphaSort sorts key prefixes with pointers (Nyberg et al., VLDB Journal
//! 1995, section 4): each of its scans is sequential, and after a few levels all it touches is in
//! the first-level cache.
//!
//! The scan that divides has no branch for the processor to guess wrong: each entry changes places
//! with the first of the larger ones, and counts as smaller or does not (Lomuto's partition, so
//! written in Edelkamp and Weiss, "BlockQuicksort", ESA 2016, section 2). Divisions that go badly
//! more often than chance has it leave the rest to the standard library's sort.

/// Number of entries up to which they are sorted by insertion.
const SMALL: usize = 20;

/// Number of entries from which the pivot is the median of nine.
const LARGE: usize = 256;

/// Sorts `entries`.
pub fn sort<T: Copy + Ord>(entries: &mut [T]) {
    let levels = 2 * entries.len().checked_ilog2().unwrap_or(0);
    divide(entries, levels);
}

/// Sorts in at most `levels` levels of divisions.
fn divide<T: Copy + Ord>(mut entries: &mut [T], mut levels: u32) {
    while entries.len() > SMALL {
        if levels == 0 {
            return entries.sort_unstable();
        }
        levels -= 1;
        let pivot = partition(entries);
        let (smaller, rest) = entries.split_at_mut(pivot);
        let larger = &mut rest[1..];
        // The shorter half first, the longer in the loop: the stack has one frame a halving.
        let (shorter, longer) =
            if smaller.len() < larger.len() { (smaller, larger) } else { (larger, smaller) };
        divide(shorter, levels);
        entries = longer;
    }
    super::insert(entries, usize::MAX);
}

/// Puts the entries smaller than some pivot before it and the others after it; returns the pivot's
/// place.
fn partition<T: Copy + Ord>(entries: &mut [T]) -> usize {
    let chosen = choose_pivot(entries);
    entries.swap(0, chosen);
    let pivot = entries[0];
    let mut smaller = 0;
    for next in 1..entries.len() {
        let entry = entries[next];
        entries.swap(next, smaller + 1);
        smaller += usize::from(entry < pivot);
    }
    entries.swap(0, smaller);
    smaller
}

/// Returns where the median of three is, or of nine.
fn choose_pivot<T: Copy + Ord>(entries: &[T]) -> usize {
    let (step, last) = (entries.len() / 8, entries.len() - 1);
    let [mut low, mut middle, mut high] = [0, 4 * step, last];
    if entries.len() >= LARGE {
        low = median(entries, [0, step, 2 * step]);
        middle = median(entries, [3 * step, 4 * step, 5 * step]);
        high = median(entries, [6 * step, 7 * step, last]);
    }
    median(entries, [low, middle, high])
}

/// Returns the place of three whose entry is between those of the others.
fn median<T: Copy + Ord>(entries: &[T], mut places: [usize; 3]) -> usize {
    places.sort_unstable_by_key(|place| entries[*place]);
    places[1]
}
