//! Merges of runs against the standard library's sort, and the table.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sortwell::Progress;

use super::super::orders::hard_orders;
use super::*;

fn check(unsorted: &[u64], size: usize) {
    let key = key_of_first(8, 8).unwrap();
    let mut entries = unsorted.to_vec();
    entries.chunks_mut(size).for_each(|run| quicksort::sort(run, u64::cmp));
    let mut out = vec![0; unsorted.len()];
    merge(&key, entries.chunks(size), &mut out);
    entries.sort_unstable();
    assert!(out == entries, "{} in runs of {size}", unsorted.len());
}

#[test]
fn hard_orders_of_every_size() {
    for count in [0, 1, 2, 64, 1000] {
        for (name, values) in hard_orders(count) {
            println!("{name} {count}");
            for size in [1, 2, 64, 999] {
                check(&values, size);
            }
        }
    }
}

#[test]
fn a_row_for_each_size_of_runs() {
    let progress = Progress::new();
    let section = measure(&mut KernelMeter::new(1, &progress), 5000).unwrap();
    let [table] = section.tables.as_slice() else { panic!("{section:?}") };
    let sizes: Vec<&Cell> = table.rows.iter().map(|row| &row[0]).collect();
    let expected = [64.0, 256.0, 1024.0, 4096.0].map(Cell::Number);
    assert_eq!(sizes, expected.iter().collect::<Vec<&Cell>>());
    assert!(section.charts[0].lines.iter().all(|line| line.points.len() == 4));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0024),
        ..ProptestConfig::default()
    })]

    #[test]
    fn as_the_standard_library_sorts(
        size in 1..300_usize,
        mask in prop_oneof![Just(u64::MAX), any::<u64>(), Just(7)],
        values in prop::collection::vec(any::<u64>(), 0..1000),
    ) {
        check(&values.iter().map(|value| value & mask).collect::<Vec<u64>>(), size);
    }
}
