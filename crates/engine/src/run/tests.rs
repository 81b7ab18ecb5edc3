//! Runs written by several workers and read back; and every flipped bit that matters is found.

use std::cmp::Ordering;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{self, AtomicUsize};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::layout::{BLOCK, DATA_START, FOOTER, Footer, HEADER, LastRecord, RunGeometry};
use super::page::{PAGE, TablePage};
use super::*;
use crate::error::{Error, Result};
use crate::format::Format;
use crate::format::Framing;
use crate::io::{Direct, Engine};
use crate::key::{CompiledKey, CutRecord, KeyEncoder, OPEN_WORD_BYTES, open_word};
use crate::proof::Sum;
use crate::stats::Progress;

mod lines;
mod open;
#[cfg(feature = "compression")]
mod packed;

/// What ends a line.
pub(crate) const LINE_FEED: Framing = Framing::Terminated(b'\n');

/// Open keys: the whole record, but for the byte that ends it.
pub(crate) struct WholeRecord(pub u8);

impl WholeRecord {
    fn key<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        record.strip_suffix(&[self.0]).unwrap_or(record)
    }
}

impl KeyEncoder for WholeRecord {
    fn key_length(&self) -> usize {
        usize::MAX
    }

    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        let key = self.key(record.bytes);
        out.extend_from_slice(&key[..key.len().min(limit)]);
    }

    fn word(&self, record: &[u8], index: usize) -> u64 {
        open_word(self.key(record).get(index * OPEN_WORD_BYTES..).unwrap_or_default())
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        let from = |key: &'_ [u8]| key.get(word * OPEN_WORD_BYTES..).unwrap_or_default().to_vec();
        from(self.key(a)).cmp(&from(self.key(b)))
    }
}

pub(crate) fn key_of(text: &str, record_length: usize) -> CompiledKey {
    CompiledKey::of_keys(&[text.parse().unwrap()], Format::Fixed { length: record_length as u32 })
        .unwrap()
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

/// The sum of records back to back.
fn sum_of(data: &[u8], framing: Framing) -> Sum {
    let mut sum = Sum::default();
    sum.add_all(framing, data);
    sum
}

/// The geometry of the run that `data` will be.
pub(crate) fn geometry_of(key: &dyn KeyEncoder, data: &[u8], framing: Framing) -> RunGeometry {
    let lengths = || framing.records(data).map(<[u8]>::len);
    let (count, longest) = (lengths().count() as u64, lengths().max().unwrap_or(0) as u64);
    RunGeometry::new(framing, key.key_length(), data.len() as u64, count, longest)
}

/// Writes sorted records as a run, in tasks of `task_records`, by `workers` at a time.
pub(crate) fn write_run(
    path: &Path,
    key: &dyn KeyEncoder,
    (data, framing): (&[u8], Framing),
    tasks: (usize, usize),
) -> Run {
    write_counted(path, key, (data, framing), tasks).0
}

/// The same; and the most pages of the table that were in memory at once.
fn write_counted(
    path: &Path,
    key: &dyn KeyEncoder,
    (data, framing): (&[u8], Framing),
    tasks: (usize, usize),
) -> (Run, usize) {
    let geometry = geometry_of(key, data, framing);
    let writer = RunWriter::create(path, Direct::Auto, geometry).unwrap();
    write_with(writer, key, (data, framing), tasks)
}

/// Writes sorted records with `writer`; the run, and the most pages of the table in memory.
fn write_with(
    writer: RunWriter,
    key: &dyn KeyEncoder,
    (data, framing): (&[u8], Framing),
    (task_records, workers): (usize, usize),
) -> (Run, usize) {
    let progress = Progress::new();
    let next = AtomicUsize::new(0);
    let lane = || crate::sink::tests::lane(Engine::Auto, (4 * BLOCK, 0, BLOCK), &progress);
    let records: Vec<&[u8]> = framing.records(data).collect();
    let tasks: Vec<&[&[u8]]> = records.chunks(task_records).collect();
    let bytes_of = |records: &[&[u8]]| records.iter().map(|record| record.len() as u64).sum();
    let starts: Vec<u64> = tasks
        .iter()
        .scan(0, |end, task| Some(std::mem::replace(end, *end + bytes_of(task))))
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut lane = lane();
                loop {
                    let number = next.fetch_add(1, atomic::Ordering::Relaxed);
                    let Some(task) = tasks.get(number) else { break };
                    let mut offset = starts[number];
                    let bytes = bytes_of(task);
                    let written = writer.sink().write(&mut lane, offset, bytes, |to| {
                        for (turn, batch) in task.chunks(1 + number % 5).enumerate() {
                            let batch = batch.concat();
                            writer.table().note(key, offset, &batch);
                            offset += batch.len() as u64;
                            // In one piece or in two.
                            let (one, two) = batch.split_at(turn % 2 * batch.len() / 2);
                            to.put(one)?;
                            to.put(two)?;
                        }
                        Ok(())
                    });
                    written.unwrap();
                }
                lane.flush().unwrap();
            });
        }
    });
    let mut lane = lane();
    let pages_max = writer.table().pages_max();
    let run = writer.finish(&mut lane, sum_of(data, framing)).unwrap();
    lane.flush().unwrap();
    (run, pages_max)
}

/// A run of records of one length with a true index and all else zeros, most of them in no block of
/// the disk: large enough for planning, and for nothing else.
pub(crate) fn sparse_run(
    path: &Path,
    geometry: &RunGeometry,
    mut index_key: impl FnMut(u64, &mut [u8]),
) -> Run {
    let Framing::Fixed(length) = geometry.framing else { panic!("records of one length") };
    let (width, length, block) = (geometry.index_key_length as usize, length as u64, BLOCK as u64);
    let mut number = 0;
    let mut next_key = || {
        let mut key = vec![0; width];
        index_key(number, &mut key);
        number += 1;
        IndexKey::read(&key, width + usize::from(width == INDEX_KEY_MAX))
    };
    let file = std::fs::File::create_new(path).unwrap();
    file.set_len(geometry.file_bytes()).unwrap();
    let zeros = xxh3_64(&[0; BLOCK]);
    for number in 0..geometry.pages() {
        let mut page = TablePage::new(geometry.entry());
        for slot in 0..geometry.blocks_per_page() {
            let start = (number * geometry.blocks_per_page() + slot) * block;
            let record = start.next_multiple_of(length);
            page.set_checksum(slot as usize, zeros);
            if record < geometry.data_bytes && record < start + block {
                page.add_record(slot as usize, (record - start) as u32, &mut next_key);
            }
        }
        let place = geometry.table_start() + number * PAGE as u64;
        file.write_all_at(page.sealed(number).as_slice(), place).unwrap();
    }
    let sum = Sum { records: geometry.records, checksum: 0 };
    let last = LastRecord { offset: geometry.data_bytes - length, key: next_key() };
    file.write_all_at(&geometry.header(), 0).unwrap();
    let footer = Footer { sum, last }.bytes(geometry);
    file.write_all_at(&footer, geometry.footer_start()).unwrap();
    Run::new(path, geometry)
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
    let stored = reader.stored(0, geometry.blocks())?;
    let mut data = Vec::new();
    while data.len() < stored.len() * BLOCK {
        let first = data.len() / BLOCK;
        let (count, range) = stretch(&stored[first..], 7);
        let mut memory = vec![0; count * BLOCK];
        let bytes = &whole[range.start as usize..range.end as usize];
        let at = memory.len() - bytes.len();
        memory[at..].copy_from_slice(bytes);
        let blocks = &stored[first..first + count];
        reader.take_blocks(first as u64, &mut memory, blocks, range.end)?;
        data.extend_from_slice(&memory);
    }
    data.truncate(geometry.data_bytes as usize);
    Ok(data)
}

/// Where the records begin whose keys are in the index: the first of each block, and the last.
pub(crate) fn indexed(data: &[u8], framing: Framing) -> Vec<u64> {
    let mut places = Vec::new();
    let (mut at, mut last) = (0, 0);
    for record in framing.records(data) {
        let size = BLOCK as u64;
        let is_first = places.last().is_none_or(|before| before / size < at / size);
        places.extend(is_first.then_some(at));
        (at, last) = (at + record.len() as u64, at);
    }
    places.extend((at > 0).then_some(last));
    places
}

/// Footer, index and single records are those of the data.
fn check_tables(run: &Run, key: &dyn KeyEncoder, data: &[u8], framing: Framing) {
    let reader = RunReader::open(run, Direct::Auto).unwrap();
    assert_eq!(reader.footer().sum, sum_of(data, framing));
    let record = |place: u64| framing.records(&data[place as usize..]).next().unwrap();
    let places = indexed(data, framing);
    let (end, parts) = (data.len() as u64, places.len() - 1);
    let starts: Vec<u64> = places[..parts].iter().copied().chain([end, end]).collect();
    for window_bytes in [0, 20_000, 1 << 20] {
        let mut index = reader.index(window_bytes).unwrap();
        for (number, place) in places.iter().enumerate() {
            assert!(!index.is_over());
            assert_eq!(index.record(), *place, "key {number}");
            assert_eq!(
                (index.part_start(), index.part_end()),
                (starts[number], starts[number + 1])
            );
            let mut expected = Vec::new();
            key.key_bytes(record(*place).into(), INDEX_KEY_MAX + 1, &mut expected);
            assert_eq!(index.key().is_cut(), expected.len() > INDEX_KEY_MAX);
            expected.truncate(INDEX_KEY_MAX);
            assert_eq!(index.key().bytes, expected, "key {number}, window of {window_bytes}");
            index.advance().unwrap();
        }
        assert!(index.is_over());
    }
    for place in [0, places[parts / 2], places[parts]] {
        assert_eq!(reader.record(place).unwrap(), record(place));
    }
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    for length in [1, 16, 100, 4096, 5000, 65_536, 70_000, 1 << 20] {
        for count in [1, 2, 3, 700_000 / length + 5] {
            let (key, framing) = (key_of("..", length), Framing::Fixed(length));
            let data = ascending(count, length);
            for (task_records, workers) in [(1 + count / 7, 3), (count, 1)] {
                let path = folder.path().join(format!("{length}-{count}-{workers}"));
                let tasks = (task_records, workers);
                let run = write_run(&path, key.encoder(), (&data, framing), tasks);
                assert_eq!((run.records, run.bytes), (count as u64, data.len() as u64));
                assert_eq!(run.longest_bytes, length as u64);
                assert!(read_back(&run).unwrap() == data);
                check_tables(&run, key.encoder(), &data, framing);
            }
        }
    }
}

/// The table leaves memory while the run is written: only pages of tasks under way are held.
#[test]
fn memory_of_a_table_does_not_grow_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (length, workers) = (1000, 3);
    let (key, framing) = (key_of("..", length), Framing::Fixed(length));
    for megabytes in [4, 40] {
        let data = ascending(megabytes * 1000, length);
        let path = folder.path().join(megabytes.to_string());
        let (run, pages_max) =
            write_counted(&path, key.encoder(), (&data, framing), (500, workers));
        let pages = RunReader::open(&run, Direct::Off).unwrap().geometry().pages();
        assert!(pages > megabytes as u64, "long keys: {pages} pages");
        // A task of half a megabyte is on two pages at most; slow workers leave theirs behind.
        assert!(pages_max <= 4 * workers, "{pages_max} of {pages} pages");
        check_tables(&run, key.encoder(), &data, framing);
    }
}

/// What a flipped bit at each place must be blamed on; `None` where padding is left alone.
fn place(geometry: &RunGeometry, at: u64) -> Option<(&'static str, u64)> {
    match at {
        _ if at < HEADER as u64 => Some(("header", 0)),
        _ if at < DATA_START => None,
        _ if at < geometry.table_start() => Some(("", (at - DATA_START) / BLOCK as u64)),
        _ if at < geometry.footer_start() => {
            let page = (at - geometry.table_start()) / PAGE as u64;
            Some(("table", page * geometry.blocks_per_page()))
        }
        _ if at < geometry.footer_start() + FOOTER as u64 => Some(("footer", 0)),
        _ => None,
    }
}

/// Flips one bit at each of `places`; each is found where it is, or means nothing.
fn check_flips(run: &Run, places: impl Iterator<Item = usize>) {
    let whole = std::fs::read(&run.path).unwrap();
    let geometry = *RunReader::open(run, Direct::Off).unwrap().geometry();
    let data = read_back(run).unwrap();
    for at in places {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&run.path, &flipped).unwrap();
        let found = read_back(run);
        let Some((what, expected)) = place(&geometry, at as u64) else {
            assert!(found.unwrap() == data, "byte {at} means nothing");
            continue;
        };
        match found {
            Err(Error::Corrupt { path: named, block, message }) => {
                assert_eq!(named, run.path);
                assert_eq!(block, expected, "byte {at} of the {what}: {message}");
                assert!(message.to_string().contains(what), "{what}: {message}");
            }
            other => panic!("byte {at} of the {what}: {:?}", other.map(|data| data.len())),
        }
    }
    std::fs::write(&run.path, &whole).unwrap();
}

#[test]
fn one_flipped_bit_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let key = key_of("0..10", 100);
    let data = ascending(3000, 100);
    let run = write_run(&path, key.encoder(), (&data, Framing::Fixed(100)), (500, 2));
    let geometry = RunGeometry::new(Framing::Fixed(100), 10, 300_000, 3000, 100);
    let (table, end) = (geometry.table_start() as usize, geometry.file_bytes() as usize);
    assert_eq!(end as u64, std::fs::metadata(&path).unwrap().len());
    let places = (0..300)
        .chain((300..DATA_START as usize).step_by(7)) // padding of the header
        .chain((DATA_START as usize..table).step_by(997))
        .chain(table - 1..end); // from the padding of the last block on, which its checksum covers
    check_flips(&run, places);
}

/// A run of four pages of table: its keys are longer than the index keeps.
fn run_of_four_pages(path: &Path) -> (Run, RunGeometry) {
    let (length, count) = (300, 12_000);
    let key = key_of("..", length);
    let data = ascending(count, length);
    let run = write_run(path, key.encoder(), (&data, Framing::Fixed(length)), (1000, 2));
    let (records, bytes) = (count as u64, length as u64);
    let framing = Framing::Fixed(length);
    let geometry = RunGeometry::new(framing, length, records * bytes, records, bytes);
    assert_eq!(geometry.pages(), 4);
    (run, geometry)
}

/// No page is used that has not been checked when it was read, and none before it is needed.
#[test]
fn an_index_that_changes_on_the_way_is_found_before_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, geometry) = run_of_four_pages(&path);
    let reader = RunReader::open(&run, Direct::Off).unwrap();
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let keys = geometry.blocks() + 1;
    for page in 0..geometry.pages() {
        let mut index = reader.index(0).unwrap();
        let place = geometry.table_start() + page * PAGE as u64 + 100;
        let mut byte = [0];
        file.read_exact_at(&mut byte, place).unwrap();
        file.write_all_at(&[byte[0] ^ 1], place).unwrap();
        let mut shown = 1;
        let stopped = loop {
            if let Err(error) = index.advance() {
                break Some(error);
            }
            if index.is_over() {
                break None;
            }
            shown += 1;
        };
        file.write_all_at(&byte, place).unwrap();
        // The first page was in memory by then.
        let before = page * geometry.blocks_per_page();
        assert_eq!(shown, if page == 0 { keys } else { before - 1 });
        let Some(error) = stopped else { continue };
        assert!(matches!(error, Error::Corrupt { block, .. } if block == before), "{error}");
    }
}

/// A table that was sealed and says what cannot be is not gone by either.
#[test]
fn places_that_no_record_can_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let key = key_of("0..10", 100);
    let data = ascending(3000, 100);
    let run = write_run(&path, key.encoder(), (&data, Framing::Fixed(100)), (500, 1));
    let geometry = RunGeometry::new(Framing::Fixed(100), 10, 300_000, 3000, 100);
    let whole = std::fs::read(&path).unwrap();
    let (table, entry_bytes) = (geometry.table_start() as usize, 8 + 4 + 2 + 10);
    let last = (data.len() - (geometry.blocks() as usize - 1) * BLOCK) as u32;
    for (block, place) in [(0, BLOCK as u32), (1, u32::MAX - 1), (geometry.blocks() - 1, last)] {
        let mut changed = whole.clone();
        let at = table + block as usize * entry_bytes + 8;
        changed[at..at + 4].copy_from_slice(&place.to_le_bytes());
        let seal = xxh3_64_with_seed(&changed[table..table + PAGE - 8], 0);
        changed[table + PAGE - 8..table + PAGE].copy_from_slice(&seal.to_le_bytes());
        std::fs::write(&path, &changed).unwrap();
        let mut index = RunReader::open(&run, Direct::Off).unwrap().index(0);
        while let Ok(shown) = &mut index {
            assert!(!shown.is_over(), "an impossible place in block {block}");
            index = match shown.advance() {
                Ok(()) => continue,
                Err(e) => Err(e),
            };
        }
        let error = index.map(|_| ()).expect_err("an impossible place");
        assert!(matches!(error, Error::Corrupt { block: named, .. } if named == block), "{error}");
    }
}

/// Pages say nothing of where they belong, but their seals do.
#[test]
fn pages_in_each_others_place_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, geometry) = run_of_four_pages(&path);
    let mut whole = std::fs::read(&path).unwrap();
    let start = geometry.table_start() as usize;
    let (one, two) = whole[start..].split_at_mut(PAGE);
    one.swap_with_slice(&mut two[..PAGE]);
    std::fs::write(&path, &whole).unwrap();
    let error = read_back(&run).expect_err("pages exchanged");
    assert!(matches!(error, Error::Corrupt { block: 0, .. }), "{error}");
}

#[test]
fn files_that_are_no_whole_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let key = key_of("0..10", 100);
    let data = ascending(3000, 100);
    let run = write_run(&path, key.encoder(), (&data, Framing::Fixed(100)), (500, 1));
    let whole = std::fs::read(&path).unwrap();
    let refused = |content: &[u8], run: &Run| {
        std::fs::write(&path, content).unwrap();
        let error = RunReader::open(run, Direct::Auto).map(|_| ()).expect_err("no whole run");
        assert!(matches!(&error, Error::Corrupt { path: named, .. } if *named == path), "{error}");
        assert!(matches!(error, Error::Corrupt { .. }));
    };
    for cut in [0, 1, HEADER, 4096, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        refused(&whole[..cut], &run);
    }
    refused(&[whole.as_slice(), &[0; 4096]].concat(), &run);
    refused(b"Once upon a time there was a file that had nothing to do with sorting.", &run);
    refused(&whole, &Run { records: 2999, ..run.clone() });
    refused(&whole, &Run { bytes: 299_900, ..run.clone() });
    refused(&whole, &Run { longest_bytes: 99, ..run.clone() });
    // A later version, correctly sealed.
    let mut later = whole.clone();
    later[8] += 1;
    let seal = xxh3_64(&later[..HEADER - 8]).to_le_bytes();
    later[HEADER - 8..HEADER].copy_from_slice(&seal);
    refused(&later, &run);
    let missing = Run { path: folder.path().join("nowhere"), ..run };
    let error = RunReader::open(&missing, Direct::Auto).expect_err("missing");
    assert!(matches!(error, Error::Io { .. }), "{error}");
}
