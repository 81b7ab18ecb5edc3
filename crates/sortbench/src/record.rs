//! Benchmark records as bytes: what the generator writes, at any record number.
//!
//! Record `r` is made from the numbers `x(r + 1)` and, if binary, the nine that follow:
//! neighbouring records share nine of their ten numbers, so a binary record costs one step of the
//! sequence, ten exclusive-ors and ten stores, and is made faster than memory takes it. Pure
//! functions on slices; files and threads are left to `generate`.

use crate::sequence::Sequence;
use crate::skew;
use crate::{KEY_LENGTH, RECORD_LENGTH};

/// Pieces of a binary record; each is the top ten bytes of one number of the sequence.
const PIECES: usize = RECORD_LENGTH / KEY_LENGTH;

/// Masks that the pieces of a binary record are exclusive-ored with: 80 bits, then 48 that are cut
/// off.
const PIECE_MASKS: [u128; PIECES] = [
    0,
    0xf0e8_e4e2_e1d8_d4d2_d1cc << 48,
    0xcac9_c6c5_c3b8_b4b2_b1ac << 48,
    0xaaa9_a6a5_a39c_9a99_9695 << 48,
    0x938e_8d8b_8778_7472_716c << 48,
    0x6a69_6665_635c_5a59_5655 << 48,
    0x534e_4d4b_473c_3a39_3635 << 48,
    0x332e_2d2b_271e_1d1b_170f << 48,
    0xc8c4_c2c1_9894_9291_8ce0 << 48,
    0x170f_332e_2d2b_271e_1d1b << 48,
];

/// Records made from one filling of the window of numbers, which takes 16 bytes a record and should
/// stay in L1. 64, 256 and 1024 measured alike: 7.2 ns a record (9.0 skewed), which is 14 GB/s.
const BATCH_RECORDS: usize = 256;

/// One of the four kinds of benchmark record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordKind {
    /// Printable records that end in a line break, rather than binary ones.
    pub ascii: bool,
    /// Many keys share their beginnings, rather than being uniformly random.
    pub skewed: bool,
}

impl RecordKind {
    /// Fills `to` with records `first`, `first + 1` and so on, counting modulo 2^128.
    ///
    /// # Panics
    ///
    /// If `to` is not a whole number of records.
    pub fn fill(self, first: u128, to: &mut [u8]) {
        assert_eq!(to.len() % RECORD_LENGTH, 0, "whole records only");
        match (self.ascii, self.skewed) {
            (false, false) => fill_binary::<false>(first, to),
            (false, true) => fill_binary::<true>(first, to),
            (true, false) => fill_ascii::<false>(first, to),
            (true, true) => fill_ascii::<true>(first, to),
        }
    }
}

fn fill_binary<const SKEWED: bool>(first: u128, to: &mut [u8]) {
    let mut sequence = Sequence::after(first);
    let mut number = first;
    // Slots `[r, r + PIECES)` hold the numbers of the batch's record `r`; the last nine that a
    // batch used are the first nine of the next.
    let mut window = [0u128; BATCH_RECORDS + PIECES - 1];
    for slot in &mut window[..PIECES - 1] {
        *slot = sequence.step();
    }
    for batch in to.chunks_mut(BATCH_RECORDS * RECORD_LENGTH) {
        let records = batch.len() / RECORD_LENGTH;
        for slot in &mut window[PIECES - 1..PIECES - 1 + records] {
            *slot = sequence.step();
        }
        let (records_of, _) = batch.as_chunks_mut::<RECORD_LENGTH>();
        for (record, numbers) in records_of.iter_mut().zip(window.windows(PIECES)) {
            write_pieces(record, numbers);
            if SKEWED {
                let high = (numbers[0] >> 64) as u64;
                let high = skew::binary(number, numbers[0] as u64, high);
                record[..8].copy_from_slice(&high.to_be_bytes());
                number = number.wrapping_add(1);
            }
        }
        window.copy_within(records..records + PIECES - 1, 0);
    }
}

/// Stores 16 bytes for each piece of ten, in order, so that each store covers the surplus of the
/// one before; only the last must be cut to size.
#[inline]
fn write_pieces(record: &mut [u8; RECORD_LENGTH], numbers: &[u128]) {
    for piece in 0..PIECES - 1 {
        let at = piece * KEY_LENGTH;
        let bytes = (numbers[piece] ^ PIECE_MASKS[piece]).to_be_bytes();
        record[at..at + 16].copy_from_slice(&bytes);
    }
    let bytes = (numbers[PIECES - 1] ^ PIECE_MASKS[PIECES - 1]).to_be_bytes();
    record[RECORD_LENGTH - KEY_LENGTH..].copy_from_slice(&bytes[..KEY_LENGTH]);
}

fn fill_ascii<const SKEWED: bool>(first: u128, to: &mut [u8]) {
    let mut sequence = Sequence::after(first);
    let mut number = first;
    let (records, _) = to.as_chunks_mut::<RECORD_LENGTH>();
    for record in records {
        let value = sequence.step();
        let low = value as u64;
        write_printable(&mut record[..8], (value >> 64) as u64);
        write_printable(&mut record[8..10], low);
        if SKEWED {
            let bytes = skew::ascii(number, low);
            record[..bytes.len()].copy_from_slice(bytes);
        }
        record[10..12].copy_from_slice(b"  ");
        write_hexadecimal(&mut record[12..44], number);
        record[44..46].copy_from_slice(b"  ");
        let (fours, _) = record[46..98].as_chunks_mut::<4>();
        for (place, four) in fours.iter_mut().enumerate() {
            *four = [HEXADECIMAL[(low >> (48 - 4 * place)) as usize & 15]; 4];
        }
        record[98..].copy_from_slice(b"\r\n");
        number = number.wrapping_add(1);
    }
}

const HEXADECIMAL: &[u8; 16] = b"0123456789ABCDEF";

/// Writes `value` in base 95, least significant digit first, as far as `to` reaches.
#[inline]
fn write_printable(to: &mut [u8], mut value: u64) {
    for byte in to {
        *byte = b' ' + (value % 95) as u8;
        value /= 95;
    }
}

#[inline]
fn write_hexadecimal(to: &mut [u8], value: u128) {
    for (pair, byte) in to.as_chunks_mut::<2>().0.iter_mut().zip(value.to_be_bytes()) {
        *pair = [HEXADECIMAL[usize::from(byte >> 4)], HEXADECIMAL[usize::from(byte & 15)]];
    }
}

#[cfg(test)]
mod tests;
