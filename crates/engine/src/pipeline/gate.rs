//! Conditions for a record to take part: well formed, with a key, and wanted.
//!
//! Records pass here when they are dealt, or read from a sorted input. A load that turns out to be
//! crowded is dealt again, and passes again. Where nothing can be wrong with records and all are
//! wanted, there is no gate at all.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Message, Setting, message};
use crate::format::csv::{Dialect, Rows, stray_quote, without_end};
use crate::format::{FieldEnds, Framing, RecordFault, json};
use crate::key::text::LONG_BYTES;
use crate::key::{CutRecord, KeyEncoder};
use crate::load::Records;
use crate::operator::Folds;
use crate::plan::scratch::ScratchMemory;
use crate::predicate::Predicate;

/// Conditions on rows of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    /// Separator and quote of cells.
    pub dialect: Dialect,
    /// Number of cells that a row must have; `None` for any number.
    pub cells: Option<usize>,
    /// True if the rows' header says so, rather than the first row.
    pub is_of_header: bool,
    /// True if this is the header of all inputs together, while each has a header of its own.
    pub is_of_union: bool,
    /// True if rows with another number of cells are left out, false if they are refused.
    pub drops_ragged: bool,
}

/// The shape of a well-formed record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Every record is.
    #[default]
    Any,
    /// A row of cells.
    Row(RowShape),
    /// A line of JSON.
    Json,
}

/// Counts of the records in some bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Records that take part.
    pub shown: u64,
    /// Rows that were left out for the number of their cells.
    pub ragged: u64,
}

/// Verdict on the form of one record.
enum Form {
    Good,
    /// A row that is left out for the number of its cells.
    Ragged,
    Faulty(Message),
}

impl From<Option<String>> for Form {
    fn from(fault: Option<String>) -> Self {
        fault.map_or(Self::Good, |fault| Self::Faulty(fault.into()))
    }
}

/// Conditions on records.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// The shape of well-formed records.
    pub shape: Shape,
    /// Predicate that admits records; without it all take part.
    pub predicate: Option<Predicate>,
    /// The conditions on groups, for the memory that they take.
    pub group_predicate: Option<Predicate>,
    /// The folds of groups, for the memory that they take.
    pub folds: Folds,
    /// The memory for keys and values of a long record, where they may take any.
    pub scratch: Option<ScratchMemory>,
}

impl Gate {
    /// Returns whether it lets everything pass, given the key.
    pub fn is_open<K: KeyEncoder + ?Sized>(&self, key: &K) -> bool {
        self.shape == Shape::Any
            && self.predicate.is_none()
            && self.scratch.is_none()
            && !key.is_partial()
    }

    /// Returns whether every record takes part that is as it must be.
    pub fn admits_all(&self) -> bool {
        self.predicate.is_none() && !self.drops_ragged()
    }

    /// Returns the bytes that conditions and the lists of folds hold.
    pub fn held_bytes(&self) -> usize {
        let predicates = self.predicate.iter().chain(&self.group_predicate);
        predicates.map(Predicate::held_bytes).sum::<usize>() + self.folds.list_bytes()
    }

    /// Returns whether rows are left out for the number of their cells.
    pub fn drops_ragged(&self) -> bool {
        matches!(self.shape, Shape::Row(RowShape { drops_ragged: true, .. }))
    }

    /// Shows the records in `bytes`, whole ones back to back, that take part, where each begins,
    /// and the first word of its key; counts them. Rows that are left out for the number of their
    /// cells are counted whether conditions would admit them or not.
    ///
    /// # Errors
    ///
    /// The first record that must not be.
    #[inline]
    pub fn each<K: KeyEncoder>(
        &self,
        key: &K,
        framing: Framing,
        bytes: &[u8],
        mut show: impl FnMut(CutRecord<'_>, usize, u64),
    ) -> Result<Passed, RecordFault> {
        let (mut at, mut passed) = (0, Passed::default());
        let mut pass = |record: CutRecord<'_>, form: Form| {
            let begun = at;
            at += record.bytes.len();
            let fault = match form {
                Form::Good => None,
                Form::Faulty(message) => Some(RecordFault::new(begun, message)),
                Form::Ragged => {
                    passed.ragged += 1;
                    return Ok(());
                }
            };
            let admits = |wanted: &Predicate| wanted.admits(record.bytes);
            let fault = fault.or_else(|| self.lack(key, record.bytes, begun));
            let is_wanted = || self.predicate.as_ref().is_none_or(admits);
            if fault.is_none() && !is_wanted() {
                return Ok(());
            }
            let word = match fault {
                Some(fault) => return Err(fault),
                None => {
                    key.checked_word(record).map_err(|message| RecordFault::new(begun, message))?
                }
            };
            show(record, begun, word);
            passed.shown += 1;
            Ok(())
        };
        match self.shape {
            Shape::Row(shape) => {
                let mut rows = Rows::new(shape.dialect, bytes).noting(key.cells_wanted());
                while let Some(row) = rows.next() {
                    let is_good = row.stray_quote.is_none()
                        && shape.cells.is_none_or(|cells| cells == row.cells);
                    let form = if is_good { Form::Good } else { shape.form(&row) };
                    pass(CutRecord { bytes: row.bytes, field_ends: rows.cell_ends() }, form)?;
                }
            }
            Shape::Json => {
                json::lines(bytes).try_for_each(|(line, fault)| pass(line.into(), fault.into()))?;
            }
            Shape::Any => match key.field_cutter() {
                Some(cutter) => {
                    let (records, mut ends) = (Records::new(bytes, framing), FieldEnds::default());
                    let mut next = 0;
                    while next < bytes.len() {
                        let record = records.cut(next as u64, Some(cutter), &mut ends);
                        next += record.len();
                        pass(CutRecord { bytes: record, field_ends: ends.ends() }, Form::Good)?;
                    }
                }
                None => {
                    framing
                        .records(bytes)
                        .try_for_each(|record| pass(record.into(), Form::Good))?;
                }
            },
        }
        Ok(passed)
    }
}

impl Gate {
    /// Returns the fault of a record at byte `at` that keeps it out for lack of memory, if it has
    /// one.
    #[inline]
    fn lack<K: KeyEncoder>(&self, key: &K, record: &[u8], at: usize) -> Option<RecordFault> {
        let scratch = self.scratch.filter(|_| record.len() > LONG_BYTES)?;
        let predicates = self.predicate.iter().chain(&self.group_predicate);
        let wanted = predicates.map(|wanted| wanted.scratch_bytes(record)).max();
        let wanted = wanted.unwrap_or(0).max(self.folds.scratch_bytes(record));
        let (message, least) =
            scratch.fault(record.len(), key.scratch_bytes(record).max(wanted))?;
        Some(RecordFault { at, message, least: Some(least) })
    }
}

/// The first malformed record of a load, even if workers have found others.
#[derive(Debug, Default)]
pub struct FirstFault(Mutex<Option<RecordFault>>);

impl FirstFault {
    fn first(&self) -> MutexGuard<'_, Option<RecordFault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a fault, unless one before it is known.
    pub fn note(&self, fault: RecordFault) {
        let mut first = self.first();
        if first.as_ref().is_none_or(|first| fault.at < first.at) {
            *first = Some(fault);
        }
    }

    /// Returns whether there is one before `at`.
    pub fn is_before(&self, at: usize) -> bool {
        self.first().as_ref().is_some_and(|first| first.at < at)
    }

    /// Returns the fault, if there was one.
    pub fn take(&self) -> Option<RecordFault> {
        self.first().take()
    }
}

impl RowShape {
    /// Returns what a row is that is not as usual. One that is empty stands for a row of empty
    /// cells.
    #[cold]
    fn form(self, row: &crate::format::csv::CsvRow<'_>) -> Form {
        if let Some(at) = row.stray_quote {
            return Form::Faulty(stray_quote(at));
        }
        let Some(wanted) = self.cells.filter(|_| !without_end(row.bytes).is_empty()) else {
            return Form::Good;
        };
        if self.drops_ragged {
            return Form::Ragged;
        }
        let advice = message!(
            "give {} to keep it, {} to drop it, or check {}",
            Setting::Ragged.to("keep"),
            Setting::Ragged.to("drop"),
            Setting::Separator
        );
        if self.is_of_union {
            return Form::Faulty(message!(
                "the row has more or fewer cells than the header of its input; {}",
                advice
            ));
        }
        let (have, of) = (row.cells, if self.is_of_header { "header" } else { "first row" });
        let plural = if have == 1 { "cell" } else { "cells" };
        Form::Faulty(message!(
            "the row has {} {}, and the {} has {}; {}",
            have,
            plural,
            of,
            wanted,
            advice
        ))
    }
}

#[cfg(test)]
mod tests;
