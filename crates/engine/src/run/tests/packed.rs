//! Compressed runs: written by several workers or at open length, read back whole, record by
//! record, and as blocks of a merge of streams; and damage is blamed on its block.

use std::collections::BTreeSet;

use super::lines::lines;
use super::open::write_open;
use super::*;
use crate::codec::{Codec, Compression};
use crate::run::RunBlocks;

fn all() -> [Compression; 3] {
    let zstd = |level| Compression::with_level(Codec::Zstd, level).unwrap();
    [Compression::of(Codec::Lz4), zstd(1), zstd(9)]
}

fn packing(compression: Compression) -> RunPacking {
    RunPacking::fixed((Some(compression), "a test"))
}

/// Writes a compressed run of known sizes.
fn write_packed(
    path: &Path,
    (key, packing): (&dyn KeyEncoder, RunPacking),
    (data, framing): (&[u8], Framing),
    tasks: (usize, usize),
) -> Run {
    let geometry = geometry_of(key, data, framing);
    let writer = RunWriter::create_packed(path, Direct::Auto, geometry, packing).unwrap();
    write_with(writer, key, (data, framing), tasks).0
}

/// Replaces every other part of records with bytes that do not shrink.
fn with_noise(mut data: Vec<u8>, record: usize, part: usize) -> Vec<u8> {
    let mut state = 7_u64;
    for (number, record) in data.chunks_exact_mut(record).enumerate() {
        if number / part % 2 == 1 {
            for byte in record.iter_mut().skip(8) {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *byte = (state >> 56) as u8;
            }
        }
    }
    data
}

/// Reads all blocks as a merge of streams does, up to `most` at once.
fn read_as_stream(run: &Run, most: u64) -> Vec<u8> {
    let whole = std::fs::read(&run.path).unwrap();
    let mut blocks = RunBlocks::new(RunReader::open(run, Direct::Off).unwrap(), 0).unwrap();
    let (mut at, end) = blocks.bounds();
    let mut data = Vec::new();
    while at < end {
        let asked = blocks.ask(at..end.min(at + most * BLOCK as u64)).unwrap();
        let area = &whole[asked.bytes.start as usize..asked.bytes.end as usize];
        assert!(asked.count > 0 && area.len() <= asked.count * BLOCK);
        for number in 0..asked.count {
            let mut block = vec![0; BLOCK];
            blocks.expand(at, number, area, asked.bytes.start, &mut block).unwrap();
            data.extend_from_slice(&block);
        }
        at += (asked.count * BLOCK) as u64;
    }
    data.truncate(run.bytes as usize);
    data
}

#[test]
fn compressed_runs_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let (length, framing) = (100, Framing::Fixed(100));
    let key = key_of("..", length);
    for compression in all() {
        for count in [1, 655, 656, 40_000] {
            for part in [usize::MAX, 100, 3000] {
                let data = with_noise(ascending(count, length), length, part);
                let path = folder.path().join(format!("{compression}-{count}-{part}"));
                let packing = packing(compression);
                let tasks = (1 + count / 7, 3);
                let packed = (key.encoder(), packing.clone());
                let run = write_packed(&path, packed, (&data, framing), tasks);
                assert!(read_back(&run).unwrap() == data, "{}", path.display());
                check_tables(&run, key.encoder(), &data, framing);
                assert!([1, 3, 100].iter().all(|most| read_as_stream(&run, *most) == data));
                let (before, after) = packing.count().bytes();
                assert_eq!(before, (data.len().div_ceil(BLOCK) * BLOCK) as u64);
                let geometry = *RunReader::open(&run, Direct::Off).unwrap().geometry();
                assert_eq!(after, geometry.footer_start() - geometry.table_end());
                let plain = packing.count().blocks().1;
                assert!(after < before && (part == 3000 || plain == 0), "{after} of {before}");
            }
        }
    }
}

#[test]
fn compressed_runs_of_open_length_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let whole = WholeRecord(b'\n');
    let inputs = [
        lines([0]),
        lines((0..4000).map(|number| number * 37 % 3000)),
        lines([BLOCK - 1, 3 * BLOCK, 0, 7, BLOCK - 1]),
        Vec::new(),
    ];
    for (number, data) in inputs.iter().enumerate() {
        for compression in all() {
            let path = folder.path().join(format!("{compression}-{number}"));
            let packing = Some(packing(compression));
            let run = write_open(&path, &whole, (data, LINE_FEED), 37, packing);
            assert!(read_back(&run).unwrap() == *data);
            if !data.is_empty() {
                check_tables(&run, &whole, data, LINE_FEED);
            }
            assert!(read_as_stream(&run, 5) == *data);
        }
    }
}

/// A flipped bit in a stored block is blamed on that block; one in the table on its page.
#[test]
fn damage_in_a_compressed_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (key, framing) = (key_of("0..8", 100), Framing::Fixed(100));
    let data = ascending(20_000, 100);
    for compression in all() {
        let path = folder.path().join(compression.to_string());
        let packed = (key.encoder(), packing(compression));
        let run = write_packed(&path, packed, (&data, framing), (5000, 2));
        let whole = std::fs::read(&path).unwrap();
        let reader = RunReader::open(&run, Direct::Off).unwrap();
        let geometry = *reader.geometry();
        let stored = reader.stored(0, geometry.blocks()).unwrap();
        let mut blamed = BTreeSet::new();
        for (number, block) in stored.iter().enumerate().step_by(3) {
            for at in (block.offset..block.offset + u64::from(block.length)).step_by(97) {
                let mut flipped = whole.clone();
                flipped[at as usize] ^= 1 << (at % 8);
                std::fs::write(&path, &flipped).unwrap();
                match read_back(&run) {
                    // Some bits of a codec mean nothing.
                    Ok(found) => assert!(found == data),
                    Err(Error::Corrupt { path: named, block, .. }) => {
                        assert_eq!((named, block), (path.clone(), number as u64));
                        blamed.insert(number);
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
        assert_eq!(blamed.len(), stored.len().div_ceil(3));
        for at in [geometry.table_start() + 30, 50, 65, geometry.footer_start() + 20] {
            let mut flipped = whole.clone();
            flipped[at as usize] ^= 1;
            std::fs::write(&path, &flipped).unwrap();
            assert!(matches!(read_back(&run), Err(Error::Corrupt { .. })), "byte {at}");
        }
    }
}

/// Entries that name impossible places are refused, even if the page's checksum is right.
#[test]
fn impossible_places_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (key, framing) = (key_of("0..8", 100), Framing::Fixed(100));
    let (data, path) = (ascending(2000, 100), folder.path().join("run"));
    let packed = (key.encoder(), packing(Compression::of(Codec::Lz4)));
    let run = write_packed(&path, packed, (&data, framing), (500, 1));
    let whole = std::fs::read(&path).unwrap();
    let table = RunReader::open(&run, Direct::Off).unwrap().geometry().table_start() as usize;
    let place = table + 14 + 8;
    for (offset, length) in [(0, 100), (u64::MAX, 100), (1 << 40, 9), (8192, 0), (8192, 1 << 20)] {
        let mut changed = whole.clone();
        changed[place..place + 8].copy_from_slice(&u64::to_le_bytes(offset));
        changed[place + 8..place + 12].copy_from_slice(&u32::to_le_bytes(length));
        let seal = xxh3_64_with_seed(&changed[table..table + PAGE - 8], 0);
        changed[table + PAGE - 8..table + PAGE].copy_from_slice(&seal.to_le_bytes());
        std::fs::write(&path, &changed).unwrap();
        let found = read_back(&run).unwrap_err().to_string();
        assert!(found.contains("no block can be stored"), "{found}");
    }
}
