//! Pipes that bring less than a page of lines, as much, and more: all of it comes, once.

use super::*;
use std::io::Write;
use std::path::Path;
use std::thread;

/// Reads all of a stream, in pieces of `step` bytes.
fn all_of(stream: &Supplied, step: usize) -> Vec<u8> {
    let mut reader = Reader::supplied(stream.clone());
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
    let little = LITTLE_BYTES as usize;
    for bytes in [0, 1, 100, little - 1, little, little + 1, little + 2, 3 * little] {
        let data: Vec<u8> = (0..bytes).map(|at| b"ab\nc"[at % 4]).collect();
        let lines = memchr_iter(b'\n', &data).count() as u64;
        for step in [1 << 12, little + 1, 1 << 20] {
            let (from, mut to) = io::pipe().expect("a pipe");
            let written = data.clone();
            let writer = thread::spawn(move || to.write_all(&written));
            let reader = Reader::of(from, Path::new("-"));
            let (stream, is_little) = begin(reader, b'\n').expect("read");
            assert_eq!(is_little, bytes <= little, "{bytes}");
            let extent = Extent { bytes: bytes as u64, records: lines + 1 };
            assert_eq!(stream.extent(), is_little.then_some(extent));
            assert!(all_of(&stream, step) == data, "{bytes} by {step}");
            writer.join().expect("no panic").expect("written");
        }
    }
}
