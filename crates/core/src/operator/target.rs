//! Where the records of a task come from and go to.

use super::GroupWriter;
use crate::sink::{Sink, Writer};

/// What the tasks of a selection write to, and how they see which records are equal.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// The file or stream.
    pub sink: &'a Sink,
    /// Whether two records have the same key.
    pub is_same: &'a dyn Fn(&[u8], &[u8]) -> bool,
    /// Is told of whole records before they are written, and of the byte where they begin.
    pub note: &'a dyn Fn(u64, &[u8]),
}

/// What takes the sorted records of a task.
pub enum Outlet<'w, 'a, 'p> {
    /// All of them, as bytes.
    All(&'w mut dyn Writer),
    /// Record by record, for some of them.
    Selected(&'w mut GroupWriter<'a, 'p>),
}
