//! The records that a merge of streams yields, in batches.

use super::feed::Feed;
use super::tournament::Tournament;
use crate::error::Result;
use crate::format::Framing;
use crate::key::KeyEncoder;
use crate::order::OrderCheck;
use crate::pipeline::destination::{SortedRecords, TakeRecord};
use crate::proof::Sum;

/// Records of streams, merged.
pub struct StreamRecords<'s, 'k, 'p, K> {
    /// Streams in the order of their next records.
    pub tree: &'s mut Tournament<'k, K>,
    /// Reader of the streams.
    pub feed: &'s mut Feed<'p>,
    /// Framing that separates records.
    pub framing: Framing,
    /// Check of the order of what is taken.
    pub check: OrderCheck<'k, K>,
    /// Bytes that may still be taken; the record that exceeds them is the last.
    pub left: u64,
    /// Bytes of the longest record so far.
    pub longest_bytes: &'s mut u64,
}

impl<K> StreamRecords<'_, '_, '_, K> {
    /// Counts a record that is taken.
    #[inline]
    fn count(&mut self, length: usize) {
        self.left = self.left.saturating_sub(length as u64);
        *self.longest_bytes = (*self.longest_bytes).max(length as u64);
    }
}

impl<K: KeyEncoder> SortedRecords<K> for StreamRecords<'_, '_, '_, K> {
    fn fill(&mut self, out: &mut [u8], sum: Option<&mut Sum>) -> Result<usize> {
        let (mut filled, mut last) = (0, None);
        while self.left > 0
            && let Some(source) = self.tree.winner()
        {
            let end = filled + source.record().len();
            let Some(place) = out.get_mut(filled..end) else { break };
            place.copy_from_slice(source.record());
            self.count(end - filled);
            self.tree.look(&mut self.check, last.map(|start: usize| &out[start..filled]));
            (last, filled) = (Some(filled), end);
            self.tree.advance(self.feed)?;
        }
        if let Some(start) = last {
            self.check.keep(&out[start..filled]);
        }
        if let Some(sum) = sum {
            sum.add_all(self.framing, &out[..filled]);
        }
        Ok(filled)
    }

    fn next_record(&mut self, take: &mut TakeRecord<'_, K>) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.tree.look(&mut self.check, None);
        let Some(source) = self.tree.winner() else { return Ok(false) };
        self.check.keep(source.record());
        take(&self.check, source.record())?;
        let length = source.record().len();
        self.count(length);
        self.tree.advance(self.feed).map(|()| true)
    }

    fn check(&self) -> &OrderCheck<'_, K> {
        &self.check
    }
}
