//! The lines that lie across blocks, put together as soon as the blocks on both sides have been
//! read.
//!
//! ```text
//!     | block 0          | block 1          | block 2     |
//!      aaaa¶bbbb¶ccc¶dddd dddd¶eeee¶ffffffff fffff¶ggg¶hhh
//!                    '-------'      '-----------'
//! ```

use super::reorder::Reorder;

/// Partial lines at the ends of a block.
#[derive(Debug)]
pub struct EdgePieces {
    /// Bytes up to and including its first line end; all of it, where it has none.
    pub head: Vec<u8>,
    /// Bytes after its last line end, if it has one.
    pub tail: Option<Vec<u8>>,
    /// True if the input ends with it.
    pub is_end: bool,
}

/// Partial lines of blocks that wait for others.
#[derive(Debug, Default)]
pub struct Edges {
    pieces: Reorder<EdgePieces>,
    /// The line that continues in the first block that has not arrived, as far as it is there.
    open: Vec<u8>,
}

impl Edges {
    /// Takes in the ends of block `number`. Returns the lines that are whole now, back to back,
    /// each with its terminator. The last of an input may lack it and gets it.
    pub fn join(&mut self, number: usize, piece: EdgePieces, terminator: u8) -> Vec<u8> {
        self.pieces.arrive(number, piece);
        let mut lines = Vec::new();
        while let Some((_, EdgePieces { head, tail, is_end })) = self.pieces.next() {
            self.open.extend_from_slice(&head);
            if let Some(tail) = tail {
                lines.extend(std::mem::replace(&mut self.open, tail));
            }
            if is_end && !self.open.is_empty() {
                self.open.push(terminator);
                lines.append(&mut self.open);
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
