//! Making blocks, for tests of this crate.

use std::io::Write as _;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// Returns a block of at most 65,280 bytes.
pub fn block(bytes: &[u8]) -> Vec<u8> {
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(bytes).expect("memory");
    let packed = deflate.finish().expect("memory");
    let mut crc = Crc::new();
    crc.update(bytes);
    let last = (18 + packed.len() + 8 - 1) as u16;
    let mut block = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0".to_vec();
    block.extend_from_slice(&last.to_le_bytes());
    block.extend_from_slice(&packed);
    block.extend_from_slice(&crc.sum().to_le_bytes());
    block.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    block
}
