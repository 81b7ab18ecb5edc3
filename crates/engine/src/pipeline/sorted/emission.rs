//! Writing what a tournament yields: record after record, in batches that fit a first-level cache.

use super::UniqueBy;
use super::feed::Feed;
use super::kept::Kept;
use super::source::Source;
use super::tournament::Tournament;
use crate::error::{ConfigErrorKind, Result, Setting, config};
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::operator::GroupWriter;
use crate::order::OrderCheck;
use crate::pipeline::gathering::Destination;
use crate::proof::Sum;
use crate::sink::Writer;

/// Bytes merged before they are handed on: a first-level cache's worth.
const BATCH_BYTES: usize = 16 << 10;

/// A merge being written.
pub struct Emission<'m, 'k, 'p, K> {
    pub key: &'m K,
    pub framing: Framing,
    pub feed: &'m mut Feed<'p>,
    /// Destination of records, with what is noted of them.
    pub destination: Destination<'m>,
    /// Count and checksum of what was written, where the destination wants them.
    pub sum: &'m mut Sum,
    /// Looks at the order of what is written.
    pub check: &'m mut OrderCheck<'k, K>,
    /// Drops all but the first of equal records.
    pub filter: Option<&'m mut Filter<'p>>,
}

/// Knows the record that was written last, so that others equal to it are not.
#[derive(Debug)]
pub struct Filter<'w> {
    unique: &'w UniqueBy,
    /// Key prefix of that record; `None` before the first record.
    prefix: Option<u64>,
    record: Kept,
    /// Sum of the dropped records, where they are summed.
    dropped: Option<Sum>,
}

/// Account of the records written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    pub records: u64,
    pub bytes: u64,
    /// Bytes of records that were written, dropped, or handed on.
    pub taken: u64,
    /// Bytes of the longest record.
    pub longest_bytes: u64,
}

impl<K: KeyEncoder> Emission<'_, '_, '_, K> {
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
            self.destination.order.verify(self.check, Some(emitted.bytes))?;
            if filled > 0 {
                self.note(offset, &room[..filled]);
                writer.commit(filled)?;
                continue;
            }
            if emitted.taken >= until {
                break;
            }
            tree.look(self.check, None);
            self.destination.order.verify(self.check, Some(offset))?;
            let Some(source) = tree.winner() else { break };
            self.check.keep(source.record());
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
        while !self.destination.is_full() && emitted.taken < until && tree.winner().is_some() {
            tree.look(self.check, None);
            self.destination.order.verify(self.check, None)?;
            let Some(source) = tree.winner() else { break };
            self.check.keep(source.record());
            emitted.taken += source.record().len() as u64;
            writer.take(source.record())?;
            tree.advance(self.feed)?;
        }
        Ok(())
    }

    /// Fills `out` with records until the next one does not fit, or until the limit is reached.
    fn fill(
        &mut self,
        tree: &mut Tournament<'_, K>,
        out: &mut [u8],
        (emitted, until): (&mut Emitted, u64),
    ) -> Result<()> {
        let (mut filled, mut last) = (0, None);
        while emitted.taken < until
            && let Some(source) = tree.winner()
        {
            if self.is_dropped(source) {
                emitted.taken += source.record().len() as u64;
            } else {
                let end = filled + source.record().len();
                let Some(place) = out.get_mut(filled..end) else { break };
                place.copy_from_slice(source.record());
                self.take(source, emitted)?;
                tree.look(self.check, last.map(|start: usize| &out[start..filled]));
                (last, filled) = (Some(filled), end);
            }
            tree.advance(self.feed)?;
        }
        if let Some(start) = last {
            self.check.keep(&out[start..filled]);
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

    /// Returns whether the next record of `source` is equal to the one written last.
    #[inline]
    fn is_dropped(&mut self, source: &Source) -> bool {
        let Some(filter) = &mut self.filter else { return false };
        let (before, record) = (filter.record.record(), source.record());
        let is_dropped = match &filter.unique.group {
            Some(group) => filter.prefix.is_some() && group.are_equal(before, record),
            None => {
                filter.prefix == Some(source.prefix())
                    && self.key.compare_from(before, record, 1).is_eq()
            }
        };
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

impl<'w> Filter<'w> {
    /// Returns a filter that has seen nothing, of records that are equal as `unique` says;
    /// `dropped` is what others like it have dropped before, where that is summed.
    pub fn new(unique: &'w UniqueBy, dropped: Option<Sum>) -> Self {
        Self { unique, prefix: None, record: Kept::default(), dropped }
    }

    /// Begins another merge, after `last` if it continues one.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](crate::Error::Config) where there is no memory for that record.
    pub fn begin<K: KeyEncoder>(
        &mut self,
        key: &K,
        last: Option<&[u8]>,
        feed: &mut Feed<'_>,
    ) -> Result<()> {
        self.prefix = last.map(|record| key.word(record, 0));
        match last {
            Some(record) if !self.record.copy(record, feed)? => Err(config!(
                ConfigErrorKind::ResumeMismatch,
                "the interrupted merge had more memory; give as much as before with {}",
                Setting::Memory,
            )),
            _ => Ok(()),
        }
    }

    /// Continues after records with the sum `dropped` were dropped.
    pub fn go_on(&mut self, dropped: Sum) {
        self.dropped = Some(dropped);
    }

    /// Returns what was dropped.
    pub fn dropped(&self) -> Sum {
        self.dropped.unwrap_or_default()
    }

    /// Returns the record that was written last, if one was.
    pub fn last(&self) -> Option<&[u8]> {
        self.prefix.map(|_| self.record.record())
    }
}
