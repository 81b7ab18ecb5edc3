//! A run that a stage writes: all of its records, or what a selection leaves of them.
//!
//! How much a selection leaves is not known beforehand; the run is one of open length then, and its
//! tasks take turns.

use std::path::Path;
use std::sync::Arc;

use super::Work;
use super::crew::Crew;
use super::gathering::Destination;
use super::spill::{Size, Spill};
use crate::error::Result;
use crate::io::File;
use crate::key::KeyEncoder;
use crate::operator::Selection;
use crate::order::OrderProof;
use crate::proof::Sum;
use crate::run::layout::RunGeometry;
use crate::run::{Run, RunWriter};

/// A run that is being written.
#[derive(Debug)]
pub struct NewRun {
    writer: RunWriter,
    selection: Option<Selection>,
    order: OrderProof,
}

impl NewRun {
    /// Creates the file for records of this geometry.
    pub fn create(work: &Work, spill: &mut Spill, geometry: RunGeometry) -> Result<Self> {
        let (bytes, direct) = (geometry.file_bytes(), work.direct);
        let order = OrderProof::of_run(work.verify);
        let Some(select) = work.early() else {
            let create = |path: &Path| RunWriter::create(path, direct, geometry);
            let writer = spill.create(Size::Known(bytes), create)?;
            return Ok(Self { writer, selection: None, order });
        };
        let shape = (geometry.framing, geometry.index_key_length as usize);
        let create = |path: &Path| RunWriter::create_open(path, direct, shape);
        let writer = spill.create(Size::AtMost(bytes), create)?;
        let is_summed = work.verify && !work.select.is_partial();
        let making = Arc::clone(&work.making);
        let selection = Selection::early(select, making, is_summed).of(&work.origin());
        Ok(Self { writer, selection: Some(selection), order })
    }

    /// Returns where a stage brings the records.
    pub fn destination(&self) -> Destination<'_> {
        Destination::run(&self.writer, self.selection.as_ref(), &self.order)
    }

    /// Returns the file, while others may be writing to it.
    pub fn file(&self) -> Arc<File> {
        Arc::clone(self.writer.file())
    }

    /// Returns the run, of records that had the sum `sum` as they were brought.
    pub fn finish<K: KeyEncoder>(self, key: &K, crew: &mut Crew<'_>, sum: Sum) -> Result<Run> {
        let Some(selection) = &self.selection else {
            return self.writer.finish(&mut crew.workers[0].lane, sum);
        };
        // Pages of its table, which are moved now, may be in any worker's queue.
        crew.flush()?;
        let worker = &mut crew.workers[0];
        let left = self.destination().finish(key, selection, &mut worker.lane)?;
        worker.sum_out.add(left.sum);
        let checksum = sum.checksum.wrapping_sub(left.sum.checksum);
        let sum = Sum { records: left.records, checksum };
        self.writer.finish_open(&mut worker.lane, sum, (left.end, left.longest_bytes))
    }
}
