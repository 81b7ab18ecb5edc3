//! Runs of open length, written by one worker who knows their sizes in the end only; and runs read
//! from their first block to their last.

use super::lines::lines;
use super::*;
use crate::format::LineGroup;
use crate::run::RunBlocks;

/// Writes sorted records as a run of open length, in batches of up to `batch_records`.
pub(super) fn write_open(
    path: &Path,
    key: &dyn KeyEncoder,
    (data, framing): (&[u8], Framing),
    batch_records: usize,
    packing: Option<RunPacking>,
) -> Run {
    let length = key.key_length();
    let writer = RunWriter::create_open(path, Direct::Auto, framing, length, packing).unwrap();
    let progress = Progress::new();
    let mut lane = crate::sink::tests::lane(Engine::Auto, (4 * BLOCK, 0, BLOCK), &progress);
    let records: Vec<&[u8]> = framing.records(data).collect();
    let written = writer.sink().write_from(&mut lane, 0, |to| {
        let mut offset = 0;
        for batch in records.chunks(batch_records) {
            let batch = batch.concat();
            writer.table().note(key, offset, &batch);
            offset += batch.len() as u64;
            to.put(&batch)?;
        }
        Ok(offset)
    });
    let written = written.unwrap();
    writer.sink().seal(&mut lane, written).unwrap();
    let longest = records.iter().map(|record| record.len() as u64).max().unwrap_or(0);
    let sum = sum_of(data, framing);
    let run = writer.finish_open(&mut lane, sum, written, longest).unwrap();
    lane.flush().unwrap();
    run
}

/// Nobody can tell how a run was written: the files are the same to the last byte.
#[test]
fn runs_of_open_length_are_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let check = |key: &dyn KeyEncoder, data: &[u8], framing: Framing, name: &str| {
        let (open, closed) = (folder.path().join(format!("{name}-open")), folder.path().join(name));
        let run = write_open(&open, key, (data, framing), 1 + data.len() % 50, None);
        let other = write_run(&closed, key, (data, framing), (1000, 1));
        assert!(std::fs::read(&open).unwrap() == std::fs::read(&closed).unwrap(), "{name}");
        assert_eq!(Run { path: closed, ..run.clone() }, other);
        assert!(read_back(&run).unwrap() == data);
        check_tables(&run, key, data, framing);
    };
    let whole = WholeRecord(b'\n');
    check(&whole, &lines([0]), LINE_FEED, "one");
    check(&whole, &lines((0..4000).map(|number| number * 37 % 3000)), LINE_FEED, "lines");
    check(&whole, &lines([BLOCK - 1, 3 * BLOCK, 0, 7, BLOCK - 1]), LINE_FEED, "long");
    let group = Framing::Grouped(LineGroup { end: b'\n', lines: 4 });
    check(&whole, &lines((0..4000).map(|number| number * 37 % 300)), group, "groups");
    let key = key_of("0..10", 100);
    for count in [1, 655, 656, 40_000] {
        let name = count.to_string();
        check(key.encoder(), &ascending(count, 100), Framing::Fixed(100), &name);
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 2 * 8, "nothing is left of tables: {left:?}");
}

#[test]
fn a_run_of_open_length_may_be_empty() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let run = write_open(&path, &WholeRecord(b'\n'), (b"", LINE_FEED), 1, None);
    assert_eq!((run.bytes, run.records, run.longest_bytes), (0, 0, 0));
    assert!(read_back(&run).unwrap().is_empty());
}

/// Blocks are checked in pieces of any number of them; one flipped bit is found in its block.
#[test]
fn blocks_are_checked_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let (run, geometry) = run_of_four_pages(&path);
    let whole = std::fs::read(&path).unwrap();
    for window_bytes in [0, 8 << 10, 64 << 10] {
        for step in [1, 3, geometry.blocks() as usize] {
            for flipped in [None, Some(0), Some(17), Some(geometry.blocks() - 1)] {
                let reader = RunReader::open(&run, Direct::Off).unwrap();
                let mut blocks = RunBlocks::new(reader, window_bytes).unwrap();
                let (start, end) = blocks.bounds();
                assert_eq!(blocks.records_end() - start, run.bytes);
                let mut bytes = whole[start as usize..end as usize].to_vec();
                if let Some(block) = flipped {
                    bytes[block as usize * BLOCK + 5] ^= 4;
                }
                let mut pieces = (start..).step_by(step * BLOCK).zip(bytes.chunks(step * BLOCK));
                let found = pieces.try_for_each(|(offset, piece)| blocks.check(offset, piece));
                match (found, flipped) {
                    (Ok(()), None) => {}
                    (Err(Error::Corrupt { path: named, block, .. }), Some(expected)) => {
                        assert_eq!((&named, block), (&path, expected));
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
