//! Bringing sorted records to the output: its header, its sink, and what a selection leaves.

use std::sync::Arc;

use super::checkpoints::Checkpoints;
use super::crew::Crew;
use super::destination::Destination;
use super::merge::{Brought, RecordRules};
use super::outcome::Written;
use crate::error::{Error, Result};
use crate::key::KeyEncoder;
use crate::operator::{KeptMemory, Selection};
use crate::order::OrderProof;
use crate::output::OpenOutput;
use crate::proof::Sum;

/// Output of a job, about to be written.
pub struct Delivery<'a> {
    /// Rules for the records.
    pub rules: &'a RecordRules,
    /// Bytes at the top of the input.
    pub header: Vec<u8>,
    /// Records that are sorted, and their bytes; `None` where that is not known in advance.
    pub size: Option<(u64, u64)>,
    /// Checkpoints that note how far the output has come.
    pub checkpoints: &'a Checkpoints,
    /// Memory for long records that a selection keeps.
    pub kept: KeptMemory<'a>,
}

impl Delivery<'_> {
    /// Lets `write` bring the records to the output. Returns what was written in the end, and what
    /// was brought.
    pub fn write<K: KeyEncoder>(
        self,
        key: &K,
        crew: &mut Crew<'_>,
        output: &mut OpenOutput,
        write: impl FnOnce(&mut Crew<'_>, Destination<'_>) -> Result<Brought>,
    ) -> Result<(Written, Brought)> {
        let Self { rules, header, size, checkpoints, kept } = self;
        let RecordRules { framing, select, making, verify, proves_order, origin, .. } = rules;
        let mut header = making.header(*framing, header)?;
        let splitter = output.part_files().map(|files| {
            let records = select.written_of(size.map_or(u64::MAX, |(records, _)| records));
            making.splitter(files, std::mem::take(&mut header), records)
        });
        let start = header.len() as u64;
        let is_all = select.is_all();
        let sink = match size.filter(|_| is_all) {
            Some((_, bytes)) => output.sink(start + bytes)?,
            None => output.growing_sink()?,
        };
        if start > 0 && !checkpoints.are_behind_others() {
            let lane = &mut crew.workers[0].lane;
            sink.write(lane, 0, start, |writer| writer.put(&header))?;
        }
        let selection = (!is_all).then(|| {
            let making = Arc::clone(making);
            Selection::last(select.clone(), making, start, *verify).of(origin).split(splitter)
        });
        let destination = Destination {
            sink: &sink,
            table: None,
            is_summed: *verify,
            start,
            selection: selection.as_ref(),
            order: &OrderProof::of_output(*proves_order),
            checkpoints,
            kept,
        };
        let brought = write(crew, destination)?;
        let worker = &mut crew.workers[0];
        let written = match &selection {
            Some(selection) => {
                let selected = destination.finish(key, selection, &mut worker.lane)?;
                worker.sum_out.add(selected.sum);
                Written {
                    bytes: selected.end,
                    header_bytes: start,
                    records: Some(selected.records),
                }
            }
            None => {
                let bytes = start + size.map_or(brought.bytes, |(_, bytes)| bytes);
                if size.is_none() {
                    sink.seal(&mut worker.lane, bytes)?;
                }
                Written { bytes, header_bytes: start, records: None }
            }
        };
        sink.assert_whole();
        Ok((written, brought))
    }
}

/// Compares the records that all workers have read with those that were written or dropped, which
/// must be `records` if that is known.
///
/// # Errors
///
/// [`Error::Proof`] where they are not the same.
pub fn prove(crew: &Crew<'_>, records: Option<u64>) -> Result<Sum> {
    let (read, written) = crew.sums();
    if read == written && records.is_none_or(|records| written.records == records) {
        return Ok(written);
    }
    Err(Error::Proof {
        records_in: read.records,
        checksum_in: read.checksum,
        records_out: written.records,
        checksum_out: written.checksum,
    })
}
