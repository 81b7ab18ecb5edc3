//! Settling ties: entries whose digests are equal, ordered by the rest of the key.
//!
//! Small groups are compared record by record. Large ones (keys with long common beginnings) fetch
//! the next 8-byte word of every key once, sort (word, number) pairs, and go on within equal words:
//! a multikey sort (Bentley and Sedgewick, SODA 1997) by words instead of characters, which touches
//! each word of a record once instead of once per comparison.

use super::classifier::Leaf;
use super::item::number;
use crate::key::KeyEncoder;
use crate::load::Records;

/// Groups below this are compared record by record.
const SMALL: usize = 24;

/// Levels of splitting before comparing whole keys: bounds the stack on adversarial keys.
const DEPTH_MAX: usize = 8;

/// Puts each group of equal digests in `entries` (sorted) in the order of keys and record numbers.
/// `wide` is scratch space for as many pairs as there are entries.
pub fn settle<K: KeyEncoder>(
    entries: &mut [u64],
    leaf: Leaf,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
) {
    let next_word = if leaf.is_exact(key) { leaf.word + 1 } else { leaf.word };
    if next_word >= key.words() {
        return; // equal digests are equal keys, and entries are sorted by number already
    }
    for group in entries.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
        if group.len() > 1 {
            refine(group, next_word, key, records, wide, 0);
        }
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
        group.sort_unstable_by(|&a, &b| {
            let (left, right) = (records.get(number(a)), records.get(number(b)));
            key.compare_from(left, right, word).then(number(a).cmp(&number(b)))
        });
        return;
    }
    let wide_here = &mut wide[..group.len()];
    loop {
        for (pair, entry) in wide_here.iter_mut().zip(group.iter()) {
            let value = key.word(records.get(number(*entry)), word);
            *pair = u128::from(value) << 64 | u128::from(number(*entry));
        }
        word += 1;
        let first = wide_here[0] >> 64;
        if wide_here.iter().any(|pair| pair >> 64 != first) {
            break;
        }
        if word == key.words() {
            return; // equal keys: the group is sorted by number already
        }
    }
    wide_here.sort_unstable();
    // Digests are of no more use: each entry gets its subgroup's index instead.
    let mut subgroup = 0u64;
    let mut previous = wide_here[0] >> 64;
    for (pair, entry) in wide_here.iter().zip(group.iter_mut()) {
        subgroup += u64::from(pair >> 64 != previous);
        previous = pair >> 64;
        *entry = subgroup << 32 | (*pair as u64 & u64::from(u32::MAX));
    }
    if word < key.words() {
        for subgroup in group.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
            if subgroup.len() > 1 {
                refine(subgroup, word, key, records, wide, depth + 1);
            }
        }
    }
}
