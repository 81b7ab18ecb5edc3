//! The naive sort that every job is held against: decode the values of each key, compare them one
//! after the other, and let the standard library's stable sort do the rest. And the hash of a
//! record as `docs/run-format.md` has it, by another's rounds of AES.

use std::cmp::Ordering;

use aes::Block;
use aes::hazmat::cipher_round;

/// One part of a key: what is asked of the job, and what it means.
#[derive(Clone, Debug)]
pub struct Part {
    pub start: usize,
    pub end: usize,
    /// The name of a key type.
    pub kind: &'static str,
    pub is_descending: bool,
}

impl Part {
    pub fn bytes(start: usize, end: usize) -> Self {
        Self { start, end, kind: "bytes", is_descending: false }
    }

    pub fn number(start: usize, kind: &'static str) -> Self {
        Self { start, end: start + width(kind), kind, is_descending: false }
    }

    pub fn descending(self) -> Self {
        Self { is_descending: true, ..self }
    }

    /// The key that asks for it.
    pub fn text(&self) -> String {
        let direction = if self.is_descending { "desc" } else { "asc" };
        format!("{}..{}:{}:{direction}", self.start, self.end, self.kind)
    }
}

/// Bytes of a number.
pub fn width(kind: &str) -> usize {
    let digits: String = kind.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().expect("a number") / 8
}

/// The records of `length` bytes in `data`, in stable order of `parts`; of the whole record where
/// there are none.
pub fn sorted(data: &[u8], length: usize, parts: &[Part]) -> Vec<u8> {
    let whole = [Part::bytes(0, length)];
    let parts = if parts.is_empty() { &whole } else { parts };
    let mut records: Vec<&[u8]> = data.chunks_exact(length).collect();
    records.sort_by(|a, b| {
        parts.iter().map(|part| compare(part, a, b)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    });
    records.concat()
}

fn compare(part: &Part, a: &[u8], b: &[u8]) -> Ordering {
    let order = compare_values(part.kind, &a[part.start..part.end], &b[part.start..part.end]);
    if part.is_descending { order.reverse() } else { order }
}

fn compare_values(kind: &str, a: &[u8], b: &[u8]) -> Ordering {
    macro_rules! as_number {
        ($decode:path, $compare:path) => {
            $compare(
                &$decode(a.try_into().expect("a number's width")),
                &$decode(b.try_into().expect("a number's width")),
            )
        };
    }
    match kind {
        "bytes" => a.cmp(b),
        "u8" => as_number!(u8::from_le_bytes, Ord::cmp),
        "u16le" => as_number!(u16::from_le_bytes, Ord::cmp),
        "i16be" => as_number!(i16::from_be_bytes, Ord::cmp),
        "i32le" => as_number!(i32::from_le_bytes, Ord::cmp),
        "i32be" => as_number!(i32::from_be_bytes, Ord::cmp),
        "u64le" => as_number!(u64::from_le_bytes, Ord::cmp),
        "u64be" => as_number!(u64::from_be_bytes, Ord::cmp),
        "i64le" => as_number!(i64::from_le_bytes, Ord::cmp),
        "f32be" => as_number!(f32::from_be_bytes, f32::total_cmp),
        "f64le" => as_number!(f64::from_le_bytes, f64::total_cmp),
        "f64be" => as_number!(f64::from_be_bytes, f64::total_cmp),
        _ => panic!("the reference knows no type {kind}"),
    }
}

/// The hash of a record.
pub fn hash(record: &[u8]) -> u128 {
    let key = Block::from(0x4528_21e6_38d0_1377_be54_66cf_34e9_0c6c_u128.to_le_bytes());
    let mut a = 0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344 ^ record.len() as u128;
    let mut b = 0xa409_3822_299f_31d0_082e_fa98_ec4e_6c89;
    let round = |state: u128, key: &Block| {
        let mut block = Block::from(state.to_le_bytes());
        cipher_round(&mut block, key);
        u128::from_le_bytes(block.into())
    };
    let number = |bytes: &[u8]| {
        let (mut padded, width) = ([0; 16], bytes.len().min(16));
        padded[..width].copy_from_slice(&bytes[..width]);
        u128::from_le_bytes(padded)
    };
    let blocks = record.len().div_ceil(16).max(1);
    for index in 0..blocks - 1 {
        let state = if index % 2 == 0 { &mut a } else { &mut b };
        *state = round(*state ^ number(&record[16 * index..]), &key);
    }
    b = round(b ^ number(&record[record.len().saturating_sub(16)..]), &key);
    let joined = round(a, &Block::from(b.to_le_bytes()));
    (0..3).fold(joined, |state, _| round(state, &key))
}
