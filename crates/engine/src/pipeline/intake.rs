//! Intake of an input into memory, load after load, as run generation sees it.

use super::generate::IntakeCounts;
use super::stage::{Fill, Worker};
use crate::error::Result;
use crate::incore::KeyedLoad;
use crate::io::Region;
use crate::key::KeyTally;
use crate::load::InputPlace;
use crate::proof::Sum;

/// A load in buckets, and its memory: the last state of a load, which the next stage gathers and
/// writes. It is usually made of a [`FilledLoad`](super::raw_load::FilledLoad).
pub struct ReadyLoad {
    /// The load.
    pub load: KeyedLoad,
    /// Count and checksum of its records.
    pub sum: Sum,
    /// Counts about the keys of its records.
    pub keys: KeyTally,
    /// Records taken in for it: all that it holds, and those dropped on the way.
    pub taken: IntakeCounts,
    /// Place where the next load begins.
    pub next: InputPlace,
    /// Memory it was read through or does not use.
    pub spare: Vec<Region>,
}

impl ReadyLoad {
    /// Returns a load of which nothing was dropped, as if none came after it.
    pub fn new(load: KeyedLoad, sum: Sum, spare: Vec<Region>) -> Self {
        let taken = IntakeCounts { records: load.records(), bytes: load.bytes(), ragged: 0 };
        let (keys, next) = (KeyTally::default(), InputPlace::default());
        Self { load, sum, keys, taken, next, spare }
    }

    /// Takes the load's memory apart for the next one.
    pub fn into_memory(self) -> Region {
        Region::join_all(self.load.into_regions().into_iter().flatten().chain(self.spare))
    }
}

/// Yields loads, one after another: each is begun, filled by a stage, and finished, while the one
/// after it is prepared.
pub trait Intake {
    /// A load being filled.
    type Raw: Fill;

    /// Returns whether all of the input is in loads that were begun.
    fn is_over(&self) -> bool;

    /// Begins the next load in `memory`. What it begins with lies in `before`, the memory of the
    /// load before it; without that, where it was [moved](Self::move_tail): at the start of
    /// `memory` itself.
    fn begin(&mut self, memory: Region, before: Option<&[u8]>) -> Result<Self::Raw>;

    /// Returns whether the next load takes the memory of all loads: it has a record that is too
    /// long for one.
    fn needs_all(&self) -> bool {
        false
    }

    /// Moves what the next load begins with to the start of `memory`, in which the load before lay
    /// from byte `start` on.
    fn move_tail(&mut self, _memory: &mut Region, _start: usize) {}

    /// Refuses the load finished last, whose longest record is too long to be merged. It could have
    /// `most_bytes` at most, and as many as it has with a budget of `least_mib` MiB.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetExceeded`](crate::error::Error::BudgetExceeded), unless another way of
    /// reading the input is to say so.
    fn refuse_long(&mut self, ready: &ReadyLoad, most_bytes: u64, least_mib: u64) -> Result<()>;

    /// Returns whether this way of reading is of no use for the input; another has to begin again.
    fn is_unsuited(&self) -> bool {
        false
    }

    /// Returns where in the inputs the next load begins, after the one finished last; the start
    /// where such a job is not continued.
    fn place(&self) -> InputPlace {
        InputPlace::default()
    }

    /// Returns whether there may be something to prepare.
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Looks ahead, while a load is filled.
    fn prepare(&mut self) -> Result<()> {
        Ok(())
    }

    /// Finishes a load that has been filled. `before` is what all workers had summed when it was
    /// begun.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`](crate::error::Error::Malformed) where the input is not what it should
    /// be.
    fn finish(
        &mut self,
        raw: Self::Raw,
        workers: &mut [Worker<'_>],
        before: Sum,
    ) -> Result<ReadyLoad>;
}

/// Returns what all workers have summed of the input.
pub fn sum_in(workers: &[Worker<'_>]) -> Sum {
    let mut sum = Sum::default();
    for worker in workers {
        sum.add(worker.sum_in);
    }
    sum
}
