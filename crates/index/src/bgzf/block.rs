//! Making blocks, for tests of this crate.

use libdeflater::{CompressionLvl, Compressor, crc32};

/// Returns a block of at most 65,280 bytes.
pub fn block(bytes: &[u8]) -> Vec<u8> {
    let mut deflate = Compressor::new(CompressionLvl::default());
    let mut packed = vec![0; deflate.deflate_compress_bound(bytes.len())];
    let length = deflate.deflate_compress(bytes, &mut packed).expect("room");
    packed.truncate(length);
    let last = (18 + packed.len() + 8 - 1) as u16;
    let mut block = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0".to_vec();
    block.extend_from_slice(&last.to_le_bytes());
    block.extend_from_slice(&packed);
    block.extend_from_slice(&crc32(bytes).to_le_bytes());
    block.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    block
}
