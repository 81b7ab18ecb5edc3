//! A shuffle: 128 bits of a keyed hash, so that only equal keys are together.

use xxhash_rust::xxh3::{Xxh3, xxh3_128_with_seed};

use super::super::turns::in_turn;
use super::{Class, Content, Detail, KeySink, KeyType, Traits, TypeNames, Typed};

/// A keyed hash: a shuffle that keeps equal keys together.
#[derive(Debug)]
pub struct RandomType;

impl KeyType for RandomType {
    const NAMES: TypeNames = &[("random", Detail::None)];
    const TRAITS: Traits = Traits { is_shuffle: true, ..Traits::of(Class::Text) };

    fn append_content<S: KeySink>(text: Content<'_>, of: &Typed, out: &mut S) {
        let mut hash = Xxh3::with_seed(half(of.options.seed));
        let hash = match (&of.collation, text.as_slice()) {
            (None, Some(bytes)) => xxh3_128_with_seed(bytes, half(of.options.seed)),
            (None, None) => {
                text.show_pieces(usize::MAX, |piece| hash.update(piece));
                hash.digest128()
            }
            (Some(collation), _) => {
                let mut update = |text: &[u8]| {
                    collation.show_key(text, &mut |piece| {
                        hash.update(piece);
                        true
                    });
                };
                in_turn(text.raw().len(), || text.with_slice(usize::MAX, &mut update));
                hash.digest128()
            }
        };
        append_hash(hash, of.options.seed, out);
    }
}

/// Returns the half of the seed that goes into the hash.
fn half(seed: [u8; 16]) -> u64 {
    (u128::from_be_bytes(seed) >> 64) as u64
}

/// Appends a hash. The other half of the seed orders what comes out of it, by a multiplication that
/// loses nothing (it is odd).
fn append_hash<S: KeySink>(hash: u128, seed: [u8; 16], out: &mut S) {
    let seed = u128::from_be_bytes(seed);
    out.extend(&hash.wrapping_mul(seed << 1 | 1).to_be_bytes());
}
