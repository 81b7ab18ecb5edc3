//! Streams that the caller makes, and pipes that it has open.

use std::io::Read;
use std::path::Path;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::Format;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Extent, Supplied, Supply};
use sortwell_engine::job::{Budget, CheckJob, Input, MergeJob, Output, SortJob};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

/// Gives bytes, and then ends or fails.
struct Given {
    left: Vec<u8>,
    fails: bool,
}

impl Supply for Given {
    fn fill(&mut self, buffer: &mut [u8], _: &Progress) -> Result<usize> {
        let bytes = self.left.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&self.left[..bytes]);
        self.left.drain(..bytes);
        match self.fails && bytes < buffer.len() {
            true => Err(Error::config(ConfigErrorKind::Other, "it is not whole")),
            false => Ok(bytes),
        }
    }
}

fn supplied(bytes: &[u8], fails: bool) -> Supplied {
    Supplied::new(Path::new("given"), Given { left: bytes.to_vec(), fails })
}

fn extent(lines: &[u8]) -> Extent {
    let records = lines.iter().filter(|byte| **byte == b'\n').count() as u64;
    Extent { bytes: lines.len() as u64, records }
}

/// Lines of very different length, out of order.
fn lines(count: u64) -> Vec<u8> {
    let line =
        |number: u64| format!("{}{}\n", number * 7919 % count, "x".repeat(number as usize % 40));
    (0..count).flat_map(|number| line(number).into_bytes()).collect()
}

fn sorted(lines: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = lines.split_inclusive(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines.concat()
}

fn job(inputs: Vec<Input>, output: Output) -> SortJob {
    let memory = Budget::Bytes(ByteSize::mib(32));
    let threads = Some(2);
    SortJob { memory, threads, ..SortJob::new(inputs, output, Format::Lines { terminator: b'\n' }) }
}

fn run(job: &SortJob) -> Result<Statistics> {
    job.run(&Progress::new())
}

/// Gives whole lines alone, so that the end of a buffer stays free.
struct WholeLines(Vec<u8>);

impl Supply for WholeLines {
    fn fill(&mut self, buffer: &mut [u8], _: &Progress) -> Result<usize> {
        let most = self.0.len().min(buffer.len()).min(100_000);
        let end = self.0[..most].iter().rposition(|byte| *byte == b'\n').map_or(most, |at| at + 1);
        buffer[..end].copy_from_slice(&self.0[..end]);
        self.0.drain(..end);
        Ok(end)
    }
}

/// A part of a buffer is no end: that is 0 bytes alone. A second job would find a part of it.
#[test]
fn a_stream_is_read_to_its_end_and_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let lines = lines(20_000);
    let stream = Supplied::new(Path::new("lines"), WholeLines(lines.clone()));
    let job = job(vec![Input::Supplied(stream)], Output::File(out.clone()));
    run(&job).expect("sorts");
    assert!(std::fs::read(&out).expect("read") == sorted(&lines));
    let error = run(&job).expect_err("it was read").to_string();
    assert!(error.contains("lines was read before"), "{error}");
    assert!(std::fs::read(&out).expect("read") == sorted(&lines));
}

#[test]
fn a_stream_of_known_extent_is_sorted_in_one_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    // Of unknown extent, it would be too much: a load is at most half of the memory.
    let lines = lines(250_000);
    for (known, passes) in [(true, 1), (false, 2)] {
        let stream = supplied(&lines, false);
        let stream = if known { stream.with_extent(extent(&lines)) } else { stream };
        let job = job(vec![Input::Supplied(stream)], Output::File(out.clone()));
        assert!(job.would_be_one_pass(extent(&lines)).expect("a budget"));
        assert!(!job.is_one_pass().expect("a budget"), "nothing is known of streams");
        assert_eq!(run(&job).expect("sorts").passes, passes);
        assert!(std::fs::read(&out).expect("read") == sorted(&lines));
    }
}

#[test]
fn records_of_fixed_length_are_no_different() {
    let mut records: Vec<[u8; 40]> = (0..200_000_u64)
        .map(|n| [(n * 7919 % 65_521).to_be_bytes(); 5].concat())
        .map(|r| r.try_into().expect("40"))
        .collect();
    let bytes = records.concat();
    let extent = Extent { bytes: bytes.len() as u64, records: 200_000 };
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let inputs = vec![Input::Supplied(supplied(&bytes, false).with_extent(extent))];
    let job = job(inputs, Output::File(out.clone()));
    let job = SortJob { format: Format::Fixed { length: 40 }, ..job };
    run(&job).expect("sorts");
    records.sort_unstable();
    assert!(std::fs::read(&out).expect("read") == records.concat());
}

/// A load of three pages of short lines may have room for no byte of its own. It gets more then.
#[test]
fn runs_of_a_few_kilobytes_are_made_of_streams() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let lines = b"b\na\n".repeat(9000);
    let mut job = job(vec![Input::Supplied(supplied(&lines, false))], Output::File(out.clone()));
    (job.threads, job.memory) = (Some(1), Budget::Bytes(ByteSize::mib(21)));
    job.levers.run = Some(ByteSize(12 << 10));
    job.levers.block = Some(ByteSize(4 << 10));
    assert!(run(&job).expect("sorts").runs > 1);
    assert!(std::fs::read(&out).expect("read") == sorted(&lines));
}

#[test]
fn more_than_was_said_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let lines = lines(200_000);
    let said = Extent { bytes: 1000, records: 100 };
    let stream = supplied(&lines, false).with_extent(said);
    let failure = run(&job(vec![Input::Supplied(stream)], Output::File(out.clone())));
    let words = failure.expect_err("more came").to_string();
    assert!(words.contains("more than its known length"), "{words}");
    assert!(!out.exists());
    // Less is none: what comes counts.
    let stream = supplied(b"b\na", false).with_extent(extent(&lines));
    run(&job(vec![Input::Supplied(stream)], Output::File(out.clone()))).expect("sorts");
    assert_eq!(std::fs::read(&out).expect("read"), b"a\nb\n");
}

#[test]
fn a_stream_that_fails_at_its_end_makes_no_output() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let (output, input) =
        (Output::File(out.clone()), |fails| Input::Supplied(supplied(b"a\nb\nc\n", fails)));
    let format = Format::Lines { terminator: b'\n' };
    let merge = |fails| {
        let inputs = vec![input(false), input(fails)];
        MergeJob::new(inputs, output.clone(), format).run(&Progress::new())
    };
    for failure in [run(&job(vec![input(true)], output.clone())), merge(true)] {
        let words = failure.expect_err("it is not whole").to_string();
        assert_eq!(words, "it is not whole");
        assert!(!out.exists());
    }
    merge(false).expect("merges");
    assert_eq!(std::fs::read(&out).expect("read"), b"a\na\nb\nb\nc\nc\n");
    let checked = CheckJob::new(vec![input(false)], format).run(&Progress::new());
    assert_eq!(checked.expect("checks").records, 3);
}

#[test]
fn an_open_pipe_is_written_and_stays_open_as_long_as_its_owner_wants() {
    let (mut from, to) = std::io::pipe().expect("a pipe");
    let outlet = Outlet::new(to, Path::new("a reader"));
    let lines = lines(100_000);
    let reader = std::thread::spawn(move || {
        let mut read = Vec::new();
        from.read_to_end(&mut read).map(|_| read)
    });
    for _ in 0..2 {
        let input = Input::Supplied(supplied(&lines, false));
        run(&job(vec![input], Output::Pipe(outlet.clone()))).expect("sorts");
    }
    assert_eq!(outlet, outlet.clone());
    drop(outlet);
    let read = reader.join().expect("the reader").expect("read");
    assert!(read == sorted(&lines).repeat(2));
}
