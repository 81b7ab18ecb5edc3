//! Tests of streams, over pipes of our own.

use std::io::{Read, Write, pipe};
use std::thread::{sleep, spawn};
use std::time::Duration;

use rustix::fs::fcntl_setfl;

use super::*;

fn reader(end: impl Into<OwnedFd>) -> Reader {
    Reader(End::new(end.into(), Path::new("a pipe")))
}

fn writer(end: impl Into<OwnedFd>) -> Writer {
    Writer(End::new(end.into(), Path::new("a pipe")))
}

#[test]
fn a_buffer_is_filled_from_many_small_writes_and_the_end_is_short() {
    let (from, mut to) = pipe().unwrap();
    let sender = spawn(move || {
        for piece in (0..=255_u8).collect::<Vec<_>>().chunks(7) {
            to.write_all(piece).unwrap();
        }
    });
    let mut reader = reader(from);
    let mut buffer = [0; 100];
    let mut received = Vec::new();
    for expected in [100, 100, 56, 0, 0] {
        let filled = reader.fill(&mut buffer).unwrap();
        assert_eq!(filled, expected);
        received.extend_from_slice(&buffer[..filled]);
    }
    sender.join().unwrap();
    assert!(received.iter().copied().eq(0..=255));
    assert_eq!(reader.bytes(), 256);
}

#[test]
fn more_than_the_pipe_holds_is_written_whole() {
    let (mut from, to) = pipe().unwrap();
    let receiver = spawn(move || {
        let mut received = Vec::new();
        from.read_to_end(&mut received).map(|_| received)
    });
    let data = (0..3_000_000_u32).map(|n| n as u8).collect::<Vec<_>>();
    let mut writer = writer(to);
    writer.write_all(&data).unwrap();
    assert_eq!(writer.bytes(), data.len() as u64);
    drop(writer);
    assert!(receiver.join().unwrap().unwrap() == data);
}

#[test]
fn a_reader_that_went_away_is_a_broken_pipe() {
    let (from, to) = pipe().unwrap();
    drop(from);
    match writer(to).write_all(b"x").unwrap_err() {
        Error::Io { action: "write", source, offset: Some(0), .. } => {
            assert_eq!(source.kind(), std::io::ErrorKind::BrokenPipe);
        }
        error => panic!("{error}"),
    }
}

#[test]
fn non_blocking_ends_are_waited_for() {
    let (from, to) = pipe().unwrap();
    fcntl_setfl(&from, OFlags::NONBLOCK).unwrap();
    fcntl_setfl(&to, OFlags::NONBLOCK).unwrap();
    let data = vec![6; 5 << 20];
    let expected = data.len();
    let sender = spawn(move || writer(to).write_all(&data));
    sleep(Duration::from_millis(20));
    let mut buffer = vec![0; expected + 1];
    assert_eq!(reader(from).fill(&mut buffer).unwrap(), expected);
    sender.join().unwrap().unwrap();
}

#[test]
fn pipes_are_enlarged_and_other_files_are_read_all_the_same() {
    let (from, _to) = pipe().unwrap();
    let reader_end = reader(from);
    // SAFETY: F_GETPIPE_SZ takes nothing.
    let bytes = unsafe { libc::fcntl(reader_end.0.descriptor.as_raw_fd(), libc::F_GETPIPE_SZ) };
    assert!(bytes >= 4096);

    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"twelve bytes").unwrap();
    let mut buffer = [0; 20];
    assert_eq!(Reader::open(file.path()).unwrap().fill(&mut buffer).unwrap(), 12);
    let missing = Reader::open(Path::new("/missing/pipe")).unwrap_err();
    assert!(missing.to_string().contains("/missing/pipe"));
}

#[test]
fn standard_streams_have_names() {
    assert_eq!(Reader::stdin().unwrap().name(), Path::new("standard input"));
    assert_eq!(Writer::stdout().unwrap().name(), Path::new("standard output"));
}
