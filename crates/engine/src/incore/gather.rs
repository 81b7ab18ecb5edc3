//! Gathering: copying records into the output in the order of their entries.
//!
//! Every record lies on cache lines that were not used since it was dealt, so misses are the cost,
//! as in AlphaSort (section 4). The record some places ahead is prefetched while this one is
//! copied.
//!
//! psort keeps the stream of records out of the caches, if it is asked to (Bertasi, Bressan and
//! Peserico, 2008, section 1.1). Here a batch of records is gathered in the first-level cache,
//! proven there, and copied on past the caches ([`GatherStores`]).

use std::str::FromStr;

use super::bucket::BUCKET_ENTRIES_MAX;
use super::item::{RECORD_ITEM_MAX, copy_item, location};
use super::prefetch::prefetch;
use super::streaming::{finish_streaming, stream};
use crate::error::{ParseError, Setting, message, named};
use crate::format::{FieldEnds, Framing};
use crate::key::{CutRecord, KeyEncoder};
use crate::load::Records;
use crate::order::OrderCheck;
use crate::proof::Sum;

/// Number of records to prefetch ahead. A miss takes some 100 ns and copying 100 bytes some 8 ns.
pub const AHEAD: usize = 16;

/// Records of varying length that are copied before they are compared. A load that spans two
/// stores waits until both have left the store buffer, so a record that was just copied is slow to
/// read.
const BATCH: usize = 32;

/// Bytes of records that are in a cache at most: a bucket of records that were dealt themselves.
const NEAR_MAX: usize = BUCKET_ENTRIES_MAX * RECORD_ITEM_MAX;

/// Bytes of a batch that is copied past the caches: a part of a first-level cache.
const STAGE: usize = 8 << 10;

named! {
    /// Stores by which records get into output buffers.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum GatherStores {
        /// Ordinary stores, through the caches.
        #[default]
        Cached = "cached",
        /// Streaming stores, past the caches.
        Streaming = "streaming",
    }
}

impl FromStr for GatherStores {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL.into_iter().find(|stores| stores.name() == text).ok_or_else(|| {
            let setting = Setting::GatherStores;
            let message =
                message!("'{}' is not a value of {}; use cached or streaming", text, setting);
            ParseError::new("choice of stores", text, message)
        })
    }
}

/// Records that have been gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// Records.
    pub records: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Bytes of them that were copied past the caches.
    pub streamed: usize,
}

impl GatherStores {
    /// Does what [`gather`] does, with these stores. Past the caches goes a batch of some records;
    /// a record that is longer than a batch goes through them.
    pub fn gather<K: KeyEncoder>(
        self,
        entries: &[u64],
        records: &Records<'_>,
        out: &mut [u8],
        mut sum: Option<&mut Sum>,
        check: &mut OrderCheck<'_, K>,
    ) -> Gathered {
        if self == Self::Streaming {
            let mut stage = [0; STAGE];
            let room = out.len().min(STAGE);
            let batch = gather(entries, records, &mut stage[..room], sum.as_deref_mut(), check);
            if batch.records > 0 {
                stream(&stage[..batch.bytes], &mut out[..batch.bytes]);
                finish_streaming();
                return Gathered { streamed: batch.bytes, ..batch };
            }
        }
        gather(entries, records, out, sum, check)
    }
}

/// Copies as many of the records that `entries` name as fit `out`, back to back, adds them to
/// `sum`, if one is wanted, and shows them to `check`; entries beyond them are only prefetched.
pub fn gather<K: KeyEncoder>(
    entries: &[u64],
    records: &Records<'_>,
    out: &mut [u8],
    sum: Option<&mut Sum>,
    check: &mut OrderCheck<'_, K>,
) -> Gathered {
    let length = match records.framing() {
        Framing::Fixed(length) => length,
        _ => return gather_varying(entries, records, out, sum, check),
    };
    let count = entries.len().min(out.len() / length);
    let out = &mut out[..count * length];
    match length {
        _ if records.bytes() > NEAR_MAX => gather_far(entries, records, out, length),
        16 => gather_short::<16>(entries, records, out),
        8 => gather_short::<8>(entries, records, out),
        _ => {
            for (entry, to) in entries.iter().zip(out.chunks_exact_mut(length)) {
                copy_item(records.get(location(*entry)), to);
            }
        }
    }
    if let Some(sum) = sum {
        sum.add_all(records.framing(), out);
    }
    check.next_all(records.framing(), out);
    Gathered { records: count, bytes: count * length, streamed: 0 }
}

fn gather_varying<K: KeyEncoder>(
    entries: &[u64],
    records: &Records<'_>,
    out: &mut [u8],
    mut sum: Option<&mut Sum>,
    check: &mut OrderCheck<'_, K>,
) -> Gathered {
    let mut gathered = Gathered { records: 0, bytes: 0, streamed: 0 };
    let mut last = 0..0;
    let (cutter, mut fields) = (check.field_cutter(), [FieldEnds::default(); BATCH]);
    while gathered.records < entries.len() {
        let rest = &entries[gathered.records..];
        let mut ends = [0; BATCH];
        let (mut count, start) = (0, gathered.bytes);
        for (place, entry) in rest.iter().take(BATCH).enumerate() {
            if let Some(ahead) = rest.get(place + AHEAD) {
                prefetch(records.place(location(*ahead)));
            }
            let record = records.cut(location(*entry), cutter, &mut fields[place]);
            let end = gathered.bytes + record.len();
            let Some(to) = out.get_mut(gathered.bytes..end) else { break };
            to.copy_from_slice(record);
            // While it is at hand, and its length known.
            if let Some(sum) = &mut sum {
                sum.add_record(record);
            }
            (ends[place], count, gathered.bytes) = (end, place + 1, end);
        }
        let mut next = start;
        for (end, fields) in ends[..count].iter().zip(&fields) {
            let previous = (!last.is_empty()).then(|| &out[last]);
            check.next(CutRecord { bytes: &out[next..*end], field_ends: fields.ends() }, previous);
            (last, next) = (next..*end, *end);
        }
        gathered.records += count;
        if count < rest.len().min(BATCH) {
            break;
        }
    }
    if !last.is_empty() {
        check.keep(&out[last]);
    }
    gathered
}

/// Copies records of a length known beforehand, without a call for each.
fn gather_short<const LENGTH: usize>(entries: &[u64], records: &Records<'_>, out: &mut [u8]) {
    for (entry, to) in entries.iter().zip(out.as_chunks_mut::<LENGTH>().0) {
        if let Some(record) = records.get(location(*entry)).first_chunk() {
            *to = *record;
        }
    }
}

fn gather_far(entries: &[u64], records: &Records<'_>, out: &mut [u8], length: usize) {
    for (place, to) in out.chunks_exact_mut(length).enumerate() {
        if let Some(ahead) = entries.get(place + AHEAD) {
            prefetch(records.get(location(*ahead)));
        }
        copy_item(records.get(location(entries[place])), to);
    }
}
