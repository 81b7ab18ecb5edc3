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
    let shares = [Reservation::growing(1 << 20, 8), Reservation::growing(9 << 20, 12)];
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

/// A part of another budget is its share of that, within its limits.
#[test]
fn parts_are_those_of_the_budget() {
    let share = Reservation::growing(8 << 20, 8);
    for (part, of_small, of_large) in [
        (Reservation::fixed(8 << 20), 8 << 20, 8 << 20),
        (share, 8 << 20, 128 << 20),
        (share.between(0, u64::MAX, 1), 2 << 20, 128 << 20),
        (share.between(3 << 20, 20 << 20, 1), 3 << 20, 20 << 20),
        (share.between(1 << 20, 1 << 30, 100 << 20), 1 << 20, 101 << 20),
    ] {
        let besides = besides(&[part, Reservation::fixed(1)]);
        assert_eq!(besides.bytes(), (8 << 20) + 1);
        for (budget, bytes) in [(ByteSize::mib(16), of_small), (ByteSize::gib(1), of_large)] {
            let other = besides.of(budget);
            assert_eq!(other.bytes(), bytes + 1, "{part:?}");
            assert_eq!(other.rest_of(budget).bytes(), budget.bytes() - bytes - 1);
        }
    }
}
