//! Tests of cutting inputs into chunks.

use super::*;
use sortwell::{Budget, Output};

/// Reads all chunks of `inputs`; each as it would be read by a job, and what it says of itself.
fn chunks(inputs: &[&[u8]], most: u64) -> Vec<(Vec<u8>, Extent)> {
    let folder = tempfile::tempdir().unwrap();
    let place = |(number, bytes): (usize, &&[u8])| {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, bytes).unwrap();
        Input::File(path)
    };
    let inputs = inputs.iter().enumerate().map(place).collect();
    let format = sortwell::Format::Lines { terminator: b'\n' };
    let budget = ByteSize::mib(64);
    let job =
        SortJob { memory: Budget::Bytes(budget), ..SortJob::new(inputs, Output::Stdout, format) };
    let progress = Progress::new();
    let mut chunks = Chunks::new(&job, b'\n', budget, Some(most)).unwrap();
    let mut read = Vec::new();
    loop {
        let mut chunk = chunks.next(&progress).unwrap();
        let extent = Extent { bytes: chunk.bytes, records: chunk.lines };
        let mut bytes = vec![0; chunk.bytes as usize + 1];
        let filled = chunk.fill(&mut bytes, &progress).unwrap();
        assert!(chunk.pieces.is_empty(), "memory is given back");
        bytes.truncate(filled);
        read.push((bytes, extent));
        if chunks.is_over() {
            return read;
        }
    }
}

/// Asserts that chunks are whole lines, that nothing is lost and how long the longest is.
fn assert_cut(inputs: &[&[u8]], most: u64) -> usize {
    let mut expected = Vec::new();
    for input in inputs {
        expected.extend_from_slice(input);
        if input.last().is_some_and(|last| *last != b'\n') {
            expected.push(b'\n');
        }
    }
    let chunks = chunks(inputs, most);
    for (bytes, extent) in &chunks {
        assert!(bytes.last().is_none_or(|last| *last == b'\n'));
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        assert_eq!((bytes.len() as u64, lines as u64), (extent.bytes, extent.records));
    }
    let all: Vec<u8> = chunks.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
    assert!(all == expected, "{most}: {} bytes instead of {}", all.len(), expected.len());
    chunks.iter().map(|(bytes, _)| bytes.len()).max().unwrap()
}

#[test]
fn chunks_are_whole_lines_of_about_so_many_bytes() {
    let lines: Vec<u8> =
        (0..20_000_u32).flat_map(|n| format!("{}\n", n * n % 999_983).into_bytes()).collect();
    for most in [4096, 5000, 16 << 10, 64 << 10] {
        let longest = assert_cut(&[&lines], most);
        assert!(longest as u64 <= most, "{longest} of {most}");
        assert!(longest as u64 > most / 2, "{longest} of {most}");
    }
    assert_eq!(assert_cut(&[&lines], 1 << 20), lines.len());
}

#[test]
fn lines_without_an_end_get_one_where_an_input_ends() {
    assert_cut(&[b"one\ntwo", b"", b"three", b"\n", b"four\n"], 4096);
    assert_eq!(assert_cut(&[b""], 4096), 0);
    assert_eq!(assert_cut(&[b"", b""], 4096), 0);
}

#[test]
fn lines_at_the_borders_of_pieces_and_longer_than_chunks_stay_whole() {
    for length in [127, 128, 511, 512, 513, 1023, 4096, 9000, 70_000] {
        let line = [vec![b'x'; length - 1], vec![b'\n']].concat();
        let lines = [line.repeat(3), b"short\n".to_vec(), line.repeat(9), b"end".to_vec()].concat();
        let longest = assert_cut(&[&lines, &line], 4096);
        assert!(longest <= 4096.max(length + 512 + 4096), "{longest} of lines of {length}");
    }
}

#[test]
fn a_line_that_no_memory_holds_is_an_error_that_says_where() {
    let format = sortwell::Format::Lines { terminator: b'\n' };
    let inputs = vec![Input::File("/dev/zero".into())];
    let budget = ByteSize::mib(32);
    let job =
        SortJob { memory: Budget::Bytes(budget), ..SortJob::new(inputs, Output::Stdout, format) };
    let mut chunks = Chunks::new(&job, b'\n', budget, None).unwrap();
    let error = chunks.next(&Progress::new()).unwrap_err().to_string();
    assert!(error.starts_with("/dev/zero: the line at byte 0 has more than"), "{error}");
}
