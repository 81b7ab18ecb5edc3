//! Merge sort of entries, as psort sorts its microruns (Bertasi, Bressan and Peserico, "psort, yet
//! another fast stable external sorting software", 2008, section 1.1). Selection sort orders groups
//! of four. Sorted pieces are then merged two and two, to and fro between the entries and their
//! spare space.

/// Entries of a group that selection sort orders.
const GROUP: usize = 4;

/// Sorts `entries`, using `spare` (at least as long) in between.
pub fn sort<T: Copy + Ord>(entries: &mut [T], spare: &mut [T]) {
    entries.chunks_mut(GROUP).for_each(select);
    let spare = &mut spare[..entries.len()];
    let (mut run, mut is_in_spare) = (GROUP, false);
    while run < entries.len() {
        match is_in_spare {
            false => merge_all(entries, spare, run),
            true => merge_all(spare, entries, run),
        }
        (run, is_in_spare) = (2 * run, !is_in_spare);
    }
    if is_in_spare {
        entries.copy_from_slice(spare);
    }
}

/// Sorts a group by selection: the least of the rest comes next.
fn select<T: Copy + Ord>(group: &mut [T]) {
    for place in 0..group.len() {
        let mut least = place;
        for other in place + 1..group.len() {
            least = if group[other] < group[least] { other } else { least };
        }
        group.swap(place, least);
    }
}

/// Merges each two neighbouring runs of `run` entries.
fn merge_all<T: Copy + Ord>(from: &[T], to: &mut [T], run: usize) {
    for (pair, out) in from.chunks(2 * run).zip(to.chunks_mut(2 * run)) {
        let (first, second) = pair.split_at(run.min(pair.len()));
        let is_ordered = first.last() <= second.first();
        if is_ordered || second.is_empty() {
            out.copy_from_slice(pair);
        } else {
            merge(first, second, out);
        }
    }
}

/// Merges two runs without a branch on which of them is next.
fn merge<T: Copy + Ord>(first: &[T], second: &[T], out: &mut [T]) {
    let (mut left, mut right) = (0, 0);
    while left < first.len() && right < second.len() {
        let (a, b) = (first[left], second[right]);
        let is_second = b < a;
        out[left + right] = if is_second { b } else { a };
        left += usize::from(!is_second);
        right += usize::from(is_second);
    }
    let rest = &mut out[left + right..];
    let (first, second) = (&first[left..], &second[right..]);
    rest[..first.len()].copy_from_slice(first);
    rest[first.len()..].copy_from_slice(second);
}
