//! Sources of streams: what a stream will bring is known, or estimated while its source is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Source of a stream, whose length is known.
#[derive(Clone, Debug)]
pub enum SourceShare {
    /// Source of as many bytes as the stream brings.
    Plain(u64),
    /// Source such as compressed files, of which a part was read.
    Part {
        /// Bytes that were read so far.
        read: Arc<AtomicU64>,
        /// Bytes of all of it.
        all: u64,
    },
}

impl SourceShare {
    /// Returns the source of all these streams together; `None` if one has none, or if they are
    /// parts of several.
    pub fn common(sources: impl IntoIterator<Item = Option<Self>>) -> Option<Self> {
        let mut sources = sources.into_iter();
        let first = sources.next()??;
        sources.try_fold(first, |common, source| match (common, source?) {
            (Self::Plain(bytes), Self::Plain(more)) => Some(Self::Plain(bytes + more)),
            (Self::Part { read, all }, Self::Part { read: other, .. }) => {
                Arc::ptr_eq(&read, &other).then_some(Self::Part { read, all })
            }
            _ => None,
        })
    }

    /// Returns how many bytes the stream will bring if it has brought `brought` bytes so far.
    /// `None` while nothing of its source was read.
    pub fn expected(&self, brought: u64) -> Option<u64> {
        match self {
            Self::Plain(bytes) => Some(*bytes),
            Self::Part { read, all } => {
                let read = read.load(Ordering::Relaxed).min(*all);
                (read > 0).then(|| (brought as f64 * (*all as f64 / read as f64)) as u64)
            }
        }
    }
}

#[cfg(test)]
mod tests;
