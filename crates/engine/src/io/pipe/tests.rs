//! Tests of streams, over pipes of our own.

use std::io::{Read, Write, pipe};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, fcntl_setfl, mknodat};

use super::*;

fn reader(end: impl Into<OwnedFd>) -> PipeReader {
    PipeReader::of(end, Path::new("a pipe"))
}

fn writer(end: impl Into<OwnedFd>) -> PipeWriter {
    PipeWriter::of(end, Path::new("a pipe"))
}

fn modest_writer(end: impl Into<OwnedFd>) -> PipeWriter {
    let end = PipeEnd::new(end.into(), Path::new("a pipe"), PipeDirection::Out);
    PipeWriter(WriterTarget::End(modest(end)))
}

/// What keeps a writer from waiting.
fn manner(writer: &PipeWriter) -> Manner {
    match &writer.0 {
        WriterTarget::End(end) => end.manner,
        WriterTarget::Inlet(_) => panic!("it writes to a pipe"),
    }
}

fn modest_reader(end: impl Into<OwnedFd>) -> PipeReader {
    PipeReader::new(modest(PipeEnd::new(end.into(), Path::new("a pipe"), PipeDirection::In)))
}

/// A stream end as it is where the kernel knows no `RWF_NOWAIT` for it.
fn modest(mut end: PipeEnd) -> PipeEnd {
    assert_eq!(end.manner, Manner::Told);
    end.manner = Manner::Modest;
    end
}

/// Asserts that `blocked` waits, and that it is interrupted soon after it is told to stop.
fn is_interrupted(blocked: impl FnOnce(&Progress) -> Result<()> + Send) {
    let progress = Progress::new();
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| blocked(&progress));
        sleep(Duration::from_millis(150));
        assert!(!thread.is_finished(), "it does not wait");
        let asked = Instant::now();
        progress.request_stop();
        let outcome = thread.join().unwrap();
        assert!(matches!(outcome, Err(Error::Interrupted)), "{outcome:?}");
        // A stop is looked for every 50 ms; the rest is for a busy machine.
        assert!(asked.elapsed() < Duration::from_millis(500), "{:?}", asked.elapsed());
    });
}

fn named_pipe() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    (folder, path)
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
        let filled = reader.fill(&mut buffer, &Progress::new()).unwrap();
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
    writer.write_all(&data, &Progress::new()).unwrap();
    assert_eq!(writer.bytes(), data.len() as u64);
    drop(writer);
    assert!(receiver.join().unwrap().unwrap() == data);
}

#[test]
fn a_reader_that_went_away_is_a_broken_pipe() {
    let (from, to) = pipe().unwrap();
    drop(from);
    match writer(to).write_all(b"x", &Progress::new()).unwrap_err() {
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
    let sender = spawn(move || writer(to).write_all(&data, &Progress::new()));
    sleep(Duration::from_millis(20));
    let mut buffer = vec![0; expected + 1];
    assert_eq!(reader(from).fill(&mut buffer, &Progress::new()).unwrap(), expected);
    sender.join().unwrap().unwrap();
}

#[test]
fn pipes_are_enlarged_and_other_files_are_read_all_the_same() {
    let (from, _to) = pipe().unwrap();
    let end = PipeEnd::new(from.into(), Path::new("a pipe"), PipeDirection::In);
    // SAFETY: F_GETPIPE_SZ takes nothing.
    let bytes = unsafe { libc::fcntl(end.descriptor.as_raw_fd(), libc::F_GETPIPE_SZ) };
    assert!(bytes >= 4096);

    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"twelve bytes").unwrap();
    let mut buffer = [0; 20];
    let mut opened = PipeReader::open(file.path()).unwrap();
    assert_eq!(opened.fill(&mut buffer, &Progress::new()).unwrap(), 12);
    let missing = PipeReader::open(Path::new("/missing/pipe")).unwrap_err();
    assert!(missing.to_string().contains("/missing/pipe"));
}

#[test]
fn standard_streams_have_names() {
    assert_eq!(PipeReader::stdin().unwrap().name(), Path::new("standard input"));
    assert_eq!(PipeWriter::stdout().unwrap().name(), Path::new("standard output"));
}

#[test]
fn a_blocked_read_is_interrupted() {
    let (from, _to) = pipe().unwrap();
    is_interrupted(|progress| reader(from).fill(&mut [0; 10], progress).map(|_| ()));
    let (from, mut to) = pipe().unwrap();
    to.write_all(b"half").unwrap();
    is_interrupted(|progress| modest_reader(from).fill(&mut [0; 8], progress).map(|_| ()));
}

#[test]
fn a_blocked_write_is_interrupted() {
    let data = vec![3; 3 << 20];
    let (_from, to) = pipe().unwrap();
    is_interrupted(|progress| writer(to).write_all(&data, progress));
    let (_from, to) = pipe().unwrap();
    is_interrupted(|progress| modest_writer(to).write_all(&data, progress));
    let (_from, to) = std::os::unix::net::UnixStream::pair().unwrap();
    is_interrupted(|progress| writer(to).write_all(&data, progress));
}

#[test]
fn named_pipes_are_waited_for_and_interrupted() {
    let (_folder, path) = named_pipe();
    is_interrupted(|progress| PipeWriter::open(&path, progress).map(|_| ()));
    is_interrupted(|progress| PipeReader::open(&path)?.fill(&mut [0; 10], progress).map(|_| ()));
    let mut reader = PipeReader::open(&path).unwrap();
    let sender = spawn(move || {
        sleep(Duration::from_millis(100));
        let progress = Progress::new();
        PipeWriter::open(&path, &progress).unwrap().write_all(&[8; 1 << 20], &progress)
    });
    let mut buffer = vec![0; 2 << 20];
    assert_eq!(reader.fill(&mut buffer, &Progress::new()).unwrap(), 1 << 20);
    sender.join().unwrap().unwrap();
}

/// Whoever shares the description with us (a shell, `cat`) must find it as it was.
#[test]
fn descriptions_of_others_stay_blocking() {
    let (from, to) = pipe().unwrap();
    let (their_from, their_to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let (mut reader, mut writer) = (reader(from), writer(to));
    writer.write_all(b"abc", &Progress::new()).unwrap();
    reader.fill(&mut [0; 3], &Progress::new()).unwrap();
    for theirs in [OwnedFd::from(their_from), their_to.into()] {
        assert!(!fcntl_getfl(&theirs).unwrap().contains(OFlags::NONBLOCK));
    }
}

/// A pipe with a name, opened by somebody else as a shell's redirection does, takes no flags.
#[test]
fn named_pipes_of_others_are_opened_once_more() {
    let (_folder, path) = named_pipe();
    let reading = path.clone();
    let receiver = spawn(move || std::fs::read(reading).unwrap());
    let theirs = open(&path, OFlags::WRONLY, Mode::empty()).unwrap();
    let mut writer = writer(theirs.try_clone().unwrap());
    writer.write_all(&[9; 3 << 20], &Progress::new()).unwrap();
    assert_ne!(manner(&writer), Manner::Modest);
    assert!(!fcntl_getfl(&theirs).unwrap().contains(OFlags::NONBLOCK));
    drop((writer, theirs));
    assert!(receiver.join().unwrap() == [9; 3 << 20]);
}

/// Its last writer may be gone before it is first read, and nothing may be waited for then.
#[test]
fn named_pipes_of_others_end() {
    let (_folder, path) = named_pipe();
    let writing = path.clone();
    let sender = spawn(move || std::fs::write(writing, b"all").unwrap());
    let theirs = open(&path, OFlags::RDONLY, Mode::empty()).unwrap();
    sender.join().unwrap();
    let mut reader = reader(theirs);
    assert_eq!(reader.fill(&mut [0; 10], &Progress::new()).unwrap(), 3);
}

#[test]
fn modest_ends_pass_everything_too() {
    let (from, to) = pipe().unwrap();
    let data = (0..1_500_000_u32).map(|n| (n / 7) as u8).collect::<Vec<_>>();
    let expected = data.clone();
    let sender = spawn(move || {
        modest_writer(to).write_all(&data, &Progress::new()).unwrap();
    });
    let mut buffer = vec![0; expected.len() + 1];
    let mut reader = modest_reader(from);
    assert_eq!(reader.fill(&mut buffer, &Progress::new()).unwrap(), expected.len());
    assert!(buffer[..expected.len()] == expected);
    sender.join().unwrap();
}

/// Devices that know no `RWF_NOWAIT` are found out at the first call: terminals are such.
#[test]
fn devices_and_files_are_written() {
    let progress = Progress::new();
    PipeWriter::open(Path::new("/dev/null"), &progress)
        .unwrap()
        .write_all(&[1; 99], &progress)
        .unwrap();
    let full =
        PipeWriter::open(Path::new("/dev/full"), &progress).unwrap().write_all(&[1], &progress);
    assert!(full.unwrap_err().to_string().contains("/dev/full"));
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut end = writer(file.reopen().unwrap());
    assert_eq!(manner(&end), Manner::Free);
    end.write_all(&[5; 100_000], &progress).unwrap();
    assert!(std::fs::read(file.path()).unwrap() == [5; 100_000]);
}

#[test]
fn some_bytes_are_returned_when_the_stream_stands_still_and_none_at_the_end_alone() {
    let (from, mut to) = pipe().unwrap();
    let (mut reader, progress, mut buffer) = (reader(from), Progress::new(), [0; 100]);
    to.write_all(b"some").unwrap();
    let begun = Instant::now();
    assert_eq!(reader.fill_some(&mut buffer, &progress).unwrap(), 4);
    assert!(begun.elapsed() >= STANDSTILL, "{:?}", begun.elapsed());
    let later = spawn(move || {
        sleep(2 * STANDSTILL);
        to.write_all(b"more").unwrap();
    });
    assert_eq!(reader.fill_some(&mut buffer, &progress).unwrap(), 4);
    assert_eq!(&buffer[..4], b"more");
    later.join().unwrap();
    for _ in 0..2 {
        assert_eq!(reader.fill_some(&mut buffer, &progress).unwrap(), 0);
    }
}
