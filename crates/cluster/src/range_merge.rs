//! Merging ranges of runs into blocks, which are sent to another node.
//!
//! ```text
//!   ranges of runs --> merge job, on a thread of its own --> blocks, with checksums --> caller
//! ```
//!
//! A block is made while the caller sends the one before, and another one waits. A caller that is
//! slow slows the merge. A later block takes the memory of one that was dropped.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{ConsumeTask, Consumer, Supplied};
use sortwell_engine::job::{Input, MergeJob, Output};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};
use xxhash_rust::xxh3::xxh3_64;

use crate::split::{InputSplit, SplitBytes};

/// Blocks that wait for the caller.
const WAITING: usize = 1;

/// Dropped blocks whose memory is kept. There are four blocks: one is made, one waits, the caller
/// sends one and has begun to take another.
const SPARE_MAX: usize = 2;

/// Bytes of sorted records.
#[derive(Debug)]
pub struct MergedBlock {
    /// The header in the first block, then records.
    bytes: Vec<u8>,
    /// XXH3 of the bytes.
    pub checksum: u64,
    spare: Arc<SpareBlocks>,
}

impl AsRef<[u8]> for MergedBlock {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for MergedBlock {
    fn drop(&mut self) {
        self.spare.give(std::mem::take(&mut self.bytes));
    }
}

/// Memory of blocks that were dropped.
#[derive(Debug, Default)]
struct SpareBlocks(Mutex<Vec<Vec<u8>>>);

impl SpareBlocks {
    fn give(&self, mut block: Vec<u8>) {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_MAX {
            block.clear();
            spare.push(block);
        }
    }

    fn empty_block(&self) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

/// A merge that is under way. It ends when it is dropped.
#[derive(Debug)]
pub struct RangeMerge {
    /// `None` once the last block was taken.
    blocks: Option<Receiver<MergedBlock>>,
    worker: Option<JoinHandle<Result<()>>>,
    progress: Arc<Progress>,
}

impl RangeMerge {
    /// Begins to merge ranges of runs under this header into blocks of `block_bytes` bytes. The
    /// last block is shorter. `job` has format, keys and resources.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] for a run that cannot be opened, and where no thread can be started.
    pub fn begin(
        mut job: MergeJob,
        ranges: &[InputSplit],
        header: &[u8],
        block_bytes: usize,
    ) -> Result<Self> {
        let supplied = |range: &InputSplit| {
            let bytes = SplitBytes::open(range, header)?;
            Ok(Input::Supplied(Supplied::new(&range.path, bytes)))
        };
        job.inputs = ranges.iter().map(supplied).collect::<Result<_>>()?;
        let (sender, blocks) = sync_channel(WAITING);
        let progress = Arc::new(Progress::new());
        let of_worker = Arc::clone(&progress);
        let work = move || {
            let cutter = Arc::new(BlockCutter(Mutex::new(CutBlock {
                block_bytes,
                bytes: Vec::with_capacity(block_bytes),
                spare: Arc::default(),
                sender,
            })));
            job.output = Output::Pipe(Outlet::consumer(Arc::<BlockCutter>::clone(&cutter)));
            job.run(&of_worker)?;
            let mut last = cutter.block();
            if last.bytes.is_empty() { Ok(()) } else { last.send() }
        };
        let worker = thread::Builder::new().spawn(work);
        let worker =
            worker.map_err(|e| Error::io("start a thread for", Path::new("a merge"), e))?;
        Ok(Self { blocks: Some(blocks), worker: Some(worker), progress })
    }

    /// Returns the progress of the merge, which can stop it.
    pub const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Returns the next block; `None` after the last one.
    ///
    /// # Errors
    ///
    /// The error that ended the merge.
    pub fn next_block(&mut self) -> Result<Option<MergedBlock>> {
        if let Some(block) = self.blocks.as_ref().and_then(|blocks| blocks.recv().ok()) {
            return Ok(Some(block));
        }
        self.blocks = None;
        self.end().map(|()| None)
    }

    /// Waits for the end of the merge.
    fn end(&mut self) -> Result<()> {
        match self.worker.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(result)) => result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }
}

impl Drop for RangeMerge {
    fn drop(&mut self) {
        self.progress.request_stop();
        // A merge that waits for the caller ends.
        self.blocks = None;
        // Its error matters to a caller that waits for the end only.
        self.worker.take().map(JoinHandle::join);
    }
}

/// Cuts sorted records into blocks.
struct BlockCutter(Mutex<CutBlock>);

/// The block that is being filled.
struct CutBlock {
    block_bytes: usize,
    bytes: Vec<u8>,
    spare: Arc<SpareBlocks>,
    sender: SyncSender<MergedBlock>,
}

impl CutBlock {
    /// Sends what there is.
    fn send(&mut self) -> Result<()> {
        let empty = self.spare.empty_block();
        let empty = empty.unwrap_or_else(|| Vec::with_capacity(self.block_bytes));
        let bytes = std::mem::replace(&mut self.bytes, empty);
        let (checksum, spare) = (xxh3_64(&bytes), Arc::clone(&self.spare));
        self.sender.send(MergedBlock { bytes, checksum, spare }).map_err(|_| Error::Interrupted)
    }
}

impl BlockCutter {
    fn block(&self) -> std::sync::MutexGuard<'_, CutBlock> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Consumer for BlockCutter {
    fn begin(&self, _: u64) -> Box<dyn ConsumeTask + '_> {
        Box::new(self)
    }
}

impl ConsumeTask for &BlockCutter {
    fn take(&mut self, mut bytes: &[u8]) -> Result<()> {
        let mut block = self.block();
        while !bytes.is_empty() {
            let taken = bytes.len().min(block.block_bytes - block.bytes.len());
            block.bytes.extend_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if block.bytes.len() == block.block_bytes {
                block.send()?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}
