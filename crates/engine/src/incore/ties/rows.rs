//! Ties of keys that have to be made: each record yields a few words of its key at once.
//!
//! ```text
//!     entries that tie     rows                                      sorted as integers
//!     .. 17                w1 w2 | w3 w4 | 17                        w1 w2 | w3 w4 | 42
//!     .. 42                w1 w2 | w3 w4 | 42                        w1 w2 | w3 w4 | 17
//! ```
//!
//! Making a word costs as much as making all before it and fetching the record from memory; to
//! compare two records word by word makes each several times. Rows that are equal go on with the
//! words after them.

use crate::format::FieldEnds;
use crate::incore::item::location;
use crate::incore::prefetch;
use crate::key::{CutRecord, FEW_WORDS, KeyEncoder};
use crate::load::Records;

/// Rounds of rows before records are compared. Records that agree in this number of words are
/// mostly equal as bytes too, which a comparison sees without making keys.
const DEPTH_MAX: usize = 3;

/// Number of entries to prefetch ahead. Their records lie anywhere in memory; making one's words
/// takes about as long as fetching two.
const AHEAD_ENTRIES: usize = 4;

/// A few words of a record's key, two by two, and where it lies: three numbers of the scratch
/// space.
type Row = [u128; 3];

const _: () = assert!(FEW_WORDS == 4);

/// Returns whether `entries` rows fit the scratch space `wide`.
pub fn fit(entries: usize, wide: &[u128]) -> bool {
    entries * size_of::<Row>() <= size_of_val(wide)
}

/// Puts a group whose keys agree in all words before `word` in the order of keys and locations. Its
/// rows [`fit`] the scratch space `wide`.
pub fn refine<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    wide: &mut [u128],
    depth: usize,
) {
    if depth == DEPTH_MAX {
        return super::compare(group, word, key, records, wide);
    }
    let (cutter, mut fields) = (key.field_cutter(), FieldEnds::default());
    let rows: &mut [Row] = &mut wide.as_chunks_mut().0[..group.len()];
    for (place, row) in rows.iter_mut().enumerate() {
        if let Some(ahead) = group.get(place + AHEAD_ENTRIES) {
            prefetch(records.place(location(*ahead)));
        }
        let location = location(group[place]);
        let bytes = records.cut(location, cutter, &mut fields);
        let words = key.few_words(CutRecord { bytes, field_ends: fields.ends() }, word);
        *row = [pair(words[0], words[1]), pair(words[2], words[3]), u128::from(location)];
    }
    rows.sort_unstable();
    let is_last = |row: &Row| (word..).zip(words(row)).any(|(at, value)| key.is_last(at, value));
    let mut noting = super::Noting::new(group);
    for equal in rows.chunk_by(|a, b| a[..2] == b[..2]) {
        noting.subgroup(equal.iter().map(|row| row[2] as u64), !is_last(&equal[0]));
    }
    for subgroup in super::open_subgroups(group) {
        refine(subgroup, word + FEW_WORDS, key, records, wide, depth + 1);
    }
}

/// Returns two words that compare as one.
fn pair(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Returns the words of a row.
fn words(row: &Row) -> [u64; FEW_WORDS] {
    let [first, second, _] = *row;
    [(first >> 64) as u64, first as u64, (second >> 64) as u64, second as u64]
}
