//! The longest line of a load, wherever it lies.

use super::*;
use crate::io::Arena;
use crate::load::LayoutInput;
use crate::pipeline::leftover::{FoundRecords, loaded_inputs};

/// Lays the inputs out as one load of blocks of a page, the first `carried` bytes carried, and
/// finds the longest line: its input, offset and length.
fn longest_of(inputs: &[Vec<u8>], carried: usize) -> (usize, u64, usize) {
    let source =
        |input: &Vec<u8>| LayoutInput { bytes: input.len() as u64, is_direct: false, skip: 0 };
    let framing = Framing::Terminated(b'\n');
    let mut cutter = Cutter::new(inputs.iter().map(source).collect(), framing, PAGE);
    let mut origins = Vec::new();
    if carried > 0 {
        // What was carried was read with a load of a page.
        cutter.next_load(PAGE + 1, 0, CarriedBytes::default());
        origins.push((0, InputPlace { source: 0, offset: (PAGE - carried) as u64 }));
    }
    let layout = cutter.next_load(1 << 20, 0, CarriedBytes { bytes: carried, origins });
    let mut bytes = Arena::new(ByteSize::mib(1)).unwrap();
    bytes[layout.begin()..layout.start]
        .copy_from_slice(&inputs[0][PAGE * usize::from(carried > 0) - carried..][..carried]);
    let mut found = Vec::new();
    for span in &layout.spans {
        let (from, end) = (span.offset as usize, span.at + span.wanted);
        bytes[span.at..end].copy_from_slice(&inputs[span.source][from..from + span.wanted]);
        found.push(FoundRecords { end, ..FoundRecords::default() });
    }
    let loaded = loaded_inputs(&mut bytes, &layout, &found, framing);
    let pieces: Vec<Range<usize>> = loaded.into_iter().map(|input| input.bytes).collect();
    let line = longest_record(&bytes, &pieces, framing);
    let (InputPlace { source, offset }, bytes) = (layout.origin(line.start), &bytes[line.clone()]);
    assert!(bytes.is_empty() || bytes.iter().position(|b| *b == b'\n') == Some(line.len() - 1));
    (source, offset, line.len())
}

/// Short lines, one of `length` bytes with its end, and short ones again.
fn input(before: usize, length: usize, after: usize) -> Vec<u8> {
    let short = |bytes: usize| b"abc\n".repeat(bytes / 4);
    [short(before), vec![b'x'; length - 1], b"\n".to_vec(), short(after)].concat()
}

#[test]
fn it_is_found_across_blocks_and_inputs() {
    for before in [0, 4, PAGE - 4, PAGE, 3 * PAGE + 8] {
        for length in [5, PAGE, 2 * PAGE + 1] {
            let one = input(before, length, 40);
            let offset = before as u64;
            assert_eq!(longest_of(std::slice::from_ref(&one), 0), (0, offset, length));
            let inputs = [b"a\nbb".to_vec(), Vec::new(), one, b"ccc".to_vec()];
            assert_eq!(longest_of(&inputs, 0), (2, offset, length));
        }
    }
}

#[test]
fn a_last_line_without_its_end_counts_as_ended() {
    let inputs = [b"a\n".to_vec(), b"bb\ncccc".to_vec()];
    assert_eq!(longest_of(&inputs, 0), (1, 3, 5));
}

#[test]
fn it_may_begin_in_the_load_before() {
    let before = PAGE - 100;
    let one = input(before, 3 * PAGE, 40);
    assert_eq!(longest_of(&[one], 100), (0, before as u64, 3 * PAGE));
}

#[test]
fn no_line_is_found_in_nothing() {
    assert_eq!(longest_of(&[Vec::new()], 0), (0, 0, 0));
}
