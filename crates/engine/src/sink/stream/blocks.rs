//! Blocks of a stream that a worker fills before its turn comes.

use std::sync::Arc;

use crate::error::Result;
use crate::io::pipe::Inlet;
use crate::stats::Progress;

/// Divisor of the bytes of a block that gives the most of them that may be left free, as the next
/// record may be longer.
const SLACK_SHARE: usize = 4;

/// Blocks that belong to a stream and take the place of an output buffer. They are handed over
/// themselves, so that nothing is copied.
#[derive(Debug)]
pub struct BlocksAhead {
    inlet: Arc<dyn Inlet>,
    full: Vec<Vec<u8>>,
    /// Most blocks that wait.
    most: usize,
    /// The block that is being filled; empty if there is none.
    block: Vec<u8>,
    /// Bytes of it that were filled.
    filled: usize,
    /// Bytes at the end of each block into which no record begins.
    slack: usize,
}

impl BlocksAhead {
    /// Returns blocks of an inlet that take the memory of a buffer of `capacity` bytes; `None` if
    /// one block takes more, or if too much of it may be left free for records up to `slack` bytes.
    pub fn within(capacity: usize, slack: usize, inlet: &Arc<dyn Inlet>) -> Option<Self> {
        let block_bytes = inlet.block_bytes();
        let most = capacity / block_bytes.max(1);
        let is_suitable = most > 0 && slack <= block_bytes / SLACK_SHARE;
        let (inlet, full, block) = (Arc::clone(inlet), Vec::new(), Vec::new());
        is_suitable.then_some(Self { inlet, full, most, block, filled: 0, slack })
    }

    /// Returns free space for a record and more.
    pub fn room(&mut self) -> &mut [u8] {
        if self.block.is_empty() {
            self.block = self.inlet.block();
        }
        &mut self.block[self.filled..]
    }

    /// Notes that bytes of the room were filled. Returns whether no more blocks may wait.
    pub fn commit(&mut self, bytes: usize) -> bool {
        self.filled += bytes;
        if self.filled + self.slack.max(1) <= self.block.len() {
            return false;
        }
        self.close_block();
        self.full.len() >= self.most
    }

    fn close_block(&mut self) {
        let mut block = std::mem::take(&mut self.block);
        block.truncate(std::mem::take(&mut self.filled));
        self.full.push(block);
    }

    /// Hands over all that was filled.
    ///
    /// # Errors
    ///
    /// Those of [`Inlet::write_block`].
    pub fn write_out(&mut self, progress: &Progress) -> Result<()> {
        if self.filled > 0 {
            self.close_block();
        }
        self.full.drain(..).try_for_each(|block| self.inlet.write_block(block, progress))
    }
}
