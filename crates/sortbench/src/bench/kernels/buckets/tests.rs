//! Both ways of buckets against the standard library's sort.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::orders::hard_orders;
use super::*;

fn check(unsorted: &[u64], bits: u32) {
    let mut expected = unsorted.to_vec();
    expected.sort_unstable();
    let mut entries = vec![0; unsorted.len()];
    let ends = distribute(unsorted, &mut entries, bits);
    assert_eq!((ends.len(), *ends.last().unwrap()), (1 << bits, unsorted.len()));
    sort_each(&mut entries, &ends, |bucket| quicksort::sort(bucket, u64::cmp));
    assert!(entries == expected, "quicksort of {} in {bits} bits", unsorted.len());
    distribute(unsorted, &mut entries, bits);
    let mut spare = vec![0; unsorted.len()];
    sort_each(&mut entries, &ends, |bucket| partial_radix(bucket, &mut spare, bits));
    assert!(entries == expected, "radix of {} in {bits} bits", unsorted.len());
}

#[test]
fn buckets_fit() {
    assert_eq!(bits_for(0, 1000), 0);
    assert_eq!(bits_for(1000, 1000), 0);
    assert_eq!(bits_for(1001, 1000), 1);
    assert_eq!(bits_for(100_000_000, 24 << 10), 12);
}

#[test]
fn distribution_keeps_the_order_within_a_bucket() {
    let entries = [3 << 62 | 9, 1 << 62, 3 << 62 | 1, 2, 1];
    let mut to = [0; 5];
    assert_eq!(distribute(&entries, &mut to, 2), [2, 3, 3, 5]);
    assert_eq!(to, [2, 1, 1 << 62, 3 << 62 | 9, 3 << 62 | 1]);
}

/// That these end in time for sizes like this is that none of them is quadratic.
#[test]
fn hard_orders_of_every_size() {
    for count in [0, 1, 2, 100, 5000, 200_000] {
        for (name, values) in hard_orders(count) {
            println!("{name} {count}");
            for bits in [0, 1, 7] {
                check(&values, bits);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0022),
        ..ProptestConfig::default()
    })]

    #[test]
    fn as_the_standard_library_sorts(
        bits in 0..13_u32,
        mask in prop_oneof![Just(u64::MAX), any::<u64>(), Just(0xff), Just(0xffff_ff00_0000_0000)],
        values in prop::collection::vec(any::<u64>(), 0..2000),
    ) {
        check(&values.iter().map(|value| value & mask).collect::<Vec<u64>>(), bits);
    }
}
