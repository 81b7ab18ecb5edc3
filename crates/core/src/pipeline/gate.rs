//! What a record must be to take part: well formed, with a key, and wanted.
//!
//! Every record passes here once, when it is dealt. Where nothing can be wrong with records and all
//! are wanted, there is no gate at all.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::format::csv::{Dialect, Rows, stray_quote, without_end};
use crate::format::{Fault, Framing, json};
use crate::key::text::LONG_BYTES;
use crate::key::{CutRecord, KeyEncoder};
use crate::operator::Folds;
use crate::plan::scratch::ScratchMemory;
use crate::predicate::Predicate;

/// What is asked of rows of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    /// What separates and what quotes.
    pub dialect: Dialect,
    /// How many cells a row has to have; `None` for any number.
    pub cells: Option<usize>,
    /// Whether the rows' header says so, rather than the first row.
    pub is_of_header: bool,
}

/// What makes a record well formed.
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

/// What is asked of records.
#[derive(Clone, Debug, Default)]
pub struct Gate {
    /// What makes them well formed.
    pub shape: Shape,
    /// What admits records; all take part without it.
    pub predicate: Option<Predicate>,
    /// The conditions on groups, for the memory that they take.
    pub group_predicate: Option<Predicate>,
    /// What is folded of groups, for the memory that it takes.
    pub folds: Folds,
    /// The memory for keys and values of a long record, where they may take any.
    pub scratch: Option<ScratchMemory>,
}

impl Gate {
    /// Whether it lets everything pass, given the key.
    pub fn is_open<K: KeyEncoder + ?Sized>(&self, key: &K) -> bool {
        self.shape == Shape::Any
            && self.predicate.is_none()
            && self.scratch.is_none()
            && !key.is_partial()
    }

    /// Whether every record takes part that is as it must be.
    pub fn admits_all(&self) -> bool {
        self.predicate.is_none()
    }

    /// Shows the records in `bytes`, whole ones back to back, that take part, where each begins,
    /// and the first word of its key; how many they are.
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
    ) -> Result<u64, Fault> {
        let (mut at, mut shown) = (0, 0);
        let mut pass = |record: CutRecord<'_>, fault: Option<String>| {
            let begun = at;
            at += record.bytes.len();
            let admits = |wanted: &Predicate| wanted.admits(record.bytes);
            let fault = fault.or_else(|| self.lack(key, record.bytes));
            let is_wanted = || self.predicate.as_ref().is_none_or(admits);
            if fault.is_none() && !is_wanted() {
                return Ok(());
            }
            let word = fault.map_or_else(|| key.checked_word(record), Err);
            show(record, begun, word.map_err(|message| Fault { at: begun, message })?);
            shown += 1;
            Ok(())
        };
        match self.shape {
            Shape::Row(shape) => {
                let mut rows = Rows::new(shape.dialect, bytes).noting(key.cells_wanted());
                while let Some(row) = rows.next() {
                    let is_good = row.stray_quote.is_none()
                        && shape.cells.is_none_or(|cells| cells == row.cells);
                    let fault = if is_good { None } else { shape.fault(&row) };
                    pass(CutRecord { bytes: row.bytes, cell_ends: rows.cell_ends() }, fault)?;
                }
            }
            Shape::Json => {
                let mut lines = framing.records(bytes);
                lines.try_for_each(|line| pass(line.into(), json::fault(line)))?;
            }
            Shape::Any => {
                framing.records(bytes).try_for_each(|record| pass(record.into(), None))?;
            }
        }
        Ok(shown)
    }
}

impl Gate {
    /// Returns what keeps a record out for lack of memory, if anything does.
    #[inline]
    fn lack<K: KeyEncoder>(&self, key: &K, record: &[u8]) -> Option<String> {
        let scratch = self.scratch.filter(|_| record.len() > LONG_BYTES)?;
        let predicates = self.predicate.iter().chain(&self.group_predicate);
        let wanted = predicates.map(|wanted| wanted.scratch_bytes(record)).max();
        let wanted = wanted.unwrap_or(0).max(self.folds.scratch_bytes(record));
        scratch.fault(record.len(), key.scratch_bytes(record).max(wanted))
    }

    /// Shows one record and the first word of its key, unless a gate there is keeps it out.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn pass<K: KeyEncoder>(
        gate: Option<&Self>,
        key: &K,
        framing: Framing,
        record: &[u8],
        mut show: impl FnMut(CutRecord<'_>, u64),
    ) -> Result<(), Fault> {
        match gate {
            Some(gate) => {
                gate.each(key, framing, record, |record, _, word| show(record, word)).map(drop)
            }
            None => {
                show(record.into(), key.word(record, 0));
                Ok(())
            }
        }
    }
}

/// The first record of a load that must not be, whoever came upon others.
#[derive(Debug, Default)]
pub struct FirstFault(Mutex<Option<Fault>>);

impl FirstFault {
    fn first(&self) -> MutexGuard<'_, Option<Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a fault, unless one before it is known.
    pub fn note(&self, fault: Fault) {
        let mut first = self.first();
        if first.as_ref().is_none_or(|first| fault.at < first.at) {
            *first = Some(fault);
        }
    }

    /// Whether there is one before `at`.
    pub fn is_before(&self, at: usize) -> bool {
        self.first().as_ref().is_some_and(|first| first.at < at)
    }

    /// The fault, if there was one.
    pub fn take(&self) -> Option<Fault> {
        self.first().take()
    }
}

impl RowShape {
    /// What is wrong with a row. One that is empty stands for a row of empty cells.
    #[cold]
    fn fault(self, row: &crate::format::csv::Row<'_>) -> Option<String> {
        if let Some(at) = row.stray_quote {
            return Some(stray_quote(at));
        }
        let wanted = self.cells?;
        if without_end(row.bytes).is_empty() {
            return None;
        }
        let (have, of) = (row.cells, if self.is_of_header { "header" } else { "first row" });
        let plural = if have == 1 { "cell" } else { "cells" };
        Some(format!(
            "the row has {have} {plural}, and the {of} has {wanted}; give --ragged keep to sort it \
             all the same, or check --separator"
        ))
    }
}

#[cfg(test)]
mod tests;
