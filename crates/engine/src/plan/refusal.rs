//! Errors for budgets that are too small, and the least budget that would do.

use super::{Need, Plan};
use crate::error::Error;
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
    let advice = match least_budget(|least| Plan::around_runs(&around(least)).is_some()) {
        Some(least) => {
            format!("give at least {} MiB with --memory", need.besides.around_mib(least))
        }
        None => "no budget would do, as few more files may be opened; raise the limit (ulimit -n)"
            .to_owned(),
    };
    Error::Usage(format!(
        "a memory budget of {} is too small to sort records of {}; {advice}",
        need.budget,
        ByteSize(need.record_length as u64)
    ))
}

pub(super) fn too_long_to_select(record_length: usize) -> Error {
    Error::Usage(format!(
        "the memory budget has no room for a few records of {}, which --algorithm \
         replacement-selection wants; give more with --memory, or --algorithm radix",
        ByteSize(record_length as u64)
    ))
}
