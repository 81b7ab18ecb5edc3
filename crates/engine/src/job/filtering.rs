//! What a job says about which records take part, bound to its format.

use std::cell::Cell;

use super::SortJob;
use crate::error::{Error, Message, Result};
use crate::format::Format;
use crate::key::text::{ListMemory, TextKeySpec, TextOrder, TextSpec, collation};
use crate::pipeline::Columns;
use crate::predicate::Predicate;

/// What admits the records of a job, given the columns of the first row; `None` where all take
/// part. Conditions look at fields as the job's keys do.
pub fn predicate(job: &SortJob, columns: Option<&Columns>) -> Result<Option<Predicate>> {
    if job.filter.is_all() {
        return Ok(None);
    }
    bound(job, columns, |order, resolve| job.filter.predicate(order, resolve))
}

/// Returns what admits the groups of a job, given the columns of the first row.
pub fn group_predicate(job: &SortJob, columns: Option<&Columns>) -> Result<Option<Predicate>> {
    if job.select.having.is_all() {
        return Ok(None);
    }
    bound(job, columns, |order, resolve| job.select.having.group_predicate(order, resolve))
}

/// Returns the meaning of a key.
type Resolve<'a> = &'a dyn Fn(&TextKeySpec) -> std::result::Result<TextSpec, Message>;

fn bound(
    job: &SortJob,
    columns: Option<&Columns>,
    bind: impl FnOnce(&TextOrder, Resolve<'_>) -> Result<Option<Predicate>>,
) -> Result<Option<Predicate>> {
    let own = || TextOrder::of(job.format);
    let order = job.order.clone().unwrap_or_else(own);
    let budget = job.memory.resolve()?;
    let taken = Cell::new(order.list_bytes());
    bind(&order, &|key: &TextKeySpec| {
        let memory = ListMemory { budget, taken: taken.get() };
        let spec = resolved(key, (job.format, memory), columns)?;
        taken.set(taken.get() + spec.list_bytes());
        Ok(spec)
    })
}

fn resolved(
    key: &TextKeySpec,
    (format, memory): (Format, ListMemory),
    columns: Option<&Columns>,
) -> std::result::Result<TextSpec, Message> {
    let mut key = key.clone();
    key.check(format)?;
    if let Some(columns) = columns.filter(|columns| columns.are_named) {
        key.resolve(&columns.cells)?;
    }
    let collation = key.locale().map(collation).transpose();
    collation.and_then(|collation| key.spec_within(collation, memory)).map_err(Error::into_message)
}

#[cfg(test)]
mod tests;
