//! Where bounds fall, against a count of all records that come before.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::run::tests::key_of;

/// Bytes per record: one of key, one of nothing.
const LENGTH: usize = 2;

fn records(keys: &[u8]) -> Vec<u8> {
    keys.iter().flat_map(|key| [*key, 0xbb]).collect()
}

/// Every bound of every run, over all of the runs or a part of each.
fn check(runs: &[Vec<u8>], skip: usize) {
    let data: Vec<Vec<u8>> = runs.iter().map(|keys| records(keys)).collect();
    // Only records from `skip` on are in memory, with their numbers in the run.
    let skipped = |run: usize| skip.min(runs[run].len());
    let pieces: Vec<Piece<'_>> = data
        .iter()
        .enumerate()
        .map(|(run, bytes)| Piece {
            bytes: &bytes[skipped(run) * LENGTH..],
            first_record: skipped(run) as u64,
        })
        .collect();
    let ranges: Vec<(u64, u64)> = runs
        .iter()
        .enumerate()
        .map(|(run, keys)| (skipped(run) as u64, keys.len() as u64))
        .collect();
    let key = key_of("0..1", LENGTH);
    let crate::key::Key::Slice(key) = &key else { panic!("a key of bytes") };
    for (bound_run, keys) in runs.iter().enumerate() {
        for bound_record in skipped(bound_run)..keys.len() {
            let bound = (keys[bound_record], bound_run, bound_record);
            let found = positions(key, LENGTH, &pieces, &ranges, (bound_run, bound_record as u64));
            for (run, keys) in runs.iter().enumerate() {
                let numbered = keys.iter().enumerate().skip(skip);
                let before = numbered.filter(|(at, key)| (**key, run, *at) < bound).count();
                assert_eq!(found[run], (skipped(run) + before) as u64, "{bound:?} in run {run}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0015),
        ..ProptestConfig::default()
    })]

    #[test]
    fn bounds_count_what_comes_before(
        mut runs in prop::collection::vec(prop::collection::vec(0..4_u8, 0..12), 1..6),
        skip in 0..4_usize,
    ) {
        runs.iter_mut().for_each(|keys| keys.sort_unstable());
        check(&runs, skip);
    }
}
