//! The output of a sort that does not write all of its records: tasks take turns.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::fold::Datum;
use super::kept::{GroupRecord, KeptRoom};
use super::{GroupWriter, Making, Select, SelectionTarget, Splitter};
use crate::error::{ALL_INPUTS, Error, Message, Result, Setting, message};
use crate::manifest::{GroupText, SelectedEntry};
use crate::proof::Sum;
use crate::sink::Lane;
use crate::stats::Stream;
use crate::units::ByteSize;

/// Interval at which a waiting worker checks whether the job was stopped.
const STOP_CHECK: Duration = Duration::from_millis(50);

/// Bytes of the longest record that is noted where a selection stands.
const NOTED_MAX: usize = 1 << 20;

/// Records with equal keys.
#[derive(Debug, Default)]
pub struct KeyGroup {
    /// The one of them that is kept.
    pub record: GroupRecord,
    /// Number of records in the group.
    pub count: u64,
    /// Folded values of all of them.
    pub values: Vec<Datum>,
}

/// Sorted records on their way to a sink, which takes what is left of them in order.
#[derive(Debug)]
pub struct Selection {
    /// Selection of the records that are left.
    pub select: Select,
    /// Changes made to the selected records.
    pub(super) making: Arc<Making>,
    /// True if nothing is selected of what is left any more: it is the output, not a run.
    pub is_last: bool,
    /// True if it is accounted for every record, in [`Selected::sum`].
    pub is_summed: bool,
    /// Splitter that takes them in place of the sink, where the output is several files.
    pub(super) splitter: Option<Splitter>,
    /// Name of the records' source in messages.
    origin: PathBuf,
    state: Mutex<SelectionState>,
    /// Told whenever the state has changed.
    changed: Condvar,
    is_full: AtomicBool,
}

/// State that tasks hand on to each other.
#[derive(Debug)]
pub struct SelectionState {
    /// The task whose turn it is.
    task: usize,
    is_failed: bool,
    /// The last group of the tasks before: the next task may continue it.
    pub open: Option<KeyGroup>,
    /// Bytes written, and what stands before them.
    pub offset: u64,
    /// Records, or groups of equal ones, that are written or left out at the beginning.
    pub passed: u64,
    /// Records that tasks have taken.
    pub taken: u64,
    /// Records written, without what stands before them.
    selected: Selected,
}

/// Result of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    /// End of its last byte.
    pub end: u64,
    /// Records written.
    pub records: u64,
    /// Bytes of the longest.
    pub longest_bytes: u64,
    /// Records that go no further than here, where that is accounted for: written to the output, or
    /// dropped as another has their key. Records that were made of others count against them.
    pub sum: Sum,
}

impl Selection {
    /// Returns a selection that writes an output, from byte `start` of its sink on.
    pub fn last(select: Select, making: Arc<Making>, start: u64, is_summed: bool) -> Self {
        // Records that nobody wants are not looked at.
        let is_summed = is_summed && !select.is_partial();
        let state = SelectionState {
            task: 0,
            is_failed: false,
            open: None,
            offset: start,
            passed: 0,
            taken: 0,
            selected: Selected::default(),
        };
        Self {
            is_full: AtomicBool::new(select.end() == Some(0)),
            select,
            making,
            is_last: true,
            is_summed,
            splitter: None,
            origin: PathBuf::from(ALL_INPUTS),
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    /// Returns a selection that writes a run.
    pub fn early(select: Select, making: Arc<Making>, is_summed: bool) -> Self {
        Self { is_last: false, ..Self::last(select, making, 0, is_summed) }
    }

    /// Returns this selection with `origin` as the source of the records in messages.
    pub fn of(self, origin: &Path) -> Self {
        Self { origin: origin.to_owned(), ..self }
    }

    /// Returns this selection with the files of `splitter`, if any, as its output.
    pub fn split(self, splitter: Option<Splitter>) -> Self {
        Self { splitter, ..self }
    }

    /// Returns whether as many records were written as are wanted.
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
    /// Those of writing; [`Error::Malformed`] for records that may not be; [`Error::Interrupted`]
    /// where another task has failed.
    pub fn write(
        &self,
        target: SelectionTarget<'_>,
        lane: &mut Lane<'_>,
        task: usize,
        produce: impl FnOnce(&mut GroupWriter<'_, '_>) -> Result<()>,
    ) -> Result<()> {
        let guard = Failing(self);
        let mut writer = GroupWriter::new(self, target, lane, task)?;
        produce(&mut writer)?;
        writer.finish()?;
        std::mem::forget(guard);
        Ok(())
    }

    /// Writes what is left open, and says what came of it all.
    ///
    /// # Errors
    ///
    /// Those of writing.
    pub fn finish(&self, target: SelectionTarget<'_>, lane: &mut Lane<'_>) -> Result<Selected> {
        let task = self.state().task;
        let mut writer = GroupWriter::new(self, target, lane, task)?;
        writer.write_open()?;
        drop(writer);
        let state = self.state();
        let selected = Selected { end: state.offset, ..state.selected };
        drop(state);
        if let Some(splitter) = &self.splitter {
            splitter.finish(lane)?;
        } else {
            target.sink.seal(lane, selected.end)?;
        }
        Ok(selected)
    }

    /// Returns where it stands between two stages: the bytes that the output has, the account of
    /// records that went no further, and the rest. `None` while a record is kept back that is too
    /// long to be noted.
    pub fn standing(&self) -> Option<(u64, Sum, SelectedEntry)> {
        let state = self.state();
        let SelectionState { taken, passed, selected: Selected { records, sum, .. }, .. } = *state;
        let open = match &state.open {
            Some(KeyGroup { record, count, values }) => Some(GroupText {
                record: record.copied().filter(|record| record.len() <= NOTED_MAX)?.to_vec(),
                count: *count,
                values: values.iter().map(Datum::text).collect(),
            }),
            None => None,
        };
        Some((state.offset, sum, SelectedEntry { taken, passed, records, open }))
    }

    /// Continues where another one [stood](Self::standing), and returns whether that is possible.
    pub fn go_on(&self, offset: u64, sum: Sum, standing: &SelectedEntry) -> bool {
        let group = |open: &GroupText| {
            let values: Option<Vec<Datum>> = open.values.iter().map(Datum::of_text).collect();
            let values = values.filter(|values| values.len() == self.making.folds.len())?;
            let record = GroupRecord::Short(open.record.clone());
            Some(KeyGroup { record, count: open.count, values })
        };
        let open = standing.open.as_ref().map(group);
        if open.as_ref().is_some_and(Option::is_none) {
            return false;
        }
        let mut state = self.state();
        state.open = open.flatten();
        (state.offset, state.taken, state.passed) = (offset, standing.taken, standing.passed);
        (state.selected.records, state.selected.sum) = (standing.records, sum);
        let is_full = self.select.end().is_some_and(|end| state.passed >= end);
        self.is_full.store(is_full, Ordering::Relaxed);
        true
    }

    pub(super) fn state(&self) -> MutexGuard<'_, SelectionState> {
        // A panic in a write leaves nothing half done but the output, and that is failed then.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether all tasks before `task` are done.
    pub(super) fn is_turn(&self, task: usize) -> bool {
        self.state().task == task
    }

    /// Waits until all tasks before `task` are done.
    pub(super) fn wait_turn(&self, task: usize, lane: &mut Lane<'_>) -> Result<()> {
        let begun = Instant::now();
        let mut state = self.state();
        while !state.is_failed && state.task != task {
            if lane.progress().is_stop_requested() {
                return Err(Error::Interrupted);
            }
            let waited = self.changed.wait_timeout(state, STOP_CHECK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_failed {
            return Err(Error::Interrupted); // whoever failed says why
        }
        lane.count_waiting(Stream::OutputWritten, begun.elapsed());
        Ok(())
    }

    /// Notes that `passed` records were passed, and of these `records` written, in `bytes` bytes.
    pub(super) fn note_passed(&self, passed: u64, records: u64, bytes: u64) {
        let mut state = self.state();
        state.offset += bytes;
        state.passed += passed;
        state.selected.records += records;
        let is_full = self.select.end().is_some_and(|end| state.passed >= end);
        self.is_full.store(is_full, Ordering::Relaxed);
    }

    /// Notes what a task has taken in all: records, their account, and the longest it has written.
    pub(super) fn note_taken(&self, taken: u64, sum: Sum, longest_bytes: u64) {
        let mut state = self.state();
        state.taken += taken;
        let selected = &mut state.selected;
        selected.sum.add(sum);
        selected.longest_bytes = selected.longest_bytes.max(longest_bytes);
    }

    /// Gives the turn to the next task, with the group that it may continue.
    pub(super) fn pass_turn(&self, open: Option<KeyGroup>) {
        let mut state = self.state();
        state.task += 1;
        state.open = open;
        drop(state);
        self.changed.notify_all();
    }

    /// Returns the error for record number `place` of the task whose turn it is, counted from 1.
    pub(super) fn not_unique(&self, place: u64, shown: &str) -> Error {
        let number = self.state().taken + place;
        self.malformed(message!(
            "record {} of the sorted order has the same key as the one before it: '{}'; {} and \
             {} keep one of them",
            number,
            shown,
            Setting::Unique.to("first"),
            Setting::Unique.to("last"),
        ))
    }

    /// Returns the error for a record of `length` bytes of which copies of `bytes` bytes together
    /// have no room.
    pub(super) fn no_room(&self, length: usize, bytes: usize, room: KeptRoom) -> Error {
        let least = room.least.map_or_else(
            || "more".into(),
            |least| format!("at least {} MiB", least.bytes().div_ceil(1 << 20)),
        );
        let message = message!(
            "a record of {} takes {} of memory to combine or reshape, more than the memory budget \
             has room for; give {} with {}",
            ByteSize(length as u64),
            ByteSize(bytes as u64),
            least,
            Setting::Memory,
        );
        Error::BudgetExceeded { path: self.origin.clone(), message, least: room.least }
    }

    /// Returns the error for a record that may not be as it is.
    pub(super) fn malformed(&self, message: Message) -> Error {
        Error::malformed(&self.origin, message)
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
