//! Forecast of a plan for an input of known size: passes, runs, bytes, and the budgets at
//! which that changes. Pure arithmetic, for people and for tests; nothing is done by it.

use serde::Serialize;

use super::passes::MergeMethod;
use super::streams::RunStreams;
use super::{Need, Plan};
use crate::run::layout::BLOCK;
use crate::units::ByteSize;

/// Forecast of what a sort will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Outlook {
    /// Times the data is read and written, at most.
    pub passes: u32,
    /// Times the input fills the memory of a load.
    pub loads: u64,
    /// Runs that are written; none in one pass.
    pub runs: u64,
    /// Bytes of a run, at most; 0 in one pass.
    pub run_bytes: ByteSize,
    /// Most runs that memory and descriptors allow to be merged at once.
    pub merge_width_max: u64,
    /// Runs that the last merge has.
    pub merge_width: u64,
    /// Runs that are merged before that, into fewer.
    pub merged_before: u64,
    /// Bytes of a slab of a merge; 0 where runs are merged as streams.
    pub slab_bytes: ByteSize,
    /// Bytes of each run in a slab, on average: about what is read of it at a time.
    pub piece_bytes: ByteSize,
    /// Bytes written to runs, and read back.
    pub spilled_bytes: ByteSize,
    /// Free bytes needed in the spill directories together.
    pub spill_space: ByteSize,
    /// Free bytes needed where runs take the place of the input, as far as they are on its device.
    pub in_place_space: ByteSize,
    /// Bytes that all passes read and write.
    pub moved_bytes: ByteSize,
    /// Least budget with which all of it is sorted in one pass, if any is.
    pub one_pass_budget: Option<ByteSize>,
    /// Least budget with which all runs are merged at once: Oracle's critical sort area size.
    pub two_pass_budget: Option<ByteSize>,
}

impl Outlook {
    /// Returns the outlook of `plan`, made for `need`, for an input of `bytes` bytes.
    pub fn new(need: &Need, plan: &Plan, bytes: u64) -> Self {
        let volume = plan.volume(bytes);
        let (runs, merge_width) = (volume.runs as u64, volume.merge_width as u64);
        let slab_bytes = plan.external().map_or(0, |external| external.slab_wanted as u64);
        let by_slabs = runs > 0 && plan.merge_way() == MergeMethod::Slabs;
        let piece_bytes = match plan.merge_way() {
            MergeMethod::Slabs => slab_bytes.checked_div(merge_width).unwrap_or(0),
            MergeMethod::Streams => {
                let longest = vec![need.record_length as u64; volume.merge_width];
                let streams = RunStreams::new(&longest, plan.stream_bytes(), &plan.levers);
                (streams.buffers.even_refill() * BLOCK) as u64
            }
        };
        Self {
            passes: volume.passes,
            loads: if plan.is_one_pass() { 1 } else { runs },
            runs,
            run_bytes: ByteSize(volume.run_bytes),
            merge_width_max: plan.external().map_or(0, |external| external.merge_width as u64),
            merge_width,
            merged_before: volume.merged_before as u64,
            slab_bytes: ByteSize(if by_slabs { slab_bytes } else { 0 }),
            piece_bytes: ByteSize(piece_bytes),
            spilled_bytes: ByteSize(volume.spilled_bytes()),
            spill_space: ByteSize(volume.file_space()),
            in_place_space: ByteSize(volume.in_place_space()),
            moved_bytes: ByteSize(volume.moved_bytes()),
            one_pass_budget: least_budget(need, Plan::is_one_pass),
            two_pass_budget: least_budget(need, |plan| plan.merges_once(bytes)),
        }
    }
}

/// Returns the least budget whose plan is `good`, if any is.
fn least_budget(need: &Need, good: impl Fn(&Plan) -> bool) -> Option<ByteSize> {
    super::least_budget(|budget| Plan::new(&need.within(budget)).is_ok_and(|plan| good(&plan)))
}

#[cfg(test)]
mod tests;
