//! Conditions, changes and order that a job applies to records, bound to the format and to the
//! columns of the first row.

use super::Budget;
use super::filtering;
use super::records::{gate, group_key, grouped, key};
use crate::error::Result;
use crate::format::{Format, HeaderLines};
use crate::key::text::{Separator, TextOrder};
use crate::key::{CompiledKey, ListMemory};
use crate::operator::{FoldInput, Making, RecordForm, RowColumns, Select};
use crate::pipeline::{Columns, Gate};
use crate::predicate::RecordFilter;

/// Conditions, changes and order that a job applies to records, bound to their columns.
pub struct Asked {
    /// Gate that admits records.
    pub gate: Gate,
    /// Changes made to records when they are selected.
    pub making: Making,
    /// Key that orders the records.
    pub key: CompiledKey,
}

/// Options of a job that say what is asked of its records.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// Format of the records.
    pub format: Format,
    /// Lines on top of the records.
    pub header: &'a HeaderLines,
    /// Conditions on records, if the job has any.
    pub filter: Option<&'a RecordFilter>,
    /// The selection of the records to write.
    pub select: &'a Select,
    /// Memory that the lists of conditions and of folds are a part of.
    pub memory: Budget,
}

impl Asking<'_> {
    /// Returns all that is asked of records in this order, given the columns of the first row.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a missing column, and for a condition, a fold or
    /// a key that the format does not allow.
    pub fn asked(&self, order: &TextOrder, columns: Option<&Columns>) -> Result<Asked> {
        let predicate = filtering::predicate(self, order, columns)?;
        let group_predicate = filtering::group_predicate(self, order, columns)?;
        let making = self.making(order, columns)?.having(group_predicate.clone());
        let folds = making.folds().clone();
        let gate = Gate { predicate, group_predicate, folds, ..gate(self.format, columns) };
        let key = key(&grouped(order, self.select.unique_by), columns)?;
        Ok(Asked { gate, making, key })
    }

    /// Returns the changes made to selected records, given the columns of the first row.
    fn making(&self, order: &TextOrder, columns: Option<&Columns>) -> Result<Making> {
        let separator = match order.separator {
            Separator::Byte(separator) => Some(separator),
            _ => None,
        };
        let layout = RecordForm::of(self.format, separator);
        let group = group_key(order, columns, self.select.unique_by)?;
        let resolved = columns.map(|columns| columns.resolved(order)).transpose()?;
        let columns = columns
            .map(|columns| RowColumns { cells: &columns.cells, are_named: columns.are_named });
        // Asking for memory reads several files of the system, which is most of a short sort.
        let memory = match self.select.folds.is_empty() {
            true => ListMemory::UNBOUNDED,
            false => ListMemory { budget: self.memory.resolve()?, taken: order.list_bytes() },
        };
        let of = FoldInput { columns, order: Some(order), memory, ..FoldInput::of(layout) };
        let making = Making::new(self.select, of)?.grouped_by(group).under(self.header);
        Ok(making.ordered_by(resolved.as_ref().unwrap_or(order)))
    }
}
