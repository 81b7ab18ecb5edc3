//! Source and destination of the records of a task.

use std::cmp::Ordering;

use super::{GroupWriter, KeptMemory};
use crate::error::Result;
use crate::order::OrderProof;
use crate::sink::{Sink, Writer};

/// Target of the tasks of a selection, with the test for equal records.
#[derive(Clone, Copy)]
pub struct SelectionTarget<'a> {
    /// The file or stream.
    pub sink: &'a Sink,
    /// Compares two records by their keys.
    pub compare: &'a dyn Fn(&[u8], &[u8]) -> Ordering,
    /// The proof that what is written is in order.
    pub order: &'a OrderProof,
    /// Callback for whole records before they are written, with the byte where they begin.
    pub note: &'a dyn Fn(u64, &[u8]),
    /// Memory for long records that are kept.
    pub kept: KeptMemory<'a>,
}

impl SelectionTarget<'_> {
    /// Returns how the keys of two records stand to each other, of which `before` comes first.
    ///
    /// # Errors
    ///
    /// [`Error::Disorder`](crate::Error::Disorder) where the record belongs before the other.
    pub fn order_of(&self, before: &[u8], record: &[u8]) -> Result<Ordering> {
        let order = (self.compare)(before, record);
        self.order.look_at(order).map(|()| order)
    }
}

/// Receiver of the sorted records of a task.
pub enum TaskOutlet<'w, 'a, 'p> {
    /// All of them, as bytes.
    All(&'w mut dyn Writer),
    /// Record by record, for some of them.
    Selected(&'w mut GroupWriter<'a, 'p>),
}
