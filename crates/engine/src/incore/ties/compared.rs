//! Ties of keys that a function of the caller compares.
//!
//! The function may contradict itself: a sort of the standard library panics then, this one ends
//! with the records in some order.

use std::cmp::Ordering;

use crate::incore::item::location;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Items that are sorted by insertion before merges begin.
const INSERTED: usize = 8;

/// Puts a group whose keys agree in all words before `word` in the order of keys and locations.
/// `wide` is scratch space for as many pairs as there are entries.
pub fn order<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
) {
    // SAFETY: an integer of 128 bits is two of 64, and has no smaller alignment.
    let spare = unsafe { wide.align_to_mut::<u64>().1 };
    let record = |entry: u64| records.get(location(entry));
    let compare = |a: &u64, b: &u64| key.compare_from(record(*a), record(*b), word);
    sort_with(group, &mut spare[..group.len()], compare);
}

/// Sorts `items` by a function that may contradict itself. Equal items stay in their order.
pub fn merge_sort<T: Clone>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let mut spare = items.to_vec();
    sort_with(items, &mut spare, compare);
}

/// Sorts `items` with `spare`, which is as long: insertion sorts, then merges from one into the
/// other (Knuth, TAOCP vol. 3, section 5.2.4).
fn sort_with<T: Clone>(items: &mut [T], spare: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for part in items.chunks_mut(INSERTED) {
        for end in 1..part.len() {
            let place = part[..end].partition_point(|item| compare(item, &part[end]).is_le());
            part[place..=end].rotate_right(1);
        }
    }
    let (mut from, mut to, mut is_in_spare) = (items, spare, false);
    let mut width = INSERTED;
    while width < from.len() {
        for (from, to) in from.chunks(2 * width).zip(to.chunks_mut(2 * width)) {
            let (left, right) = from.split_at(width.min(from.len()));
            merge(left, right, to, &compare);
        }
        (from, to, is_in_spare) = (to, from, !is_in_spare);
        width *= 2;
    }
    if is_in_spare {
        to.clone_from_slice(from);
    }
}

/// Merges two sorted slices into one that is as long as both.
fn merge<T: Clone>(left: &[T], right: &[T], to: &mut [T], compare: &impl Fn(&T, &T) -> Ordering) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    for slot in to {
        let is_right = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => compare(a, b).is_gt(),
            (left, _) => left.is_none(),
        };
        if let Some(item) = if is_right { right.next() } else { left.next() } {
            slot.clone_from(item);
        }
    }
}

#[cfg(test)]
mod tests;
