//! The order of records by a function of the caller, for orders that no normalized key expresses.
//!
//! psort's library is the example (Bertasi, Bressan and Peserico, "psort, yet another fast stable
//! external sorting software", 2008): one function of the caller transforms a key into integers,
//! another one compares two records. Here the first function makes a number of a record, which is
//! word 0 of the key. The second one compares two records with equal numbers. There is no other
//! word. Code that needs more compares whole records, and buckets are cut at records
//! (`incore::classifier`).

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use super::text::Body;
use super::{CutRecord, KeyEncoder, WORD_BYTES};
use crate::error::{Error, Result};
use crate::stats::StopRequest;

/// A function that orders records.
///
/// It is called by all workers, in no certain order and any number of times for the same records.
pub trait Compare: Send + Sync {
    /// Returns a number of a record. Records are ordered by it first. The default is 0 for all.
    fn prefix(&self, record: &[u8]) -> u64 {
        let _ = record;
        0
    }

    /// Compares two records with equal numbers. It has to be a total order. Otherwise the records
    /// come out in no certain order, or the sort fails.
    fn compare(&self, left: &[u8], right: &[u8]) -> Ordering;
}

/// The order by a [`Compare`], and whether that function is still called.
#[derive(Clone)]
pub struct OrderFunction {
    function: Arc<dyn Compare>,
    /// The request that the job stops.
    stop: StopRequest,
    /// Reason why later comparisons do not call the function.
    end: Arc<OnceLock<ComparisonEnd>>,
}

/// Reason why a function is not called again.
#[derive(Clone, Debug)]
enum ComparisonEnd {
    /// It has panicked, with this message.
    Panicked(String),
    /// The job was asked to stop. A slow function would delay that by minutes, as whole loads are
    /// sorted without looking at anything else.
    Stopped,
}

impl fmt::Debug for OrderFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderFunction").field("end", &self.end.get()).finish_non_exhaustive()
    }
}

impl OrderFunction {
    /// Returns the order by `function`.
    pub fn new(function: impl Compare + 'static) -> Self {
        Self { function: Arc::new(function), stop: StopRequest::default(), end: Arc::default() }
    }

    /// Returns the order for one job, which stops at the request `stop`. The end of the calls for
    /// another job does not concern it.
    #[must_use]
    pub(crate) fn for_job(self, stop: StopRequest) -> Self {
        Self { stop, end: Arc::default(), ..self }
    }

    /// Returns the result of a job that used the comparison.
    ///
    /// # Errors
    ///
    /// [`Error::Caller`] if the function panicked, [`Error::Interrupted`] if it was not called
    /// because of a stop, and otherwise the error of the job. An [`Error::Disorder`] says that the
    /// function may be the cause.
    pub fn checked<T>(&self, result: Result<T>) -> Result<T> {
        match self.end.get() {
            Some(ComparisonEnd::Panicked(words)) => Err(Error::Caller {
                message: format!("the function that compares records panicked: {words}"),
            }),
            Some(ComparisonEnd::Stopped) => Err(Error::Interrupted),
            None => result.map_err(|error| match error {
                Error::Disorder { target, place, .. } => {
                    Error::Disorder { target, place, is_compared: true }
                }
                other => other,
            }),
        }
    }

    /// Compares two records by their numbers, and by the function if these are equal. After a
    /// panic or a stop, all records are equal.
    pub fn compare(&self, left: &[u8], right: &[u8]) -> Ordering {
        self.guarded(Ordering::Equal, |function| {
            let by_number = function.prefix(left).cmp(&function.prefix(right));
            by_number.then_with(|| function.compare(left, right))
        })
    }

    /// Returns what `call` gives, or `otherwise` after a panic or a stop.
    fn guarded<T>(&self, otherwise: T, call: impl FnOnce(&dyn Compare) -> T) -> T {
        if self.end.get().is_some() {
            return otherwise;
        }
        let end = match self.stop.is_made() {
            true => ComparisonEnd::Stopped,
            false => match catch_unwind(AssertUnwindSafe(|| call(&*self.function))) {
                Ok(value) => return value,
                Err(panic) => ComparisonEnd::Panicked(panic_message(&*panic)),
            },
        };
        // The first one counts.
        let _ = self.end.set(end);
        otherwise
    }
}

/// Returns the message of a panic.
pub fn panic_message(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "a panic without a message".to_owned())
}

/// The key of an order by a function.
#[derive(Clone, Debug)]
pub struct ComparedKey {
    comparison: OrderFunction,
    body: Body,
}

impl ComparedKey {
    /// Returns the key that shows `comparison` the bodies of records.
    pub(super) const fn new(comparison: OrderFunction, body: Body) -> Self {
        Self { comparison, body }
    }

    fn prefix(&self, record: &[u8]) -> u64 {
        self.comparison.guarded(0, |function| function.prefix(self.body.of_record(record)))
    }
}

impl KeyEncoder for ComparedKey {
    #[inline]
    fn key_length(&self) -> usize {
        usize::MAX
    }

    /// Appends the number, and zeros in place of what is not known: keys that agree so far say
    /// nothing more.
    fn key_bytes(&self, record: CutRecord<'_>, limit: usize, out: &mut Vec<u8>) {
        let end = out.len() + limit;
        out.extend(self.prefix(record.bytes).to_be_bytes().iter().take(limit.min(WORD_BYTES)));
        out.resize(end, 0);
    }

    fn word(&self, record: &[u8], index: usize) -> u64 {
        if index == 0 { self.prefix(record) } else { 0 }
    }

    fn is_compared(&self) -> bool {
        true
    }

    #[inline]
    fn is_last(&self, _index: usize, _word: u64) -> bool {
        false
    }

    fn compare_from(&self, a: &[u8], b: &[u8], word: usize) -> Ordering {
        let [left, right] = [a, b].map(|record| self.body.of_record(record));
        match word {
            0 => self.comparison.compare(left, right),
            _ => self.comparison.guarded(Ordering::Equal, |function| function.compare(left, right)),
        }
    }

    /// Returns 0 for numbers that differ, and 1 for records with the same number.
    fn first_difference(&self, a: &[u8], b: &[u8], first: usize) -> Option<usize> {
        if first == 0 && self.prefix(a) != self.prefix(b) {
            return Some(0);
        }
        self.compare_from(a, b, 1).is_ne().then_some(1)
    }
}

#[cfg(test)]
mod tests;
