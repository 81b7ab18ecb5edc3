//! Blocks added in any order give the summary of the whole.

use super::Joining;
use crate::{KeyOrder, RECORD_LENGTH, RecordKind, Summary};

/// Every order of `0..count`, by Heap's algorithm.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    fn heap(size: usize, order: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if size <= 1 {
            all.push(order.clone());
            return;
        }
        for place in 0..size {
            heap(size - 1, order, all);
            order.swap(if size.is_multiple_of(2) { place } else { 0 }, size - 1);
        }
    }
    let mut all = Vec::new();
    heap(count, &mut (0..count).collect(), &mut all);
    all
}

#[test]
fn every_order_of_six_blocks() {
    let mut bytes = vec![0; 30 * RECORD_LENGTH];
    RecordKind::default().fill(0, &mut bytes);
    let whole = Summary::of(&bytes, KeyOrder::Bytes);
    let blocks: Vec<Summary> =
        bytes.chunks(5 * RECORD_LENGTH).map(|block| Summary::of(block, KeyOrder::Bytes)).collect();
    let orders = permutations(blocks.len());
    assert_eq!(orders.len(), 720);
    for order in orders {
        let joining = Joining::new(KeyOrder::Bytes);
        for block in &order {
            joining.add(*block as u64, blocks[*block].clone());
        }
        assert_eq!(joining.finish(), whole, "{order:?}");
    }
}

#[test]
fn stretches_that_touch_are_joined_at_once() {
    let joining = Joining::new(KeyOrder::Bytes);
    for (block, stretches) in [(0, 1), (1, 1), (5, 2), (3, 3), (4, 2), (2, 1), (6, 1)] {
        joining.add(block, Summary::default());
        assert_eq!(joining.stretches.lock().unwrap().len(), stretches, "after block {block}");
    }
}

#[test]
fn no_blocks_are_no_records() {
    assert_eq!(Joining::new(KeyOrder::Bytes).finish(), Summary::default());
}

#[test]
#[should_panic(expected = "blocks are missing")]
fn a_gap_at_the_end_is_our_mistake() {
    let joining = Joining::new(KeyOrder::Bytes);
    joining.add(0, Summary::default());
    joining.add(2, Summary::default());
    joining.finish();
}
