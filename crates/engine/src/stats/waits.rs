//! Time that workers waited, by the file whose requests blocked them.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::Stream;

/// Time blocked on the requests of each stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits([Duration; Stream::ALL.len()]);

impl Waits {
    /// Adds time blocked on a stream.
    pub fn add(&mut self, stream: Stream, waited: Duration) {
        self.0[stream as usize] += waited;
    }

    /// Returns the time blocked on a stream.
    pub fn of(&self, stream: Stream) -> Duration {
        self.0[stream as usize]
    }

    /// Returns the time blocked on any stream.
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(Stream::ALL.map(|stream| self.of(stream) + other.of(stream)))
    }

    /// Returns what came after `earlier`.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(Stream::ALL.map(|stream| self.of(stream).saturating_sub(earlier.of(stream))))
    }
}

/// Serializes the times as seconds, under the names of the streams.
impl Serialize for Waits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(Stream::ALL.map(|stream| (stream.name(), self.of(stream).as_secs_f64())))
    }
}

#[cfg(test)]
mod tests;
