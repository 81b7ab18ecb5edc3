//! A shuffle: 128 bits of a keyed hash, so that only equal keys are together.

use xxhash_rust::xxh3::{Xxh3, xxh3_128_with_seed};

use super::super::content::Content;
use super::super::sink::Sink;

/// Appends the hash of `text` under `seed`.
pub fn append<'a, S: Sink>(text: impl Into<Content<'a>>, seed: [u8; 16], out: &mut S) {
    let text = text.into();
    match text.as_slice() {
        Some(bytes) => append_hash(xxh3_128_with_seed(bytes, half(seed)), seed, out),
        None => append_shown(seed, out, |show| text.show_pieces(usize::MAX, show)),
    }
}

/// Appends the hash of all that `text` shows, under `seed`.
pub fn append_shown<S: Sink>(
    seed: [u8; 16],
    out: &mut S,
    text: impl FnOnce(&mut dyn FnMut(&[u8])),
) {
    let mut hash = Xxh3::with_seed(half(seed));
    text(&mut |piece| hash.update(piece));
    append_hash(hash.digest128(), seed, out);
}

/// Returns the half of the seed that goes into the hash.
fn half(seed: [u8; 16]) -> u64 {
    (u128::from_be_bytes(seed) >> 64) as u64
}

/// Appends a hash. The other half of the seed orders what comes out of it, by a multiplication that
/// loses nothing (it is odd).
fn append_hash<S: Sink>(hash: u128, seed: [u8; 16], out: &mut S) {
    let seed = u128::from_be_bytes(seed);
    out.extend(&hash.wrapping_mul(seed << 1 | 1).to_be_bytes());
}
