//! Destinations of the bytes of a key: one word of it, or a buffer for all of them.
//!
//! Encoders are written once over [`KeySink`] and instantiated for each. [`WordSink`] keeps its
//! eight bytes in a register, so that the key prefix costs no memory and no allocation; [`FewSink`]
//! has room for the words that are asked for together.

use super::super::{FEW_WORDS, OPEN_WORD_BYTES, WORD_BYTES, continued};
use super::content::Content;
use super::typed::Typed;

/// Takes the bytes of a key in order, as many as are wanted.
pub(super) trait KeySink {
    /// Returns the number of bytes that are still wanted; what is appended beyond them may be
    /// dropped.
    fn room(&self) -> usize;

    /// Appends one byte.
    fn push(&mut self, byte: u8);

    /// Appends bytes as they are.
    fn extend(&mut self, bytes: &[u8]);

    /// Begins a stretch of bytes that are complemented; what is returned ends it. One may lie in
    /// another.
    fn begin_inverted(&mut self) -> usize;

    /// Ends the stretch of complemented bytes that began at `mark`.
    fn end_inverted(&mut self, mark: usize);

    /// Appends what `body` does, complemented where `is_inverted`.
    #[inline]
    fn inverted_if(&mut self, is_inverted: bool, body: impl FnOnce(&mut Self)) {
        let mark = is_inverted.then(|| self.begin_inverted());
        body(self);
        if let Some(mark) = mark {
            self.end_inverted(mark);
        }
    }

    /// Appends the key of a value by that function of its type's row that is for such sinks.
    fn append_value(&mut self, text: Content<'_>, of: &Typed);
}

/// One word of the key; what comes before and after it is dropped.
#[derive(Debug)]
pub(super) struct WordSink {
    /// Bytes still to come before the word.
    skip: usize,
    /// The bytes so far, from the top; zeros after them.
    word: u64,
    /// 8 for each byte in `word`; at most 64.
    filled_bits: u32,
}

impl WordSink {
    /// Takes word `index`.
    #[inline]
    pub fn new(index: usize) -> Self {
        Self { skip: index.saturating_mul(OPEN_WORD_BYTES), word: 0, filled_bits: 0 }
    }

    /// Returns the word, with the number of its bytes at its end.
    #[inline]
    pub fn word(&self) -> u64 {
        match self.filled_bits {
            64 => continued(self.word),
            bits => self.word | u64::from(bits / 8),
        }
    }

    /// Appends the first `length` (at most 8) bytes of a big-endian `word`, which has zeros after.
    #[inline]
    fn append(&mut self, word: u64, length: usize) {
        self.word |= word.checked_shr(self.filled_bits).unwrap_or(0);
        self.filled_bits = (self.filled_bits + 8 * length as u32).min(64);
    }
}

impl KeySink for WordSink {
    #[inline]
    fn room(&self) -> usize {
        self.skip.saturating_add(((64 - self.filled_bits) / 8) as usize)
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        match self.skip {
            0 => self.append(u64::from(byte) << 56, 1),
            _ => self.skip -= 1,
        }
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        let bytes = &bytes[skipped..];
        self.append(load(bytes), bytes.len().min(WORD_BYTES));
    }

    #[inline]
    fn begin_inverted(&mut self) -> usize {
        self.filled_bits as usize
    }

    #[inline]
    fn end_inverted(&mut self, mark: usize) {
        let ones_from = |bits: u32| u64::MAX.checked_shr(bits).unwrap_or(0);
        self.word ^= ones_from(mark as u32) ^ ones_from(self.filled_bits);
    }

    #[inline]
    fn append_value(&mut self, text: Content<'_>, of: &Typed) {
        (of.text_type.row.append_word)(text, of, self);
    }
}

/// A few words of the key; what comes before and after them is dropped.
#[derive(Debug)]
pub(super) struct FewSink {
    /// Bytes still to come before the words.
    skip: usize,
    /// Zeros after the first `filled`.
    bytes: [u8; FEW_BYTES],
    filled: usize,
}

/// One byte more than the words hold: it tells whether the last of them is the last of the key.
const FEW_BYTES: usize = FEW_WORDS * OPEN_WORD_BYTES + 1;

impl FewSink {
    /// Takes words from `first` on.
    #[inline]
    pub fn new(first: usize) -> Self {
        let skip = first.saturating_mul(OPEN_WORD_BYTES);
        Self { skip, bytes: [0; FEW_BYTES], filled: 0 }
    }

    /// Returns the words, and zeros after the last of the key.
    #[inline]
    pub fn words(&self) -> [u64; FEW_WORDS] {
        let mut words = [0; FEW_WORDS];
        for (place, word) in words.iter_mut().enumerate() {
            let start = place * OPEN_WORD_BYTES;
            let bytes = self.bytes[start..].first_chunk().copied().unwrap_or_default();
            let all = u64::from_be_bytes(bytes);
            match self.filled.saturating_sub(start) {
                left @ ..WORD_BYTES => {
                    *word = all | left as u64;
                    break;
                }
                _ => *word = continued(all),
            }
        }
        words
    }
}

impl KeySink for FewSink {
    #[inline]
    fn room(&self) -> usize {
        self.skip.saturating_add(FEW_BYTES - self.filled)
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.extend(&[byte]);
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        if self.filled == 0
            && let Some(all) = bytes[skipped..].first_chunk()
        {
            (self.bytes, self.filled) = (*all, FEW_BYTES);
            return;
        }
        let taken = (bytes.len() - skipped).min(FEW_BYTES - self.filled);
        let to = &mut self.bytes[self.filled..self.filled + taken];
        to.copy_from_slice(&bytes[skipped..skipped + taken]);
        self.filled += taken;
    }

    #[inline]
    fn begin_inverted(&mut self) -> usize {
        self.filled
    }

    #[inline]
    fn end_inverted(&mut self, mark: usize) {
        self.bytes[mark..self.filled].iter_mut().for_each(|byte| *byte = !*byte);
    }

    #[inline]
    fn append_value(&mut self, text: Content<'_>, of: &Typed) {
        (of.text_type.row.append_few)(text, of, self);
    }
}

/// A stretch of the key, appended to a buffer.
#[derive(Debug)]
pub(super) struct BufferSink<'a> {
    /// Bytes still to come before the stretch.
    skip: usize,
    out: &'a mut Vec<u8>,
    /// Length of `out` at which no more is wanted. It may become longer.
    limit: usize,
}

impl<'a> BufferSink<'a> {
    /// Takes `limit` bytes and perhaps some more.
    pub fn new(out: &'a mut Vec<u8>, limit: usize) -> Self {
        Self::from(0, out, limit)
    }

    /// Takes `limit` bytes and perhaps some more, from byte `start` of the key on.
    pub fn from(start: usize, out: &'a mut Vec<u8>, limit: usize) -> Self {
        let limit = out.len().saturating_add(limit);
        Self { skip: start, out, limit }
    }
}

impl KeySink for BufferSink<'_> {
    #[inline]
    fn room(&self) -> usize {
        self.skip.saturating_add(self.limit.saturating_sub(self.out.len()))
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        match self.skip {
            0 => self.out.push(byte),
            _ => self.skip -= 1,
        }
    }

    #[inline]
    fn extend(&mut self, bytes: &[u8]) {
        let skipped = self.skip.min(bytes.len());
        self.skip -= skipped;
        // The last bytes may be many more than are wanted.
        let wanted = self.limit.saturating_sub(self.out.len()).min(bytes.len() - skipped);
        self.out.extend_from_slice(&bytes[skipped..skipped + wanted]);
    }

    #[inline]
    fn begin_inverted(&mut self) -> usize {
        self.out.len()
    }

    #[inline]
    fn end_inverted(&mut self, mark: usize) {
        self.out[mark..].iter_mut().for_each(|byte| *byte = !*byte);
    }

    #[inline]
    fn append_value(&mut self, text: Content<'_>, of: &Typed) {
        (of.text_type.row.append_buffer)(text, of, self);
    }
}

/// Returns the first eight bytes as a big-endian integer, with zeros after the last where there are
/// fewer.
///
/// Short ones are loaded in overlapping pieces: a copy of unknown length costs several times more.
#[inline]
pub(super) fn load(bytes: &[u8]) -> u64 {
    if let Some(whole) = bytes.first_chunk() {
        return u64::from_be_bytes(*whole);
    }
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_be_bytes(*last)) << (64 - 8 * length);
        return u64::from(u32::from_be_bytes(*first)) << 32 | last;
    }
    let at = |index: usize| u64::from(bytes[index]) << (56 - 8 * index);
    if length == 0 { 0 } else { at(0) | at(length / 2) | at(length - 1) }
}

#[cfg(test)]
mod tests;
