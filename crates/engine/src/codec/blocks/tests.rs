//! Blocks are packed and unpacked; damage is reported; memory stays within the announced limit.

#![cfg(feature = "compression")]

use super::*;

const BLOCK: usize = 64 << 10;

/// Returns a block of text-like bytes.
fn text() -> Vec<u8> {
    let words = [b"alpha ".as_slice(), b"beta ", b"gamma\n", b"delta,", b"12345 "];
    let mut state = 7_u32;
    let mut block = Vec::new();
    while block.len() < BLOCK {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        block.extend_from_slice(words[(state >> 24) as usize % words.len()]);
    }
    block.truncate(BLOCK);
    block
}

/// Returns a block that no codec can shrink.
fn noise() -> Vec<u8> {
    let mut state = 1_u64;
    let next = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    next.take(BLOCK).collect()
}

fn all() -> Vec<Compression> {
    let levels = (1..=22).map(|level| Compression::with_level(Codec::Zstd, level));
    levels.map(|level| level.expect("a level")).chain([Compression::of(Codec::Lz4)]).collect()
}

#[test]
fn packed_blocks_are_expanded() {
    for compression in all() {
        let mut packed = Vec::new();
        assert!(pack_block(compression, &text(), |bytes| packed.extend_from_slice(bytes)));
        assert!(packed.len() < BLOCK / 2, "{compression}: {}", packed.len());
        let mut block = vec![0; BLOCK];
        unpack_block(compression.codec(), &packed, &mut block).expect("a packed block");
        assert!(block == text(), "{compression}");
        assert!(!pack_block(compression, &noise(), |_| ()), "{compression} leaves noise");
    }
}

#[test]
fn damaged_blocks_are_reported() {
    for compression in all() {
        let mut packed = Vec::new();
        assert!(pack_block(compression, &text(), |bytes| packed.extend_from_slice(bytes)));
        let mut block = vec![0; BLOCK];
        let cut = &packed[..packed.len() / 2];
        assert!(unpack_block(compression.codec(), cut, &mut block).is_err(), "{compression}");
        assert!(unpack_block(compression.codec(), &[], &mut block).is_err(), "{compression}");
        let mut longer = vec![0; 2 * BLOCK];
        assert!(unpack_block(compression.codec(), &packed, &mut longer).is_err());
        let mut shorter = vec![0; BLOCK - 1];
        assert!(unpack_block(compression.codec(), &packed, &mut shorter).is_err());
        for at in (0..packed.len()).step_by(37) {
            // It may be found out or not: the run's checksum decides.
            packed[at] ^= 0x55;
            let _ = unpack_block(compression.codec(), &packed, &mut block);
            packed[at] ^= 0x55;
        }
    }
}

#[test]
fn states_stay_within_their_memory() {
    for compression in all() {
        assert!(pack_block(compression, &text(), |_| ()));
        let bytes = PACKING.with_borrow(|packer| match packer.as_ref().map(|one| &one.state) {
            Some(PackerState::Zstd(context)) => context.sizeof() as u64,
            _ => 0,
        });
        let (level, most) = (compression.level(), zstd_pack_bytes(compression.level()));
        assert!(bytes <= most, "level {level} takes {bytes} bytes, more than {most}");
    }
    let mut packed = Vec::new();
    let zstd = Compression::of(Codec::Zstd);
    assert!(pack_block(zstd, &text(), |bytes| packed.extend_from_slice(bytes)));
    unpack_block(Codec::Zstd, &packed, &mut vec![0; BLOCK]).expect("a packed block");
    let bytes = UNPACKING.with_borrow(|context| context.as_ref().map_or(0, DCtx::sizeof)) as u64;
    assert!(bytes <= ZSTD_UNPACK_BYTES, "{bytes}");
}
