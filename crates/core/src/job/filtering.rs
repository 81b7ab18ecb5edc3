//! What a job says about which records take part, bound to its format.

use super::SortJob;
use crate::error::Result;
use crate::key::text::{TextKeySpec, TextOrder, TextSpec, collation};
use crate::predicate::Predicate;

/// What admits the records of a job; `None` where all take part. Conditions look at fields as the
/// job's keys do.
pub fn predicate(job: &SortJob) -> Result<Option<Predicate>> {
    let own = || TextOrder::of(job.format);
    job.filter.predicate(&job.order.clone().unwrap_or_else(own), resolved)
}

fn resolved(key: &TextKeySpec) -> std::result::Result<TextSpec, String> {
    let collation = key.locale().map(collation).transpose();
    collation.map(|collation| key.spec(collation)).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests;
