//! Search for the first difference of two keys of any length, in little memory.
//!
//! Keys are made from the front and compared by their beginnings, which settles nearly all. Of keys
//! that agree there, fingerprints of one block after another are kept, and the first block whose
//! fingerprints differ is made again. So each key is made four times at most, and no more than a
//! block of it is ever held. Fingerprints are of 128 bits, under a seed that nobody knows.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use xxhash_rust::xxh3::Xxh3;

use super::super::agreeing_bytes;
use super::content::Content;
use super::sink::{BufferSink, KeySink};
use super::typed::Typed;

/// Beginnings that are compared, the shorter first. Twice what two lines of a sorted table have in
/// common; to make that a second time costs little more.
const BEGINNINGS: [usize; 2] = [64, 64 << 10];

/// Bytes of a block, unless the text is so long that blocks would be too many.
const BLOCK_BYTES: usize = 64 << 10;

/// Number of blocks that two long texts together are divided into.
const BLOCK_SHARE: usize = 256;

static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(BLOCK_BYTES));

thread_local! {
    /// Space for the beginnings, or blocks, of two keys.
    static COMPARED: Cell<[Vec<u8>; 2]> = const { Cell::new([Vec::new(), Vec::new()]) };
}

/// A key that can be made again and again.
pub(super) trait KeySource {
    /// Appends the key, or as much of it as is wanted.
    fn append<S: KeySink>(&mut self, out: &mut S);

    /// Returns the number of bytes of the text that it is made of, roughly.
    fn text_bytes(&self) -> usize;
}

/// The difference of two keys that are not equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Difference {
    /// The first byte that differs.
    pub at: usize,
    /// True if one of the keys ends there.
    pub is_end: bool,
    /// The order of the keys.
    pub order: Ordering,
}

/// Returns the difference of two keys; `None` if they are equal.
pub(super) fn difference<S: KeySource>(sources: &mut [S; 2]) -> Option<Difference> {
    let mut keys = COMPARED.take();
    let found = difference_in(sources, &mut keys);
    COMPARED.set(keys);
    found
}

fn difference_in<S: KeySource>(
    sources: &mut [S; 2],
    keys: &mut [Vec<u8>; 2],
) -> Option<Difference> {
    for limit in BEGINNINGS {
        make(sources, 0, limit, keys);
        let [a, b] = &*keys;
        let found = of_bytes(a, b);
        if found.is_some() || a.len() < limit {
            return found;
        }
    }
    let text_bytes: usize = sources.iter().map(KeySource::text_bytes).sum();
    let block_bytes = (text_bytes / BLOCK_SHARE).max(BLOCK_BYTES);
    let [a, b] = sources.each_mut().map(|source| {
        let mut sink = BlockSink::new(block_bytes);
        source.append(&mut sink);
        sink.finish()
    });
    let equal = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    if equal == a.len().max(b.len()) {
        return None;
    }
    let start = equal * block_bytes;
    make(sources, start, block_bytes, keys);
    let [a, b] = &*keys;
    of_bytes(a, b).map(|found| Difference { at: start + found.at, ..found })
}

/// Makes `limit` bytes of each key, from byte `start` on; fewer where it ends.
fn make<S: KeySource>(sources: &mut [S; 2], start: usize, limit: usize, keys: &mut [Vec<u8>; 2]) {
    for (source, key) in sources.iter_mut().zip(keys) {
        key.clear();
        source.append(&mut BufferSink::from(start, key, limit));
        key.truncate(limit);
    }
}

/// Returns the difference of pieces of two keys that agree in all bytes before.
fn of_bytes(a: &[u8], b: &[u8]) -> Option<Difference> {
    let at = agreeing_bytes(a, b);
    let (a, b) = (a.get(at), b.get(at));
    let order = a.cmp(&b);
    order.is_ne().then(|| Difference { at, is_end: a.is_none() || b.is_none(), order })
}

/// Fingerprints of the blocks of a key.
pub(super) struct BlockSink {
    block_bytes: usize,
    /// Bytes still to come in this block.
    left: usize,
    state: Xxh3,
    /// Bytes that the state has not taken yet.
    buffer: [u8; 256],
    filled: usize,
    /// All ones where bytes are complemented.
    mask: u8,
    blocks: Vec<u128>,
}

impl BlockSink {
    fn new(block_bytes: usize) -> Self {
        Self {
            block_bytes,
            left: block_bytes,
            state: Xxh3::with_seed(*SEED),
            buffer: [0; 256],
            filled: 0,
            mask: 0,
            blocks: Vec::new(),
        }
    }

    fn flush(&mut self) {
        self.state.update(&self.buffer[..self.filled]);
        self.filled = 0;
    }

    fn end_block(&mut self) {
        self.flush();
        self.blocks.push(self.state.digest128());
        self.state.reset();
        self.left = self.block_bytes;
    }

    fn finish(mut self) -> Vec<u128> {
        self.end_block();
        self.blocks
    }
}

impl KeySink for BlockSink {
    fn room(&self) -> usize {
        usize::MAX
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.buffer[self.filled] = byte ^ self.mask;
        self.filled += 1;
        self.left -= 1;
        if self.left == 0 {
            self.end_block();
        } else if self.filled == self.buffer.len() {
            self.flush();
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.mask != 0 || bytes.len() < self.buffer.len() {
            return bytes.iter().for_each(|byte| self.push(*byte));
        }
        let mut rest = bytes;
        while !rest.is_empty() {
            self.flush();
            let (here, behind) = rest.split_at(rest.len().min(self.left));
            self.state.update(here);
            self.left -= here.len();
            rest = behind;
            if self.left == 0 {
                self.end_block();
            }
        }
    }

    fn begin_inverted(&mut self) -> usize {
        self.mask = !self.mask;
        0
    }

    fn end_inverted(&mut self, _: usize) {
        self.mask = !self.mask;
    }

    #[inline]
    fn append_value(&mut self, text: Content<'_>, of: &Typed) {
        (of.text_type.row.append_block)(text, of, self);
    }
}

#[cfg(test)]
mod tests;
