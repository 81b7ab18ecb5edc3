//! All methods against the standard library's: all small inputs, hard orders, random ones.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

const METHODS: [Method; 3] = [Method::Radix, Method::Quicksort, Method::Mergesort];

fn check(unsorted: &[u64]) {
    let mut expected = unsorted.to_vec();
    expected.sort_unstable();
    for method in METHODS {
        let mut entries = unsorted.to_vec();
        let mut spare = vec![0xdead; entries.len() + 3];
        method.sort(&mut entries, &mut spare);
        assert!(entries == expected, "{}", method.name());
        let beyond = &spare[entries.len()..];
        assert!(beyond.iter().all(|word| *word == 0xdead), "too much spare space used");
        for shift in [0, 40, 64] {
            let wide = |entries: &[u64]| {
                let values = entries.iter().map(|entry| u128::from(*entry) << shift);
                values.collect::<Vec<u128>>()
            };
            let mut entries = wide(unsorted);
            method.sort_wide(&mut entries, &mut vec![0; unsorted.len()]);
            assert!(entries == wide(&expected), "{}", method.name());
        }
    }
}

/// Insertion stops where it takes too many moves, and has lost nothing by then.
#[test]
fn insertion_gives_up() {
    let mut entries: Vec<u64> = (0..100).rev().collect();
    assert!(!insert(&mut entries, 200));
    let mut left = entries.clone();
    left.sort_unstable();
    assert_eq!(left, (0..100).collect::<Vec<u64>>());
    assert!(insert(&mut entries, 5000) && entries == left);
}

/// Pivots that are the worst there are end in the standard library's sort, and the order is right.
#[test]
fn bad_divisions_of_quicksort() {
    // McIlroy, "A Killer Adversary for Quicksort", 1999: values are decided as they are compared.
    struct Adversary {
        values: RefCell<Vec<Option<u64>>>,
        solid: Cell<u64>,
        candidate: Cell<usize>,
    }
    #[derive(Clone, Copy)]
    struct Asked<'a>(&'a Adversary, usize);
    impl Ord for Asked<'_> {
        fn cmp(&self, other: &Self) -> Ordering {
            let (adversary, x, y) = (self.0, self.1, other.1);
            let mut values = adversary.values.borrow_mut();
            if values[x].is_none() && values[y].is_none() && x != y {
                let frozen = if x == adversary.candidate.get() { x } else { y };
                values[frozen] = Some(adversary.solid.get());
                adversary.solid.set(adversary.solid.get() + 1);
            }
            if values[x].is_none() {
                adversary.candidate.set(x);
            } else if values[y].is_none() {
                adversary.candidate.set(y);
            }
            values[x].unwrap_or(u64::MAX).cmp(&values[y].unwrap_or(u64::MAX))
        }
    }
    impl PartialOrd for Asked<'_> {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }
    impl PartialEq for Asked<'_> {
        fn eq(&self, other: &Self) -> bool {
            self.cmp(other) == Ordering::Equal
        }
    }
    impl Eq for Asked<'_> {}

    let count = 10_000;
    let adversary = Adversary {
        values: RefCell::new(vec![None; count]),
        solid: Cell::new(0),
        candidate: Cell::new(0),
    };
    let mut asked: Vec<Asked<'_>> = (0..count).map(|place| Asked(&adversary, place)).collect();
    quicksort::sort(&mut asked);
    let values = adversary.values.take();
    let bad: Vec<u64> = values.into_iter().map(|value| value.unwrap_or(u64::MAX)).collect();
    check(&bad);
}

/// Every sequence of up to six of four values, at both ends of an entry.
#[test]
fn all_small_inputs() {
    for length in 0..=6_u32 {
        for choice in 0..4_u64.pow(length) {
            let values = (0..length).map(|place| choice >> (2 * place) & 3);
            check(&values.clone().collect::<Vec<u64>>());
            check(&values.map(|value| value << 62).collect::<Vec<u64>>());
        }
    }
}

/// Orders that are hard on one sort or another, by name, as digests; numbers count up.
fn hard_orders(count: u64) -> [(&'static str, Vec<u64>); 12] {
    let of = |digest: &dyn Fn(u64) -> u64| (0..count).map(digest).collect();
    let mixed = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    [
        ("random", of(&mixed)),
        ("equal", of(&|_| 7)),
        ("two values", of(&|at| mixed(at) & 1)),
        ("sorted", of(&|at| at)),
        ("reversed", of(&|at| count - at)),
        ("sawtooth", of(&|at| at % 37)),
        ("organ pipe", of(&|at| at.min(count - at))),
        ("low bits only", of(&|at| mixed(at) & 0xff)),
        ("clustered", of(&|at| (mixed(at) & 3) << 30 | mixed(at ^ 1) & 0xff)),
        ("largest", of(&|at| u64::from(u32::MAX) - (at & 1))),
        ("sorted except the last", of(&|at| if at + 1 == count { 0 } else { at })),
        ("skewed", of(&|at| mixed(at) >> (mixed(at ^ 5) % 32))),
    ]
}

#[test]
fn hard_orders_of_every_size() {
    for count in [2, 127, 128, 129, 1000, 5000, 65_536] {
        for (name, digests) in hard_orders(count) {
            println!("{name} {count}");
            let with_numbers = |numbers: &mut dyn Iterator<Item = u64>| {
                let pairs = digests.iter().zip(numbers);
                pairs.map(|(digest, number)| digest << 32 | number).collect::<Vec<u64>>()
            };
            check(&with_numbers(&mut (0..count)));
            check(&with_numbers(&mut (0..count).rev()));
            check(&digests); // as if digests were all zero
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0011),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_against_the_standard_library(
        mask in prop_oneof![Just(u64::MAX), any::<u64>(), Just(0xffff_ff00_0000_0000)],
        entries in prop::collection::vec(any::<u64>(), 0..2000),
    ) {
        check(&entries.into_iter().map(|entry| entry & mask).collect::<Vec<u64>>());
    }
}
