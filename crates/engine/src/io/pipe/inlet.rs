//! Parts of the program that a stream is written to.

use std::fmt::Debug;
use std::path::Path;

use crate::error::Result;
use crate::stats::Progress;

/// A part of the program that takes the bytes of a stream in order, such as one that compresses
/// them.
pub trait Inlet: Debug + Send + Sync {
    /// Takes all of `data`.
    fn write_all(&self, data: &[u8], progress: &Progress) -> Result<()>;

    /// Returns the bytes taken so far.
    fn bytes(&self) -> u64;

    /// Returns the output's name in messages.
    fn name(&self) -> &Path;

    /// Returns the bytes of a block, where the stream is better taken in blocks; otherwise 0.
    fn block_bytes(&self) -> usize {
        0
    }

    /// Returns a block of [`block_bytes`](Self::block_bytes) bytes, which may be any, to be
    /// filled.
    fn block(&self) -> Vec<u8> {
        vec![0; self.block_bytes()]
    }

    /// Takes all bytes of a block, and the block itself.
    fn write_block(&self, block: Vec<u8>, progress: &Progress) -> Result<()> {
        self.write_all(&block, progress)
    }
}
