//! What is done with sorted records on their way out: keeping one of equal ones, counting them,
//! stopping after so many.
//!
//! How much of a task is left is not known before it is done, so tasks have no places of their own
//! in the output: each does its work into a buffer, and what it holds is written when all tasks
//! before it are done ([`Selection`]).

mod group;
mod selection;

pub use group::GroupWriter;
pub use selection::Selection;

/// Which of the sorted records are written, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// Of records with equal keys, only the first.
    pub unique: bool,
    /// Before each record that is written, how many had its key; for lines.
    pub count: bool,
    /// Only so many records.
    pub limit: Option<u64>,
}

impl Select {
    /// Whether all records are written as they are.
    pub fn is_all(self) -> bool {
        self == Self::default()
    }

    /// Whether records with equal keys become one.
    pub fn groups(self) -> bool {
        self.unique || self.count
    }
}

#[cfg(test)]
mod tests;
