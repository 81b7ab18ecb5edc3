//! Splits, runs and cuts beside simple models.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use sortwell_cluster::{
    CutSide, InputSplit, RangeMerge, RunCut, RunIndex, RunJob, SearchedRun, SplitCutter,
    index_path, read_top, row_keys,
};
use sortwell_engine::format::{CsvFormat, Format};
use sortwell_engine::job::{Budget, MergeJob, Output, SortJob};
use sortwell_engine::operator::Unique;
use sortwell_engine::proof::Sum;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

/// Numbers from a seed (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A format, keys, and the header of its files.
type Case = (Format, &'static [&'static str], &'static [u8]);

fn cases() -> [Case; 4] {
    [
        (Format::Fixed { length: 40 }, &["0..4"], b""),
        (Format::LINES, &["1:int"], b""),
        (Format::Csv(CsvFormat::separated_by(b',')), &["key:int:desc"], b"key,words,number\n"),
        ("u16le".parse().unwrap(), &["0..4"], b""),
    ]
}

fn job(format: Format, keys: &[&str]) -> SortJob {
    let mut job = SortJob::new(Vec::new(), Output::Stdout, format);
    job.keys = keys.iter().map(|key| key.parse().unwrap()).collect();
    job.memory = Budget::Bytes(ByteSize::mib(64));
    job.threads = Some(2);
    job
}

fn split(path: PathBuf, start: u64, end: u64) -> InputSplit {
    InputSplit { path, start, end, is_compressed: false }
}

/// Records of a format, whose keys are those of many others.
fn records(format: Format, count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let record = |number: usize, random: &mut Random| {
        let (key, filler) = (random.below(50), "x".repeat(random.below(90)));
        match format {
            Format::Fixed { length } => {
                let mut record = format!("{key:04}{number:08}").into_bytes();
                record.resize(length as usize, b'.');
                record
            }
            Format::Csv(_) => format!("{key},\"a\n\"\"{filler}\",{number}\n").into_bytes(),
            Format::Prefixed(_) => {
                let body = format!("{key:04}{number:08}{filler}");
                [&(body.len() as u16).to_le_bytes(), body.as_bytes()].concat()
            }
            _ => format!("{key:04} {number} {filler}\n").into_bytes(),
        }
    };
    (0..count).map(|number| record(number, random)).collect()
}

/// Returns the number that orders a record.
fn order_of(format: Format, record: &[u8]) -> i64 {
    let digits = |bytes: &[u8]| std::str::from_utf8(bytes).unwrap().parse::<i64>().unwrap();
    match format {
        Format::Csv(_) => -digits(record.split(|byte| *byte == b',').next().unwrap()),
        Format::Prefixed(_) => digits(&record[2..6]),
        _ => digits(&record[..4]),
    }
}

#[test]
fn splits_begin_at_records() {
    let mut random = Random(7);
    for (format, keys, header) in cases() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in");
        let records = records(format, 3000, &mut random);
        let content = [header, &records.concat()].concat();
        fs::write(&path, &content).unwrap();
        let top = read_top(&job(format, keys), &path, &Progress::new()).unwrap();
        assert_eq!((top.bytes, &top.header[..]), (content.len() as u64, header));
        let mut starts = vec![header.len() as u64];
        for record in &records {
            starts.push(starts[starts.len() - 1] + record.len() as u64);
        }
        let longest = records.iter().map(Vec::len).max().unwrap() as u64;
        for length in [1, 100, 5000, 70_000, 1 << 30] {
            let cutter = SplitCutter::new(&path, format.framing(), 1 << 20).unwrap();
            let splits = cutter.splits(starts[0], length, &Progress::new()).unwrap();
            assert!(splits.iter().all(|split| starts.binary_search(&split.start).is_ok()));
            assert!(splits.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!(splits[0].start, starts[0]);
            assert_eq!(splits[splits.len() - 1].end, content.len() as u64);
            let most = length + length / 4 + longest;
            assert!(splits.iter().all(|split| split.end - split.start <= most), "{format:?}");
        }
    }
}

#[test]
fn records_without_an_end_are_not_read_into_memory() {
    let csv = Format::Csv(CsvFormat::separated_by(b','));
    for (format, start, words) in [
        (csv, &b"1,a\n2,\"b\n"[..], "the row at byte 4 has more than 3 MiB.* unclosed quote"),
        ("u32le".parse().unwrap(), b"\x01\0\0\0x\xff\xff\xff\x7f", "the record at byte 5 has"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("in");
        fs::write(&path, [start, &vec![b'3'; 4 << 20]].concat()).unwrap();
        let splits = |most| {
            let cutter = SplitCutter::new(&path, format.framing(), most).unwrap();
            cutter.splits(0, 1000, &Progress::new())
        };
        let error = splits(3 << 20).unwrap_err();
        assert!(matches!(error, Error::BudgetExceeded { .. }), "{error:?}");
        for part in words.split(".*") {
            assert!(error.to_string().contains(part), "{error}");
        }
        // The sort of the split reports a record that the file ends in.
        assert_eq!(splits(5 << 20).unwrap().len(), 1);
    }
}

/// Makes a run of records, and returns its path and its records in order.
fn made(folder: &Path, case: Case, random: &mut Random) -> (SortJob, PathBuf, Vec<Vec<u8>>) {
    let (format, keys, header) = case;
    let (job, run) = (job(format, keys), folder.join("run"));
    let mut all = records(format, 20_000, random);
    let content = [header, &all.concat()].concat();
    let path = folder.join("in");
    fs::write(&path, &content).unwrap();
    let split = split(path, header.len() as u64, content.len() as u64);
    let header = header.to_vec();
    let made = RunJob { job: &job, cut_by: &job, split, header, run: run.clone() }
        .run(&Progress::new())
        .unwrap();
    all.sort_by_key(|record| order_of(format, record));
    assert!(fs::read(&run).unwrap() == all.concat(), "{format:?}: another run");
    assert_eq!(made.bytes, all.concat().len() as u64);
    assert_eq!(made.statistics.records, all.len() as u64);
    let mut sum = Sum::default();
    all.iter().for_each(|record| sum.add_record(record));
    assert_eq!(made.written, sum);
    assert_eq!(made.index, RunIndex::read(&index_path(&run)).unwrap());
    let some = made.index.some(5);
    assert!(some.len() > 1 && some.len() <= 5);
    assert_eq!(some.iter().map(|(_, bytes)| bytes).sum::<u64>(), made.bytes);
    (job, run, all)
}

#[test]
fn cuts_are_found_in_runs() {
    let mut random = Random(8);
    for case in cases() {
        let (format, _, header) = case;
        let folder = tempfile::tempdir().unwrap();
        let (job, run, all) = made(folder.path(), case, &mut random);
        let (rows, searched) = (row_keys(&job, header).unwrap(), SearchedRun::open(&run).unwrap());
        for record in all.iter().step_by(379) {
            let mut key = Vec::new();
            rows.each(record, |row| row.append_key(&mut key)).unwrap();
            let order = order_of(format, record);
            for (side, next) in [(CutSide::Before, order), (CutSide::After, order + 1)] {
                let before = all.iter().take_while(|other| order_of(format, other) < next);
                let expected: usize = before.map(Vec::len).sum();
                let cut = RunCut { key: key.clone(), side };
                assert_eq!(searched.offset(&rows, &cut).unwrap(), expected as u64, "{format:?}");
            }
        }
    }
}

#[test]
fn keys_around_offsets_are_found() {
    let mut random = Random(10);
    for case in cases() {
        let (format, _, header) = case;
        let folder = tempfile::tempdir().unwrap();
        let (job, run, all) = made(folder.path(), case, &mut random);
        let (rows, searched) = (row_keys(&job, header).unwrap(), SearchedRun::open(&run).unwrap());
        let key = |record: &Vec<u8>| {
            let mut key = Vec::new();
            rows.each(record, |row| row.append_key(&mut key)).unwrap();
            key
        };
        let mut offset = 0;
        for number in 0..=all.len() {
            let before = number.checked_sub(1).map(|before| key(&all[before]));
            if number % 211 == 0 || number == all.len() {
                let expected = [before, all.get(number).map(key)];
                let found = searched.neighbours(&rows, offset).unwrap();
                assert_eq!(found, expected, "{format:?}: record {number}");
                if number > 0 {
                    let within = searched.neighbours(&rows, offset - 1);
                    assert!(matches!(within, Err(Error::Malformed { .. })), "{format:?}: {number}");
                }
            }
            offset += all.get(number).map_or(0, Vec::len) as u64;
        }
    }
}

/// Returns a merge of records like those of `job`.
fn merge_like(job: &SortJob) -> MergeJob {
    let mut merge = MergeJob::new(Vec::new(), Output::Stdout, job.format);
    (merge.keys, merge.memory) = (job.keys.clone(), job.memory);
    (merge.threads, merge.verify) = (Some(1), false);
    merge
}

#[test]
fn ranges_are_merged_into_blocks() {
    let mut random = Random(11);
    for case in cases() {
        let (format, _, header) = case;
        let folder = tempfile::tempdir().unwrap();
        let (job, run, all) = made(folder.path(), case, &mut random);
        let expected = [header, &all.concat()].concat();
        let offset = |count: usize| all[..count].iter().map(|record| record.len() as u64).sum();
        for block_bytes in [1 << 20, 4096, 1 + random.below(9000)] {
            // Neighbours may be equal, and then the range before comes first.
            let mut cuts: Vec<u64> = (0..3).map(|_| offset(random.below(all.len()))).collect();
            cuts.extend([0, offset(all.len())]);
            cuts.sort_unstable();
            let ranges = cuts.windows(2).map(|pair| split(run.clone(), pair[0], pair[1]));
            let ranges: Vec<_> = ranges.collect();
            let begin = || RangeMerge::begin(merge_like(&job), &ranges, header, block_bytes);
            let (mut merge, mut found) = (begin().unwrap(), Vec::new());
            while let Some(block) = merge.next_block().unwrap() {
                let (left, bytes) = (expected.len() - found.len(), block.as_ref());
                assert_eq!(bytes.len(), block_bytes.min(left), "{format:?}");
                assert_eq!(block.checksum, xxhash_rust::xxh3::xxh3_64(bytes));
                found.extend_from_slice(bytes);
            }
            assert!(found == expected, "{format:?}: other bytes");
            assert!(merge.next_block().unwrap().is_none(), "it has ended");
            // One that is not taken to its end stops.
            begin().unwrap().next_block().unwrap();
        }
        let end = offset(all.len());
        let beyond = [split(run.clone(), 0, end), split(run, end, end + 50)];
        let mut merge = RangeMerge::begin(merge_like(&job), &beyond, header, 1 << 30).unwrap();
        let error = merge.next_block().unwrap_err();
        assert!(error.to_string().contains("before its split"), "{error}");
    }
}

#[test]
fn damaged_runs_are_errors() {
    let mut random = Random(9);
    let folder = tempfile::tempdir().unwrap();
    let (_, run, _) = made(folder.path(), cases()[1], &mut random);
    let index = fs::read(index_path(&run)).unwrap();
    for round in 0..300 {
        let mut damaged = index.clone();
        match round % 3 {
            0 => damaged.truncate(random.below(index.len())),
            _ => damaged[random.below(index.len())] ^= 1 << random.below(8),
        }
        fs::write(index_path(&run), &damaged).unwrap();
        let opened = SearchedRun::open(&run);
        assert!(matches!(opened, Err(Error::Malformed { .. })), "round {round}");
    }
    fs::write(index_path(&run), &index).unwrap();
    fs::OpenOptions::new().write(true).open(&run).unwrap().set_len(1000).unwrap();
    assert!(matches!(SearchedRun::open(&run), Err(Error::Malformed { .. })));
}

#[test]
fn equal_records_that_are_left_out_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    fs::write(&path, "b\na\nb\n").unwrap();
    let mut job = job(Format::LINES, &[]);
    job.select.unique = Some(Unique::First);
    let (split, run) = (split(path, 0, 6), folder.path().join("run"));
    let made = RunJob { job: &job, cut_by: &job, split, header: Vec::new(), run };
    let mut sum = Sum::default();
    [b"a\n", b"b\n"].iter().for_each(|record| sum.add_record(*record));
    assert_eq!(made.run(&Progress::new()).unwrap().written, sum);
}

#[test]
#[should_panic(expected = "a header that records follow")]
fn a_mark_of_the_byte_order_is_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    fs::write(&path, "\u{feff}2\n1\n").unwrap();
    let csv = CsvFormat { has_header: false, ..CsvFormat::separated_by(b',') };
    let (job, header) = (job(Format::Csv(csv), &["1:int"]), "\u{feff}\n".as_bytes().to_vec());
    let (split, run) = (split(path, 3, 7), folder.path().join("run"));
    _ = RunJob { job: &job, cut_by: &job, split, header, run }.run(&Progress::new());
}

#[test]
fn definitions_of_striped_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, member) = (folder.path().join("pieces.str"), folder.path().join("member"));
    fs::write(&member, "a\n").unwrap();
    fs::write(&path, format!("{} 1\n", member.display())).unwrap();
    let error = read_top(&job(Format::LINES, &[]), &path, &Progress::new()).unwrap_err();
    assert!(error.to_string().contains("defines a striped file"), "{error}");
}

#[test]
fn a_wrong_record_leaves_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let (path, run) = (folder.path().join("in"), folder.path().join("run"));
    fs::write(&path, "id\n1\nx\n").unwrap();
    let (job, header) = (job(Format::Csv(CsvFormat::separated_by(b',')), &["id:int"]), b"id\n");
    let split = split(path.clone(), 3, 7);
    let made = RunJob { job: &job, cut_by: &job, split, header: header.to_vec(), run: run.clone() };
    let error = made.run(&Progress::new()).unwrap_err();
    assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
    assert!(!run.exists() && !index_path(&run).exists());
    // The file has become shorter.
    fs::write(&path, "id\n1\n2\n").unwrap();
    let split = self::split(path, 3, 100);
    let made = RunJob { job: &job, cut_by: &job, split, header: header.to_vec(), run };
    assert!(made.run(&Progress::new()).unwrap_err().to_string().contains("ends at byte 7"));
}
