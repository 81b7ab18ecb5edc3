//! Pieces of an input that arrive in any order and are needed in the order of their numbers.

use std::collections::BTreeMap;

/// Pieces that wait for those before them. Pieces are requested in order, so few ever wait.
#[derive(Debug)]
pub struct Reorder<T> {
    waiting: BTreeMap<usize, T>,
    /// The number of the first piece that has not had its turn.
    next: usize,
}

impl<T> Default for Reorder<T> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), next: 0 }
    }
}

impl<T> Reorder<T> {
    /// Adds piece `number`.
    pub fn arrive(&mut self, number: usize, piece: T) {
        self.waiting.insert(number, piece);
    }

    /// Returns the number of pieces that have had their turn.
    pub fn passed(&self) -> usize {
        self.next
    }

    /// Returns the next piece in order and its number, if it has arrived.
    pub fn next(&mut self) -> Option<(usize, T)> {
        let piece = self.waiting.remove(&self.next)?;
        self.next += 1;
        Some((self.next - 1, piece))
    }
}
