//! Changes made to records: the parts of a selection that depend on what records look like.

use std::cmp::Ordering;
use std::sync::Arc;

use super::excerpt::excerpt;
use super::fold::{FoldInput, Folds, Function};
use super::shape::RecordShape;
use super::split::{PartFiles, Splitter, Splitting};
use super::{Select, Unique};
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::format::{Framing, HeaderLines, Prefix};
use crate::key::CompiledKey;
use crate::key::text::{Body, TextOrder};
use crate::predicate::Predicate;

/// Copies of a record that sums take whose numbers are as long.
const SUM_COPIES: u64 = 4;

/// Folds and shape, with their places found. The default makes nothing.
#[derive(Clone, Debug, Default)]
pub struct Making {
    /// Folds of a group.
    pub(super) folds: Folds,
    /// Shape in which it is written.
    pub(super) shape: RecordShape,
    /// Into which files that goes.
    pub(super) splitting: Splitting,
    /// The conditions that admit groups; without them all are written.
    having: Option<Predicate>,
    /// The first keys of the order, by which records are of one group; all keys without one.
    group: Option<CompiledKey>,
    /// True if nothing is folded before all records of a group are together.
    folds_late: bool,
    /// True if a header is lines of comments, which stay as they are.
    has_comments: bool,
    /// True if records hold the keys that they are ordered by: messages show the keys alone.
    has_stored_keys: bool,
}

impl Making {
    /// Returns what `select` asks for, of such records.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where these have no such places, or it contradicts itself.
    pub fn new(select: &Select, of: FoldInput<'_>) -> Result<Self> {
        let FoldInput { layout, columns, .. } = of;
        if !select.having.is_all() && !select.groups() {
            return Err(config!(
                ConfigErrorKind::NotApplicable(Setting::Having),
                "{} tests combined records, but nothing combines records here; give {}, {}, {}, \
                 {} or {}, or write the condition with {}",
                Setting::Having,
                Setting::Count,
                Setting::Unique,
                Setting::Sum,
                Setting::Min,
                Setting::Max,
                Setting::Include,
            ));
        }
        if select.unique == Some(Unique::Error) && (select.count || !select.folds.is_empty()) {
            return Err(config!(
                ConfigErrorKind::Conflict(Setting::Unique, Setting::Count),
                "{} refuses records with equal keys, so there is nothing to count or to add up; \
                 leave one of the two out",
                Setting::Unique.to("error"),
            ));
        }
        select.check()?;
        let splitting = Splitting::new(select.split.as_ref(), layout, columns)?;
        let folds = Folds::new(&select.folds, of)?;
        let shape = RecordShape::new(&select.parts, select.count, layout, columns)?;
        let has_comments = select.has_comments;
        Ok(Self { folds, shape, splitting, has_comments, ..Self::default() })
    }

    /// Says what stands on top of the records.
    #[must_use]
    pub fn under(self, header: &HeaderLines) -> Self {
        let has_comments = self.has_comments || matches!(header, HeaderLines::Prefix(_));
        Self { has_comments, ..self }
    }

    /// Says what records are ordered by.
    #[must_use]
    pub fn ordered_by(self, order: &TextOrder) -> Self {
        let folds_late = self.folds.may_change_key(order);
        Self { folds_late, has_stored_keys: order.body == Body::StoredKey, ..self }
    }

    /// Says by which of the first keys records are of one group, if not by all.
    #[must_use]
    pub fn grouped_by(self, group: Option<CompiledKey>) -> Self {
        Self { group, ..self }
    }

    /// Says which groups are written, if not all.
    #[must_use]
    pub fn having(self, having: Option<Predicate>) -> Self {
        Self { having, ..self }
    }

    /// Returns the folds of groups.
    pub fn folds(&self) -> &Folds {
        &self.folds
    }

    /// Returns a record with the same key as another one, as a message shows it.
    pub(super) fn shown(&self, record: &[u8]) -> String {
        excerpt(if self.has_stored_keys { Prefix::stored_key(record) } else { record })
    }

    /// Returns whether a group of `count` records, of which `record` was made, is written.
    pub fn admits(&self, record: &[u8], count: u64) -> bool {
        self.having.as_ref().is_none_or(|having| having.admits_group(record, count))
    }

    /// Returns whether records that stand to each other as `order` says, by all keys, are of one
    /// group.
    #[inline]
    pub fn is_one_group(&self, order: Ordering, a: &[u8], b: &[u8]) -> bool {
        order.is_eq() || self.group.as_ref().is_some_and(|group| group.are_equal(a, b))
    }

    /// Returns the most copies of a long record that are in memory at once where none lies in a
    /// load: the one kept for its group, its values and those of the record after it, and the
    /// records made of them. Values that are added up are numbers, and taken to be short.
    pub fn kept_copies(&self, select: &Select) -> u64 {
        let is_text_kept = select.folds.iter().any(|fold| fold.function != Function::Sum);
        let values = if is_text_kept { 2 } else { 0 };
        let made = u64::from(!self.folds.is_empty()) + u64::from(!self.shape.is_whole());
        u64::from(select.groups()) + values + made
    }

    /// Returns the most copies where values that are added up may be as long as a record, and where
    /// fields may be written twice. A sum takes up to four bytes for each digit.
    pub fn ample_copies(&self, select: &Select) -> u64 {
        let copies = self.kept_copies(select);
        let has_sums = select.folds.iter().any(|fold| fold.function == Function::Sum);
        let sums = if has_sums { SUM_COPIES } else { 0 };
        copies + sums + if self.shape.is_whole() { 0 } else { copies }
    }

    /// Returns what of `select` can be done to some of the records before all are together.
    pub fn early(&self, select: &Select) -> Option<Select> {
        select.early().filter(|_| !self.folds_late)
    }

    /// Returns the files of an output that is split, each under `header`: of `records` records.
    pub fn splitter(&self, files: Arc<dyn PartFiles>, header: Vec<u8>, records: u64) -> Splitter {
        Splitter::new(&self.splitting, files, header, records)
    }

    /// Returns what stands at the top of files, in the shape of what is written below it; comments
    /// and lines above groups of lines as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where it cannot have that shape.
    pub fn header(&self, framing: Framing, header: Vec<u8>) -> Result<Vec<u8>> {
        // Lines above groups of lines are no group.
        let is_kept = self.has_comments || matches!(framing, Framing::Grouped(_));
        if self.shape.is_whole() || is_kept {
            return Ok(header);
        }
        self.shape
            .header(framing.records(&header))
            .map_err(|fault| Error::config(ConfigErrorKind::InvalidValue, fault))
    }
}
