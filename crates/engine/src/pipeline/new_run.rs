//! A run that a stage writes: all of its records, or what a selection leaves of them.
//!
//! How much a selection leaves is not known beforehand; the run is one of open length then, and its
//! tasks take turns.

use std::path::Path;
use std::sync::Arc;

use super::Work;
use super::crew::Crew;
use super::destination::Destination;
use super::merge::{Brought, MergeContext, RecordRules, runs_of};
use super::sorted::SortedPlace;
use super::spill::{Size, Spill};
use crate::error::Result;
use crate::io::{Direct, File};
use crate::key::KeyEncoder;
use crate::operator::Selection;
use crate::order::OrderProof;
use crate::plan::passes::longest_bytes;
use crate::proof::Sum;
use crate::run::layout::RunGeometry;
use crate::run::{Run, RunWriter};

/// A run that is being written.
#[derive(Debug)]
pub struct NewRun {
    writer: RunWriter,
    /// True if its length is not known before it is whole.
    is_open: bool,
    selection: Option<Selection>,
    order: OrderProof,
}

impl NewRun {
    /// Creates the file for records of this geometry.
    pub fn create(work: &Work, spill: &mut Spill, geometry: RunGeometry) -> Result<Self> {
        Self::of_geometry(&work.rules(), work.direct, spill, geometry)
    }

    /// Creates the file for the records of `sources`.
    pub fn of_sources<K: KeyEncoder>(
        merge: &MergeContext<'_, K>,
        spill: &mut Spill,
        sources: &[SortedPlace],
    ) -> Result<Self> {
        let (rules, direct, runs) = (merge.rules, merge.direct.spill, runs_of(sources));
        let bytes: Option<u64> = sources.iter().map(SortedPlace::bytes).sum();
        let key_length = merge.key.key_length();
        if let (Some(bytes), true) = (bytes, runs.len() == sources.len()) {
            let (records, longest) =
                (runs.iter().map(|run| run.records).sum(), longest_bytes(&runs));
            let geometry = RunGeometry::new(rules.framing, key_length, bytes, records, longest);
            return Self::of_geometry(rules, direct, spill, geometry);
        }
        // With its table, which lies aside meanwhile.
        let size = bytes.map_or(Size::Unknown, |bytes| Size::AtMost(bytes + bytes / 50));
        Self::open(rules, direct, spill, key_length, size)
    }

    /// Creates the file for records whose number is not known, with keys of this length.
    pub fn open(
        rules: &RecordRules,
        direct: Direct,
        spill: &mut Spill,
        key_length: usize,
        size: Size,
    ) -> Result<Self> {
        let (framing, packing) = (rules.framing, &rules.packing);
        let create = |path: &Path| {
            RunWriter::create_open(path, direct, framing, key_length, packing.clone())
        };
        Ok(Self::new(rules, spill.create(size, create)?, true))
    }

    fn of_geometry(
        rules: &RecordRules,
        direct: Direct,
        spill: &mut Spill,
        geometry: RunGeometry,
    ) -> Result<Self> {
        let bytes = geometry.file_bytes();
        if let (None, Some(packing)) = (rules.early(), &rules.packing) {
            let create =
                |path: &Path| RunWriter::create_packed(path, direct, geometry, packing.clone());
            return Ok(Self::new(rules, spill.create(Size::AtMost(bytes), create)?, false));
        }
        if rules.early().is_none() {
            let create = |path: &Path| RunWriter::create(path, direct, geometry);
            return Ok(Self::new(rules, spill.create(Size::Known(bytes), create)?, false));
        }
        let key_length = geometry.index_key_length as usize;
        Self::open(rules, direct, spill, key_length, Size::AtMost(bytes))
    }

    fn new(rules: &RecordRules, writer: RunWriter, is_open: bool) -> Self {
        Self { writer, is_open, selection: rules.selection_of_run(), order: rules.order_of_run() }
    }

    /// Returns where a stage brings the records.
    pub fn destination(&self) -> Destination<'_> {
        Destination::run(&self.writer, self.selection.as_ref(), &self.order)
    }

    /// Returns the file, while others may be writing to it.
    pub fn file(&self) -> Arc<File> {
        Arc::clone(self.writer.file())
    }

    /// Returns the run of the records that were brought.
    pub fn finish<K: KeyEncoder>(
        self,
        key: &K,
        crew: &mut Crew<'_>,
        brought: impl Into<Brought>,
    ) -> Result<Run> {
        let Brought { sum, bytes, longest_bytes } = brought.into();
        if !self.is_open {
            return self.writer.finish(&mut crew.workers[0].lane, sum);
        }
        // Pages of its table, which are moved now, may be in any worker's queue.
        crew.flush()?;
        let worker = &mut crew.workers[0];
        let Some(selection) = &self.selection else {
            self.writer.sink().seal(&mut worker.lane, bytes)?;
            return self.writer.finish_open(&mut worker.lane, sum, bytes, longest_bytes);
        };
        let left = self.destination().finish(key, selection, &mut worker.lane)?;
        worker.sum_out.add(left.sum);
        let checksum = sum.checksum.wrapping_sub(left.sum.checksum);
        let sum = Sum { records: left.records, checksum };
        self.writer.finish_open(&mut worker.lane, sum, left.end, left.longest_bytes)
    }
}
