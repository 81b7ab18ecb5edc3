//! The records that every sort gets, and the sum of what it returns.

/// Bytes of a record, and of its key.
pub const RECORD: usize = 100;
pub const KEY: usize = 10;

/// Bytes of the payload that number the records.
const NUMBER: usize = 8;

/// The records, the same for every sort (xorshift; Marsaglia, "Xorshift RNGs", 2003).
#[derive(Debug)]
pub struct Records {
    state: u64,
    number: u64,
    count: u64,
    /// Number of different keys; zero where no two are equal.
    distinct: u64,
    record: [u8; RECORD],
}

impl Records {
    /// Returns `count` records. No two keys are equal, unless there are `distinct` keys.
    pub fn new(count: u64, distinct: u64) -> Self {
        let record = [b'p'; RECORD];
        Self { state: 88_172_645_463_325_252, number: 0, count, distinct, record }
    }

    /// Returns the next record; `None` after the last one.
    pub fn next(&mut self) -> Option<&[u8; RECORD]> {
        let (number, key) = (self.number, self.next_key()?);
        self.record[..8].copy_from_slice(&key.to_be_bytes());
        self.record[8..KEY].copy_from_slice(&((key >> 32) as u16).to_be_bytes());
        self.record[KEY..KEY + NUMBER].copy_from_slice(&number.to_le_bytes());
        Some(&self.record)
    }

    /// Returns the key of the next record, as a number; `None` after the last one.
    pub fn next_key(&mut self) -> Option<u64> {
        if self.number == self.count {
            return None;
        }
        // All states of the generator differ, so that no tie is left to the rest of the key.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.number += 1;
        Some(self.state.checked_rem(self.distinct).unwrap_or(self.state))
    }
}

/// Sum of records that depends on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OrderSum {
    /// Number of records.
    pub records: u64,
    /// Sum of the keys.
    pub keys: u64,
    /// Sum of the numbers in the payloads, which shows the order of equal keys.
    pub numbers: u64,
}

impl OrderSum {
    /// Adds the next record.
    pub fn add(&mut self, key: &[u8], payload: &[u8]) {
        self.records += 1;
        self.keys = mixed(self.keys, key);
        self.numbers = mixed(self.numbers, payload);
    }
}

/// Returns a sum with the first eight bytes of a value added.
fn mixed(sum: u64, value: &[u8]) -> u64 {
    let first = value.first_chunk().copied().map_or(0, u64::from_le_bytes);
    sum.rotate_left(5).wrapping_add(first).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
