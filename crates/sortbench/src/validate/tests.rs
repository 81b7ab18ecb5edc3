//! Files, streams and partitions get the same verdict; what is no file of records is refused.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use sortwell::unstable::stats::Stream;
use sortwell::{Error, Phase, Progress};

use super::{Contents, Validation, validate};
use crate::block::BLOCK_RECORDS;
use crate::{
    GeneratorDestination, KeyOrder, RECORD_LENGTH, RecordKind, Summary, ValidatorSource, Verdict,
};

fn records(count: usize, is_sorted: bool) -> Vec<u8> {
    let mut bytes = vec![0; count * RECORD_LENGTH];
    RecordKind { ascii: true, skewed: true }.fill(5, &mut bytes);
    if is_sorted {
        bytes.as_chunks_mut::<RECORD_LENGTH>().0.sort_unstable();
    }
    bytes
}

fn verdict(path: &Path, job: &Validation) -> Verdict {
    validate(job, &ValidatorSource::File(path.to_owned()), &Progress::new()).unwrap()
}

fn error(path: &Path, job: &Validation) -> Error {
    validate(job, &ValidatorSource::File(path.to_owned()), &Progress::new()).unwrap_err()
}

#[test]
fn files_and_streams_agree_with_memory() {
    let directory = tempfile::tempdir().unwrap();
    let (file, pipe) = (directory.path().join("records"), directory.path().join("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for count in [0, 1, BLOCK_RECORDS - 1, BLOCK_RECORDS, 3 * BLOCK_RECORDS + 11] {
        for (is_sorted, threads) in [(false, 1), (true, 2), (false, 5)] {
            let bytes = records(count, is_sorted);
            fs::write(&file, &bytes).unwrap();
            let expected = Verdict::from(&Summary::of(&bytes, KeyOrder::Bytes));
            let job = Validation { threads, ..Validation::default() };
            let progress = Progress::new();
            let found = validate(&job, &ValidatorSource::File(file.clone()), &progress).unwrap();
            assert_eq!(found, expected, "{count}, {threads} threads");
            assert_eq!(progress.bytes().0, bytes.len() as u64);
            assert_eq!(progress.bytes_of(Stream::InputRead), bytes.len() as u64);
            assert_eq!(progress.phase(), Phase::Validating);
            let writer = thread::spawn({
                let pipe = pipe.clone();
                move || fs::write(pipe, bytes).unwrap()
            });
            assert_eq!(verdict(&pipe, &job), expected, "{count} in a pipe, {threads} threads");
            writer.join().unwrap();
        }
    }
}

#[test]
fn ignoring_case_is_passed_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records");
    let mut bytes = records(20_000, true);
    let lower = |record: &[u8; RECORD_LENGTH]| record[..10].to_ascii_lowercase();
    bytes.as_chunks_mut::<RECORD_LENGTH>().0.sort_by_key(lower);
    fs::write(&path, &bytes).unwrap();
    assert!(!verdict(&path, &Validation::default()).is_ordered());
    let job = Validation { order: KeyOrder::IgnoreCase, ..Validation::default() };
    assert!(verdict(&path, &job).is_ordered());
}

/// Validates pieces of `bytes` on their own, then their summaries together.
fn by_partitions(bytes: &[u8], cuts: &[usize]) -> Verdict {
    let directory = tempfile::tempdir().unwrap();
    let (part, all) = (directory.path().join("part"), directory.path().join("all"));
    let summary = directory.path().join("summary");
    let mut summaries = Vec::new();
    let ends = cuts.iter().copied().chain([bytes.len() / RECORD_LENGTH]);
    let mut from = 0;
    for to in ends {
        fs::write(&part, &bytes[from * RECORD_LENGTH..to * RECORD_LENGTH]).unwrap();
        let summary_to = Some(GeneratorDestination::File(summary.clone()));
        verdict(&part, &Validation { threads: 2, summary_to, ..Validation::default() });
        let written = fs::read(&summary).unwrap();
        assert_eq!(written.len(), 280);
        summaries.extend(written);
        from = to;
    }
    fs::write(&all, summaries).unwrap();
    verdict(&all, &Validation { content: Contents::Summaries, ..Validation::default() })
}

#[test]
fn partitions_of_a_sorted_file_are_sorted() {
    let bytes = records(10_000, true);
    let whole = Verdict::from(&Summary::of(&bytes, KeyOrder::Bytes));
    assert!(whole.is_ordered());
    for cuts in [&[][..], &[5_000], &[0, 1, 2, 9_999], &[3_000, 3_000, 7_001]] {
        assert_eq!(by_partitions(&bytes, cuts), whole, "{cuts:?}");
    }
}

#[test]
fn disorder_within_and_across_partitions_is_found() {
    let mut bytes = records(9_000, true);
    // The second third comes before the first: each partition is in order, the file is not.
    bytes.rotate_left(3_000 * RECORD_LENGTH);
    let across = by_partitions(&bytes, &[3_000, 6_000]);
    assert_eq!((across.unordered, across.first_unordered), (1, Some(6_000)));
    assert_eq!(across, Verdict::from(&Summary::of(&bytes, KeyOrder::Bytes)));

    let bytes = records(9_000, false);
    let whole = Verdict::from(&Summary::of(&bytes, KeyOrder::Bytes));
    assert!(whole.unordered > 4_000);
    assert_eq!(by_partitions(&bytes, &[1, 4_000, 8_999]), whole);
}

#[test]
fn a_part_of_a_record_is_refused_with_numbers() {
    let directory = tempfile::tempdir().unwrap();
    let (file, pipe) = (directory.path().join("records"), directory.path().join("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let bytes = records(50_000, true);
    fs::write(&file, &bytes[..bytes.len() - 37]).unwrap();
    let job = Validation { threads: 2, ..Validation::default() };
    let writer = thread::spawn({
        let (file, pipe) = (file.clone(), pipe.clone());
        move || fs::copy(file, pipe).unwrap()
    });
    for (path, what) in [(&file, "a file"), (&pipe, "a pipe")] {
        let error = error(path, &job);
        assert!(matches!(error, Error::Malformed { .. }), "{what}: {error}");
        let message = error.to_string();
        for part in [&*path.to_string_lossy(), "4999963", "100", "63 are left over"] {
            assert!(message.contains(part), "{what}: {message}");
        }
    }
    assert_eq!(writer.join().unwrap(), 4_999_963);
}

#[test]
fn a_part_of_a_summary_is_refused_with_numbers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("summaries");
    let job = Validation { content: Contents::Summaries, ..Validation::default() };
    for (length, rest) in
        [(279, "279 are left"), (281, ": 1 are left"), (280 * 257 + 5, ": 5 are left")]
    {
        fs::write(&path, vec![0; length]).unwrap();
        let error = error(&path, &job);
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
        assert!(error.to_string().contains(rest), "{error}");
    }
    fs::write(&path, vec![0; 280 * 512]).unwrap();
    assert_eq!(verdict(&path, &job).records, 0);
}

/// Not a summary anyone wrote, but bytes that a disk may hold.
#[test]
fn absurd_summaries_do_not_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("summaries");
    fs::write(&path, vec![0xff; 280 * 3]).unwrap();
    let job = Validation { content: Contents::Summaries, ..Validation::default() };
    assert!(!verdict(&path, &job).is_ordered());
}

#[test]
fn what_cannot_be_read_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    for content in [Contents::Records, Contents::Summaries] {
        let job = Validation { content, ..Validation::default() };
        for path in [&*missing, directory.path()] {
            let error = error(path, &job);
            assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
            assert!(matches!(error, Error::Io { .. } | Error::NoSpace { .. }), "{error}");
        }
    }
}

#[test]
fn stopping_and_no_threads_are_heard() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records");
    fs::write(&path, records(10, true)).unwrap();
    let progress = Progress::new();
    progress.request_stop();
    for content in [Contents::Records, Contents::Summaries] {
        let job = Validation { content, ..Validation::default() };
        let stopped = validate(&job, &ValidatorSource::File(path.clone()), &progress);
        assert!(matches!(stopped, Err(Error::Interrupted)), "{content:?}");
    }
    let none = Validation { threads: 0, ..Validation::default() };
    assert!(matches!(error(&path, &none), Error::Config(_)));
}
