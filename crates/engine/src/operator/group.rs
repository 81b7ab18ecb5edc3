//! One task of a selection: its records become groups, its groups become output.

mod held;
mod made;

use std::cmp::Ordering;

use super::excerpt::excerpt;
use super::fold::Datum;
use super::kept::SHORT_MAX;
use super::selection::KeyGroup;
use super::target::SelectionTarget;
use super::{Making, Selection, Unique};
use crate::error::{Message, Result, message};
use crate::io::Region;
use crate::proof::Sum;
use crate::sink::Lane;
use crate::sys::limits;

/// Writer of the sorted records of one task that are selected.
///
/// The first group may belong to the last of the task before, and the last to the first of the task
/// behind: so both are kept back until that is known.
pub struct GroupWriter<'a, 'p> {
    selection: &'a Selection,
    target: SelectionTarget<'a>,
    lane: &'a mut Lane<'p>,
    task: usize,
    /// The first group, while it is not this task's turn.
    first: Option<KeyGroup>,
    /// The group that records are added to.
    current: Option<KeyGroup>,
    /// Records to be written; `None` only at the end.
    held: Option<Region>,
    filled: usize,
    /// End of each record in `held`.
    ends: Vec<usize>,
    has_turn: bool,
    /// Records taken.
    taken: u64,
    /// Fault of a record; those before it are good, and no more are taken.
    fault: Option<GroupFault>,
    /// The account of records that go no further.
    sum: Sum,
    longest_bytes: u64,
    /// A record that was made of others, and as it is written.
    made: (Vec<u8>, Vec<u8>),
    /// Bytes of memory for the values of the record that is being taken, if it is long.
    value_bytes: usize,
    /// Value by which the output is split, of the record that was made last.
    value: Vec<u8>,
    /// Such values of the records in `held`: for each that differs from the one before, its number.
    values: Vec<(usize, Vec<u8>)>,
}

/// Reason why there can be no output.
#[derive(Debug)]
enum GroupFault {
    /// A record has the key of the one before it: its number in the task, and as messages show it.
    Duplicate(u64, String),
    /// Anything else, in words.
    Other(Message),
}

impl<'a, 'p> GroupWriter<'a, 'p> {
    /// Returns a writer of task `task`.
    pub(super) fn new(
        selection: &'a Selection,
        target: SelectionTarget<'a>,
        lane: &'a mut Lane<'p>,
        task: usize,
    ) -> Result<Self> {
        let held = Some(lane.take_buffer()?);
        Ok(Self {
            selection,
            target,
            lane,
            task,
            first: None,
            current: None,
            held,
            filled: 0,
            ends: Vec::new(),
            has_turn: false,
            taken: 0,
            fault: None,
            sum: Sum::default(),
            longest_bytes: 0,
            made: (Vec::new(), Vec::new()),
            value_bytes: 0,
            value: Vec::new(),
            values: Vec::new(),
        })
    }

    /// Takes the next record.
    pub fn take(&mut self, record: &[u8]) -> Result<()> {
        self.taken += 1;
        if self.selection.is_full() || self.fault.is_some() {
            return Ok(());
        }
        let Selection { select, making, is_last, .. } = self.selection;
        let is_long = record.len() > SHORT_MAX;
        if is_long && *is_last {
            self.prepare_long(record)?;
        }
        if !select.groups() {
            return self.emit(record, 1, &[]);
        }
        if is_long && !is_last {
            return self.pass(record);
        }
        let values = match making.folds.values(record) {
            Ok(values) => values,
            Err(message) if *is_last => return self.refuse(record, &message),
            // It is looked at again with all others, where it is known whether it is wanted.
            Err(_) => return self.pass(record),
        };
        match self.current.take() {
            Some(group) if self.is_of(&group, record, &values)? => {
                self.current = Some(self.add(group, record, values)?);
                Ok(())
            }
            // Records may be as long as memory allows: the group before goes first.
            done => {
                self.current = Some(self.next_group(done, record, values)?);
                Ok(())
            }
        }
    }

    /// Waits for this task's turn if a long record will be copied, so that one worker at a time
    /// holds such copies. Checks that there is room for its values.
    fn prepare_long(&mut self, record: &[u8]) -> Result<()> {
        let Selection { select, making, .. } = self.selection;
        let Making { folds, shape, .. } = &**making;
        let is_kept = select.groups() && self.target.kept.copy_bytes(record) > 0;
        if is_kept || !folds.is_empty() || !shape.is_whole() {
            self.take_turn()?;
        }
        self.value_bytes = if folds.is_empty() { 0 } else { folds.value_bytes(record) };
        let kept = self.current.as_ref().map_or(0, |group| {
            let kept = self.target.kept;
            kept.copy_bytes(group.record.bytes(kept.load)) + memory_bytes(&group.values)
        });
        if self.value_bytes > SHORT_MAX {
            // Values of records before may be gone and still be the allocator's.
            limits::trim_memory();
        }
        self.check_room(record, kept + self.value_bytes)
    }

    /// Checks that there is room for copies of `bytes` bytes, which `record` needs.
    fn check_room(&self, record: &[u8], bytes: usize) -> Result<()> {
        let room = self.target.kept.room;
        if room.holds(bytes) {
            return Ok(());
        }
        Err(self.selection.no_room(record.len(), bytes, room))
    }

    /// Returns whether two records, of which `before` comes first, are of one group.
    fn is_same(&self, before: &[u8], record: &[u8]) -> Result<bool> {
        let order = self.target.order_of(before, record)?;
        Ok(self.selection.making.is_one_group(order, before, record))
    }

    /// Returns whether a record belongs to a group, and can be added to it here.
    fn is_of(&self, group: &KeyGroup, record: &[u8], values: &[Datum]) -> Result<bool> {
        let Selection { making, is_last, .. } = self.selection;
        let is_same = self.is_same(group.record.bytes(self.target.kept.load), record)?;
        Ok(is_same && (*is_last || making.folds.fit(&group.values, values)))
    }

    /// Takes no more records, as there is something wrong with this one.
    fn refuse(&mut self, record: &[u8], message: &str) -> Result<()> {
        let load = self.target.kept.load;
        if self.current.is_none() {
            // The group that the task before left open may be closed by this record.
            self.take_turn()?;
        }
        match self.current.take() {
            Some(group) if self.is_same(group.record.bytes(load), record)? => {
                self.current = Some(group);
            }
            Some(done) => drop(self.close(done)?),
            None => {}
        }
        self.fault = Some(GroupFault::Other(message!("{}, in '{}'", message, excerpt(record))));
        Ok(())
    }

    /// Writes a record without a look at others.
    fn pass(&mut self, record: &[u8]) -> Result<()> {
        if let Some(before) = self.current.take() {
            self.is_same(before.record.bytes(self.target.kept.load), record)?;
            self.close(before)?;
        }
        self.take_turn()?;
        if let Some(open) = self.current.take() {
            self.emit_group(&open)?;
        }
        self.emit(record, 1, &[])
    }

    /// Returns whether two records that compare as `order` are of one group.
    pub fn is_one_group(&self, order: Ordering, before: &[u8], record: &[u8]) -> bool {
        self.selection.making.is_one_group(order, before, record)
    }

    /// Accounts for `count` records like this one that were left out elsewhere, as a neighbour has
    /// their key.
    pub fn drop_equal(&mut self, record: &[u8], count: u64) {
        self.taken += count;
        if count > 0 && self.selection.is_summed {
            self.sum.add_copies(record, count);
        }
    }

    /// Hands on what is left.
    pub(super) fn finish(mut self) -> Result<()> {
        self.take_turn()?;
        self.flush()?;
        self.check()?;
        let last = self.current.take();
        self.selection.note_taken(self.taken, self.sum, self.longest_bytes);
        self.selection.pass_turn(last);
        Ok(())
    }

    /// Writes the group that the last task left open; nothing comes after it.
    pub(super) fn write_open(&mut self) -> Result<()> {
        self.take_turn()?;
        if let Some(last) = self.current.take() {
            self.emit_group(&last)?;
        }
        self.flush()?;
        self.check()?;
        self.selection.note_taken(self.taken, self.sum, self.longest_bytes);
        Ok(())
    }

    /// Returns the fault, unless it is after all that is wanted. All records before it have been
    /// written.
    fn check(&mut self) -> Result<()> {
        match self.fault.take().filter(|_| !self.selection.is_full()) {
            Some(GroupFault::Duplicate(place, shown)) => {
                Err(self.selection.not_unique(place, &shown))
            }
            Some(GroupFault::Other(message)) => Err(self.selection.malformed(message)),
            None => Ok(()),
        }
    }

    /// Adds one more record to `group` and returns it.
    fn add(&mut self, mut group: KeyGroup, record: &[u8], values: Vec<Datum>) -> Result<KeyGroup> {
        group.count += 1;
        self.selection.making.folds.add(&mut group.values, values);
        match self.selection.select.unique {
            Some(Unique::Error) => {
                self.fault =
                    Some(GroupFault::Duplicate(self.taken, self.selection.making.shown(record)));
            }
            Some(Unique::Last) => {
                self.account(group.record.bytes(self.target.kept.load));
                self.keep(&mut group, record)?;
            }
            Some(Unique::First) | None => self.account(record),
        }
        Ok(group)
    }

    /// Makes `record` the one that is kept of a group with these values.
    fn keep(&mut self, group: &mut KeyGroup, record: &[u8]) -> Result<()> {
        let kept = self.target.kept;
        if record.len() > SHORT_MAX {
            self.check_room(record, kept.copy_bytes(record) + memory_bytes(&group.values))?;
        }
        group.record.replace(record, kept)
    }

    /// Returns a group that begins with `record`, once the one before it is closed. Its memory is
    /// that of the one before, where nobody else has it.
    fn next_group(
        &mut self,
        done: Option<KeyGroup>,
        record: &[u8],
        values: Vec<Datum>,
    ) -> Result<KeyGroup> {
        let mut group = match done {
            Some(done) => self.close(done)?,
            None => KeyGroup::default(),
        };
        (group.count, group.values) = (1, values);
        self.keep(&mut group, record)?;
        Ok(group)
    }

    /// Returns a group that no record of this task belongs to any more; what can be used again of
    /// it.
    fn close(&mut self, group: KeyGroup) -> Result<KeyGroup> {
        if self.has_turn || self.first.is_some() {
            return self.emit_group(&group).map(|()| group);
        }
        self.first = Some(group);
        if self.selection.is_turn(self.task) {
            self.take_turn()?;
        }
        Ok(KeyGroup::default())
    }

    /// Waits for this task's turn, and joins its first group with the one that was left open.
    fn take_turn(&mut self) -> Result<()> {
        if self.has_turn {
            return Ok(());
        }
        self.selection.wait_turn(self.task, self.lane)?;
        self.has_turn = true;
        let open = self.selection.state().open.take();
        let is_current = self.first.is_none();
        let first = self.first.take().or_else(|| self.current.take());
        // These come before what is held.
        let mut before = Vec::new();
        let load = self.target.kept.load;
        let is_of_open = |open: &KeyGroup, first: &KeyGroup| {
            self.is_of(open, first.record.bytes(load), &first.values)
        };
        let first = match (open, first) {
            (Some(open), Some(first)) if is_of_open(&open, &first)? => {
                Some(self.join(open, first)?)
            }
            (Some(open), Some(first)) => {
                before.push(open);
                Some(first)
            }
            (open, first) => open.or(first),
        };
        if is_current {
            self.current = first;
        } else {
            before.extend(first);
        }
        // A fault so far is after the records that are held, which may be all that are wanted. A
        // record that is being held keeps its own value.
        let (later, value) = (self.fault.take(), std::mem::take(&mut self.value));
        for group in &before {
            let record = group.record.bytes(load);
            self.make(record, group.count, &group.values, Self::write_alone)?;
            self.check()?;
        }
        (self.fault, self.value) = (later, value);
        Ok(())
    }

    /// Returns what two groups with the same key are together.
    fn join(&mut self, mut open: KeyGroup, mut first: KeyGroup) -> Result<KeyGroup> {
        let load = self.target.kept.load;
        let count = open.count + first.count;
        let mut values = std::mem::take(&mut open.values);
        self.selection.making.folds.add(&mut values, std::mem::take(&mut first.values));
        let (kept, dropped) = match self.selection.select.unique {
            Some(Unique::Error) if !self.selection.is_full() => {
                return Err(self
                    .selection
                    .not_unique(1, &self.selection.making.shown(first.record.bytes(load))));
            }
            Some(Unique::Last) => (first, open),
            _ => (open, first),
        };
        self.account(dropped.record.bytes(load));
        Ok(KeyGroup { count, values, ..kept })
    }

    /// Accounts for a record that goes no further.
    fn account(&mut self, record: &[u8]) {
        if self.selection.is_summed {
            self.sum.add_record(record);
        }
    }
}

/// Returns the bytes of memory that long values take.
fn memory_bytes(values: &[Datum]) -> usize {
    values.iter().map(Datum::memory_bytes).sum()
}

impl Drop for GroupWriter<'_, '_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.lane.give_back(held);
        }
    }
}
