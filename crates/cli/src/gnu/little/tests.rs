//! Pipes that bring less than a page of lines, as much, and more: all of it comes, once. Files that
//! are little together are read, each with an end, and others are left alone.

use super::*;
use std::io::{self, Write};
use std::path::Path;
use std::thread;

/// Reads all of a stream, in pieces of `step` bytes.
fn all_of(stream: &Supplied, step: usize) -> Vec<u8> {
    let mut reader = PipeReader::supplied(stream.clone());
    let mut all = Vec::new();
    loop {
        let mut piece = vec![0; step];
        let filled = reader.fill(&mut piece, &Progress::new()).expect("read");
        all.extend(&piece[..filled]);
        if filled < step {
            return all;
        }
    }
}

#[test]
fn whatever_a_pipe_brings_comes_once() {
    let little = LITTLE_BYTES;
    for bytes in [0, 1, 100, little - 1, little, little + 1, little + 2, 3 * little] {
        let data: Vec<u8> = (0..bytes).map(|at| b"ab\nc"[at % 4]).collect();
        for step in [1 << 12, little + 1, 1 << 20] {
            let (from, mut to) = io::pipe().expect("a pipe");
            let written = data.clone();
            let writer = thread::spawn(move || to.write_all(&written));
            let (begun, rest) = begin(PipeReader::of(from, Path::new("-"))).expect("read");
            assert_eq!(rest.is_none(), bytes <= little, "{bytes}");
            let stream = Supplied::new(Path::new("-"), BegunStream::new(begun, rest));
            assert!(all_of(&stream, step) == data, "{bytes} by {step}");
            writer.join().expect("no panic").expect("written");
        }
    }
}

#[test]
fn files_that_are_little_together_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, bytes: usize| {
        let path = folder.path().join(name);
        std::fs::write(&path, "x".repeat(bytes)).expect("write");
        Input::File(path)
    };
    let half = LITTLE_BYTES / 2;
    let [first, second, empty] = [file("a", half), file("b", half - 1), file("empty", 0)];
    let joined = [&"x".repeat(half), "\n", &"x".repeat(half - 1)].concat().into_bytes();
    let read = |inputs: &[&Input]| {
        let mut inputs: Vec<Input> = inputs.iter().copied().cloned().collect();
        lines(&mut inputs, &Output::Stdout, b'\n').expect("no pipe")
    };
    assert_eq!(read(&[&empty]), Some(Vec::new()));
    assert!(read(&[&empty, &first, &second]) == Some(joined));
    assert_eq!(read(&[&first, &first]), None, "the end of the first is one byte too many");
    assert_eq!(read(&[&first, &second, &empty]), None);
    assert_eq!(read(&[&Input::File(folder.path().to_owned())]), None);
    assert_eq!(read(&[&empty, &Input::File(folder.path().join("none"))]), None);
}
