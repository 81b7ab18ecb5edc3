//! Both layouts: runs in order, all records in them, as many runs as theory has it.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::orders::hard_orders;
use super::*;

/// What comes out, and the number of runs.
fn select<L: NodeLayout>(levels: u32, entries: &[u64]) -> (Vec<u64>, usize) {
    let mut out = vec![0; entries.len()];
    let mut tree = KernelTree::<L>::new(levels).unwrap();
    let mut starts = tree.select(entries, &mut out);
    assert_eq!(tree.select(entries, &mut out), starts, "a tree may be used again");
    let runs = starts.len();
    starts.push(entries.len());
    for run in starts.windows(2) {
        let run = &out[run[0]..run[1]];
        assert!(!run.is_empty() && run.is_sorted_by_key(|entry| prefix(*entry)));
    }
    let (mut all, mut expected) = (out.clone(), entries.to_vec());
    all.sort_unstable();
    expected.sort_unstable();
    assert!(all == expected, "every record came out");
    (out, runs)
}

/// The runs, in both layouts.
fn runs(levels: u32, entries: &[u64]) -> usize {
    let plain = select::<LevelLayout>(levels, entries);
    assert!(plain == select::<Clustered>(levels, entries), "layouts change no order");
    plain.1
}

#[test]
fn every_way_goes_through_its_own_nodes() {
    for levels in 0..12 {
        let layout = Clustered::new(levels);
        let mut used = BTreeSet::new();
        for leaf in 0..1 << levels {
            let (mut way, mut lines) = (Vec::new(), BTreeSet::new());
            layout.way(leaf, |place| {
                way.push(place);
                lines.insert(place / LINE_NODES);
                true
            });
            assert_eq!(way.len(), levels as usize, "of {levels} levels");
            assert_eq!(lines.len(), levels.div_ceil(LINE_LEVELS) as usize);
            assert!(way.iter().all(|place| *place < layout.places()));
            used.extend(way);
        }
        assert_eq!(used.len(), (1 << levels) - 1, "inner nodes of {levels} levels");
    }
}

#[test]
fn runs_are_as_long_as_theory_has_them() {
    let order = |name: &str| {
        let orders = hard_orders(20_000).into_iter();
        orders.filter(|order| order.0 == name).flat_map(|order| order.1).collect::<Vec<u64>>()
    };
    assert_eq!(runs(6, &order("sorted")), 1);
    assert_eq!(runs(6, &order("equal")), 1);
    assert_eq!(runs(6, &order("reversed")), 20_000_usize.div_ceil(64));
    // Twice as long as the tree has leaves, on average (Knuth, section 5.4.1).
    let random = runs(6, &order("random"));
    assert!((140..175).contains(&random), "{random}");
}

#[test]
fn hard_orders_of_every_size() {
    for count in [0, 1, 2, 3, 63, 64, 65, 1000] {
        for (name, entries) in hard_orders(count) {
            println!("{name} {count}");
            for levels in [0, 1, 2, 3, 4, 6, 7, 11] {
                runs(levels, &entries);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0023),
        ..ProptestConfig::default()
    })]

    #[test]
    fn runs_in_order(
        levels in 0..10_u32,
        mask in prop_oneof![Just(u64::MAX), any::<u64>(), Just(7 << 32)],
        values in prop::collection::vec(any::<u64>(), 0..1500),
    ) {
        runs(levels, &values.iter().map(|value| value & mask).collect::<Vec<u64>>());
    }
}
