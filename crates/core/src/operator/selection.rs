//! The output of a sort that does not write all of its records: tasks take turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{GroupWriter, Select};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::sink::{Lane, Sink, Writer};

/// How often a waiting worker looks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Records with equal keys: the first of them, and how many they are.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The first record.
    pub record: Vec<u8>,
    /// How many have its key.
    pub count: u64,
}

/// Sorted records on their way to a sink, which takes what is left of them in order.
#[derive(Debug)]
pub struct Selection {
    /// What is left.
    pub select: Select,
    /// How records are told apart.
    pub framing: Framing,
    state: Mutex<State>,
    /// Told whenever the state has changed.
    changed: Condvar,
    is_full: AtomicBool,
}

/// What tasks hand on to each other.
#[derive(Debug)]
pub struct State {
    /// The task whose turn it is.
    task: usize,
    is_failed: bool,
    /// The last group of the tasks before: the next may go on with it.
    pub open: Option<Group>,
    /// Bytes written.
    pub offset: u64,
    /// Records written.
    pub records: u64,
}

impl Selection {
    /// A selection that writes from byte `start` of its sink on.
    pub fn new(select: Select, framing: Framing, start: u64) -> Self {
        let state = State { task: 0, is_failed: false, open: None, offset: start, records: 0 };
        let is_full = AtomicBool::new(select.limit == Some(0));
        Self { select, framing, state: Mutex::new(state), changed: Condvar::new(), is_full }
    }

    /// Whether as many records were written as are wanted.
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// Begins a stage, whose tasks are numbered from 0.
    pub fn begin_stage(&self) {
        self.state().task = 0;
    }

    /// Lets `produce` write all records of task `task`. Tasks are begun in order.
    ///
    /// # Errors
    ///
    /// Those of writing; [`Error::Interrupted`] where another task has failed.
    pub fn write(
        &self,
        sink: &Sink,
        lane: &mut Lane<'_>,
        task: usize,
        is_same: &dyn Fn(&[u8], &[u8]) -> bool,
        produce: impl FnOnce(&mut dyn Writer) -> Result<()>,
    ) -> Result<()> {
        let guard = Failing(self);
        let mut writer = GroupWriter::new(self, sink, lane, task, is_same)?;
        produce(&mut writer)?;
        writer.finish()?;
        std::mem::forget(guard);
        Ok(())
    }

    /// Writes what is left open and gives the bytes and records that were written.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(&self, sink: &Sink, lane: &mut Lane<'_>) -> Result<(u64, u64)> {
        let task = self.state().task;
        let mut writer = GroupWriter::new(self, sink, lane, task, &|_, _| false)?;
        writer.write_open()?;
        drop(writer);
        let state = self.state();
        let (bytes, records) = (state.offset, state.records);
        drop(state);
        if let Sink::File(file) = sink {
            file.seal(lane, bytes)?;
        }
        Ok((bytes, records))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // A panic in a write leaves nothing half done but the output, and that is failed then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether all tasks before `task` are done.
    pub(super) fn is_turn(&self, task: usize) -> bool {
        self.state().task == task
    }

    /// Waits until all tasks before `task` are done.
    pub(super) fn wait_turn(&self, task: usize, lane: &mut Lane<'_>) -> Result<()> {
        let begun = Instant::now();
        let mut state = self.state();
        while !state.is_failed && state.task != task {
            if lane.progress().is_stopping() {
                return Err(Error::Interrupted);
            }
            let waited = self.changed.wait_timeout(state, STOP_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_failed {
            return Err(Error::Interrupted); // whoever failed says why
        }
        lane.count_waiting(begun.elapsed());
        Ok(())
    }

    /// Notes that `records` records of `bytes` bytes were written.
    pub(super) fn note_written(&self, bytes: u64, records: u64) {
        let mut state = self.state();
        state.offset += bytes;
        state.records += records;
        let is_full = self.select.limit.is_some_and(|limit| state.records >= limit);
        self.is_full.store(is_full, Ordering::Relaxed);
    }

    /// Gives the turn to the next task, with the group that it may go on with.
    pub(super) fn pass_turn(&self, open: Option<Group>) {
        let mut state = self.state();
        state.task += 1;
        state.open = open;
        drop(state);
        self.changed.notify_all();
    }
}

/// Wakes all who wait for a turn that will not come, unless forgotten.
struct Failing<'a>(&'a Selection);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        self.0.state().is_failed = true;
        self.0.changed.notify_all();
    }
}
