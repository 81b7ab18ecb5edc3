//! The order of what several workers write to one place: bounds between tasks, stages and jobs.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::check::OrderCheck;
use super::kept::KeptRecord;
use crate::error::{Error, Result};
use crate::key::KeyEncoder;

/// The order of one run, or of the output.
///
/// Tasks of a stage are numbered from 0 and end in any order; stages come one after another.
#[derive(Debug)]
pub struct OrderProof {
    is_on: bool,
    /// The name of the output, for messages.
    target: &'static str,
    /// Stretches of neighbouring tasks that are done, by the number of the first. Number 0 stands
    /// for all stages before, and task 0 of the stage is number 1.
    stretches: Mutex<BTreeMap<usize, Stretch>>,
}

/// Neighbouring tasks that are done.
#[derive(Debug)]
struct Stretch {
    /// The number after the last of them.
    end: usize,
    /// The first record and the last; `None` where they have none.
    ends: Option<(KeptRecord, KeptRecord)>,
}

impl OrderProof {
    /// Returns the proof of an output, which looks at nothing unless `is_on`.
    pub fn of_output(is_on: bool) -> Self {
        Self::new(is_on, "the output")
    }

    /// Returns the proof of a run.
    pub fn of_run(is_on: bool) -> Self {
        Self::new(is_on, "a run")
    }

    fn new(is_on: bool, target: &'static str) -> Self {
        let proof = Self { is_on, target, stretches: Mutex::default() };
        proof.resume(None);
        proof
    }

    fn stretches(&self) -> MutexGuard<'_, BTreeMap<usize, Stretch>> {
        self.stretches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a check for the records of one task.
    pub fn check<'k, K: KeyEncoder>(&self, key: &'k K) -> OrderCheck<'k, K> {
        OrderCheck::new(key, self.is_on)
    }

    /// Begins a stage after those before. All their tasks are done, or no more records are wanted.
    pub fn begin_stage(&self) {
        self.resume(self.last());
    }

    /// Continues after `last`, which another job has written.
    pub fn resume(&self, last: Option<KeptRecord>) {
        let ends = last.map(|last| (last.clone(), last));
        *self.stretches() = BTreeMap::from([(0, Stretch { end: 1, ends })]);
    }

    /// Returns the last record of all tasks that are done.
    pub fn last(&self) -> Option<KeptRecord> {
        let stretches = self.stretches();
        stretches.get(&0)?.ends.as_ref().map(|(_, last)| last.clone())
    }

    /// Reports what a check has found in records that end at byte `offset`, where that is known.
    ///
    /// # Errors
    ///
    /// [`Error::Disorder`] where a record follows one that it belongs before.
    #[inline]
    pub fn verify<K: KeyEncoder>(
        &self,
        check: &OrderCheck<'_, K>,
        offset: Option<u64>,
    ) -> Result<()> {
        match (check.is_disordered(), offset) {
            (false, _) => Ok(()),
            (true, Some(offset)) => Err(self.disorder(format!("before byte {offset}"))),
            (true, None) => Err(self.disorder("among the selected records".to_owned())),
        }
    }

    /// Looks at how a record of a group compares with the next record.
    ///
    /// # Errors
    ///
    /// [`Error::Disorder`] where the next belongs before it, unless order is not looked at.
    pub fn look_at(&self, order: Ordering) -> Result<()> {
        match order {
            Ordering::Greater if self.is_on => {
                Err(self.disorder("between two groups of equal keys".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Takes in what `check` has seen of task number `task`, and compares its ends with those of
    /// its neighbours that are done.
    ///
    /// # Errors
    ///
    /// [`Error::Disorder`] where a record belongs before one of an earlier task.
    pub fn end_task<K: KeyEncoder>(
        &self,
        key: &K,
        task: usize,
        check: OrderCheck<'_, K>,
    ) -> Result<()> {
        if !self.is_on {
            return Ok(());
        }
        let mut start = task + 1;
        let mut done = Stretch { end: task + 2, ends: check.into_ends() };
        let mut stretches = self.stretches();
        let before = stretches.range(..start).next_back().map(|(first, stretch)| (*first, stretch));
        if let Some((first, _)) = before.filter(|(_, stretch)| stretch.end == start)
            && let Some(stretch) = stretches.remove(&first)
        {
            (start, done) = (first, self.join(key, stretch, done)?);
        }
        if let Some(stretch) = stretches.remove(&done.end) {
            done = self.join(key, done, stretch)?;
        }
        stretches.insert(start, done);
        Ok(())
    }

    /// Joins two neighbouring stretches.
    fn join<K: KeyEncoder>(&self, key: &K, left: Stretch, right: Stretch) -> Result<Stretch> {
        let ends = match (left.ends, right.ends) {
            (Some((first, last)), Some((next, end))) => {
                if last.compare_kept(key, &next).is_gt() {
                    return Err(self.contradiction());
                }
                Some((first, end))
            }
            (ends, others) => ends.or(others),
        };
        Ok(Stretch { end: right.end, ends })
    }

    /// Returns the error for parts of the output whose records contradict each other.
    pub fn contradiction(&self) -> Error {
        self.disorder("between two parts of it".to_owned())
    }

    fn disorder(&self, place: String) -> Error {
        Error::Disorder { target: self.target, place, is_compared: false }
    }
}
