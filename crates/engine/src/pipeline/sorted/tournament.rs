//! A loser tree over inputs that are read while they are merged.
//!
//! Which source comes next is [`LoserTree`]'s to say. What comes to it here is that going on to the
//! next record may wait for a disk, fail, or find the input out of order.

use super::feed::Feed;
use super::kept::Guard;
use super::source::{Advance, Source};
use crate::error::{Error, RecordPosition, Result, message};
use crate::key::KeyEncoder;
use crate::merge::loser_tree::{self, LoserTree};
use crate::order::OrderCheck;

impl loser_tree::TreeSource for Source {
    type Prefix = u64;

    #[inline]
    fn prefix(&self) -> u64 {
        self.prefix()
    }

    #[inline]
    fn record(&self) -> Option<&[u8]> {
        self.has_record().then(|| self.record())
    }
}

/// Sources in the order of their next records.
#[derive(Debug)]
pub struct Tournament<'k, K> {
    key: &'k K,
    tree: LoserTree<'k, K, Source>,
    /// Watches the order of every source, where that is wanted.
    guard: Option<Guard>,
}

impl<'k, K: KeyEncoder> Tournament<'k, K> {
    /// Returns a tree over sources that are before their first records.
    pub fn new(
        key: &'k K,
        mut sources: Vec<Source>,
        guard: Option<Guard>,
        feed: &mut Feed<'_>,
    ) -> Result<Self> {
        for source in &mut sources {
            source.advance(key, feed, None)?;
        }
        Ok(Self { key, tree: LoserTree::new(key, sources), guard })
    }

    /// Returns the source whose record comes next; `None` when all are over.
    #[inline]
    pub fn winner(&self) -> Option<&Source> {
        self.tree.first().filter(|source| source.has_record())
    }

    /// Shows its record to a check of order; `previous` is the one that was shown before, where
    /// that is at hand.
    #[inline]
    pub fn look(&mut self, check: &mut OrderCheck<'_, K>, previous: Option<&[u8]>) {
        if let Some((source, beginning)) = self.tree.first_with_beginning()
            && source.has_record()
        {
            check.next_known(source.record(), previous, source.prefix(), beginning);
        }
    }

    /// Returns the number of that source, and all of them.
    pub fn standing(&self) -> (usize, &[Source]) {
        (self.tree.first_number(), self.tree.sources())
    }

    /// Passes that record.
    ///
    /// # Errors
    ///
    /// Those of reading on; with a guard, [`Error::Malformed`] where the next record of the same
    /// source belongs before this one.
    #[inline]
    pub fn advance(&mut self, feed: &mut Feed<'_>) -> Result<()> {
        let Self { key, tree, guard } = self;
        let step = |source: &mut Source| match source.advance(*key, feed, guard.as_mut()) {
            Ok(Advance::Disorder) => Some(Err(disorder(source))),
            ended => Some(ended.map(|_| ())),
        };
        tree.advance(step).unwrap_or(Ok(()))
    }

    /// Returns the sources, at their ends.
    pub fn into_sources(self) -> Vec<Source> {
        self.tree.into_sources()
    }
}

fn disorder(source: &Source) -> Error {
    let ((number, offset), before) = (source.place(), source.number_before());
    Error::Malformed {
        path: source.name().to_owned(),
        message: message!(
            "record {} at offset {} is out of order: it belongs before record {}; sort this input \
             first",
            number,
            offset,
            before,
        )
        .at(RecordPosition::new(number, offset)),
    }
}
