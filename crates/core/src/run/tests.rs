//! Runs written by several workers and read back; and every flipped bit that matters is found.

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use xxhash_rust::xxh3::xxh3_64;

use super::layout::{BLOCK, DATA_START, FOOTER, Footer, Geometry, HEADER, INDEX_KEY_MAX};
use super::*;
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Direct, Engine};
use crate::key::{Key, KeyEncoder, KeySpec};
use crate::proof::Sum;
use crate::stats::Progress;

pub(crate) fn key_of(text: &str, record_length: usize) -> Key {
    Key::new(&[text.parse::<KeySpec>().unwrap()], record_length).unwrap()
}

/// Records of `length` bytes, ordered by their first eight (or fewer).
pub(crate) fn ascending(count: usize, length: usize) -> Vec<u8> {
    let mut data = vec![0x5b; count * length];
    for (number, record) in data.chunks_exact_mut(length).enumerate() {
        let width = length.min(8);
        let value = (number as u64) << (64 - 40);
        record[..width].copy_from_slice(&value.to_be_bytes()[..width]);
    }
    data
}

/// Writes sorted records as a run, in tasks of `task_records`, by `workers` at a time.
pub(crate) fn write_run(
    path: &Path,
    key: &dyn KeyEncoder,
    (data, length): (&[u8], usize),
    (task_records, workers): (usize, usize),
) -> Run {
    let count = (data.len() / length) as u64;
    let geometry = Geometry::new(length, key.key_length(), count);
    let writer = RunWriter::create(path, Direct::Auto, geometry).unwrap();
    let progress = Progress::new();
    let next = AtomicUsize::new(0);
    let lane = || crate::sink::tests::lane(Engine::Auto, (4 * BLOCK, length, BLOCK), &progress);
    let mut sum = Sum::default();
    sum.add_all(Framing::Fixed(length), data);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut lane = lane();
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    let Some(part) = data.chunks(task_records * length).nth(task) else { break };
                    let first = (task * task_records) as u64;
                    let (offset, bytes) = (first * length as u64, part.len() as u64);
                    writer
                        .sink()
                        .write(&mut lane, offset, bytes, |to| {
                            for (number, record) in (first..).zip(part.chunks(length)) {
                                to.room()[..length].copy_from_slice(record);
                                writer.index().note(key, number, record);
                                to.commit(length)?;
                            }
                            Ok(())
                        })
                        .unwrap();
                }
                lane.flush().unwrap();
            });
        }
    });
    let mut lane = lane();
    let run = writer.finish(&mut lane, sum).unwrap();
    lane.flush().unwrap();
    run
}

/// A run with a true index and all else zeros, most of them in no block of the disk: large enough
/// for planning, and for nothing else.
pub(crate) fn sparse_run(
    path: &Path,
    geometry: &Geometry,
    mut index_key: impl FnMut(u64, &mut [u8]),
) -> Run {
    let mut tables = vec![0; geometry.blocks() as usize * 8];
    let checksums_sum = xxh3_64(&tables);
    let mut keys = vec![0; geometry.index_bytes() as usize];
    for (number, key) in (0..).zip(keys.chunks_mut(geometry.index_key_length as usize)) {
        index_key(number, key);
    }
    tables.extend_from_slice(&keys);
    let sum = Sum { records: geometry.records, checksum: 0 };
    let footer = Footer { sum, checksums_sum, index_sum: xxh3_64(&keys) };
    let file = std::fs::File::create_new(path).unwrap();
    file.set_len(geometry.file_bytes()).unwrap();
    file.write_all_at(&geometry.header(), 0).unwrap();
    file.write_all_at(&tables, geometry.checksums_start()).unwrap();
    file.write_all_at(&footer.bytes(geometry), geometry.file_bytes() - FOOTER as u64).unwrap();
    Run { path: path.to_owned(), records: geometry.records }
}

/// Reads all there is to a run, trusting nothing; its records.
fn read_back(run: &Run) -> Result<Vec<u8>> {
    let reader = RunReader::open(run, Direct::Off)?;
    let geometry = *reader.geometry();
    let mut index = reader.index(1)?;
    while !index.is_over() {
        index.advance()?;
    }
    let whole = std::fs::read(&run.path).unwrap();
    let blocks = &whole[DATA_START as usize..][..geometry.blocks() as usize * BLOCK];
    let checksums = reader.checksums(0, geometry.blocks())?;
    reader.check_blocks(0, blocks, &checksums)?;
    Ok(blocks[..geometry.data_bytes() as usize].to_vec())
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for length in [1, 16, 100, 4096, 5000, 65_536, 70_000, 1 << 20] {
        for count in [1, 2, 3, 700_000 / length + 5] {
            let key = key_of("..", length);
            let data = ascending(count, length);
            for (task_records, workers) in [(1 + count / 7, 3), (count, 1)] {
                let path = folder.path().join(format!("{length}-{count}-{workers}"));
                let run = write_run(&path, key.encoder(), (&data, length), (task_records, workers));
                assert_eq!(run.records, count as u64);
                assert!(read_back(&run).unwrap() == data);
                check_tables(&run, key.encoder(), &data, length);
            }
        }
    }
}

/// Footer, index and single records are those of the data.
fn check_tables(run: &Run, key: &dyn KeyEncoder, data: &[u8], length: usize) {
    let reader = RunReader::open(run, Direct::Auto).unwrap();
    let mut sum = Sum::default();
    sum.add_all(Framing::Fixed(length), data);
    assert_eq!(reader.footer().sum, sum);
    let record = |number: u64| &data[number as usize * length..][..length];
    for window_bytes in [0, 1000, 1 << 20] {
        let mut index = reader.index(window_bytes).unwrap();
        assert_eq!(index.part_start(0), 0);
        assert_eq!(index.part_start(index.parts()), run.records, "parts hold all");
        for number in 0..=index.parts() {
            assert!(index.number() == number && !index.is_over());
            let at = index.record(number);
            assert!(at == index.part_start(number) || number == index.parts());
            let mut expected = vec![0; key.key_length().min(INDEX_KEY_MAX)];
            key.encode(record(at), &mut expected);
            assert_eq!(index.key(), expected, "key {number}, {window_bytes} bytes at a time");
            index.advance().unwrap();
        }
        assert!(index.is_over());
    }
    for number in [0, run.records / 2, run.records - 1] {
        assert_eq!(reader.record(number).unwrap(), record(number));
    }
}

/// What a flipped bit at each place must be blamed on; `None` where padding is left alone.
fn place(geometry: &Geometry, at: u64, file_bytes: u64) -> Option<&'static str> {
    let index_end = geometry.index_start() + geometry.index_bytes();
    match at {
        _ if at < HEADER as u64 => Some("header"),
        _ if at < DATA_START => None,
        _ if at < geometry.checksums_start() => Some("data"),
        _ if at < geometry.index_start() => Some("checksums"),
        _ if at < index_end => Some("index"),
        _ if at < file_bytes - FOOTER as u64 => None,
        _ => Some("footer"),
    }
}

#[test]
fn one_flipped_bit_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (length, count) = (100, 3000);
    let key = key_of("0..10", length);
    let data = ascending(count, length);
    let run = write_run(&path, key.encoder(), (&data, length), (500, 2));
    let whole = std::fs::read(&path).unwrap();
    let geometry = Geometry::new(length, 10, count as u64);
    assert_eq!(geometry.file_bytes(), whole.len() as u64);
    let tables = geometry.checksums_start() as usize..whole.len();
    let places = (0..DATA_START as usize)
        .chain((DATA_START as usize..tables.start).step_by(997))
        .chain([tables.start - 1]) // the padding of the last block, which its checksum covers
        .chain(tables);
    for at in places {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).unwrap();
        let found = read_back(&run);
        let Some(what) = place(&geometry, at as u64, whole.len() as u64) else {
            assert!(found.unwrap() == data, "byte {at} means nothing");
            continue;
        };
        match found {
            Err(Error::Corrupt { path: named, block, message }) => {
                assert_eq!(named, path);
                let expected = match what {
                    "data" => (at as u64 - DATA_START) / BLOCK as u64,
                    _ => 0,
                };
                assert_eq!(block, expected, "byte {at} of the {what}: {message}");
                assert!(what == "data" || message.contains(what), "{what}: {message}");
            }
            other => panic!("byte {at} of the {what}: {:?}", other.map(|data| data.len())),
        }
    }
}

/// A damaged table of checksums is no fault of the data: it is told when the run is opened.
#[test]
fn a_flipped_checksum_is_found_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let geometry = Geometry::new(100, 10, 50_000_000);
    let run = sparse_run(&path, &geometry, |_, _| {});
    RunReader::open(&run, Direct::Auto).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[1], geometry.index_start() - 1).unwrap();
    let error = RunReader::open(&run, Direct::Auto).expect_err("a flipped bit");
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    assert!(error.to_string().contains("table of block checksums"), "{error}");
}

/// No key is shown that is not what it was when the index was opened and found whole.
#[test]
fn an_index_that_changes_on_the_way_is_found_before_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let key = key_of("0..10", 100);
    let data = ascending(30_000, 100);
    let run = write_run(&path, key.encoder(), (&data, 100), (5000, 2));
    let reader = RunReader::open(&run, Direct::Off).unwrap();
    let geometry = *reader.geometry();
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let keys = geometry.index_keys();
    assert!(keys > 40);
    for number in 0..keys {
        let mut index = reader.index(0).unwrap();
        let place = geometry.index_start() + number * 10;
        let mut byte = [0];
        file.read_exact_at(&mut byte, place).unwrap();
        file.write_all_at(&[byte[0] ^ 1], place).unwrap();
        let mut passed = 0;
        let stopped = loop {
            if index.is_over() {
                break None;
            }
            passed += 1;
            if let Err(error) = index.advance() {
                break Some(error);
            }
        };
        // The first four keys were in memory by then.
        assert_eq!(passed, if number < 4 { keys } else { number / 4 * 4 });
        assert_eq!(matches!(stopped, Some(Error::Corrupt { .. })), number >= 4);
        file.write_all_at(&byte, place).unwrap();
    }
}

#[test]
fn files_that_are_no_whole_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let key = key_of("0..10", 100);
    let data = ascending(3000, 100);
    let run = write_run(&path, key.encoder(), (&data, 100), (500, 1));
    let whole = std::fs::read(&path).unwrap();
    let refused = |content: &[u8], run: &Run| {
        std::fs::write(&path, content).unwrap();
        let error = RunReader::open(run, Direct::Auto).map(|_| ()).expect_err("no whole run");
        assert!(matches!(&error, Error::Corrupt { path: named, .. } if *named == path), "{error}");
        assert_eq!(error.exit_code(), 5);
    };
    for cut in [0, 1, HEADER, 4096, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        refused(&whole[..cut], &run);
    }
    refused(&[whole.as_slice(), &[0; 4096]].concat(), &run);
    refused(b"Once upon a time there was a file that had nothing to do with sorting.", &run);
    refused(&whole, &Run { records: 2999, ..run.clone() });
    // A later version, correctly sealed.
    let mut later = whole.clone();
    later[8] += 1;
    let seal = xxh3_64(&later[..HEADER - 8]).to_le_bytes();
    later[HEADER - 8..HEADER].copy_from_slice(&seal);
    refused(&later, &run);
    let missing = Run { path: folder.path().join("nowhere"), records: 1 };
    let error = RunReader::open(&missing, Direct::Auto).expect_err("missing");
    assert!(matches!(error, Error::Io { .. }), "{error}");
}
