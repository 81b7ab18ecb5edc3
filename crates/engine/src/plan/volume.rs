//! Volume of an input under a plan: runs, merges, bytes and room. Nothing that is dropped on
//! the way, by a filter or among equal records, is known beforehand: it makes all of it less.

use super::levers::AREAS_MAX;
use super::passes::{MergeMethod, intermediate_groups};
use super::{ExternalPlan, Plan};
use crate::incore::bucket::BUCKET_ENTRIES_MAX;
use crate::load::layout::PAGE;
use crate::run::layout::BLOCK;
use crate::stats::{Phase, PhaseShare};

/// Loads that a sort in place needs room for beside its input: one that is being written, one that
/// is being made durable, and what page and block leave over.
const IN_PLACE_LOADS: u64 = 3;

/// Cost of a byte in the first pass relative to one in the last, on a machine that was not
/// measured. Such a byte comes into unused memory, and is dealt and sorted.
const DEALING: f64 = 1.9;

/// Cost of a byte that is merged before the last merge. With so little memory runs are short and
/// many, and those of each group are opened and removed before the next group begins.
const MERGING: f64 = 1.5;

/// Cost of making a byte of the output durable, and of removing a byte of runs.
const SYNCING: f64 = 0.1;
const REMOVING: f64 = 0.25;

/// The runs, merges and bytes of a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Volume {
    /// Times the data is read and written, at most.
    pub passes: u32,
    /// Runs that are generated; none in one pass.
    pub runs: usize,
    /// Most bytes of one of them.
    pub run_bytes: u64,
    /// Bytes of all of them.
    pub generated_bytes: u64,
    /// Runs that are merged into fewer, before the last merge.
    pub merged_before: usize,
    /// Bytes of these, each time that they are merged.
    pub merged_bytes: u64,
    /// Most bytes that are there twice while some are merged into one.
    pub twice_bytes: u64,
    /// Stages that a load or a slab takes: one, in which another is written, or one to be read and
    /// one to be written.
    pub stages_each: u64,
    /// Stages of run generation.
    pub load_stages: u64,
    /// Bytes of a slab, if that is how runs are merged: it has stages, too.
    pub slab_bytes: Option<u64>,
    /// Runs of the last merge.
    pub merge_width: usize,
    /// Bytes that are read of the input.
    pub input_bytes: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
}

impl Plan {
    /// Returns the volume of an input of `bytes` bytes.
    pub fn volume(&self, bytes: u64) -> Volume {
        let wanted = |records: Option<u64>| {
            let bytes = records.map(|some| some.saturating_mul(self.sizes.record_length as u64));
            bytes.unwrap_or(u64::MAX)
        };
        let output_bytes = bytes.min(wanted(self.wanted));
        let Some(external) = self.external() else {
            return Volume { passes: 1, input_bytes: bytes, output_bytes, ..Volume::default() };
        };
        // Runs of random records are twice as long as what memory holds. Others are not predicted.
        let length = self.sizes.record_length as u64;
        let selected = external.replacement();
        let selected = selected.map(|memory| 2 * memory.records.saturating_mul(length));
        let load_bytes = selected.unwrap_or(self.load.records_bytes).max(1);
        let runs = bytes.div_ceil(selected.unwrap_or_else(|| self.filled_bytes()).max(1)) as usize;
        // Of each load what is wanted of all, rounded up to whole buckets.
        let kept = self.wanted.map(|some| some.saturating_add(BUCKET_ENTRIES_MAX as u64));
        let run_bytes = load_bytes.min(wanted(kept)).min(bytes);
        let generated_bytes = bytes.min(run_bytes.saturating_mul(runs as u64));
        let load_stages = (AREAS_MAX / external.load_areas) as u64;
        let mut volume = Volume {
            passes: 1 + u32::from(runs > 0),
            runs,
            run_bytes,
            generated_bytes,
            stages_each: (AREAS_MAX / external.slabs) as u64,
            load_stages: if selected.is_some() { 0 } else { load_stages * runs as u64 },
            slab_bytes: (self.merge_way() == MergeMethod::Slabs)
                .then_some(external.slab_wanted as u64),
            merge_width: runs,
            input_bytes: bytes,
            output_bytes,
            ..Volume::default()
        };
        volume.add_intermediate_merges(external.merge_width);
        volume
    }

    /// Returns the bytes of records that a load usually has: the last record of those that vary in
    /// length often does not fit.
    fn filled_bytes(&self) -> u64 {
        let all = self.load.records_bytes;
        let lacking = if self.sizes.varies { self.sizes.record_length as u64 * 3 / 4 } else { 0 };
        all - lacking.min(all / 2)
    }

    /// Returns whether all runs of `bytes` bytes are merged at once, also if records that vary in
    /// length make some more of them.
    pub fn merges_once(&self, bytes: u64) -> bool {
        let volume = self.volume(bytes);
        let more = if self.sizes.varies { 1 + volume.runs / 16 } else { 0 };
        let fits = |external: &ExternalPlan| volume.runs + more <= external.merge_width;
        volume.passes <= 2 && self.external().is_none_or(fits)
    }
}

impl Volume {
    /// Adds what it takes to have no more than `width` runs.
    fn add_intermediate_merges(&mut self, width: usize) {
        let mut largest_bytes = self.run_bytes;
        loop {
            let groups = intermediate_groups(self.merge_width, width);
            let merged: usize = groups.iter().map(ExactSizeIterator::len).sum();
            let Some(widest) = groups.iter().map(ExactSizeIterator::len).max() else { return };
            let usual_bytes = self.generated_bytes / self.merge_width as u64;
            largest_bytes = (widest as u64 * largest_bytes).min(self.generated_bytes);
            self.passes += 1;
            self.merged_before += merged;
            self.merged_bytes += merged as u64 * usual_bytes;
            self.twice_bytes = self.twice_bytes.max(largest_bytes);
            self.merge_width -= merged - groups.len();
        }
    }

    /// Returns the number of bytes that are written to runs, and read back.
    pub fn spilled_bytes(&self) -> u64 {
        self.generated_bytes + self.merged_bytes
    }

    /// Returns the number of stages of a merge of `bytes` bytes.
    pub fn stages_of(&self, bytes: u64) -> u64 {
        self.slab_bytes.map_or(0, |slab| self.stages_each * bytes.div_ceil(slab.max(1)))
    }

    /// Returns the number of bytes that all reads and writes move.
    pub fn moved_bytes(&self) -> u64 {
        self.input_bytes + 2 * self.spilled_bytes() + self.output_bytes
    }

    /// Returns the phases, of a sort that has read `taken` bytes of its input and written `written`
    /// bytes of its output before.
    pub fn shares(&self, taken: u64, written: u64) -> Vec<PhaseShare> {
        let share = |phase, bytes: u64, weight: f64| PhaseShare { phase, bytes, weight };
        let output = self.output_bytes.saturating_sub(written);
        let input = self.input_bytes.saturating_sub(taken);
        let finishing = SYNCING * self.output_bytes as f64 + REMOVING * self.generated_bytes as f64;
        let finishing = share(Phase::Finishing, 0, finishing);
        if self.passes < 2 {
            let reading = share(Phase::Reading, input, DEALING * input as f64);
            return vec![reading, share(Phase::Writing, output, output as f64), finishing];
        }
        let generated = input + self.generated_bytes.saturating_sub(taken);
        let merged = 2 * self.merged_bytes;
        vec![
            share(Phase::RunGeneration, generated, DEALING * generated as f64),
            share(Phase::IntermediateMerge, merged, MERGING * merged as f64),
            share(Phase::Writing, 2 * output, 2.0 * output as f64),
            finishing,
        ]
    }

    /// Returns the maximum room that all runs need together.
    pub fn run_space(&self) -> u64 {
        // Checksums and index keys take less than one part in a hundred of a run.
        self.generated_bytes + self.generated_bytes / 100 + self.twice_bytes
    }

    /// Returns the maximum number of bytes of all files of runs at once. In addition to their room
    /// as it is estimated, each of them, and the one that is merged into, has a last block that is
    /// not full, and a page at either end and of the table.
    pub fn file_space(&self) -> u64 {
        match self.runs as u64 {
            0 => 0,
            runs => self.run_space() + (runs + 1) * (BLOCK + 3 * PAGE) as u64,
        }
    }

    /// Returns the room that runs need beside the input where they take its place.
    pub fn in_place_space(&self) -> u64 {
        (IN_PLACE_LOADS * self.run_bytes).max(self.twice_bytes).min(self.generated_bytes)
    }
}

#[cfg(test)]
mod tests;
