//! Budgets around what takes a part of them: enough is left, and a MiB less would not do.

use super::{Besides, Reservation};
use crate::units::ByteSize;

fn besides(parts: &[Reservation]) -> Besides {
    let mut besides = Besides::default();
    parts.iter().for_each(|part| besides.add(*part));
    besides
}

#[test]
fn nothing_else_takes_nothing() {
    assert_eq!(Besides::default().around_mib(ByteSize::mib(20)), 20);
    assert_eq!(Besides::default().bytes(), 0);
}

/// Of the budget that is named, what the parts take leaves enough, and of 1 MiB less it would not.
#[test]
fn the_budget_named_is_the_least() {
    let shares =
        [Reservation { bytes: 1 << 20, share: 8 }, Reservation { bytes: 9 << 20, share: 12 }];
    for parts in
        [&[Reservation::fixed(100 << 20)][..], &shares, &[shares[0], Reservation::fixed(12_345)]]
    {
        let besides = besides(parts);
        for mib in [1, 20, 64, 1000] {
            let least = ByteSize::mib(mib);
            let budget = besides.around_mib(least) << 20;
            let left = |budget: u64| budget - parts.iter().map(|part| part.of(budget)).sum::<u64>();
            assert!(left(budget) >= least.bytes(), "{parts:?}: {budget}");
            assert!(left(budget - (1 << 20)) < least.bytes(), "{parts:?}: {budget}");
        }
    }
}
