//! Files and streams get the same records, whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use sortwell::unstable::stats::Stream;
use sortwell::{ByteSize, Error};
use sortwell::{Phase, Progress};

use super::{RecordGeneration, generate};
use crate::block::BLOCK_RECORDS;
use crate::{GeneratorDestination, RECORD_LENGTH, RecordKind, sum_of_checksums};

fn names(directory: &Path) -> Vec<PathBuf> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn expected(job: &RecordGeneration) -> Vec<u8> {
    let mut bytes = vec![0; job.records as usize * RECORD_LENGTH];
    RecordKind { ascii: job.ascii, skewed: job.skewed }.fill(job.start, &mut bytes);
    bytes
}

#[test]
fn file_lengths_around_a_block() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records");
    let block = BLOCK_RECORDS as u64;
    for records in [0, 1, block - 1, block, block + 1, 4 * block + 7] {
        for threads in [1, 2, 5] {
            let job = RecordGeneration {
                threads,
                start: 77,
                checksum: true,
                ..RecordGeneration::new(records)
            };
            let progress = Progress::new();
            let made =
                generate(&job, &GeneratorDestination::File(path.clone()), &progress).unwrap();
            let expected = expected(&job);
            assert!(fs::read(&path).unwrap() == expected, "{records} records, {threads} threads");
            assert_eq!(made.records, records);
            assert_eq!(made.bytes, ByteSize(records * 100));
            assert_eq!(made.checksum, Some(sum_of_checksums(&expected)));
            let bytes = records * 100;
            assert_eq!(progress.bytes(), (bytes, (bytes > 0).then_some(bytes)));
            assert_eq!(progress.bytes_of(Stream::OutputWritten), bytes);
            assert_eq!(progress.phase(), Phase::Generating);
        }
    }
    assert_eq!(names(directory.path()), [path]);
}

#[test]
fn a_stream_gets_blocks_in_order() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for threads in [1, 4] {
        let records = 3 * BLOCK_RECORDS as u64 + 5;
        let job = RecordGeneration { threads, checksum: true, ..RecordGeneration::new(records) };
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        let to = GeneratorDestination::File(pipe.clone());
        let made = generate(&job, &to, &Progress::new()).unwrap();
        let expected = expected(&job);
        assert!(reader.join().unwrap() == expected, "{threads} threads");
        assert_eq!(made.checksum, Some(sum_of_checksums(&expected)));
    }
}

#[test]
fn a_stream_that_breaks_ends_the_job() {
    let job = RecordGeneration { threads: 3, ..RecordGeneration::new(20 * BLOCK_RECORDS as u64) };
    let failed = generate(&job, &GeneratorDestination::File("/dev/full".into()), &Progress::new());
    let message = failed.unwrap_err().to_string();
    assert!(message.starts_with("cannot write /dev/full at offset "), "{message}");
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let to = GeneratorDestination::File(directory.path().join("records"));
    let refused = |job: &RecordGeneration| generate(job, &to, &Progress::new()).unwrap_err();
    let none = RecordGeneration { threads: 0, ..RecordGeneration::new(1) };
    assert!(matches!(refused(&none), Error::Config(_)));
    assert!(matches!(refused(&RecordGeneration::new(u64::MAX)), Error::Config(_)));
    assert!(matches!(refused(&RecordGeneration::new(u64::MAX / 100)), Error::Config(_)));
    // An exabyte; no file system of today has it free.
    let error = refused(&RecordGeneration::new(10_000_000_000_000_000));
    assert!(matches!(error, Error::NoSpace { .. }), "{error}");
    assert!(names(directory.path()).is_empty());
}

#[test]
fn bad_places_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing").join("records");
    for path in [missing, directory.path().to_owned(), PathBuf::new()] {
        let to = GeneratorDestination::File(path.clone());
        let error = generate(&RecordGeneration::new(10), &to, &Progress::new()).unwrap_err();
        assert!(error.to_string().contains(&*path.to_string_lossy()), "{error}");
        assert!(matches!(error, Error::Config(_) | Error::Io { .. }), "{error}");
    }
}

#[test]
fn an_interrupted_job_leaves_the_old_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records");
    fs::write(&path, b"old").unwrap();
    let progress = Progress::new();
    progress.request_stop();
    let job = RecordGeneration::new(1_000);
    let stopped = generate(&job, &GeneratorDestination::File(path.clone()), &progress);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(directory.path()), [path]);
}
