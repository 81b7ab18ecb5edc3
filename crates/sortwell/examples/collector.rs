//! A collector as database builders write it: insert pairs in any order, then read them in the
//! order of keys, to append them to a B-tree.
//!
//! Run it as `cargo run --release --example collector`.

use sortwell::{ByteSize, Result, Sorted, Sorter};

/// Pairs of keys and values. What does not fit into memory goes to temporary files.
pub struct Collector {
    sorter: Sorter,
}

impl Collector {
    /// Returns a collector that keeps to this memory.
    pub fn new(memory: ByteSize) -> Self {
        let mut sorter = Sorter::new();
        sorter.memory(memory);
        Self { sorter }
    }

    /// Adds a pair.
    pub fn insert(&mut self, key: u64, value: &[u8]) -> Result<()> {
        self.sorter.push_by(|bytes| bytes.asc(key), value)
    }

    /// Returns all pairs in the order of their keys. Equal keys stay in the order of insertion.
    pub fn iter(self) -> Result<Pairs> {
        Ok(Pairs { sorted: Some(self.sorter.finish()?) })
    }
}

/// The pairs of a collector in order. It ends after the first error.
pub struct Pairs {
    sorted: Option<Sorted>,
}

impl Iterator for Pairs {
    type Item = Result<(u64, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let pair = self.sorted.as_mut()?.next().map(|record| {
            let record = record?;
            let key = record.key.first_chunk().copied().map(u64::from_be_bytes)?;
            Some((key, record.payload.to_vec()))
        });
        if pair.is_err() {
            self.sorted = None;
        }
        pair.transpose()
    }
}

fn main() -> Result<()> {
    let mut collector = Collector::new(ByteSize::mib(64));
    for number in 0..1_000_000_u64 {
        collector.insert(number.wrapping_mul(0x9e37_79b9_7f4a_7c15), &number.to_le_bytes())?;
    }
    let mut last = 0;
    for pair in collector.iter()? {
        let (key, _) = pair?;
        assert!(key >= last, "keys ascend");
        last = key;
    }
    Ok(())
}
