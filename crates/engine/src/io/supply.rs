//! Streams that the caller makes while they are read: what another program gives back, or a part of
//! something longer.
//!
//! Such a stream says itself when it is over, and may refuse to: its maker can check at the
//! last moment whether all went well, and no job takes a broken stream for a short one. It is read
//! once: a job that is given it again fails, as a part of it may be gone.

use std::collections::VecDeque;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Cursor;
use super::pipe::PipeReader;
use crate::error::{ConfigErrorKind, Error, Result, config};
use crate::stats::{Progress, SourceShare};

/// Beyond this, the memory of entries is nothing beside that of records, while every buffer would
/// be longer by what is thought to be the length of a record.
const AVERAGE_MAX: u64 = 4096;

/// Bytes of a striped file that are read before it is looked whether the job was stopped.
const STEP_BYTES: usize = 1 << 20;

/// A source of bytes for an input.
pub trait Supply: Send {
    /// Fills `buffer`, or a part of it, and returns the number of bytes; 0 at the end of the stream
    /// alone. A record may begin in one buffer and end in the next. It may be called again at the
    /// end.
    ///
    /// # Errors
    ///
    /// Any error that makes the stream incomplete, and [`Error::Interrupted`] soon after `progress`
    /// requests a stop.
    ///
    /// [`Error::Interrupted`]: crate::Error::Interrupted
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize>;
}

/// The known size of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of bytes.
    pub bytes: u64,
    /// Number of records.
    pub records: u64,
}

impl Extent {
    /// Returns the average bytes of a record, as far as a plan gains by knowing them.
    pub fn average(self) -> usize {
        (self.bytes / self.records.max(1)).clamp(1, AVERAGE_MAX) as usize
    }
}

/// An input whose bytes the caller supplies. It equals only its clones, which are the same stream.
#[derive(Clone)]
pub struct Supplied(Box<StreamParts>);

/// State of a stream; boxed, so that inputs that are files take no room for it.
#[derive(Clone)]
struct StreamParts {
    name: PathBuf,
    /// The size, if it is known in advance.
    extent: Option<Extent>,
    /// The source that it is made from, if its length is known.
    source: Option<SourceShare>,
    supply: Arc<Mutex<dyn Supply>>,
    is_begun: Arc<AtomicBool>,
}

impl Supplied {
    /// Returns a stream that messages call `name`.
    pub fn new(name: &Path, supply: impl Supply + 'static) -> Self {
        let (name, supply) = (name.to_owned(), Arc::new(Mutex::new(supply)));
        let (extent, source, is_begun) = (None, None, Arc::default());
        Self(Box::new(StreamParts { name, extent, source, supply, is_begun }))
    }

    /// Sets the size of the stream, for the plan of its memory. It is used for lines, and ignored
    /// for records of fixed length.
    #[must_use]
    pub fn with_extent(mut self, extent: Extent) -> Self {
        self.0.extent = Some(extent);
        self
    }

    /// Sets what the stream is made from, if that is known, so that progress is known while it is
    /// read. Left out where the job that reads it is a part of a longer one.
    #[must_use]
    pub fn made_from(mut self, source: Option<SourceShare>) -> Self {
        self.0.source = source;
        self
    }

    /// Returns its name in messages.
    pub fn name(&self) -> &Path {
        &self.0.name
    }

    /// Returns its size, if it is known.
    pub fn extent(&self) -> Option<Extent> {
        self.0.extent
    }

    /// Returns what it is made from, if the length of that is known.
    pub fn source(&self) -> Option<SourceShare> {
        self.0.source.clone()
    }

    /// Begins to read it.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if this was done before.
    pub(super) fn begin(&self) -> Result<()> {
        if self.0.is_begun.swap(true, Ordering::Relaxed) {
            return Err(config!(
                ConfigErrorKind::InvalidValue,
                "{} was read before, and can be read once only; give a new stream",
                self.0.name.display(),
            ));
        }
        Ok(())
    }

    /// Fills `buffer`, or a part of it, as [`Supply::fill`] does.
    pub(super) fn fill_some(&self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        self.0.supply.lock().unwrap_or_else(PoisonError::into_inner).fill(buffer, progress)
    }
}

/// A stream whose beginning has been read.
#[derive(Debug)]
pub struct BegunStream {
    beginning: VecDeque<u8>,
    /// Rest of the stream; `None` after its end, as a terminal would be asked for more.
    rest: Option<PipeReader>,
}

impl BegunStream {
    /// Returns the stream that begins with these bytes and continues with `rest`.
    pub fn new(beginning: Vec<u8>, rest: Option<PipeReader>) -> Self {
        Self { beginning: beginning.into(), rest }
    }
}

impl Supply for BegunStream {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        // Reading memory cannot fail. More is not waited for: the beginning may be of use already.
        match self.beginning.read(buffer).unwrap_or_default() {
            0 => self.rest.as_mut().map_or(Ok(0), |rest| rest.fill_some(buffer, progress)),
            begun => Ok(begun),
        }
    }
}

impl Supply for PipeReader {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        Self::fill(self, buffer, progress)
    }
}

impl Supply for Cursor {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let mut filled = 0;
        for step in buffer.chunks_mut(STEP_BYTES) {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            let read = self.read_next(step)?;
            filled += read;
            if read < step.len() {
                break;
            }
        }
        Ok(filled)
    }
}

impl PartialEq for Supplied {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0.supply, &other.0.supply)
    }
}

impl Eq for Supplied {}

impl fmt::Debug for Supplied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supplied")
            .field("name", &self.0.name)
            .field("extent", &self.0.extent)
            .finish_non_exhaustive()
    }
}
