//! The radix sort against the standard library's: all small inputs, hard orders, random ones.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

fn check(mut entries: Vec<u64>) {
    let unsorted = entries.clone();
    let mut expected = entries.clone();
    expected.sort_unstable();
    let mut spare = vec![0xdead; entries.len() + 3];
    sort(&mut entries, &mut spare);
    assert_eq!(entries, expected);
    assert!(spare[entries.len()..].iter().all(|word| *word == 0xdead), "too much spare space used");
    for shift in [0, 40, 64] {
        let wide = |entries: &[u64]| {
            let values = entries.iter().map(|entry| u128::from(*entry) << shift);
            values.collect::<Vec<u128>>()
        };
        let mut entries = wide(&unsorted);
        sort_wide(&mut entries, &mut vec![0; unsorted.len()]);
        assert_eq!(entries, wide(&expected));
    }
}

/// Every sequence of up to six of four values, at both ends of an entry.
#[test]
fn all_small_inputs() {
    for length in 0..=6_u32 {
        for choice in 0..4_u64.pow(length) {
            let values = (0..length).map(|place| choice >> (2 * place) & 3);
            check(values.clone().collect());
            check(values.map(|value| value << 62).collect());
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
        ("sorted but for the last", of(&|at| if at + 1 == count { 0 } else { at })),
        ("skewed", of(&|at| mixed(at) >> (mixed(at ^ 5) % 32))),
    ]
}

#[test]
fn hard_orders_of_every_size() {
    for count in [2, 127, 128, 129, 1000, 5000, 65_536] {
        for (name, digests) in hard_orders(count) {
            println!("{name} {count}");
            check(digests.iter().zip(0..).map(|(digest, number)| digest << 32 | number).collect());
            let numbers = (0..count).rev();
            check(
                digests.iter().zip(numbers).map(|(digest, number)| digest << 32 | number).collect(),
            );
            check(digests); // as if digests were all zero
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
        check(entries.into_iter().map(|entry| entry & mask).collect());
    }
}
