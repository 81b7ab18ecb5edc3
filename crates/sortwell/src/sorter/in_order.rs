//! Sorted records, block by block or one by one.

#[cfg(feature = "unstable")]
use std::sync::Arc;

use sortwell_engine::Result;
use sortwell_engine::format::{Framing, Prefix};
#[cfg(feature = "unstable")]
use sortwell_engine::job::MergeJob;
#[cfg(feature = "unstable")]
use sortwell_engine::stats::Progress;
use sortwell_engine::stats::Statistics;

#[cfg(feature = "unstable")]
use super::block_sort::BlockSort;
use super::block_sort::BlocksInOrder;
#[cfg(feature = "unstable")]
use super::queue::TakenBlock;
use super::sorted::KeyedRecord;

/// Bytes that are added at first to a record that lies in several blocks.
const JOINED_BYTES: usize = 4 << 10;

/// Sorted records that wait to be taken.
#[derive(Debug)]
pub struct RecordsInOrder {
    blocks: BlocksInOrder,
    framing: Framing,
    /// Lines of a header before the first record, each of which is taken like a record.
    header_lines: u64,
    /// Bytes of the block that were taken before what is lent.
    start: usize,
    /// Bytes of the block that were taken.
    end: usize,
    /// The record that is lent, if it lies in several blocks; empty otherwise.
    joined: Vec<u8>,
}

impl RecordsInOrder {
    /// Ends the input of a sort, and returns its records in the form that they are written in.
    ///
    /// # Errors
    ///
    /// Those of [`BlockSort::finish`].
    #[cfg(feature = "unstable")]
    pub fn of_sort(mut sort: BlockSort) -> Result<Self> {
        let job = sort.job();
        let framing = job.select.framing(job.format);
        let header = job.header.clone();
        // A wrong part is an error of both; that of the sort is the one that the command reports.
        let blocks = sort.finish()?;
        let framing = framing?;
        Ok(Self { header_lines: header.lines_before(framing)?, ..Self::new(blocks, framing) })
    }

    /// Begins a merge, and returns its records in the form that they are written in.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::merged`].
    #[cfg(feature = "unstable")]
    pub fn of_merge(job: MergeJob, progress: Arc<Progress>) -> Result<Self> {
        let framing = job.select.framing(job.format)?;
        let header_lines = job.header.lines_before(framing)?;
        Ok(Self { header_lines, ..Self::new(BlocksInOrder::merged(job, progress)?, framing) })
    }

    /// Returns the records in blocks, which have this framing.
    pub const fn new(blocks: BlocksInOrder, framing: Framing) -> Self {
        Self { blocks, framing, header_lines: 0, start: 0, end: 0, joined: Vec::new() }
    }

    /// Returns the number of bytes of every record, if they do not differ.
    #[cfg(feature = "unstable")]
    pub fn fixed_length(&self) -> Option<usize> {
        self.framing.fixed_length()
    }

    /// Takes the rest of the block, or the next block. Returns false after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::next_block`].
    #[cfg(feature = "unstable")]
    pub fn advance_block(&mut self) -> Result<bool> {
        self.blocks.check_stop()?;
        self.joined.clear();
        self.start = self.end;
        if self.start == self.blocks.block().len() && !self.next_block()? {
            return Ok(false);
        }
        self.end = self.blocks.block().len();
        Ok(true)
    }

    /// Takes the next block itself, if it has whole records and at least `least` bytes, and none of
    /// them was taken. Otherwise, and after the last one, nothing is taken.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::next_block`].
    #[cfg(feature = "unstable")]
    pub fn take_block(&mut self, least: usize) -> Result<Option<TakenBlock>> {
        self.blocks.check_stop()?;
        self.joined.clear();
        self.start = self.end;
        if self.end < self.blocks.block().len() || self.header_lines > 0 || !self.next_block()? {
            return Ok(None);
        }
        let bytes = self.blocks.block();
        Ok((bytes.len() >= least && self.are_whole(bytes)).then(|| self.blocks.take_block()))
    }

    /// Returns whether bytes that begin with a record end with one.
    #[cfg(feature = "unstable")]
    fn are_whole(&self, mut bytes: &[u8]) -> bool {
        if let Some(length) = self.fixed_length() {
            return bytes.len().is_multiple_of(length);
        }
        while let Some(length) = self.whole_length(bytes) {
            bytes = &bytes[length..];
        }
        bytes.is_empty()
    }

    /// Takes at most `most` of the next records, or one if `most` is 0. All records must have one
    /// length; otherwise, one record is taken. Returns false after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::next_block`].
    #[cfg(feature = "unstable")]
    pub fn advance_some(&mut self, most: usize) -> Result<bool> {
        self.blocks.check_stop()?;
        self.joined.clear();
        self.start = self.end;
        if self.start == self.blocks.block().len() && !self.next_block()? {
            return Ok(false);
        }
        let length = self.fixed_length().unwrap_or(usize::MAX);
        let whole = (self.blocks.block().len() - self.start) / length;
        if whole == 0 {
            return self.join();
        }
        self.end = self.start + whole.min(most.max(1)) * length;
        Ok(true)
    }

    /// Takes the next record. Returns false after the last one.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::next_block`].
    #[inline]
    pub fn advance(&mut self) -> Result<bool> {
        self.blocks.check_stop()?;
        match self.header_lines {
            0 => self.advance_record(),
            _ => self.advance_header_line(),
        }
    }

    fn advance_header_line(&mut self) -> Result<bool> {
        self.header_lines -= 1;
        let line = Framing::Terminated(self.framing.line_end());
        let framing = std::mem::replace(&mut self.framing, line);
        let is_taken = self.advance_record();
        self.framing = framing;
        is_taken
    }

    #[inline]
    fn advance_record(&mut self) -> Result<bool> {
        self.joined.clear();
        self.start = self.end;
        if let Some(length) = self.whole_length(&self.blocks.block()[self.start..]) {
            self.end = self.start + length;
            return Ok(true);
        }
        self.join()
    }

    /// Takes a record that lies in several blocks, or at the beginning of the next one.
    fn join(&mut self) -> Result<bool> {
        let mut joined = std::mem::take(&mut self.joined);
        loop {
            let rest = &self.blocks.block()[self.end..];
            let bytes = rest.len().min(joined.len().max(JOINED_BYTES));
            joined.extend_from_slice(&rest[..bytes]);
            self.end += bytes;
            if let Some(length) = self.whole_length(&joined) {
                self.end -= joined.len() - length;
                joined.truncate(length);
                break;
            }
            if self.end == self.blocks.block().len() && !self.next_block()? {
                let is_whole = joined.is_empty() || self.framing.terminator().is_some();
                assert!(is_whole, "the sorted bytes end with a part of a record");
                break; // What is left is the last record, if there is one.
            }
        }
        let is_record = !joined.is_empty();
        self.joined = joined;
        Ok(is_record)
    }

    fn next_block(&mut self) -> Result<bool> {
        (self.start, self.end) = (0, 0);
        Ok(self.blocks.next_block()?.is_some())
    }

    fn whole_length(&self, bytes: &[u8]) -> Option<usize> {
        self.framing.whole_length(bytes).filter(|length| *length > 0)
    }

    /// Returns the bytes that were taken last.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        match self.joined.is_empty() {
            true => &self.blocks.block()[self.start..self.end],
            false => &self.joined,
        }
    }

    /// Returns the record that was taken last. The payload of a record without a key is all of it.
    #[inline]
    pub fn lent_record(&self) -> KeyedRecord<'_> {
        match self.framing {
            Framing::Prefixed(Prefix::KEYED) => KeyedRecord::of(self.lent()),
            _ => KeyedRecord { key: &[], payload: self.lent() },
        }
    }

    /// Passes the records that are left, and returns the statistics.
    ///
    /// # Errors
    ///
    /// Those of [`BlocksInOrder::next_block`].
    pub fn close(self) -> Result<Statistics> {
        self.blocks.close()
    }
}
