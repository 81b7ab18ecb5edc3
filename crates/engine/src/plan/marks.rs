//! The marks of blocks: for each block of a load and each bucket, how many records of the bucket
//! were in the blocks so far. They give records of a bucket the order of the input.

use crate::incore::sort::bucket_records;

/// Most blocks a load is cut into.
const BLOCKS_MAX: usize = 4096;

/// Divisor of the memory of loads that gives the limit for marks.
const MARKS_SHARE: usize = 64;

/// Returns the number of bytes that the marks of one block take in a load of `bytes` bytes.
fn marks_bytes(bytes: usize, record_length: usize) -> usize {
    let buckets = bytes / record_length / bucket_records(record_length);
    size_of::<u32>() * buckets.max(1)
}

/// Returns the least number of bytes of a block of a load of at most `bytes` bytes.
pub fn block_least(bytes: usize, record_length: usize) -> usize {
    let marks = marks_bytes(bytes, record_length);
    bytes / (bytes / MARKS_SHARE / marks).clamp(1, BLOCKS_MAX)
}

/// Returns the least number of bytes of a file, on average, in a load of `bytes` bytes. A file has
/// a block of its own at least, so smaller ones would have too many marks.
pub fn file_least(bytes: u64, record_length: usize) -> u64 {
    (MARKS_SHARE * marks_bytes(bytes as usize, record_length)) as u64
}
