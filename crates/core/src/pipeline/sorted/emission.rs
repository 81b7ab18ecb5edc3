//! Writing what a tournament yields: record after record, in batches that fit a first-level cache.

use super::feed::Feed;
use super::source::{Kept, Source};
use super::tournament::Tournament;
use crate::error::Result;
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::operator::GroupWriter;
use crate::pipeline::gathering::Destination;
use crate::proof::Sum;
use crate::sink::Writer;

/// Bytes merged before they are handed on: a first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// A merge being written.
pub struct Emission<'m, 'p, K> {
    pub key: &'m K,
    pub framing: Framing,
    pub feed: &'m mut Feed<'p>,
    /// Where records go, and what is noted of them.
    pub destination: Destination<'m>,
    /// Count and checksum of what was written, where the destination wants them.
    pub sum: &'m mut Sum,
    /// Drops all but the first of equal records.
    pub filter: Option<&'m mut Filter>,
}

/// Knows the record that was written last, so that others equal to it are not.
#[derive(Debug)]
pub struct Filter {
    /// Its key prefix; `None` before the first record.
    prefix: Option<u64>,
    record: Kept,
    /// What was dropped, where that is summed.
    dropped: Option<Sum>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    pub records: u64,
    pub bytes: u64,
    /// Bytes of the longest record.
    pub longest_bytes: u64,
}

impl<K: KeyEncoder> Emission<'_, '_, K> {
    /// Writes all records that are wanted.
    pub fn write(
        &mut self,
        tree: &mut Tournament<'_, K>,
        writer: &mut dyn Writer,
    ) -> Result<Emitted> {
        let mut emitted = Emitted::default();
        if let Some(filter) = &mut self.filter {
            filter.prefix = None;
        }
        while !self.destination.is_full() {
            let room = writer.room();
            let batch = room.len().min(BATCH_BYTES);
            let offset = emitted.bytes;
            self.fill(tree, &mut room[..batch], &mut emitted)?;
            let filled = (emitted.bytes - offset) as usize;
            if filled > 0 {
                self.note(offset, &room[..filled]);
                writer.commit(filled)?;
                continue;
            }
            let Some(source) = tree.winner() else { break };
            self.note(offset, source.record());
            writer.put(source.record())?;
            self.take(source, &mut emitted)?;
            tree.advance(self.feed)?;
        }
        Ok(emitted)
    }

    /// Hands records on one by one, as long as any are wanted.
    pub fn select(
        &mut self,
        tree: &mut Tournament<'_, K>,
        writer: &mut GroupWriter<'_, '_>,
    ) -> Result<()> {
        while !self.destination.is_full()
            && let Some(source) = tree.winner()
        {
            writer.take(source.record())?;
            tree.advance(self.feed)?;
        }
        Ok(())
    }

    /// Fills `out` with records until the next one does not fit.
    fn fill(
        &mut self,
        tree: &mut Tournament<'_, K>,
        out: &mut [u8],
        emitted: &mut Emitted,
    ) -> Result<()> {
        let mut filled = 0;
        while let Some(source) = tree.winner() {
            if !self.is_dropped(source) {
                let record = source.record();
                let Some(place) = out.get_mut(filled..filled + record.len()) else { break };
                place.copy_from_slice(record);
                filled += record.len();
                self.take(source, emitted)?;
            }
            tree.advance(self.feed)?;
        }
        Ok(())
    }

    /// Counts the next record of `source`, which is written.
    #[inline]
    fn take(&mut self, source: &Source, emitted: &mut Emitted) -> Result<()> {
        let bytes = source.record().len() as u64;
        emitted.records += 1;
        emitted.bytes += bytes;
        emitted.longest_bytes = emitted.longest_bytes.max(bytes);
        match &mut self.filter {
            Some(filter) => {
                filter.prefix = Some(source.prefix());
                source.keep(&mut filter.record, self.feed)
            }
            None => Ok(()),
        }
    }

    /// Whether the next record of `source` is equal to the one written last.
    #[inline]
    fn is_dropped(&mut self, source: &Source) -> bool {
        let Some(filter) = &mut self.filter else { return false };
        let is_dropped = filter.prefix == Some(source.prefix())
            && self.key.compare_from(filter.record.record(), source.record(), 1).is_eq();
        if let (true, Some(dropped)) = (is_dropped, &mut filter.dropped) {
            dropped.add_record(source.record());
        }
        is_dropped
    }

    /// Notes whole records that are about to be written at byte `offset` of the destination.
    fn note(&mut self, offset: u64, records: &[u8]) {
        self.destination.note(self.key, self.framing, offset, records, self.sum);
    }
}

impl Filter {
    /// A filter that has seen nothing.
    pub fn new(is_summed: bool) -> Self {
        Self { prefix: None, record: Kept::default(), dropped: is_summed.then(Sum::default) }
    }

    /// What was dropped.
    pub fn dropped(&self) -> Sum {
        self.dropped.unwrap_or_default()
    }
}
