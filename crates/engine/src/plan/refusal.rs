//! Errors for budgets that are too small, and the least budget that would do.

use super::{Need, Plan};
use crate::error::{ConfigErrorKind, Error, Setting, config, message};
use crate::units::ByteSize;

/// Budgets are looked for in steps of this, up to that.
const BUDGET_STEP: u64 = 1 << 20;
const BUDGET_STEPS_MAX: u64 = 1 << 24;

/// Returns the least budget that is good enough, in whole MiB, if any is. It is looked for upwards:
/// budgets far beyond any machine have requests too large for the loads of a sort with --limit.
pub(super) fn least_budget(is_good: impl Fn(ByteSize) -> bool) -> Option<ByteSize> {
    let is_good = |steps: u64| is_good(ByteSize(steps * BUDGET_STEP));
    let mut high = std::iter::successors(Some(1), |steps| Some(2 * steps))
        .take_while(|steps| *steps <= BUDGET_STEPS_MAX)
        .find(|steps| is_good(*steps))?;
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_good(middle) { high = middle } else { low = middle }
    }
    Some(ByteSize(high * BUDGET_STEP))
}

pub(super) fn too_small(need: &Need) -> Error {
    let taken = need.besides.bytes();
    let around = |least: ByteSize| Need { budget: ByteSize(least.bytes() + taken), ..*need };
    let least = least_budget(|least| Plan::around_runs(&around(least)).is_some());
    let least_mib = least.map(|least| need.besides.around_mib(least));
    let advice = least_mib.map_or_else(
        || {
            "no budget is enough, as too few files may be opened; raise the limit (ulimit -n)"
                .into()
        },
        |least| message!("give at least {} MiB with {}", least, Setting::Memory),
    );
    config!(
        ConfigErrorKind::BudgetTooSmall { least: least_mib.map(ByteSize::mib) },
        "a memory budget of {} is too small to sort records of {}; {}",
        need.budget,
        ByteSize(need.record_length as u64),
        advice,
    )
}

pub(super) fn too_long_to_select(record_length: usize) -> Error {
    config!(
        ConfigErrorKind::BudgetTooSmall { least: None },
        "the memory budget has no room for the few records of {} that {} needs; give more with \
         {}, or {}",
        ByteSize(record_length as u64),
        Setting::Algorithm.to("replacement-selection"),
        Setting::Memory,
        Setting::Algorithm.to("radix"),
    )
}
