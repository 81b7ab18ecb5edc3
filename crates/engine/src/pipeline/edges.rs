//! The lines that lie across blocks, put together as soon as the blocks on both sides have been
//! read.
//!
//! ```text
//!     | block 0          | block 1          | block 2     |
//!      aaaa¶bbbb¶ccc¶dddd dddd¶eeee¶ffffffff fffff¶ggg¶hhh
//!                    '-------'      '-----------'
//! ```

use std::collections::BTreeMap;

/// Partial lines at the ends of a block.
#[derive(Debug)]
pub struct Piece {
    /// Bytes up to and including its first line end; all of it, where it has none.
    pub head: Vec<u8>,
    /// Bytes after its last line end, if it has one.
    pub tail: Option<Vec<u8>>,
    /// True if the input ends with it.
    pub is_end: bool,
}

/// Pieces of blocks that wait for others.
#[derive(Debug, Default)]
pub struct Edges {
    waiting: BTreeMap<usize, Piece>,
    /// The first block that has not arrived.
    next: usize,
    /// The line that continues in that block, as far as it is there.
    open: Vec<u8>,
}

impl Edges {
    /// Takes in the ends of block `number`; the lines that are whole now, each with its
    /// terminator. The last of an input may lack it and gets it.
    pub fn join(&mut self, number: usize, piece: Piece, terminator: u8) -> Vec<Vec<u8>> {
        self.waiting.insert(number, piece);
        let mut lines = Vec::new();
        while let Some(Piece { head, tail, is_end }) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.open.extend_from_slice(&head);
            if let Some(tail) = tail {
                lines.push(std::mem::replace(&mut self.open, tail));
            }
            if is_end && !self.open.is_empty() {
                self.open.push(terminator);
                lines.push(std::mem::take(&mut self.open));
            }
        }
        lines
    }

    /// Returns the number of bytes of the unfinished line.
    pub fn open_bytes(&self) -> usize {
        self.open.len()
    }
}

#[cfg(test)]
mod tests;
