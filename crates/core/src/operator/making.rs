//! What is made of records: the parts of a selection that hang on what records look like.

use std::sync::Arc;

use super::fold::Folds;
use super::place::{Columns, Layout};
use super::shape::Shape;
use super::split::{PartFiles, Split, Splitter, Splitting};
use super::{Select, Unique};
use crate::error::{Error, Result};
use crate::format::Framing;

/// Folds and shape, with their places found. The default makes nothing.
#[derive(Clone, Debug, Default)]
pub struct Making {
    /// What is made of a group.
    pub(super) folds: Folds,
    /// What is written of it in the end.
    pub(super) shape: Shape,
    /// Into which files that goes.
    pub(super) splitting: Splitting,
}

impl Making {
    /// What `select` asks for, of records of this layout.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where these have no such places, or it contradicts itself.
    pub fn new(select: &Select, layout: Layout, columns: Option<Columns<'_>>) -> Result<Self> {
        if select.count && matches!(layout, Layout::Fixed(_) | Layout::Prefixed(_)) {
            let message = "counts stand before lines or in a column of their own, and binary \
                           records have room for neither; leave out --count";
            return Err(Error::Usage(message.to_owned()));
        }
        if select.unique == Some(Unique::Error) && (select.count || !select.folds.is_empty()) {
            let message = "--unique=error refuses records with equal keys, so that nothing is \
                           left to count or to add up; leave one of them out";
            return Err(Error::Usage(message.to_owned()));
        }
        if select.groups() && matches!(select.split, Some(Split::Count(_))) {
            let message = "--split takes the number of records that are written, which nobody \
                           knows before equal ones have become one; split the output of this \
                           sort, or use --split-by";
            return Err(Error::Usage(message.to_owned()));
        }
        let splitting = Splitting::new(select.split.as_ref(), layout, columns);
        let splitting = splitting.map_err(Error::Usage)?;
        let folds = Folds::new(&select.folds, layout, columns).map_err(Error::Usage)?;
        let shape = Shape::new(&select.parts, select.count, layout, columns);
        Ok(Self { folds, shape: shape.map_err(Error::Usage)?, splitting })
    }

    /// The files of an output that is split, each under `header`: of `records` records.
    pub fn splitter(&self, files: Arc<dyn PartFiles>, header: Vec<u8>, records: u64) -> Splitter {
        Splitter::new(&self.splitting, files, header, records)
    }

    /// What stands at the top of files, in the shape of what is written below it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where it cannot have that shape.
    pub fn header(&self, framing: Framing, header: Vec<u8>) -> Result<Vec<u8>> {
        if self.shape.is_whole() {
            return Ok(header);
        }
        self.shape.header(framing.records(&header)).map_err(Error::Usage)
    }
}
