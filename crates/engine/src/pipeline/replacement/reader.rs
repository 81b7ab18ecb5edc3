//! Records of the inputs one by one, in their order: those that take part.

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::{Error, Result, Setting, message};
use crate::io::Arena;
use crate::key::{KeyEncoder, KeyTally};
use crate::pipeline::generate::IntakeCounts;
use crate::pipeline::sorted::feed::Feed;
use crate::pipeline::sorted::place::Standing;
use crate::pipeline::sorted::source::{Advance, Source};
use crate::pipeline::{JobInput, Work};
use crate::plan::replacement::ReplacementMemory;
use crate::proof::Sum;
use crate::stats::Progress;
use crate::units::ByteSize;

/// All inputs, one open at a time.
pub struct RecordReader<'a, 'p, K> {
    work: &'a Work,
    key: &'a K,
    /// Feed of pieces that are read ahead.
    pub feed: Feed<'p>,
    window_bytes: usize,
    /// The input being read, at a record that takes part.
    source: Option<Source>,
    /// Inputs that were begun.
    begun: usize,
    /// Records read that take part; those that were not taken in yet are counted too.
    pub taken: IntakeCounts,
    /// Count and checksum of the inputs that are over.
    pub sum: Sum,
    /// Counts about their keys.
    pub keys: KeyTally,
}

impl<'a, 'p, K: KeyEncoder> RecordReader<'a, 'p, K> {
    /// Returns a reader before the first record.
    pub fn new(
        work: &'a Work,
        key: &'a K,
        memory: ReplacementMemory,
        progress: &'p Progress,
    ) -> Result<Self> {
        let pieces = vec![Arena::new(ByteSize(memory.piece_bytes as u64))?];
        let feed = Feed::new(work.engine, 1, pieces, memory.spare_bytes, progress)?
            .waiting(work.plan.levers.waits());
        let (window_bytes, taken, sum) =
            (memory.window_bytes, IntakeCounts::default(), Sum::default());
        let (source, begun, keys) = (None, 0, KeyTally::default());
        Ok(Self { work, key, feed, window_bytes, source, begun, taken, sum, keys })
    }

    /// Returns the next record, and the first word of its key; `None` after the last.
    #[inline]
    pub fn record(&self) -> Option<(&[u8], u64)> {
        self.source.as_ref().map(|source| (source.record(), source.prefix()))
    }

    /// Advances to the next record that takes part; the first call goes to the first one.
    #[inline]
    pub fn advance(&mut self) -> Result<()> {
        loop {
            let Some(source) = &mut self.source else {
                if self.open_next()? {
                    continue;
                }
                return Ok(());
            };
            match source.advance(self.key, &mut self.feed, None).map_err(advised)? {
                Advance::Over => self.close()?,
                _ if source.is_wanted() => {
                    self.taken.records += 1;
                    self.taken.bytes += source.record().len() as u64;
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Returns the number of bytes of a record of a stream, on average, as far as has been read
    /// ahead.
    pub fn average(&self) -> Option<usize> {
        let is_stream = matches!(self.work.input, JobInput::Stream(_));
        self.source.as_ref().filter(|_| is_stream).map(Source::average_ahead)
    }

    /// Returns the input being read, and the next record's bytes and number in it.
    pub fn place(&self) -> (PathBuf, usize, u64) {
        let place = self.source.as_ref();
        let place = place.map(|s| (s.name().to_owned(), s.record().len(), s.place().0));
        place.unwrap_or_else(|| unreachable!("asked of a record"))
    }

    /// Opens the next input, if there is one.
    fn open_next(&mut self) -> Result<bool> {
        let top = self.work.header.sizes.get(self.begun).copied().unwrap_or_default();
        let (reading, standing) = match &self.work.input {
            JobInput::Files(files) => {
                let Some(file) = files.get(self.begun) else { return Ok(false) };
                let reading = self.feed.open(Arc::clone(file), top.bytes, None)?;
                (reading, Standing { offset: top.bytes, records: 0, lines: top.lines })
            }
            JobInput::Stream(_) if self.begun > 0 => return Ok(false),
            JobInput::Stream(streams) => (self.feed.open_streams(streams), Standing::default()),
        };
        self.begun += 1;
        let (framing, is_summed) = (self.work.framing, self.work.verify);
        let source = Source::new(reading, framing, self.window_bytes, is_summed)?;
        self.source = Some(source.with_gate(Some(&self.work.gate), self.key).at(standing));
        Ok(true)
    }

    /// Leaves an input that is over.
    fn close(&mut self) -> Result<()> {
        let Some(source) = self.source.take() else { return Ok(()) };
        self.sum.add(source.sum());
        self.taken.ragged += source.ragged();
        self.keys.add(&source.keys());
        source.close(&mut self.feed)
    }
}

/// Says what else may be done about a record that is too long.
fn advised(error: Error) -> Error {
    match error {
        Error::BudgetExceeded { path, message, least: None } => {
            let message = message!("{}, or {}", message, Setting::Algorithm.to("radix"));
            Error::BudgetExceeded { path, message, least: None }
        }
        other => other,
    }
}
