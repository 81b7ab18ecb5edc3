//! Settling ties: entries whose digests are equal, ordered by the rest of the key.
//!
//! Small groups are compared record by record. Large ones (keys with long common beginnings) fetch
//! the next 8-byte word of every key once, sort (word, number) pairs, and go on within equal words:
//! a multikey sort (Bentley and Sedgewick, SODA 1997) by words instead of characters, which touches
//! each word of a record once instead of once per comparison. Keys that have to be made yield
//! several words at a time, and groups of any size that fits are sorted so (`rows`).

mod compared;
mod rows;

use std::ops::Range;

use super::classifier::{LOCATION, Leaf};
use super::item::{digest, entry, is_whole, location, wide_location, wide_value};
use super::prefetch;
use crate::key::KeyEncoder;
use crate::load::Records;

pub use compared::merge_sort;

/// Groups below this are compared record by record.
const SMALL: usize = 24;

/// Number of entries to prefetch ahead. Their records lie anywhere in memory.
const AHEAD_ENTRIES: usize = 16;

/// Levels of splitting before comparing whole keys: bounds the stack on adversarial keys.
const DEPTH_MAX: usize = 8;

/// Puts each group of equal digests in `entries` (sorted) in the order of keys and locations.
/// `wide` is scratch space for as many pairs as there are entries.
pub fn settle<K: KeyEncoder>(
    entries: &mut [u64],
    leaf: Leaf,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
) {
    // Of an open key's word it must be seen whether it is the last.
    let is_settled = leaf.is_exact(key) && !key.is_open();
    let next_word = if is_settled { leaf.word.saturating_add(1) } else { leaf.word };
    if leaf.word == LOCATION || next_word >= key.words() {
        return; // equal digests are equal keys, and entries are sorted by location already
    }
    let (mut begun, mut asked) = (0, 0);
    while let Some(start) = next_tie(&entries[begun..]).map(|skipped| begun + skipped) {
        let tied = entries[start..].iter().take_while(|e| digest(**e) == digest(entries[start]));
        let end = start + tied.count();
        // Where many keys tie, they do so in small groups all over memory.
        asked = ask_ahead(entries, asked.max(start)..end, |_| true, records);
        order(&mut entries[start..end], next_word, key, records, wide, 0);
        begun = end;
    }
}

/// Makes entries of wide ones (sorted), in which it is noted which of them tie.
pub fn narrow(wide: &[u128], entries: &mut [u64]) {
    let mut noting = Noting::new(entries);
    for equal in wide.chunk_by(|a, b| wide_value(*a) == wide_value(*b)) {
        let locations = equal.iter().map(|entry| wide_location(*entry));
        noting.subgroup(locations, !is_whole(wide_value(equal[0])));
    }
}

/// Puts the ties among entries that were made by [`narrow`] in the order of keys and locations.
/// `wide` is scratch space.
pub fn settle_narrowed<K: KeyEncoder>(
    entries: &mut [u64],
    leaf: Leaf,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
) {
    let (mut begun, mut asked) = (0, 0);
    while let Some(start) = entries[begun..].iter().position(|entry| digest(*entry) != SETTLED) {
        let start = begun + start;
        let tied = entries[start..].iter().take_while(|e| digest(**e) == digest(entries[start]));
        let end = start + tied.count();
        let is_tied = |entry: &u64| digest(*entry) != SETTLED;
        asked = ask_ahead(entries, asked.max(start)..end, is_tied, records);
        order(&mut entries[start..end], leaf.word, key, records, wide, 0);
        begun = end;
    }
}

/// Asks for the tied records of a range of `entries` and for those of some after it; returns where
/// it stopped.
fn ask_ahead(
    entries: &[u64],
    range: Range<usize>,
    is_tied: impl Fn(&u64) -> bool,
    records: &Records<'_>,
) -> usize {
    let ahead = entries.len().min(range.end + AHEAD_ENTRIES);
    for entry in entries[range.start.min(ahead)..ahead].iter().filter(|entry| is_tied(entry)) {
        prefetch(records.place(location(*entry)));
    }
    ahead
}

/// Returns where the first two entries with equal digests are.
fn next_tie(entries: &[u64]) -> Option<usize> {
    entries.windows(2).position(|pair| digest(pair[0]) == digest(pair[1]))
}

/// Puts a group whose keys agree in all words before `word` in the order of keys and locations.
pub fn order<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
    depth: usize,
) {
    if key.is_compared() {
        compared::order(group, word, key, records, wide);
    } else if key.is_costly() && rows::fit(group.len(), wide) {
        rows::refine(group, word, key, records, wide, 0);
    } else {
        refine(group, word, key, records, wide, depth);
    }
}

fn refine<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
    depth: usize,
) {
    if group.len() < SMALL || depth == DEPTH_MAX {
        return compare(group, word, key, records, wide);
    }
    let Some(word) = first_difference(group, word, key, records) else {
        return; // equal keys: the group is sorted by location already
    };
    let wide_here = &mut wide[..group.len()];
    for (pair, entry) in wide_here.iter_mut().zip(group.iter()) {
        let value = key.word(records.get(location(*entry)), word);
        *pair = u128::from(value) << 64 | u128::from(location(*entry));
    }
    wide_here.sort_unstable();
    let mut noting = Noting::new(group);
    for equal in wide_here.chunk_by(|a, b| value_of(*a) == value_of(*b)) {
        let is_open = !key.is_last(word, value_of(equal[0]));
        noting.subgroup(equal.iter().map(|pair| *pair as u64), is_open);
    }
    for subgroup in open_subgroups(group) {
        order(subgroup, word + 1, key, records, wide, depth + 1);
    }
}

/// Returns the first word in which not all keys of a group are equal, which agree in all before
/// `word`; `None` where all are. Each record is fetched once: finding its end may take as long as
/// reading all of it.
fn first_difference<K: KeyEncoder>(
    group: &[u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
) -> Option<usize> {
    let mut members = group.iter().map(|entry| records.get(location(*entry)));
    let model = members.next()?;
    let mut first: Option<usize> = None;
    for record in members {
        let differs = key.first_difference(model, record, word);
        first = first.into_iter().chain(differs).min();
        if first == Some(word) {
            break;
        }
    }
    first
}

/// Writer of a group, subgroup by subgroup. Digests are of no more use. In their place it notes
/// which subgroups are open: those that later words of their keys must separate.
struct Noting<'a> {
    rest: &'a mut [u64],
    /// Of the last open subgroup; two of them in turn tell neighbours from each other.
    note: u64,
}

/// The note of entries that are in their place.
const SETTLED: u64 = 0;

impl<'a> Noting<'a> {
    fn new(group: &'a mut [u64]) -> Self {
        Self { rest: group, note: 1 }
    }

    /// Adds the next subgroup, by its locations in order.
    fn subgroup(&mut self, locations: impl ExactSizeIterator<Item = u64>, is_open: bool) {
        let is_open = is_open && locations.len() > 1;
        if is_open {
            self.note = 3 - self.note;
        }
        let note = if is_open { self.note } else { SETTLED };
        let (here, rest) = std::mem::take(&mut self.rest).split_at_mut(locations.len());
        for (slot, location) in here.iter_mut().zip(locations) {
            *slot = entry(note, location);
        }
        self.rest = rest;
    }
}

/// Returns the subgroups that were noted as open.
fn open_subgroups(group: &mut [u64]) -> impl Iterator<Item = &mut [u64]> {
    group
        .chunk_by_mut(|a, b| digest(*a) == digest(*b))
        .filter(|subgroup| digest(subgroup[0]) != SETTLED)
}

/// Sorts a group of equal digests by comparing records with each other. Their lengths are kept in
/// `wide`: finding the end of a record may take as long as a comparison.
fn compare<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
) {
    let Some(&first) = group.first() else { return };
    let members = &mut wide[..group.len()];
    for (member, entry) in members.iter_mut().zip(&*group) {
        let location = location(*entry);
        let length = records.get(location).len() as u64;
        *member = u128::from(length) << 64 | u128::from(location);
    }
    let record = |member: u128| records.get_of_length(member as u64, (member >> 64) as usize);
    members.sort_unstable_by(|&a, &b| {
        key.compare_from(record(a), record(b), word).then((a as u64).cmp(&(b as u64)))
    });
    for (slot, member) in group.iter_mut().zip(members) {
        *slot = entry(digest(first), *member as u64);
    }
}

/// Returns the key word of a pair.
fn value_of(pair: u128) -> u64 {
    (pair >> 64) as u64
}

#[cfg(test)]
mod tests;
