//! Memory for copies of long records, and for records made of them, beside the only load.
//!
//! `passes` plans the memory for copies where runs are merged.

use super::Plan;
use super::memory::{LaneMemory, Sizes};
use super::passes::least_with;

/// Divisor of the arena that gives the part of the reserve that copies of records may always take.
const COPIES_SHARE: usize = 64;

impl Plan {
    /// Returns the bytes that are left for copies of records beside the only load, which has
    /// `records` records of `bytes` bytes.
    pub fn room_beside(&self, records: u64, bytes: u64) -> u64 {
        let unused = self.external().map_or(0, |external| {
            let average = (bytes / records.max(1)).max(1) as usize;
            let load = Sizes { record_length: average, ..self.sizes };
            external.areas_bytes().saturating_sub(load.load_for(bytes, bytes).bytes())
        });
        let least = self.arena_bytes / COPIES_SHARE;
        self.spare_bytes.max(unused).max(least) as u64
    }

    /// Returns a budget, in MiB, that leaves `room_bytes` beside the load of a plan like this.
    pub fn budget_with_room_mib(&self, room_bytes: u64) -> u64 {
        let Self { lane: LaneMemory { slack, selects, .. }, levers, .. } = *self;
        let areas = self.arena_bytes - self.threads * (self.lane.bytes() + self.scratch_bytes);
        let threads = self.threads_wanted;
        let needed = |usable: usize| {
            let lane = LaneMemory::new(slack, usable, threads, &levers, selects);
            (areas + threads * (lane.bytes() + self.scratch_bytes)) as u64 + room_bytes
        };
        self.besides.around_mib(least_with(threads, needed))
    }
}
