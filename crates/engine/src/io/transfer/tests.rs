//! Tests of the transfer loop against a kernel that answers as it is told.

use std::cell::RefCell;
use std::collections::VecDeque;

use super::*;
use crate::io::{Arena, Direct, File};
use crate::units::ByteSize;

const LENGTH: usize = 16 << 10;

/// Runs a request for `LENGTH` bytes at offset 4096 against scripted answers; returns its
/// completion and the (length, offset) of each step asked for.
fn run(operation: Direction, answers: &[Answer<usize>]) -> (Completion, Vec<(usize, u64)>) {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(&directory.path().join("file"), Direct::Off).unwrap();
    run_on(file, operation, answers)
}

fn run_on(
    file: std::sync::Arc<File>,
    operation: Direction,
    answers: &[Answer<usize>],
) -> (Completion, Vec<(usize, u64)>) {
    let region = Arena::new(ByteSize(LENGTH as u64)).unwrap();
    let request = Request { operation, file, offset: 4096, region, range: 0..LENGTH, tag: 5 };
    let TransferState::Again(transfer) = Transfer::start(request) else { panic!("nothing to do") };
    let script = RefCell::new(answers.iter().copied().collect::<VecDeque<_>>());
    let steps = RefCell::new(Vec::new());
    let completion = transfer.run(|step| {
        assert_eq!(step.operation, operation);
        steps.borrow_mut().push((step.length, step.offset));
        script.borrow_mut().pop_front().expect("a step too many")
    });
    assert!(script.borrow().is_empty(), "a step too few");
    (completion, steps.into_inner())
}

#[test]
fn short_transfers_and_interruptions_are_continued() {
    for operation in [Direction::Read, Direction::Write] {
        let answers = [Err(Errno::INTR), Ok(1), Err(Errno::AGAIN), Ok(4095), Ok(LENGTH - 4096)];
        let (completion, steps) = run(operation, &answers);
        assert_eq!(completion.result.unwrap(), LENGTH);
        assert_eq!(completion.request.tag, 5);
        let rest = LENGTH - 1;
        let expected =
            [(LENGTH, 4096), (LENGTH, 4096), (rest, 4097), (rest, 4097), (LENGTH - 4096, 8192)];
        assert_eq!(steps, expected);
    }
}

#[test]
fn a_read_ends_where_the_file_ends() {
    assert_eq!(run(Direction::Read, &[Ok(0)]).0.result.unwrap(), 0);
    assert_eq!(run(Direction::Read, &[Ok(100), Ok(0)]).0.result.unwrap(), 100);
}

#[test]
fn a_write_is_whole_or_an_error() {
    let (completion, _) = run(Direction::Write, &[Ok(100), Ok(0)]);
    let message = completion.result.unwrap_err().to_string();
    assert!(message.starts_with("cannot write") && message.contains("offset 4196"), "{message}");

    let (completion, _) = run(Direction::Write, &[Ok(LENGTH)]);
    assert_eq!(completion.request.file.len(), 4096 + LENGTH as u64);
}

#[test]
fn errors_carry_action_path_offset_and_give_the_region_back() {
    for (operation, action) in [(Direction::Read, "read"), (Direction::Write, "write")] {
        let (completion, _) = run(operation, &[Ok(8192), Err(Errno::NOSPC)]);
        assert_eq!(completion.request.region.len(), LENGTH);
        match completion.result.unwrap_err() {
            Error::Io { action: found, path, offset: Some(12288), source } => {
                assert_eq!(found, action);
                assert_eq!(path, completion.request.file.path());
                assert_eq!(source.kind(), io::ErrorKind::StorageFull);
            }
            error => panic!("{error}"),
        }
    }
}

#[test]
fn a_refused_direct_transfer_is_done_again_through_the_cache() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let Ok(file) = File::create(&path, Direct::On) else { return };
    let answers = [Ok(4096), Err(Errno::INVAL), Ok(LENGTH - 4096)];
    let (completion, steps) = run_on(file, Direction::Write, &answers);
    assert_eq!(completion.result.unwrap(), LENGTH);
    assert!(!completion.request.file.is_direct());
    assert_eq!(steps, [(LENGTH, 4096), (LENGTH - 4096, 8192), (LENGTH - 4096, 8192)]);

    // Through the cache the same answer is an error.
    let (completion, _) = run_on(completion.request.file, Direction::Write, &[Err(Errno::INVAL)]);
    assert!(completion.result.is_err());
}

#[test]
#[should_panic(expected = "of a region of")]
fn a_range_beyond_the_region_is_our_fault() {
    let directory = tempfile::tempdir().unwrap();
    let file = File::create(&directory.path().join("file"), Direct::Off).unwrap();
    let region = Arena::new(ByteSize(10)).unwrap();
    let range = 5..11;
    let _ = Transfer::start(Request {
        operation: Direction::Read,
        file,
        offset: 0,
        region,
        range,
        tag: 0,
    });
}
