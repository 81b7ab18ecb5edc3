//! Shares of the budget, and what the first bytes of a file tell.

#![cfg(feature = "compression")]

use super::*;

/// Inputs of these first bytes, in files that stay as long as the folder.
fn inputs(folder: &Path, heads: &[&[u8]], codec: Codec) -> Vec<(Origin, Codec)> {
    let file = |(index, head): (usize, &&[u8])| {
        let path = folder.join(index.to_string());
        std::fs::write(&path, head).expect("write");
        (Origin::File(path), codec)
    };
    heads.iter().enumerate().map(file).collect()
}

/// The beginning of a zstd frame.
fn frame(rest: &[u8]) -> Vec<u8> {
    [&ZSTD_MAGIC.to_le_bytes()[..], rest].concat()
}

#[test]
fn windows_are_read_off_the_first_bytes() {
    for (rest, window) in [
        (&[0, 0][..], Some(1 << 10)),
        (&[0, 11 << 3], Some(2 << 20)),
        (&[0, 10 << 3 | 3], Some((1 << 20) / 8 * 11)),
        (&[0, 31 << 3 | 7], Some((1 << 41) / 8 * 15)),
        (&[0b10_0000, 200], Some(200)),
        (&[0b10_0001, 9, 200], Some(200)),
        (&[0b0110_0000, 1, 1], Some(256 + 257)),
        (&[0b1010_0011, 9, 9, 9, 9, 0, 0, 1, 0], Some(1 << 16)),
        (&[0b1110_0000, 0, 0, 0, 0, 1, 0, 0, 0], Some(1 << 32)),
        (&[0b1110_0000, 0, 0, 0], None),
        (&[0], None),
        (&[], None),
    ] {
        assert_eq!(window_of(&frame(rest)), window, "{rest:?}");
    }
    assert_eq!(window_of(b"other data"), None);
    let lz4 = |code| [&0x184d_2204_u32.to_le_bytes()[..], &[0x40, code, 0]].concat();
    assert_eq!(
        [0x40, 0x50, 0x60, 0x70].map(|code| lz4_block_of(&lz4(code)) >> 10),
        [64, 256, 1024, 4096]
    );
    assert_eq!(lz4_block_of(b""), LZ4_BLOCK_MAX);
}

#[test]
fn shares_of_the_budget_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let two_mib = frame(&[0, 11 << 3]);
    for mib in [64, 256, 4096] {
        let budget = ByteSize::mib(mib);
        for codec in Codec::ALL {
            let inputs = inputs(folder.path(), &[&two_mib[..]; 100], codec);
            let sorted = Appetite::in_turn(&inputs, budget, 8).expect("fits");
            assert!(sorted.bytes <= budget.bytes() / 4, "{codec}, {budget}: {sorted:?}");
            assert!(sorted.shape.ahead < sorted.shape.threads, "{sorted:?}");
            let merged = Appetite::at_once(&inputs, budget, 8).expect("fits");
            assert!(merged.width >= 2 && merged.shape.ahead == 0);
            // Two inputs there are in any case, and lz4 of unknown blocks takes 10 MiB for each.
            let least = if codec == Codec::Lz4 { 24 << 20 } else { 0 };
            let most = (budget.bytes() * 3 / 8).max(least);
            assert!(merged.bytes <= most, "{codec}, {budget}: {merged:?}");
            let EncodingAppetite { threads, bytes, .. } =
                EncodingAppetite::new(Compression::of(codec), budget, 8);
            assert!(threads == 1 || bytes <= budget.bytes() / 8, "{codec}, {budget}: {bytes}");
            assert!(threads == 8 || mib < 4096, "{codec}, {budget}: {threads}");
        }
    }
}

/// Buffers grow to the blocks of lz4 frames if there is room for two threads, and only if the
/// blocks are independent.
#[test]
fn independent_blocks_fit_in_buffers() {
    let folder = tempfile::tempdir().expect("a folder");
    let lz4 = |flags: u8, code: u8| {
        [&0x184d_2204_u32.to_le_bytes()[..], &[flags, code << 4, 0], &[0; 20]].concat()
    };
    let (large, linked) = (lz4(0x64, 7), lz4(0x44, 7));
    for (head, mib, cores, buffer_kib, threads) in [
        (&large, 64, 8, 256, 1),
        (&large, 512, 8, 1024, 4),
        (&large, 544, 8, 4096, 2),
        (&large, 1024, 8, 4096, 5),
        (&large, 4096, 8, 4096, 8),
        (&large, 4096, 2, 4096, 2),
        (&large, 4096, 1, 1024, 1),
        (&linked, 4096, 8, 1024, 8),
        (&lz4(0x64, 6), 128, 8, 512, 3),
        (&lz4(0x64, 6), 144, 8, 1024, 2),
        (&lz4(0x64, 4), 64, 8, 256, 5),
        (&lz4(0x64, 4), 4096, 8, 1024, 8),
    ] {
        let budget = ByteSize::mib(mib);
        let inputs = inputs(folder.path(), &[head], Codec::Lz4);
        let Appetite { shape, bytes, spare_bytes, .. } =
            Appetite::in_turn(&inputs, budget, cores).expect("fits");
        let found = (shape.buffer_bytes >> 10, shape.threads);
        assert_eq!(found, (buffer_kib, threads), "{head:?}, {mib} MiB, {cores}: {shape:?}");
        let held = bytes - spare_bytes;
        assert!(held <= budget.bytes() / AHEAD_SHARE || threads == 1, "{mib} MiB: {held}");
    }
    let pipe = [(Origin::Stdin, Codec::Lz4)];
    let piped = Appetite::in_turn(&pipe, ByteSize::gib(4), 4).expect("fits");
    assert_eq!(piped.shape.buffer_bytes, 4 << 20, "a pipe may have the largest blocks");
}

#[test]
fn windows_are_shared_out() {
    let windows = Windows::new(1000, 500);
    assert_eq!(windows.each(), 1000);
    assert_eq!(windows.take(501), Err(500));
    assert_eq!(windows.take(400), Ok(()));
    assert_eq!(windows.take(101), Err(100));
    windows.give_back(400);
    assert_eq!(windows.take(500), Ok(()));
}

#[test]
fn what_asks_for_too_much_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let large = frame(&[0, 17 << 3]);
    let inputs = inputs(folder.path(), &[&frame(&[0, 0]), &large], Codec::Zstd);
    let words = Appetite::at_once(&inputs, ByteSize::mib(512), 2).expect_err("refused").to_string();
    assert!(words.contains("/1: its zstd frames need a window of 128 MiB"), "{words}");
    assert!(words.contains("at least 1 GiB with memory"), "{words}");
    let fits = Appetite::at_once(&inputs, ByteSize::gib(1), 2).expect("fits");
    assert_eq!((fits.window_bytes, fits.width), (128 << 20, 2));
    let missing = [(Origin::File(folder.path().join("none")), Codec::Zstd)];
    let words = Appetite::in_turn(&missing, ByteSize::gib(1), 2).expect_err("none").to_string();
    assert!(words.starts_with("cannot open"), "{words}");
}

/// The advice counts the windows that other decoders have.
#[test]
fn a_shortage_names_a_budget_that_has_room() {
    let windows = Arc::new(Windows::new(1 << 20, 8 << 20));
    let (mut one, mut other) = (WindowMemory::new(&windows), WindowMemory::new(&windows));
    assert_eq!(one.reserve(7 << 20), Ok(()));
    let shortage = other.reserve(8 << 20).expect_err("two of nine are left");
    assert_eq!((shortage.there, shortage.least), (ByteSize::mib(3), ByteSize::mib(16 * (6 + 8))));
    one.release();
    assert_eq!((other.reserve(8 << 20), one.reserve(1 << 20)), (Ok(()), Ok(())));
}
