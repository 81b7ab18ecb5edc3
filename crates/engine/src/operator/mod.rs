//! Operators on sorted records on their way out: keeping one of equal ones, counting them,
//! adding up their fields (`fold`), leaving out the first so many, stopping after so many, writing
//! some of their fields alone (`shape`).
//!
//! How much of a task is left is not known before it is done, so tasks have no places of their own
//! in the output: each does its work into a buffer, and what it holds is written when all tasks
//! before it are done ([`Selection`]).
//!
//! What makes one record of equal ones can be done to parts of them first, so that it is done
//! wherever sorted records pass: in runs and between them as well as at the end
//! ([`Select::early`]). How much of it is done early depends on the memory there is; what comes out
//! in the end does not.

mod excerpt;
mod fold;
mod group;
mod kept;
mod making;
mod place;
mod selection;
mod shape;
mod split;
mod target;

pub use fold::{FoldInput, FoldSpec, Folds, Function};
pub use group::GroupWriter;
pub use kept::{KeptMemory, KeptRoom, SHORT_MAX};
pub use making::Making;
pub use place::{Place, RecordForm, RowColumns};
pub use selection::{Selected, Selection};
pub use split::{PartFiles, Split, Splitter};
pub use target::{SelectionTarget, TaskOutlet};

use crate::error::{ConfigErrorKind, ParseError, Result, Setting, config, message};
use crate::format::{Format, Framing};
use crate::predicate::RecordFilter;
use shape::RecordShape;

/// Selection of the sorted records that are written, and their form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Select {
    /// Of records with equal keys, only one.
    pub unique: Option<Unique>,
    /// The number of the job's first keys that make records equal; without it, all keys do.
    pub unique_by: Option<usize>,
    /// With each record that is written, how many had its key: before lines, as the last cell of
    /// rows, and as the last eight bytes of other records, the most significant first.
    pub count: bool,
    /// Of records with equal keys, one that has these sums, least and greatest values.
    pub folds: Vec<FoldSpec>,
    /// Of the groups that records with equal keys become, those that these conditions admit.
    pub having: RecordFilter,
    /// Parts of each record that are written, in this order; empty for all.
    pub parts: Vec<Place>,
    /// True if lines above the records are comments, which no part is taken of. They are so anyway
    /// if a prefix marks them.
    pub has_comments: bool,
    /// The division of the output into several files.
    pub split: Option<Split>,
    /// Number of records to skip at the beginning.
    pub skip: u64,
    /// Maximum number of records to write.
    pub limit: Option<u64>,
}

/// The treatment of records with equal keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    /// The first record is kept, in the order of the input.
    First,
    /// The last record is kept.
    Last,
    /// Equal keys are an error.
    Error,
}

impl std::str::FromStr for Unique {
    type Err = ParseError;

    fn from_str(text: &str) -> std::result::Result<Self, ParseError> {
        match text {
            "first" => Ok(Self::First),
            "last" => Ok(Self::Last),
            "error" => Ok(Self::Error),
            _ => {
                let message = message!("'{}' is unknown; use first, last or error", text);
                Err(ParseError::new("treatment of equal keys", text, message))
            }
        }
    }
}

impl Select {
    /// Returns whether all records are written unchanged.
    pub fn is_all(&self) -> bool {
        // The number of keys that would make records equal changes their order alone.
        *self == Self { unique_by: self.unique_by, ..Self::default() }
    }

    /// Returns whether records with equal keys become one, or are an error.
    pub fn groups(&self) -> bool {
        self.unique.is_some() || self.count || !self.folds.is_empty()
    }

    /// Returns whether conditions on groups, or least and greatest values, look at days or times.
    pub fn looks_at_days(&self) -> bool {
        self.having.looks_at_days() || self.folds.iter().any(FoldSpec::looks_at_days)
    }

    /// Returns whether folding a value may take memory in proportion to it.
    pub fn may_take_memory(&self) -> bool {
        self.folds.iter().any(FoldSpec::may_take_memory)
    }

    /// Refuses what does not go together.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a split by a number of records that is not known
    /// beforehand.
    pub fn check(&self) -> Result<()> {
        if self.groups() && matches!(self.split, Some(Split::Count(_))) {
            return Err(config!(
                ConfigErrorKind::Conflict(Setting::Split, Setting::Unique),
                "{} needs the number of records written, which is not known before equal ones are \
                 combined; split the output of this sort, or use {}",
                Setting::Split,
                Setting::SplitBy,
            ));
        }
        Ok(())
    }

    /// Returns the framing of the records that are written, given the format of those read.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) for a part that records of the format do not have.
    pub fn framing(&self, format: Format) -> Result<Framing> {
        let framing = format.framing();
        if !matches!(framing, Framing::Fixed(_) | Framing::Grouped(_)) {
            return Ok(framing);
        }
        let form = RecordForm::of(format, None);
        Ok(RecordShape::new(&self.parts, self.count, form, None)?.framing(framing))
    }

    /// Returns whether it matters how many records were equal.
    fn counts(&self) -> bool {
        self.count || self.having.asks_count()
    }

    /// Returns whether there may be records that nobody wants, so that they are not even sorted.
    pub fn is_partial(&self) -> bool {
        self.skip > 0 || self.limit.is_some()
    }

    /// Returns how many of the records, or groups of equal ones, are looked at, from the first on.
    pub fn end(&self) -> Option<u64> {
        self.limit.map(|limit| self.skip.saturating_add(limit))
    }

    /// Returns how many of `records` are written, if none are equal.
    pub fn written_of(&self, records: u64) -> u64 {
        records.saturating_sub(self.skip).min(self.limit.unwrap_or(u64::MAX))
    }

    /// Returns the steps that can be done to some of the records before all are together. Counts
    /// are not among them, because they would have to be kept with the records. Nor is the refusal
    /// of duplicates, because the first duplicate is not known then.
    pub fn early(&self) -> Option<Self> {
        let is_early = self.groups() && !self.counts() && self.unique != Some(Unique::Error);
        is_early.then(|| Self {
            skip: 0,
            limit: None,
            parts: Vec::new(),
            split: None,
            having: RecordFilter::default(),
            ..self.clone()
        })
    }

    /// Returns which of equal neighbours is left, where nothing else is made of them.
    pub fn kept(&self) -> Option<Unique> {
        let is_all = !self.counts() && self.folds.is_empty();
        self.unique.filter(|unique| *unique != Unique::Error && is_all)
    }
}

#[cfg(test)]
mod tests;
