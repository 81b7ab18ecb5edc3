//! Pieces are taken in order, their bytes are bounded, and no end keeps anyone waiting.

use std::thread;

use super::*;

#[test]
fn pieces_are_taken_in_the_order_of_their_blocks() {
    let (blocks, progress) = (OrderedBlocks::new(64), Progress::new());
    thread::scope(|scope| {
        for first in 0..3_u64 {
            let (blocks, progress) = (&blocks, &progress);
            scope.spawn(move || {
                for number in (first..30).step_by(3) {
                    for piece in 0..number % 7 {
                        assert!(blocks.put(number, vec![(number + piece) as u8; 40], progress));
                    }
                    blocks.end(number, Ok(()));
                }
            });
        }
        blocks.end_at(30);
        let mut entries = ScannedEntries::new(Arc::clone(&blocks));
        let (mut all, mut buffer) = (Vec::new(), [0; 33]);
        loop {
            assert!(blocks.state().bytes <= 64 + 40);
            match entries.fill(&mut buffer, &progress).unwrap() {
                0 => break,
                bytes => all.extend_from_slice(&buffer[..bytes]),
            }
        }
        let pieces = (0..30_u64).flat_map(|number| (0..number % 7).map(move |at| number + at));
        let wanted: Vec<u8> = pieces.flat_map(|byte| [byte as u8; 40]).collect();
        assert_eq!(all, wanted);
    });
}

#[test]
fn an_error_comes_after_the_pieces_before_it_and_once() {
    let (blocks, progress) = (OrderedBlocks::new(10), Progress::new());
    assert!(blocks.put(0, vec![1; 100], &progress), "one piece may always come");
    blocks.end(0, Err(Error::Interrupted));
    blocks.end_at(1);
    assert_eq!(blocks.take(&progress).unwrap(), Some(vec![1; 100]));
    blocks.take(&progress).unwrap_err();
    assert_eq!(blocks.take(&progress).unwrap(), None);
    blocks.abandon();
    assert!(!blocks.put(1, vec![1], &progress));
    blocks.take(&progress).unwrap_err();
}

#[test]
fn long_pieces_are_made_one_at_a_time_when_the_sort_waits() {
    let (blocks, progress) = (OrderedBlocks::new(10), Progress::new());
    thread::scope(|scope| {
        for number in 0..2_u64 {
            let (blocks, progress) = (&blocks, &progress);
            scope.spawn(move || {
                for _ in 0..3 {
                    assert!(blocks.wait_for_demand(number, progress));
                    assert_eq!(blocks.state().bytes, 0);
                    assert!(blocks.put(number, vec![number as u8; 40], progress));
                }
                blocks.end(number, Ok(()));
            });
        }
        blocks.end_at(2);
        for number in [0, 0, 0, 1, 1, 1] {
            let piece = blocks.take(&progress).unwrap();
            assert_eq!(piece, Some(vec![number; 40]));
        }
        assert_eq!(blocks.take(&progress).unwrap(), None);
        blocks.abandon();
        assert!(!blocks.wait_for_demand(2, &progress));
    });
}
