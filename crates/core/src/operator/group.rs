//! One task of a selection: its records become groups, its groups become output.

use super::Selection;
use super::selection::Group;
use crate::error::Result;
use crate::format::Framing;
use crate::io::Region;
use crate::sink::{Lane, Sink, Writer};

/// Bytes that records are handed over in.
const STAGING: usize = 64 << 10;

/// Takes the sorted records of one task and writes what is selected of them.
///
/// The first group may belong to the last of the task before, and the last to the first of the task
/// behind: so both are kept back until that is known.
pub struct GroupWriter<'a, 'p> {
    selection: &'a Selection,
    sink: &'a Sink,
    lane: &'a mut Lane<'p>,
    task: usize,
    is_same: &'a dyn Fn(&[u8], &[u8]) -> bool,
    framing: Framing,
    /// Where records are handed over.
    staging: Vec<u8>,
    /// The first group, while it is not this task's turn.
    first: Option<Group>,
    /// The group that records are added to.
    current: Option<Group>,
    /// What is to be written; `None` only at the end.
    held: Option<Region>,
    filled: usize,
    /// Where each record in `held` ends.
    ends: Vec<usize>,
    has_turn: bool,
}

impl<'a, 'p> GroupWriter<'a, 'p> {
    /// A writer of task `task`.
    pub fn new(
        selection: &'a Selection,
        sink: &'a Sink,
        lane: &'a mut Lane<'p>,
        task: usize,
        is_same: &'a dyn Fn(&[u8], &[u8]) -> bool,
    ) -> Result<Self> {
        let held = Some(lane.take_buffer()?);
        let framing = selection.framing;
        let staging = vec![0; STAGING.max(framing.fixed_length().unwrap_or(0))];
        Ok(Self {
            selection,
            sink,
            lane,
            task,
            is_same,
            framing,
            staging,
            first: None,
            current: None,
            held,
            filled: 0,
            ends: Vec::new(),
            has_turn: false,
        })
    }

    /// Hands on what is left.
    pub fn finish(mut self) -> Result<()> {
        self.take_turn()?;
        self.flush()?;
        let last = self.current.take();
        self.selection.pass_turn(last);
        Ok(())
    }

    /// Writes the group that the last task left open; nothing comes behind it.
    pub fn write_open(&mut self) -> Result<()> {
        self.take_turn()?;
        if let Some(last) = self.current.take() {
            self.emit(&last.record, last.count)?;
        }
        self.flush()
    }

    fn take_record(&mut self, record: &[u8]) -> Result<()> {
        if self.selection.is_full() {
            return Ok(());
        }
        if !self.selection.select.groups() {
            return self.emit(record, 1);
        }
        match &mut self.current {
            Some(group) if (self.is_same)(&group.record, record) => group.count += 1,
            // Records may be as long as memory allows: the group before goes first.
            _ => self.current = Some(self.next_group(record)?),
        }
        Ok(())
    }

    /// A group that begins with `record`, once the one before it is closed. Its memory is that of
    /// the one before, where nobody else has it.
    fn next_group(&mut self, record: &[u8]) -> Result<Group> {
        let mut group = match self.current.take() {
            Some(done) => self.close(done)?,
            None => Group::default(),
        };
        group.record.clear();
        group.record.reserve_exact(record.len());
        group.record.extend_from_slice(record);
        group.count = 1;
        Ok(group)
    }

    /// A group that no record of this task belongs to any more; what can be used again of it.
    fn close(&mut self, group: Group) -> Result<Group> {
        if self.has_turn || self.first.is_some() {
            return self.emit(&group.record, group.count).map(|()| group);
        }
        self.first = Some(group);
        if self.selection.is_turn(self.task) {
            self.take_turn()?;
        }
        Ok(Group::default())
    }

    /// Waits for this task's turn, and joins its first group with the one that was left open.
    fn take_turn(&mut self) -> Result<()> {
        if self.has_turn {
            return Ok(());
        }
        self.selection.wait_turn(self.task, self.lane)?;
        self.has_turn = true;
        let open = self.selection.state().open.take();
        let first = self.first.as_mut().or(self.current.as_mut());
        // These come before what is held.
        let mut before = Vec::new();
        match (open, first) {
            (Some(open), Some(first)) if (self.is_same)(&open.record, &first.record) => {
                *first = Group { record: open.record, count: open.count + first.count };
            }
            (Some(open), Some(_)) => before.push(open),
            (Some(open), None) => self.current = Some(open),
            (None, _) => {}
        }
        before.extend(self.first.take());
        before.iter().try_for_each(|group| {
            let prefix = self.prefix(group.count);
            self.write_alone(prefix.as_bytes(), &group.record)
        })
    }

    /// What stands before a record that is the first of `count`: seven places, as uniq has it, or
    /// more where these are too few.
    fn prefix(&self, count: u64) -> String {
        if self.selection.select.count { format!("{count:7} ") } else { String::new() }
    }

    /// Adds a record to what is held.
    fn emit(&mut self, record: &[u8], count: u64) -> Result<()> {
        let prefix = self.prefix(count);
        let (prefix, capacity) = (prefix.as_bytes(), self.lane.capacity());
        let length = prefix.len() + record.len();
        if self.filled + length > capacity {
            self.flush()?;
        }
        if length > capacity {
            return self.write_alone(prefix, record);
        }
        let Some(held) = &mut self.held else { unreachable!("a buffer") };
        let room = &mut held[self.filled..][..length];
        room[..prefix.len()].copy_from_slice(prefix);
        room[prefix.len()..].copy_from_slice(record);
        self.filled += length;
        self.ends.push(self.filled);
        Ok(())
    }

    /// Writes what is held, as far as it is wanted.
    fn flush(&mut self) -> Result<()> {
        self.take_turn()?;
        let records = self.wanted(self.ends.len());
        let bytes = if records == 0 { 0 } else { self.ends[records - 1] };
        if bytes > 0 {
            let Some(held) = self.held.take() else { unreachable!("a buffer") };
            let offset = self.selection.state().offset;
            let written = self
                .sink
                .write(self.lane, offset, bytes as u64, |writer| writer.put(&held[..bytes]));
            self.held = Some(held);
            written?;
            self.selection.note_written(bytes as u64, records as u64);
        }
        self.filled = 0;
        self.ends.clear();
        Ok(())
    }

    /// Writes one record, not by way of what is held.
    fn write_alone(&mut self, prefix: &[u8], record: &[u8]) -> Result<()> {
        self.take_turn()?;
        if self.wanted(1) == 0 {
            return Ok(());
        }
        let offset = self.selection.state().offset;
        let bytes = (prefix.len() + record.len()) as u64;
        self.sink.write(self.lane, offset, bytes, |writer| {
            writer.put(prefix)?;
            writer.put(record)
        })?;
        self.selection.note_written(bytes, 1);
        Ok(())
    }

    /// How many of `records` further ones are wanted.
    fn wanted(&self, records: usize) -> usize {
        let Some(limit) = self.selection.select.limit else { return records };
        let left = limit.saturating_sub(self.selection.state().records);
        usize::try_from(left).unwrap_or(usize::MAX).min(records)
    }
}

impl Writer for GroupWriter<'_, '_> {
    fn room(&mut self) -> &mut [u8] {
        &mut self.staging
    }

    fn commit(&mut self, bytes: usize) -> Result<()> {
        let staging = std::mem::take(&mut self.staging);
        let framing = self.framing;
        let taken = framing.records(&staging[..bytes]).try_for_each(|r| self.take_record(r));
        self.staging = staging;
        taken
    }

    /// Takes whole records.
    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.framing.records(bytes).try_for_each(|record| self.take_record(record))
    }
}

impl Drop for GroupWriter<'_, '_> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            self.lane.give_back(held);
        }
    }
}
