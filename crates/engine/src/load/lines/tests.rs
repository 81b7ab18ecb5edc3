//! Loads of lines: every byte of every input is in one span, in order, with room for terminators.

use super::*;

fn sources(sizes: &[u64]) -> Vec<LineSource> {
    let source = |&bytes| LineSource { source: Source { bytes, is_direct: true }, skip: 0 };
    sizes.iter().map(source).collect()
}

/// Checks the loads that inputs of `sizes` are cut into.
fn check(sizes: &[u64], block: usize, capacity: usize, carried: usize) {
    let mut cutter = LineCutter::new(sources(sizes), block);
    let mut seen = vec![0; sizes.len()];
    let mut loads = 0;
    while !cutter.is_over() {
        let load = cutter.next_load(capacity, carried);
        assert!(load.start >= carried && load.start < carried + PAGE);
        let mut free = load.start;
        for span in &load.spans {
            assert_eq!(span.offset, seen[span.source], "spans follow each other");
            assert!(span.at >= free && span.at.is_multiple_of(PAGE) && span.wanted <= block);
            assert!(span.offset.is_multiple_of(PAGE as u64), "requests past the page cache");
            seen[span.source] += span.wanted as u64;
            assert_eq!(span.is_end, seen[span.source] == sizes[span.source]);
            free = if span.is_end { span.end() + 1 } else { span.end() };
            assert!(free <= capacity && span.at + span.length <= capacity);
        }
        assert!(!load.spans.is_empty(), "every load gets on");
        loads += 1;
        assert!(loads < 1000);
    }
    assert_eq!(seen, sizes);
}

#[test]
fn every_byte_is_read_once_and_in_order() {
    for sizes in [&[0][..], &[1], &[4096], &[4095, 1, 0, 8192], &[1 << 20, 3, 123_456]] {
        for (block, capacity) in [(4096, 12_288), (8192, 100_000), (1 << 20, 4 << 20)] {
            for carried in [0, 1, 4096] {
                check(sizes, block, capacity, carried);
            }
        }
    }
}

#[test]
fn what_is_left_is_known_by_input() {
    let mut cutter = LineCutter::new(sources(&[0, 10_000, 5]), 4096);
    assert_eq!(cutter.place(), (1, 0));
    cutter.next_load(5000, 0);
    assert_eq!(cutter.left().collect::<Vec<_>>(), [(1, 4096, 5904), (2, 0, 5)]);
}

#[test]
fn the_start_of_an_input_may_be_left_out() {
    let source = |bytes, skip| LineSource { source: Source { bytes, is_direct: true }, skip };
    let sources = vec![source(10, 10), source(9000, 5000), source(3, 1)];
    let mut cutter = LineCutter::new(sources, 4096);
    let load = cutter.next_load(1 << 20, 0);
    let spans: Vec<_> = load.spans.iter().map(|s| (s.source, s.offset, s.skip, s.wanted)).collect();
    assert_eq!(spans, [(1, 4096, 904, 4096), (1, 8192, 0, 808), (2, 0, 1, 3)]);
    assert!(cutter.is_over());
}
