//! Records that are made of groups, on their way to what a task holds.

use super::{GroupFault, GroupWriter, memory_bytes};
use crate::error::{Message, Result, Setting, message};
use crate::operator::excerpt::excerpt;
use crate::operator::fold::Datum;
use crate::operator::kept::SHORT_MAX;
use crate::operator::selection::KeyGroup;
use crate::operator::{Making, Selection};
use crate::proof::Sum;
use crate::sys::limits;

impl GroupWriter<'_, '_> {
    /// Returns what stands before a record that is the first of `count`: seven places, as uniq has
    /// it, or more where these are too few.
    fn prefix(&self, count: u64) -> String {
        let Selection { select, making, .. } = self.selection;
        if select.count && !making.shape.counts() { format!("{count:7} ") } else { String::new() }
    }

    /// Adds what is made of a group to what is held.
    pub(super) fn emit_group(&mut self, group: &KeyGroup) -> Result<()> {
        let record = group.record.bytes(self.target.kept.load);
        self.emit(record, group.count, &group.values)
    }

    /// Adds what is made of a group, whose record is kept for `count`, to what is held.
    pub(super) fn emit(&mut self, record: &[u8], count: u64, values: &[Datum]) -> Result<()> {
        self.make(record, count, values, Self::hold)
    }

    /// Hands what is made of a group on to `write`, unless there is something wrong with it.
    pub(super) fn make(
        &mut self,
        record: &[u8],
        count: u64,
        values: &[Datum],
        write: impl FnOnce(&mut Self, &[u8], &[u8]) -> Result<()>,
    ) -> Result<()> {
        let (mut folded, mut shaped) = std::mem::take(&mut self.made);
        if self.selection.is_last {
            // A vector that grows could be in memory twice.
            let (folded_bytes, shaped_bytes) = self.check_made(record, count, values)?;
            folded.reserve_exact(folded_bytes);
            shaped.reserve_exact(shaped_bytes);
        }
        let made = self.made_of(record, count, values, &mut folded, &mut shaped);
        let written = match made {
            Ok(Some(made)) => write(self, self.prefix(count).as_bytes(), made),
            Ok(None) => Ok(()),
            Err(message) => {
                let said = excerpt(&self.selection.making.folds.mask(record));
                self.fault = Some(GroupFault::Other(message!("{}, in '{}'", message, said)));
                Ok(())
            }
        };
        // Long records are rare: their memory goes back.
        let is_long = [&folded, &shaped].iter().any(|made| made.capacity() > 2 * SHORT_MAX);
        if is_long {
            drop((folded, shaped));
            limits::trim_memory();
        } else {
            self.made = (folded, shaped);
        }
        written
    }

    /// Checks that there is room for what is made of a group, if that is long. Returns the bytes of
    /// a folded record and of one in another shape.
    fn check_made(&self, record: &[u8], count: u64, values: &[Datum]) -> Result<(usize, usize)> {
        let Making { folds, shape, .. } = &*self.selection.making;
        let kept_values = memory_bytes(values);
        if record.len() + kept_values <= SHORT_MAX {
            return Ok((0, 0));
        }
        let is_folded = count > 1 && !folds.is_empty();
        let others =
            if is_folded { record.len().saturating_sub(folds.value_bytes(record)) } else { 0 };
        // Separators and quotes that a row lacks are few.
        let folded = if is_folded { others + kept_values + SHORT_MAX } else { 0 };
        let shaped = if shape.is_whole() { 0 } else { folded.max(record.len()) };
        let groups = self.selection.select.groups();
        let kept = if groups { self.target.kept.copy_bytes(record) } else { 0 };
        let bytes = kept + kept_values + self.value_bytes + folded + shaped;
        self.check_room(record, bytes.saturating_sub(2 * SHORT_MAX))?;
        Ok((folded, shaped))
    }

    /// Returns the record that is written for a group, if one is.
    fn made_of<'r>(
        &mut self,
        record: &'r [u8],
        count: u64,
        values: &[Datum],
        folded: &'r mut Vec<u8>,
        shaped: &'r mut Vec<u8>,
    ) -> std::result::Result<Option<&'r [u8]>, Message> {
        let Selection { making, is_last, .. } = self.selection;
        let Making { folds, shape, .. } = &**making;
        let mut made = record;
        if *is_last {
            self.account(record);
            making.splitting.value(record, &mut self.value);
        }
        if count > 1 && !folds.is_empty() {
            folds.write(record, values, folded)?;
            made = folded;
            let order = (self.target.compare)(record, made);
            if !making.is_one_group(order, record, made) {
                let names = folds.names();
                return Err(message!(
                    "{} would change the key; sort by other fields with {}",
                    names,
                    Setting::Key,
                ));
            }
            if !is_last && self.selection.is_summed {
                // A record that nobody has read takes the place of this one.
                self.account(record);
                let mut new = Sum::default();
                new.add_record(made);
                self.sum = self.sum.less(new);
            }
        }
        if *is_last && !making.admits(made, count) {
            return Ok(None);
        }
        if *is_last && !shape.is_whole() {
            shape.write(made, count, shaped)?;
            made = shaped;
        }
        Ok(Some(made))
    }
}
