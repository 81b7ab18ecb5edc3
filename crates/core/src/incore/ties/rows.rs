//! Ties of keys that have to be made: each record yields a few words of its key at once.
//!
//! ```text
//!     entries that tie     rows                                      sorted as integers
//!     .. 17                w1 w2 w3 w4 | 17                          w1 w2 w3 w4 | 42
//!     .. 42                w1 w2 w3 w4 | 42                          w1 w2 w3 w4 | 17
//! ```
//!
//! Making a word costs as much as making all before it and fetching the record from memory; to
//! compare two records word by word makes each several times. Rows that are equal go on with the
//! words behind them.

use crate::incore::item::location;
use crate::incore::prefetch;
use crate::key::{FEW_WORDS, KeyEncoder};
use crate::load::Records;

/// Rounds of rows before records are compared: those that agree in so many words are mostly equal
/// as bytes too, which a comparison sees without making keys.
const DEPTH_MAX: usize = 3;

/// How many entries ahead records are asked for. They lie anywhere in memory; making one's words
/// takes about as long as fetching two.
const AHEAD_ENTRIES: usize = 4;

/// A few words of a record's key, and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    words: [u64; FEW_WORDS],
    location: u64,
}

/// Puts a group whose keys agree in all words before `word` in the order of keys and locations.
/// `rows` is scratch space.
pub fn refine<K: KeyEncoder>(
    group: &mut [u64],
    word: usize,
    key: &K,
    records: &Records<'_>,
    rows: &mut Vec<Row>,
    depth: usize,
) {
    if depth == DEPTH_MAX {
        return super::compare(group, word, key, records);
    }
    rows.clear();
    for (place, entry) in group.iter().enumerate() {
        if let Some(ahead) = group.get(place + AHEAD_ENTRIES) {
            prefetch(records.place(location(*ahead)));
        }
        let location = location(*entry);
        rows.push(Row { words: key.few_words(records.get(location), word), location });
    }
    rows.sort_unstable();
    // Digests are of no more use; locations are all that is read of these entries from now on.
    for (row, entry) in rows.iter().zip(group.iter_mut()) {
        *entry = row.location;
    }
    let is_over = |row: &Row| (word..).zip(row.words).any(|(at, value)| key.is_last(at, value));
    let mut open = Vec::new();
    let mut begun = 0;
    for equal in rows.chunk_by(|a, b| a.words == b.words) {
        let end = begun + equal.len();
        if equal.len() > 1 && !is_over(&equal[0]) {
            open.push(begun..end);
        }
        begun = end;
    }
    for subgroup in open {
        refine(&mut group[subgroup], word + FEW_WORDS, key, records, rows, depth + 1);
    }
}
