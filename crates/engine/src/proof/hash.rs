//! Hashes of records: 128 bits, by rounds of AES, which processors do in hardware.
//!
//! ```text
//!   record    | block 0 | block 1 | block 2 | ...   | last |    of 16 bytes each; the last one
//!                                                               ends with the record, and may
//!                                                               lie over the one before
//!   lanes     a takes blocks 0, 2, ... and b takes 1, 3, ... and the last, each in one round
//!   hash      both joined by a round, and three rounds more
//! ```
//!
//! A record shorter than a block is one, filled up with zeros; its length is in lane `a` from the
//! beginning. A round (SubBytes, ShiftRows, MixColumns, AddRoundKey: FIPS 197, section 5.1) takes
//! no two states to the same one, so that records which differ in one block alone never have the
//! same hash; whether others do is chance, one in 2^128. Nobody is kept from making two such
//! records on purpose: the proof is about machines that err, not about people who cheat.
//!
//! The hash is the same on every machine. Where the processor knows no AES, a table does its work.

mod lane;

use lane::{BLOCK, HashLane, LookupLane};

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
use lane::hardware;

/// Initial values of lanes, also added in each round: the first digits of pi after the point, in
/// which nothing can be hidden.
const BEGINNINGS: [u128; 2] =
    [0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344, 0xa409_3822_299f_31d0_082e_fa98_ec4e_6c89];
const KEY: u128 = 0x4528_21e6_38d0_1377_be54_66cf_34e9_0c6c;

/// Returns the hash of a record.
#[inline]
pub fn hash(record: &[u8]) -> u128 {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
    if hardware::is_there() {
        // SAFETY: it is there.
        return unsafe { hardware::hash(record) };
    }
    digest::<LookupLane>(record)
}

/// Returns how many records there are, and the sum of their hashes modulo 2^128.
#[inline]
pub fn sum<'r>(records: impl Iterator<Item = &'r [u8]>) -> (u64, u128) {
    #[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little")))]
    if hardware::is_there() {
        // SAFETY: it is there.
        return unsafe { hardware::sum(records) };
    }
    total::<LookupLane>(records)
}

#[inline(always)]
fn digest<L: HashLane>(record: &[u8]) -> u128 {
    let key = L::of(KEY);
    let (mut a, mut b) = (L::of(BEGINNINGS[0] ^ record.len() as u128), L::of(BEGINNINGS[1]));
    if let Some(last) = record.last_chunk() {
        let before = (record.len() - 1) / BLOCK * BLOCK;
        let mut pairs = record[..before].chunks_exact(2 * BLOCK);
        for pair in &mut pairs {
            if let (Some(first), Some(second)) = (pair.first_chunk(), pair.last_chunk()) {
                (a, b) = (take(a, first, key), take(b, second, key));
            }
        }
        if let Some(odd) = pairs.remainder().first_chunk() {
            a = take(a, odd, key);
        }
        b = take(b, last, key);
    } else {
        b = take(b, &padded(record).to_le_bytes(), key);
    }
    a.round(b).round(key).round(key).round(key).value()
}

/// Takes a block into a lane.
#[inline(always)]
fn take<L: HashLane>(lane: L, block: &[u8; BLOCK], key: L) -> L {
    lane.plus(L::block(block)).round(key)
}

/// Returns a record that is shorter than a block, with zeros after it: made of two parts, of which
/// the second ends with the record, as a copy of so few bytes would take longer than all the rest.
#[inline(always)]
fn padded(record: &[u8]) -> u128 {
    let length = record.len();
    if let (Some(first), Some(last)) = (record.first_chunk(), record.last_chunk()) {
        let last = u128::from(u64::from_le_bytes(*last));
        return u128::from(u64::from_le_bytes(*first)) | last << (8 * (length - 8));
    }
    if let (Some(first), Some(last)) = (record.first_chunk(), record.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last));
        return (u64::from(u32::from_le_bytes(*first)) | last << (8 * (length - 4))).into();
    }
    let byte = |at: usize| u128::from(record[at]) << (8 * at);
    if length == 0 { 0 } else { byte(0) | byte(length / 2) | byte(length - 1) }
}

/// Returns the sum of all. A loop, as a call of `fold` would be one of a function that is not made
/// for a processor which knows rounds, and each round a call of another: it took twice as long.
#[inline(always)]
fn total<'r, L: HashLane>(records: impl Iterator<Item = &'r [u8]>) -> (u64, u128) {
    let (mut count, mut sum) = (0, 0_u128);
    for record in records {
        count += 1;
        sum = sum.wrapping_add(digest::<L>(record));
    }
    (count, sum)
}

#[cfg(test)]
mod tests;
