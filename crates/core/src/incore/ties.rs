//! Settling ties: entries whose digests are equal, ordered by the rest of the key.
//!
//! Small groups are compared record by record. Large ones (keys with long common beginnings) fetch
//! the next 8-byte word of every key once, sort (word, number) pairs, and go on within equal words:
//! a multikey sort (Bentley and Sedgewick, SODA 1997) by words instead of characters, which touches
//! each word of a record once instead of once per comparison. Keys that have to be made yield
//! several words at a time, and groups of any size are sorted so (`rows`).

mod rows;

use super::classifier::{LOCATION, Leaf};
use super::item::{digest, location};
use super::prefetch;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Groups below this are compared record by record.
const SMALL: usize = 24;

/// How many entries ahead records are asked for. They lie anywhere in memory.
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
    let mut rows = Vec::new();
    let (mut begun, mut asked) = (0, 0);
    while begun < entries.len() {
        let rest = &entries[begun..];
        let length = rest.iter().take_while(|entry| digest(**entry) == digest(rest[0])).count();
        let end = begun + length;
        if length > 1 {
            // Where many keys tie, they do so in small groups all over memory.
            let ahead = entries.len().min(end + AHEAD_ENTRIES);
            for entry in &entries[asked.max(begun).min(ahead)..ahead] {
                prefetch(records.place(location(*entry)));
            }
            asked = ahead;
            let group = &mut entries[begun..end];
            if key.is_costly() {
                rows::refine(group, next_word, key, records, &mut rows, 0);
            } else {
                refine(group, next_word, key, records, wide, 0);
            }
        }
        begun = end;
    }
}

fn refine<K: KeyEncoder>(
    group: &mut [u64],
    mut word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
    depth: usize,
) {
    if group.len() < SMALL || depth == DEPTH_MAX {
        return compare(group, word, key, records);
    }
    let wide_here = &mut wide[..group.len()];
    loop {
        for (pair, entry) in wide_here.iter_mut().zip(group.iter()) {
            let value = key.word(records.get(location(*entry)), word);
            *pair = u128::from(value) << 64 | u128::from(location(*entry));
        }
        let first = value_of(wide_here[0]);
        if wide_here.iter().any(|pair| value_of(*pair) != first) {
            break;
        }
        if key.is_last(word, first) {
            return; // equal keys: the group is sorted by location already
        }
        word += 1;
    }
    wide_here.sort_unstable();
    // Digests are of no more use; locations are all that is read of these entries from now on.
    for (pair, entry) in wide_here.iter().zip(group.iter_mut()) {
        *entry = *pair as u64;
    }
    let mut open = Vec::new();
    let mut begun = 0;
    for equal in wide_here.chunk_by(|a, b| value_of(*a) == value_of(*b)) {
        let end = begun + equal.len();
        if equal.len() > 1 && !key.is_last(word, value_of(equal[0])) {
            open.push(begun..end);
        }
        begun = end;
    }
    for subgroup in open {
        refine(&mut group[subgroup], word + 1, key, records, wide, depth + 1);
    }
}

/// Sorts by comparing records with each other.
fn compare<K: KeyEncoder>(group: &mut [u64], word: usize, key: &K, records: &Records<'_>) {
    group.sort_unstable_by(|&a, &b| {
        let (left, right) = (records.get(location(a)), records.get(location(b)));
        key.compare_from(left, right, word).then(location(a).cmp(&location(b)))
    });
}

/// The key word of a pair.
fn value_of(pair: u128) -> u64 {
    (pair >> 64) as u64
}
