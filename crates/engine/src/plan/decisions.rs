//! Decisions of a plan with their reasons, for people.

use serde::Serialize;

use super::levers::{AREAS_MAX, Levers, Overlap};
use super::memory::BUFFERS_ENOUGH;
use super::passes::{self, MergeMethod};
use super::{
    BLOCK_MAX, BLOCK_MIN, ExternalPlan, LoadLimit, MicrorunPlan, Need, Plan, PlanForm,
    RunGeneration, SpillReason, WidthLimit,
};
use crate::codec::CompressRuns;
use crate::error::{Message, Setting, message};
use crate::incore::Method;
use crate::units::ByteSize;

/// A decision of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// Topic that was decided about: `passes`, `threads`, `copies`, `microruns`, `runs`, `overlap`,
    /// `load`, `merge`, `compression`, `buffers`, `width` or `reads`.
    pub topic: &'static str,
    /// Choice, in a few words.
    pub choice: String,
    /// Reason for it.
    pub reason: Message,
}

/// Conditions of a job that are not part of its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobConditions {
    /// True if a worker can continue while its requests are carried out.
    pub is_asynchronous: bool,
    /// True if the sort in place sets the overlap, and not the user.
    pub is_overlap_of_place: bool,
}

/// Reason for a setting of the user.
const ASKED: &str = "as asked for";

/// Reason for the overlap of a sort in place.
const OF_PLACE: &str = "a sort in place needs it, to free parts of the input";

impl Decision {
    fn new(topic: &'static str, choice: impl Into<String>, reason: impl Into<Message>) -> Self {
        Self { topic, choice: choice.into(), reason: reason.into() }
    }
}

impl Plan {
    /// Returns what this plan, made for `need`, has decided for an input of `bytes` bytes. A topic
    /// that does not arise in this form of plan is left out.
    pub fn decisions(&self, need: &Need, bytes: u64, of: JobConditions) -> Vec<Decision> {
        let mut decisions = vec![self.why_passes(bytes), self.why_threads()];
        decisions.extend(self.why_copies(need));
        decisions.extend(self.why_microruns());
        if let Some(external) = self.external() {
            decisions.push(why_runs(external));
            decisions.extend(why_overlap(external, need, of));
            decisions.extend(why_merge_overlap(external, need, of));
            decisions.push(self.why_load(external));
            decisions.push(self.why_merge());
            decisions.extend(self.why_compression());
            decisions.extend(self.why_buffers());
            decisions.push(self.why_width(need, external));
        }
        decisions.push(self.why_reads(need, of));
        decisions
    }

    fn why_passes(&self, bytes: u64) -> Decision {
        let (choice, reason) = match &self.form {
            PlanForm::InMemory { .. } => (
                "1 pass".to_owned(),
                message!(
                    "the input fits in memory: with its entries it takes {}",
                    ByteSize(self.load.bytes() as u64),
                ),
            ),
            PlanForm::External(external) => (
                format!("{} passes", self.volume(bytes).passes),
                match external.reason {
                    SpillReason::UnknownLength => "the length of the input is not known".into(),
                    SpillReason::RunSize(run) => message!("a run may have {} at most", run),
                    SpillReason::TooLarge { needed, room } => message!(
                        "the input with its entries takes {}, and {} is left for it",
                        needed,
                        room,
                    ),
                    SpillReason::FewWanted => {
                        "few records are wanted, too few for memory that holds all of them".into()
                    }
                    SpillReason::SlowMemory => {
                        "new memory is slow on this machine: all input in memory would take longer"
                            .into()
                    }
                },
            ),
        };
        Decision::new("passes", choice, reason)
    }

    fn why_threads(&self) -> Decision {
        let reason = match self.threads < self.threads_wanted {
            true => message!("memory has no room for the buffers of {}", self.threads_wanted),
            false => message!("the number of processors, or of {}", Setting::Threads),
        };
        let s = if self.threads == 1 { "" } else { "s" };
        Decision::new("threads", format!("{} thread{s}", self.threads), reason)
    }

    fn why_copies(&self, need: &Need) -> Option<Decision> {
        let (choice, reason) = match (need.drops_copies, self.sieve()) {
            (false, _) => return None,
            (true, Some(_)) => (
                "equal lines are dropped as they are read",
                "one of them is wanted, and the whole line is the key",
            ),
            (true, None) => (
                "equal lines are dropped after they are sorted",
                "the input is small, or memory has no room for a table of its lines",
            ),
        };
        Some(Decision::new("copies", choice, reason))
    }

    fn why_microruns(&self) -> Option<Decision> {
        let MicrorunPlan { sort, width_max, is_asked } = self.microruns?;
        let reason = match sort.method {
            _ if is_asked => ASKED,
            Method::Quicksort => "10 to 100 runs, each small enough for a cache, as in AlphaSort",
            _ => "the square root of the records of a load, as in psort",
        };
        let choice = format!(
            "{}, then a tree of at most {width_max}",
            match sort.method {
                Method::Quicksort => format!("runs of {} entries by quicksort", sort.entries),
                _ => format!("microruns of {} entries by merge sort", sort.entries),
            }
        );
        Some(Decision::new("microruns", choice, reason))
    }

    fn why_load(&self, external: &ExternalPlan) -> Decision {
        if let Some(memory) = external.replacement() {
            let records = memory.records.saturating_mul(self.sizes.record_length as u64);
            let choice = format!("one tree with about {} of records", ByteSize(records));
            let size = ByteSize(memory.tree_bytes() as u64);
            let reason = message!("it has the memory of all loads, {} without read buffers", size);
            return Decision::new("load", choice, reason);
        }
        let reason = match external.load_reason {
            LoadLimit::Memory if external.load_areas > 1 => "half of the memory for records",
            LoadLimit::Memory => "the memory for records",
            LoadLimit::Enough => "more memory would make nothing faster",
            LoadLimit::RunSize => ASKED,
            LoadLimit::FewWanted => "few records of each load are wanted",
        };
        let size = ByteSize(self.load.bytes() as u64);
        Decision::new("load", format!("loads of {size}"), reason)
    }

    fn why_merge(&self) -> Decision {
        let (choice, usual) = match self.merge_way() {
            MergeMethod::Slabs => {
                ("runs merged by slabs", "all threads can merge at the same time")
            }
            MergeMethod::Streams => ("runs merged as streams", ASKED),
        };
        let reason = if self.levers.merge.is_some() { ASKED } else { usual };
        Decision::new("merge", choice, reason)
    }

    fn why_compression(&self) -> Option<Decision> {
        let (choice, reason) = match self.levers.compress_runs {
            CompressRuns::Off => return None,
            CompressRuns::As(compression) => (format!("runs compressed with {compression}"), ASKED),
            CompressRuns::Auto => (
                "runs compressed if that saves time".to_owned(),
                "the first run shows how fast the disk is, and how much the data shrinks",
            ),
        };
        Some(Decision::new("compression", choice, reason))
    }

    fn why_buffers(&self) -> Option<Decision> {
        let geometry = self.levers.merge_buffers;
        let reason = if geometry.is_some() { ASKED } else { "it is the default of psort" };
        let choice = format!("buffers of runs with {}", geometry.unwrap_or_default());
        let is_used = self.merge_way() == MergeMethod::Streams;
        is_used.then(|| Decision::new("buffers", choice, reason))
    }

    fn why_width(&self, need: &Need, external: &ExternalPlan) -> Decision {
        let size = |bytes: usize| ByteSize(bytes as u64);
        let reason = match (external.width_reason, self.merge_way()) {
            (WidthLimit::Memory, MergeMethod::Slabs) => message!(
                "each run needs at least {} of the {} of a slab",
                size(external.piece_bytes),
                size(external.slab_bytes),
            ),
            (WidthLimit::Memory, MergeMethod::Streams) => message!(
                "each run needs at least {} of the {} for a merge",
                ByteSize(passes::stream_share(need.record_length, external.seek_bytes)),
                size(self.stream_bytes()),
            ),
            (WidthLimit::OpenFiles, _) => "each run is an open file".into(),
            (WidthLimit::Asked, _) => ASKED.into(),
        };
        let choice = format!("at most {} runs at once", external.merge_width);
        Decision::new("width", choice, reason)
    }

    fn why_reads(&self, need: &Need, of: JobConditions) -> Decision {
        let levers = &need.levers;
        let block = ByteSize(self.block_bytes as u64);
        if levers.waits() || !of.is_asynchronous {
            let reason = match levers.waits() {
                true => "each thread waits for each read, as asked for",
                false => "the I/O engine carries out one request after the other",
            };
            return Decision::new("reads", format!("reads of {block}, one at a time"), reason);
        }
        let reason = match () {
            () if self.block_least >= self.block_bytes && levers.queue_depth.is_some() => {
                "blocks must be so large here, which leaves room for fewer of them"
            }
            () if levers.queue_depth.is_some() || levers.block.is_some() => ASKED,
            () if *levers != self.levers_of(need) => "the disks were measured to be faster so",
            () if self.block_bytes <= BLOCK_MIN => "smaller requests would be slow",
            // Blocks are rounded to whole records.
            () if self.block_bytes < BLOCK_MAX
                && self.sizes.buffers_bytes() > BUFFERS_ENOUGH / 8 * 7 =>
            {
                "short records are read through buffers, and larger ones take longer to get"
            }
            () if self.block_bytes < BLOCK_MAX => {
                "all reads in flight have an eighth of the memory for records"
            }
            () => "enough to keep most disks busy",
        };
        let reads = self.threads * self.read_depth;
        Decision::new("reads", format!("{reads} reads of {block} in flight"), reason)
    }

    /// Returns this plan's settings of requests, among all others of `need`.
    fn levers_of(&self, need: &Need) -> Levers {
        let Levers { queue_depth, block, .. } = self.levers;
        Levers { queue_depth, block, ..need.levers }
    }
}

fn why_runs(external: &ExternalPlan) -> Decision {
    let (choice, reason) = match external.generation {
        RunGeneration::Loads | RunGeneration::Sieve(_) => {
            ("each load becomes a run", "it is faster than replacement selection")
        }
        RunGeneration::Replacement(_) => ("runs by replacement selection", ASKED),
    };
    Decision::new("runs", choice, reason)
}

fn why_overlap(external: &ExternalPlan, need: &Need, of: JobConditions) -> Option<Decision> {
    if external.replacement().is_some() {
        return None;
    }
    let choice = match external.load_areas {
        AREAS_MAX => "two loads take turns",
        _ => "one load at a time",
    };
    let reason = match (need.levers.overlap, external.load_areas) {
        _ if of.is_overlap_of_place => OF_PLACE,
        (Overlap::Sync | Overlap::Pipelined, _) => ASKED,
        (Overlap::Auto, AREAS_MAX) => "one is read while the other is sorted and written",
        (Overlap::Auto, _) => "runs of all memory are fewer, so that less is merged twice",
    };
    Some(Decision::new("overlap", choice, reason))
}

/// Returns the decision about merges, if it differs from that about run generation.
fn why_merge_overlap(external: &ExternalPlan, need: &Need, of: JobConditions) -> Option<Decision> {
    let choice = match external.slabs {
        AREAS_MAX => "two slabs of a merge take turns",
        _ => "one slab of a merge at a time",
    };
    let reason = match (need.levers.overlap_of_merges(), external.slabs) {
        _ if of.is_overlap_of_place => OF_PLACE,
        (Overlap::Sync | Overlap::Pipelined, _) => ASKED,
        (Overlap::Auto, AREAS_MAX) => "one is read while the other is merged",
        (Overlap::Auto, _) => "slabs of all memory merge more runs at once",
    };
    (external.slabs != external.load_areas).then(|| Decision::new("overlap", choice, reason))
}

#[cfg(test)]
mod tests;
