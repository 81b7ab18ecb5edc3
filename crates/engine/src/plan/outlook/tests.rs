//! Outlooks are those of the plans they are made of, and change where they say.

use super::*;
use crate::plan::tests::need;

fn outlook(bytes: u64, budget: ByteSize) -> Outlook {
    let need = need(100, Some(bytes), budget);
    Outlook::new(&need, &Plan::new(&need).expect("a plan"), bytes)
}

#[test]
fn passes_change_at_the_budgets_that_are_told() {
    let bytes = 20_000_000_000;
    let told = outlook(bytes, ByteSize::gib(1));
    let (one, two) = (told.one_pass_budget.expect("one"), told.two_pass_budget.expect("two"));
    assert!(two < ByteSize::gib(1) && ByteSize::gib(1) < one && one < ByteSize::gib(40));
    let less = |budget: ByteSize| ByteSize(budget.bytes() - (1 << 20));
    assert_eq!(outlook(bytes, one).passes, 1);
    assert_eq!(outlook(bytes, less(one)).passes, 2);
    assert_eq!(outlook(bytes, two).passes, 2);
    assert_eq!(outlook(bytes, less(two)).passes, 3);
    for budget in [one, two, less(two), ByteSize::mib(64)] {
        let now = outlook(bytes, budget);
        assert_eq!((now.one_pass_budget, now.two_pass_budget), (Some(one), Some(two)));
        assert!(now.merge_width <= now.merge_width_max);
    }
}

/// Loads of lines are seldom full, so that there may be some more runs than are expected.
#[test]
fn the_budget_of_two_passes_has_room_for_more_runs_of_lines() {
    let bytes = 20_000_000_000;
    let lines = |budget| Need { varies: true, ..need(100, Some(bytes), budget) };
    let of = |budget| {
        let need = lines(budget);
        Outlook::new(&need, &Plan::new(&need).expect("a plan"), bytes)
    };
    let two = of(ByteSize::mib(64)).two_pass_budget.expect("two");
    let now = of(two);
    assert_eq!(now.passes, 2);
    assert!(now.runs + now.runs / 16 < now.merge_width_max, "{now:?}");
}

#[test]
fn one_pass_spills_nothing() {
    let now = outlook(1_000_000_000, ByteSize::gib(4));
    assert_eq!((now.passes, now.loads, now.runs, now.merge_width), (1, 1, 0, 0));
    assert_eq!((now.spilled_bytes, now.spill_space), (ByteSize(0), ByteSize(0)));
    assert_eq!(now.moved_bytes, ByteSize(2_000_000_000));
}

#[test]
fn further_passes_spill_more_than_the_input() {
    let bytes = 20_000_000_000;
    let two = outlook(bytes, ByteSize::gib(1));
    assert_eq!((two.passes, two.merged_before, two.merge_width), (2, 0, two.runs));
    let of_files = (two.runs + 1) * (BLOCK as u64 + 3 * 4096);
    assert_eq!(two.spill_space, ByteSize(bytes + bytes / 100 + of_files));
    assert_eq!(two.spilled_bytes, ByteSize(bytes));
    assert!(two.runs * two.run_bytes.bytes() >= bytes);
    let more = outlook(bytes, ByteSize::mib(64));
    assert_eq!(more.merge_width, more.merge_width_max);
    assert!(more.passes > 2 && more.merged_before > 0 && more.spilled_bytes > ByteSize(bytes));
}

/// Where few records are wanted, no load is made for all of them.
#[test]
fn a_budget_that_does_not_help_is_not_told() {
    let need = Need { wanted: Some(10), ..need(100, Some(100_000_000_000), ByteSize::gib(1)) };
    let told = Outlook::new(&need, &Plan::new(&need).expect("a plan"), 100_000_000_000);
    assert_eq!(told.one_pass_budget, None);
}
