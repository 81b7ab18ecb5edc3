//! The output: whole, durable and under its name, or not there at all.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::io::{Direct, File, TempFile, pipe, space, sweep};
use crate::load::layout::PAGE;
use crate::sink::{FileSink, Sink, StreamSink};
use crate::units::ByteSize;

/// Where records go, open.
#[derive(Debug)]
pub enum Output {
    /// A file under a temporary name beside its final one.
    File {
        /// The temporary file; removed when dropped.
        temporary: TempFile,
        /// The final name.
        path: PathBuf,
    },
    /// A stream; `None` once it was handed to a sink.
    Stream(Option<pipe::Writer>),
}

impl Output {
    /// An output that will appear at `path`.
    pub fn file(path: &Path, direct: Direct) -> Result<Self> {
        let directory = directory_of(path);
        if directory.is_dir() {
            sweep(directory)?;
        }
        let temporary = TempFile::create(path, direct)?;
        Ok(Self::File { temporary, path: path.to_owned() })
    }

    /// Whether the page cache is bypassed.
    pub fn is_direct(&self) -> bool {
        match self {
            Self::File { temporary, .. } => temporary.file().is_direct(),
            Self::Stream(_) => false,
        }
    }

    /// Reserves the space for `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`] with the numbers.
    pub fn reserve(&self, bytes: u64) -> Result<()> {
        let Self::File { temporary, path } = self else { return Ok(()) };
        let directory = directory_of(path);
        let (needed, available) = (ByteSize(bytes), space::free(directory)?);
        if available < needed {
            let path = directory.to_owned();
            return Err(Error::NoSpace { path, needed, available, option: "--output" });
        }
        temporary.file().preallocate(bytes.next_multiple_of(granule(temporary.file()) as u64))
    }

    /// The sink for the output's `bytes` bytes.
    pub fn sink(&mut self, bytes: u64) -> Result<Sink> {
        Ok(match self {
            Self::File { temporary, .. } => {
                let file = Arc::clone(temporary.file());
                let granule = granule(&file);
                Sink::File(FileSink::new(file, 0, bytes, granule))
            }
            Self::Stream(writer) => {
                let writer = writer.take();
                Sink::Stream(StreamSink::new(writer.map_or_else(pipe::Writer::stdout, Ok)?))
            }
        })
    }

    /// Gives the output, now of `bytes` bytes, its name.
    pub fn finish(self, bytes: u64, sync: bool) -> Result<()> {
        match self {
            Self::File { temporary, path } => {
                temporary.file().set_len(bytes)?;
                temporary.persist(&path, sync)
            }
            Self::Stream(_) => Ok(()),
        }
    }
}

/// What writes are multiples of.
fn granule(file: &File) -> usize {
    file.block_bytes().max(PAGE)
}

/// The directory a file is in.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
