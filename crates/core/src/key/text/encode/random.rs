//! A shuffle: 128 bits of a keyed hash, so that only equal keys are together.

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::super::sink::Sink;

/// Appends the hash of `text` under `seed`. Half of the seed goes into the hash; the other half
/// orders what comes out of it, by a multiplication that loses nothing (it is odd).
pub fn append<S: Sink>(text: &[u8], seed: [u8; 16], out: &mut S) {
    let seed = u128::from_be_bytes(seed);
    let hash = xxh3_128_with_seed(text, (seed >> 64) as u64);
    out.extend(&hash.wrapping_mul(seed << 1 | 1).to_be_bytes());
}
