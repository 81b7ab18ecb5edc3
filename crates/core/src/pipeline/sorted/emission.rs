//! Writing what a tournament yields: record after record, in batches that fit a first-level cache.

use super::feed::Feed;
use super::source::{Kept, Source};
use super::tournament::Tournament;
use crate::error::{Error, Result};
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
    /// Bytes of records that were written, dropped, or handed on.
    pub taken: u64,
    /// Bytes of the longest record.
    pub longest_bytes: u64,
}

impl<K: KeyEncoder> Emission<'_, '_, K> {
    /// Writes all records that are wanted, or those until `until` bytes are taken.
    pub fn write(
        &mut self,
        tree: &mut Tournament<'_, K>,
        writer: &mut dyn Writer,
        (emitted, until): (&mut Emitted, u64),
    ) -> Result<()> {
        while !self.destination.is_full() && emitted.taken < until {
            let room = writer.room();
            let batch = room.len().min(BATCH_BYTES);
            let offset = emitted.bytes;
            self.fill(tree, &mut room[..batch], (emitted, until))?;
            let filled = (emitted.bytes - offset) as usize;
            if filled > 0 {
                self.note(offset, &room[..filled]);
                writer.commit(filled)?;
                continue;
            }
            let Some(source) = tree.winner().filter(|_| emitted.taken < until) else { break };
            self.note(offset, source.record());
            writer.put(source.record())?;
            self.take(source, emitted)?;
            tree.advance(self.feed)?;
        }
        Ok(())
    }

    /// Hands records on one by one, likewise.
    pub fn select(
        &mut self,
        tree: &mut Tournament<'_, K>,
        writer: &mut GroupWriter<'_, '_>,
        (emitted, until): (&mut Emitted, u64),
    ) -> Result<()> {
        while !self.destination.is_full()
            && emitted.taken < until
            && let Some(source) = tree.winner()
        {
            emitted.taken += source.record().len() as u64;
            writer.take(source.record())?;
            tree.advance(self.feed)?;
        }
        Ok(())
    }

    /// Fills `out` with records until the next one does not fit, or until so many are taken.
    fn fill(
        &mut self,
        tree: &mut Tournament<'_, K>,
        out: &mut [u8],
        (emitted, until): (&mut Emitted, u64),
    ) -> Result<()> {
        let mut filled = 0;
        while emitted.taken < until
            && let Some(source) = tree.winner()
        {
            if self.is_dropped(source) {
                emitted.taken += source.record().len() as u64;
            } else {
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
        emitted.taken += bytes;
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
    /// A filter that has seen nothing; `dropped` is what others like it have dropped before, where
    /// that is summed.
    pub fn new(dropped: Option<Sum>) -> Self {
        Self { prefix: None, record: Kept::default(), dropped }
    }

    /// Begins another merge, behind `last` if it is gone on with.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where there is no memory for that record.
    pub fn begin<K: KeyEncoder>(
        &mut self,
        key: &K,
        last: Option<&[u8]>,
        feed: &mut Feed<'_>,
    ) -> Result<()> {
        self.prefix = last.map(|record| key.word(record, 0));
        match last {
            Some(record) if !self.record.copy(record, feed)? => Err(Error::Usage(
                "the rest was being merged with more memory; give as much as before with --memory"
                    .to_owned(),
            )),
            _ => Ok(()),
        }
    }

    /// Takes it that so much was dropped before.
    pub fn go_on(&mut self, dropped: Sum) {
        self.dropped = Some(dropped);
    }

    /// What was dropped.
    pub fn dropped(&self) -> Sum {
        self.dropped.unwrap_or_default()
    }

    /// The record that was written last, if one was.
    pub fn last(&self) -> Option<&[u8]> {
        self.prefix.map(|_| self.record.record())
    }
}
