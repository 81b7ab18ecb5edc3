//! Gathering: copying records into the output in the order of their entries.
//!
//! Every record lies on cache lines nobody touched since it was dealt, so that the cost is misses,
//! and the cure is to ask for them early: the record some places ahead is prefetched while this one
//! is copied (AlphaSort, section 4: "the gather phase").

use super::item::{RECORD_ITEM_MAX, location};
use super::prefetch::prefetch;
use crate::format::Framing;
use crate::load::Records;
use crate::proof::Sum;

/// How far ahead records are asked for. A miss takes some 100 ns and copying 100 bytes some 8 ns.
const AHEAD: usize = 16;

/// Records this short come from the cache: they were dealt themselves.
const SHORT_MAX: usize = RECORD_ITEM_MAX;

/// What has been gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Records.
    pub records: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// Copies as many of the records that `entries` name as fit `out`, back to back, and adds them to
/// `sum`, if one is wanted; entries beyond them are only prefetched.
pub fn gather(
    entries: &[u64],
    records: &Records<'_>,
    out: &mut [u8],
    sum: Option<&mut Sum>,
) -> Gathered {
    let length = match records.framing() {
        Framing::Fixed(length) => length,
        _ => return gather_varying(entries, records, out, sum),
    };
    let count = entries.len().min(out.len() / length);
    let out = &mut out[..count * length];
    match length {
        16 => gather_short::<16>(entries, records, out),
        8 => gather_short::<8>(entries, records, out),
        ..=SHORT_MAX => {
            for (entry, to) in entries.iter().zip(out.chunks_exact_mut(length)) {
                to.copy_from_slice(records.get(location(*entry)));
            }
        }
        _ => gather_long(entries, records, out, length),
    }
    if let Some(sum) = sum {
        sum.add_all(records.framing(), out);
    }
    Gathered { records: count, bytes: count * length }
}

fn gather_varying(
    entries: &[u64],
    records: &Records<'_>,
    out: &mut [u8],
    mut sum: Option<&mut Sum>,
) -> Gathered {
    let mut bytes = 0;
    for (place, entry) in entries.iter().enumerate() {
        if let Some(ahead) = entries.get(place + AHEAD) {
            prefetch(records.place(location(*ahead)));
        }
        let record = records.get(location(*entry));
        let Some(to) = out.get_mut(bytes..bytes + record.len()) else {
            return Gathered { records: place, bytes };
        };
        to.copy_from_slice(record);
        bytes += record.len();
        // While it is at hand, and its length known.
        if let Some(sum) = &mut sum {
            sum.add_record(record);
        }
    }
    Gathered { records: entries.len(), bytes }
}

/// Copies records of a length known beforehand, without a call for each.
fn gather_short<const LENGTH: usize>(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    for (entry, to) in entries.iter().zip(out.as_chunks_mut::<LENGTH>().0) {
        if let Some(record) = records.get(location(*entry)).first_chunk() {
            *to = *record;
        }
    }
}

fn gather_long(entries: &[u64], records: &Records<'_>, out: &mut [u8], length: usize) {
    for (place, to) in out.chunks_exact_mut(length).enumerate() {
        if let Some(ahead) = entries.get(place + AHEAD) {
            prefetch(records.get(location(*ahead)));
        }
        to.copy_from_slice(records.get(location(entries[place])));
    }
}
