//! Conditions of a job on its records, bound to its format.

use std::cell::Cell;

use super::asked::Asking;
use crate::error::{Message, Result};
use crate::format::Format;
use crate::key::text::{TextOrder, TextSpec};
use crate::key::{Key, KeyFault, ListMemory};
use crate::pipeline::Columns;
use crate::predicate::Predicate;

/// Returns the predicate that admits the records of a job, given the columns of the first row;
/// `None` where all take part. Conditions look at fields as the job's keys do.
pub fn predicate(
    job: &Asking<'_>,
    order: &TextOrder,
    columns: Option<&Columns>,
) -> Result<Option<Predicate>> {
    let Some(filter) = job.filter.filter(|filter| !filter.is_all()) else { return Ok(None) };
    bound(job, order, columns, |order, resolve| filter.predicate(order, resolve))
}

/// Returns the predicate that admits the groups of a job, given the columns of the first row.
pub fn group_predicate(
    job: &Asking<'_>,
    order: &TextOrder,
    columns: Option<&Columns>,
) -> Result<Option<Predicate>> {
    if job.select.having.is_all() {
        return Ok(None);
    }
    bound(job, order, columns, |order, resolve| job.select.having.group_predicate(order, resolve))
}

/// Returns the meaning of a key.
type Resolve<'a> = &'a dyn Fn(&Key) -> std::result::Result<TextSpec, Message>;

fn bound(
    job: &Asking<'_>,
    order: &TextOrder,
    columns: Option<&Columns>,
    bind: impl FnOnce(&TextOrder, Resolve<'_>) -> Result<Option<Predicate>>,
) -> Result<Option<Predicate>> {
    let budget = job.memory.resolve()?;
    let taken = Cell::new(order.list_bytes());
    bind(order, &|key: &Key| {
        let memory = ListMemory { budget, taken: taken.get() };
        let spec = resolved(key, job.format, memory, columns)?;
        taken.set(taken.get() + spec.list_bytes());
        Ok(spec)
    })
}

fn resolved(
    key: &Key,
    format: Format,
    memory: ListMemory,
    columns: Option<&Columns>,
) -> std::result::Result<TextSpec, Message> {
    key.check(format).map_err(Message::from)?;
    let mut spec = key.spec(memory).map_err(|error| error.message())?;
    if let Some(columns) = columns.filter(|columns| columns.are_named) {
        let unknown = |fault| Message::from(key.error(KeyFault::Column(fault)));
        spec.resolve(&columns.cells).map_err(unknown)?;
    }
    Ok(spec)
}

#[cfg(test)]
mod tests;
