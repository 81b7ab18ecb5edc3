//! Gathering: copying records into the output in the order of their entries.
//!
//! Every record lies on cache lines nobody touched since it was dealt, so that the cost is misses,
//! and the cure is to ask for them early: the record some places ahead is prefetched while this one
//! is copied (AlphaSort, section 4: "the gather phase").

use super::item::{RECORD_ITEM_MAX, number};
use super::prefetch::prefetch;
use crate::load::Records;

/// How far ahead records are asked for. A miss takes some 100 ns and copying 100 bytes some 8 ns.
const AHEAD: usize = 16;

/// Records this short come from the cache: they were dealt themselves.
const SHORT_MAX: usize = RECORD_ITEM_MAX;

/// Copies as many of the records that `entries` name as `out` holds, back to back. `out` is a
/// multiple of the record length; entries beyond it are only prefetched.
pub fn gather(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    let length = records.length();
    debug_assert_eq!(out.len() % length, 0);
    match length {
        16 => gather_short::<16>(entries, records, out),
        8 => gather_short::<8>(entries, records, out),
        ..=SHORT_MAX => {
            for (entry, to) in entries.iter().zip(out.chunks_exact_mut(length)) {
                to.copy_from_slice(records.get(number(*entry)));
            }
        }
        _ => gather_long(entries, records, out),
    }
}

/// Copies records of a length known beforehand, without a call for each.
fn gather_short<const LENGTH: usize>(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    for (entry, to) in entries.iter().zip(out.as_chunks_mut::<LENGTH>().0) {
        if let Some(record) = records.get(number(*entry)).first_chunk() {
            *to = *record;
        }
    }
}

fn gather_long(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    let length = records.length();
    for (place, to) in out.chunks_exact_mut(length).enumerate() {
        if let Some(ahead) = entries.get(place + AHEAD) {
            prefetch(records.get(number(*ahead)));
        }
        to.copy_from_slice(records.get(number(entries[place])));
    }
}
