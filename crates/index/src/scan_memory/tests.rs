//! The parts fit in the budget, and a budget that is named suffices, while less does not.

use super::*;

#[test]
fn parts_fit_in_the_budget() {
    let targets = [IndexTarget::Lmdb, IndexTarget::Sqlite];
    for (threads, target) in [1, 2, 16].into_iter().zip(targets.into_iter().cycle()) {
        for mib in [64, 100, 1000, 100_000] {
            let memory = ScanMemory::new(mib << 20, threads, target);
            assert!(memory.left() >= memory.budget / 3, "{memory:?}");
            assert!(memory.longest <= memory.budget / LONGEST_SHARE, "{memory:?}");
            assert!(memory.long_from() >= memory.block, "{memory:?}");
        }
    }
}

#[test]
fn named_budgets_suffice_and_less_does_not() {
    let targets = [IndexTarget::Lmdb, IndexTarget::Sqlite];
    for (threads, target) in [1, 2, 16, 1].into_iter().zip(targets.into_iter().cycle()) {
        let memory = ScanMemory::new(40 << 20, threads, target);
        for length in [(2 << 20) + 1, 5 << 20, 77 << 20, LONGEST_MAX] {
            let least = memory.least_for(length, length).unwrap().bytes();
            let accepts = |budget| ScanMemory::new(budget, threads, target).longest >= length;
            assert!(accepts(least) && !accepts(least - MIB), "{least} for {length}");
        }
        assert_eq!(memory.least_for(LONGEST_MAX + 1, 0), None);
        for bytes in [40 << 20, 1 << 30, 50 << 30] {
            let least = memory.least_leaving(bytes).bytes();
            let leaves = |budget| ScanMemory::new(budget, threads, target).left() >= bytes;
            assert!(leaves(least) && !leaves(least - MIB), "{least} for {bytes}");
        }
    }
}
