//! What a job says about which records take part, bound to its format.

use super::SortJob;
use crate::error::Result;
use crate::format::Format;
use crate::key::text::{TextKeySpec, TextOrder, TextSpec, collation};
use crate::pipeline::Columns;
use crate::predicate::Predicate;

/// What admits the records of a job, given the columns of the first row; `None` where all take
/// part. Conditions look at fields as the job's keys do.
pub fn predicate(job: &SortJob, columns: Option<&Columns>) -> Result<Option<Predicate>> {
    let own = || TextOrder::of(job.format);
    let order = job.order.clone().unwrap_or_else(own);
    job.filter.predicate(&order, |key| resolved(key, job.format, columns))
}

fn resolved(
    key: &TextKeySpec,
    format: Format,
    columns: Option<&Columns>,
) -> std::result::Result<TextSpec, String> {
    let mut key = key.clone();
    key.check(format)?;
    if let Some(columns) = columns.filter(|columns| columns.are_named) {
        key.resolve(&columns.cells)?;
    }
    let collation = key.locale().map(collation).transpose();
    collation.and_then(|collation| key.spec(collation)).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests;
