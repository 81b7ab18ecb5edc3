//! Quicksort against the standard library's sort, and the comparisons that it takes.

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::orders::hard_orders;
use super::*;

/// Sorts, holds the result against the standard library's, and tells the comparisons.
fn comparisons(unsorted: &[u64]) -> usize {
    let (mut items, mut expected) = (unsorted.to_vec(), unsorted.to_vec());
    let count = Cell::new(0);
    sort(&mut items, |a, b| {
        count.set(count.get() + 1);
        a.cmp(b)
    });
    expected.sort_unstable();
    assert!(items == expected);
    count.get()
}

#[test]
fn hard_orders_take_no_more_than_their_share() {
    for count in [0, 1, 2, 3, 12, 13, 14, 100, 5000, 65_536] {
        for (name, values) in hard_orders(count) {
            let took = comparisons(&values);
            let share = 3 * count * u64::from(count.max(2).ilog2() + 4);
            assert!(took as u64 <= share, "{name} {count}: {took} comparisons");
        }
    }
}

/// McIlroy, "A Killer Adversary for Quicksort", 1999: values are decided as they are compared.
#[test]
fn the_worst_input_is_not_quadratic() {
    let count = 20_000;
    let values = RefCell::new(vec![None; count]);
    let (solid, candidate, took) = (Cell::new(0_u64), Cell::new(0), Cell::new(0_usize));
    let mut items: Vec<usize> = (0..count).collect();
    sort(&mut items, |&x, &y| {
        took.set(took.get() + 1);
        let mut values = values.borrow_mut();
        if values[x].is_none() && values[y].is_none() && x != y {
            values[if x == candidate.get() { x } else { y }] = Some(solid.get());
            solid.set(solid.get() + 1);
        }
        if values[x].is_none() {
            candidate.set(x);
        } else if values[y].is_none() {
            candidate.set(y);
        }
        values[x].unwrap_or(u64::MAX).cmp(&values[y].unwrap_or(u64::MAX))
    });
    assert!(took.get() < 100 * count, "{} comparisons while it was made", took.get());
    let worst: Vec<u64> = values.take().into_iter().map(|at| at.unwrap_or(u64::MAX)).collect();
    let took = comparisons(&worst);
    assert!(took < 100 * count, "{took} comparisons");
}

#[test]
fn insertion_gives_up_and_loses_nothing() {
    let mut items: Vec<u64> = (0..100).rev().collect();
    assert!(!insert(&mut items, 200, u64::cmp));
    let mut left = items.clone();
    left.sort_unstable();
    assert_eq!(left, (0..100).collect::<Vec<u64>>());
    assert!(insert(&mut items, 5000, u64::cmp) && items == left);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0021),
        ..ProptestConfig::default()
    })]

    #[test]
    fn as_the_standard_library_sorts(
        mask in prop_oneof![Just(u64::MAX), any::<u64>(), Just(7)],
        values in prop::collection::vec(any::<u64>(), 0..2000),
    ) {
        comparisons(&values.iter().map(|value| value & mask).collect::<Vec<u64>>());
        let mut records: Vec<[u8; 100]> = values.iter().map(|value| {
            let mut record = [0; 100];
            record[..8].copy_from_slice(&(value & mask).to_be_bytes());
            record[92..].copy_from_slice(&value.to_be_bytes());
            record
        }).collect();
        let mut expected = records.clone();
        sort(&mut records, |a, b| a[..10].cmp(&b[..10]));
        prop_assert!(records.is_sorted_by_key(|record| record[..10].to_vec()));
        records.sort_unstable();
        expected.sort_unstable();
        prop_assert!(records == expected, "each record is still there, whole");
    }
}
