//! Inputs of a merge whose bytes threads of Python pass, block by block.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyBrokenPipeError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use sortwell::unstable::io::{Supplied, Supply};
use sortwell::{Error, Progress, Result};

use crate::ending::{OpenCall, unlocked};

/// Blocks that wait for the merge.
const WAITING: usize = 1;

/// Time between two looks at a stop.
const LOOK: Duration = Duration::from_millis(100);

/// Input of a merge that another thread fills.
#[pyclass(frozen, module = "sortwell._native")]
pub struct FedInput {
    /// Name in messages.
    name: PathBuf,
    /// `None` after the last block.
    sender: Mutex<Option<SyncSender<PyBackedBytes>>>,
    /// `None` once a merge has it.
    receiver: Mutex<Option<Receiver<PyBackedBytes>>>,
}

/// Takes what a lock holds.
fn taken<T>(lock: &Mutex<Option<T>>) -> Option<T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl FedInput {
    /// Returns its name in messages.
    pub const fn name(&self) -> &PathBuf {
        &self.name
    }

    /// Returns the stream for a merge; `None` the second time, and after the input was closed.
    pub fn stream(&self) -> Option<Supplied> {
        let receiver = taken(&self.receiver)?;
        Some(Supplied::new(&self.name, FedBytes { receiver, block: None, read: 0 }))
    }
}

#[pymethods]
impl FedInput {
    #[new]
    fn new(name: PathBuf) -> Self {
        let (sender, receiver) = sync_channel(WAITING);
        Self { name, sender: Mutex::new(Some(sender)), receiver: Mutex::new(Some(receiver)) }
    }

    /// Passes the next bytes, as soon as there is room. Raises `BrokenPipeError` if the merge needs
    /// no more.
    fn push(&self, py: Python<'_>, block: PyBackedBytes) -> PyResult<()> {
        let sender = self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let _call = OpenCall::begin(py, None)?;
        let sent = unlocked(py, move || sender.and_then(|sender| sender.send(block).ok()));
        sent.ok_or_else(|| PyBrokenPipeError::new_err("the merge needs no more"))
    }

    /// Ends the bytes.
    fn finish(&self) {
        taken(&self.sender);
    }

    /// Ends the bytes, and a push that waits for a merge that has not begun.
    fn close(&self) {
        taken(&self.sender);
        taken(&self.receiver);
    }
}

/// Bytes that were passed.
struct FedBytes {
    receiver: Receiver<PyBackedBytes>,
    block: Option<PyBackedBytes>,
    /// Bytes of the block that were read.
    read: usize,
}

impl FedBytes {
    /// Waits for the next block. Returns false at the end.
    fn advance(&mut self, progress: &Progress) -> Result<bool> {
        loop {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            match self.receiver.recv_timeout(LOOK) {
                Ok(block) => {
                    (self.block, self.read) = (Some(block), 0);
                    return Ok(true);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(false),
            }
        }
    }
}

impl Supply for FedBytes {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = self.block.as_ref().map_or(&[][..], |block| &block[self.read..]);
            if rest.is_empty() {
                if !self.advance(progress)? {
                    break;
                }
                continue;
            }
            let count = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&rest[..count]);
            (self.read, filled) = (self.read + count, filled + count);
        }
        Ok(filled)
    }
}
