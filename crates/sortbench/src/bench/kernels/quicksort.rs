//! One quicksort for all four of AlphaSort's arrays, so that they differ in what is moved and
//! looked at alone.
//!
//! Hoare, "Quicksort", Computer Journal 5(1), 1962, as Sedgewick has it ("Implementing Quicksort
//! Programs", CACM 21(10), 1978): the pivot is the median of three, two scans run towards each
//! other and stop at what equals it, and what is short is sorted by insertion while it is in the
//! cache. It exchanges two elements at a time, and only those that stand on the wrong side, so that
//! whole records can be sorted too; the library's own quicksort, without a branch but with an
//! exchange for each element, is for integers. Divisions that go badly more often than chance has
//! it leave the rest to the standard library's sort, which is never quadratic.

use std::cmp::Ordering;

/// So many are sorted by insertion.
const SMALL: usize = 12;

/// Sorts `items` by `compare`; equal ones come in any order.
pub fn sort<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let levels = 2 * items.len().checked_ilog2().unwrap_or(0);
    divide(items, levels, &compare);
}

/// Sorts with at most `levels` levels of divisions.
fn divide<T: Copy>(mut items: &mut [T], mut levels: u32, compare: &impl Fn(&T, &T) -> Ordering) {
    while items.len() > SMALL {
        if levels == 0 {
            return items.sort_unstable_by(compare);
        }
        levels -= 1;
        let pivot = partition(items, compare);
        let (smaller, rest) = items.split_at_mut(pivot);
        let larger = &mut rest[1..];
        // The shorter part first, the longer in the loop: the stack has one frame a halving.
        let (shorter, longer) =
            if smaller.len() < larger.len() { (smaller, larger) } else { (larger, smaller) };
        divide(shorter, levels, compare);
        items = longer;
    }
    insert(items, usize::MAX, compare);
}

/// Puts what is smaller than some pivot before it and what is larger after it; where it is.
fn partition<T: Copy>(items: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) -> usize {
    let (middle, last) = (items.len() / 2, items.len() - 1);
    for (low, high) in [(0, middle), (0, last), (middle, last)] {
        if compare(&items[high], &items[low]).is_lt() {
            items.swap(low, high);
        }
    }
    // The first and the last stop the scans.
    let pivot = items[middle];
    items.swap(middle, last - 1);
    let (mut left, mut right) = (0, last - 1);
    loop {
        left += 1;
        while compare(&items[left], &pivot).is_lt() {
            left += 1;
        }
        right -= 1;
        while compare(&pivot, &items[right]).is_lt() {
            right -= 1;
        }
        if left >= right {
            break;
        }
        items.swap(left, right);
    }
    items.swap(left, last - 1);
    left
}

/// Sorts by insertion. Whether it got through with no more than `moves` moves; if not, it stopped
/// with everything still there.
pub fn insert<T: Copy>(
    items: &mut [T],
    moves: usize,
    compare: impl Fn(&T, &T) -> Ordering,
) -> bool {
    let mut moves_left = moves;
    for next in 1..items.len() {
        let item = items[next];
        let mut hole = next;
        while hole > 0 && compare(&item, &items[hole - 1]).is_lt() {
            items[hole] = items[hole - 1];
            hole -= 1;
        }
        items[hole] = item;
        match moves_left.checked_sub(next - hole) {
            Some(left) => moves_left = left,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests;
