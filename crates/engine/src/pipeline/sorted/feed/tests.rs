//! Runs read as sources: all records, in windows no larger than the longest wants, and no block
//! that was not checked.

use std::path::Path;

use super::*;
use crate::format::Framing;
use crate::io::{Arena, Direct};
use crate::pipeline::sorted::source::{Advance, Source};
use crate::run::layout::DATA_START;
use crate::run::tests::{LINE_FEED, WholeRecord, ascending, key_of, write_run};
use crate::run::{Run, RunReader};
use crate::units::ByteSize;

/// All records of a run, read in pieces of `piece` bytes, with `spare` bytes for long ones.
fn read(
    run: &Run,
    key: &impl crate::key::KeyEncoder,
    framing: Framing,
    (engine, piece, spare): (Engine, usize, usize),
) -> Result<Vec<u8>> {
    let progress = Progress::new();
    let pieces = vec![Arena::new(ByteSize(piece as u64))?];
    let mut feed = Feed::new(engine, 16, pieces, spare, &progress)?;
    let blocks = RunBlocks::new(RunReader::open(run, Direct::Auto)?, 0)?;
    let mut source = Source::new(feed.open_run(blocks, 0, None)?, framing, piece, false)?;
    let mut records = Vec::new();
    while source.advance(key, &mut feed, None)? == Advance::Next {
        records.extend_from_slice(source.record());
    }
    source.close(&mut feed)?;
    assert_eq!(feed.spare_bytes(), spare, "all spare memory was given back");
    Ok(records)
}

/// Sorted lines, every hundredth long.
fn some_lines(long: usize) -> Vec<u8> {
    let line = |number: usize| {
        let length = if number % 100 == 50 { long } else { number % 40 };
        format!("{number:06}{}\n", "y".repeat(length))
    };
    (0..500).map(line).collect::<String>().into_bytes()
}

#[test]
fn all_records_come_in_order() {
    let folder = tempfile::tempdir().unwrap();
    for engine in [Engine::Auto, Engine::Threads, Engine::Mmap, Engine::Sync] {
        for long in [0, BLOCK, 5 * BLOCK + 77] {
            let data = some_lines(long);
            let path = folder.path().join(format!("{engine}-{long}"));
            let key = WholeRecord(b'\n');
            let run = write_run(&path, &key, (&data, LINE_FEED), (50, 2));
            for piece in [BLOCK, 4 * BLOCK, 64 * BLOCK] {
                let spare = (run.longest_bytes as usize).saturating_sub(piece);
                assert!(read(&run, &key, LINE_FEED, (engine, piece, spare)).unwrap() == data);
                if spare > 0 {
                    let less = (engine, piece, spare - 1);
                    let said = read(&run, &key, LINE_FEED, less).unwrap_err().to_string();
                    assert!(said.contains("record 51 at offset"), "{said}");
                }
            }
        }
    }
    let (key, data) = (key_of("0..8", 5000), ascending(300, 5000));
    let path = folder.path().join("fixed");
    let run = write_run(&path, key.encoder(), (&data, Framing::Fixed(5000)), (50, 2));
    let found = crate::key::with_encoder!(&key, |key| read(
        &run,
        key,
        Framing::Fixed(5000),
        (Engine::Auto, BLOCK, 0)
    ));
    assert!(found.unwrap() == data);
}

/// Does `change` to a run's file; what reading it says then.
fn after(run: &Run, whole: &[u8], change: impl FnOnce(&Path)) -> Error {
    change(&run.path);
    let key = WholeRecord(b'\n');
    let found = read(run, &key, LINE_FEED, (Engine::Auto, 2 * BLOCK, 4 * BLOCK));
    std::fs::write(&run.path, whole).unwrap();
    found.expect_err("damage")
}

#[test]
fn one_flipped_bit_is_found_in_its_block() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let data = some_lines(5 * BLOCK);
    let run = write_run(&path, &WholeRecord(b'\n'), (&data, LINE_FEED), (50, 2));
    let whole = std::fs::read(&path).unwrap();
    for block in [0, 1, 2, 9, data.len() / BLOCK] {
        let at = DATA_START as usize + block * BLOCK + 300;
        let error = after(&run, &whole, |path| {
            let mut flipped = whole.clone();
            flipped[at] ^= 32;
            std::fs::write(path, flipped).unwrap();
        });
        assert!(
            matches!(&error, Error::Corrupt { path: named, block: found, .. }
                if *named == path && *found == block as u64),
            "{error}"
        );
    }
}

/// What is kept of files that were closed does not grow with their number.
#[test]
fn tags_are_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, "a\nb\n").unwrap();
    let progress = Progress::new();
    let pieces = (0..3).map(|_| Arena::new(ByteSize(BLOCK as u64)).unwrap()).collect();
    let mut feed = Feed::new(Engine::Auto, 16, pieces, 0, &progress).unwrap();
    for _ in 0..100 {
        let mut open = || feed.open(File::open_read(&path, Direct::Auto).unwrap(), 0, None);
        let files = [open().unwrap(), open().unwrap(), open().unwrap()];
        for mut file in files {
            let mut read = [0; 8];
            assert_eq!(file.read(&mut read, &mut feed).unwrap(), 4);
            assert_eq!(read[..4], *b"a\nb\n");
            file.close(&mut feed).unwrap();
        }
    }
    assert_eq!(feed.arrived.len(), 3);
}
