//! Sources and destinations of records: a file, worked on at many places at once, or a stream.
//!
//! A path that names a pipe, a terminal, a device or an open descriptor is a stream like standard
//! input and output: it can only be taken in order, and a file must never take its name.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sortwell::Progress;
use sortwell::unstable::io::{
    Direct, InputKind, SpillDirectory, TempFile, check_replaceable, inherited, pipe,
};
use sortwell::{Error, Result};

/// Source that a validator reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValidatorSource {
    /// A file, or another object that the path names.
    File(PathBuf),
    /// Standard input, read to its end.
    Stdin,
}

/// Destination that a generator writes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeneratorDestination {
    /// A file that appears whole or not at all, or another object that the path names.
    File(PathBuf),
    /// Standard output, in order.
    Stdout,
}

impl ValidatorSource {
    /// Returns the source an argument names: `-` is standard input.
    pub fn named(argument: PathBuf) -> Self {
        if argument.as_os_str() == "-" { Self::Stdin } else { Self::File(argument) }
    }

    /// Opens the source: as a file whose every place can be read at once, or in order.
    pub(crate) fn open(&self, progress: &Progress) -> Result<OpenedSource<'_>> {
        let Self::File(path) = self else { return self.open_stream().map(OpenedSource::Stream) };
        match InputKind::of(path, progress)? {
            InputKind::Offsets => Ok(OpenedSource::File(path)),
            InputKind::Order => self.open_stream().map(OpenedSource::Stream),
            InputKind::Begun(stream) => {
                Ok(OpenedSource::Stream(pipe::PipeReader::supplied(stream)))
            }
        }
    }

    /// Opens the source for reading in order.
    pub(crate) fn open_stream(&self) -> Result<pipe::PipeReader> {
        match self {
            Self::File(path) => pipe::PipeReader::open(path),
            Self::Stdin => pipe::PipeReader::stdin(),
        }
    }
}

/// A source as it can be read.
#[derive(Debug)]
pub(crate) enum OpenedSource<'a> {
    /// The path of a file, not open yet.
    File(&'a Path),
    /// An input that is read in order.
    Stream(pipe::PipeReader),
}

impl GeneratorDestination {
    /// Returns the destination an argument names: `-` is standard output.
    pub fn named(argument: PathBuf) -> Self {
        if argument.as_os_str() == "-" { Self::Stdout } else { Self::File(argument) }
    }

    /// Checks that a file at the path may be replaced, which `force` allows in any case.
    ///
    /// # Errors
    ///
    /// [`Error::WriteProtected`] for a file without write permission.
    pub fn check_replaceable(&self, force: bool) -> Result<()> {
        match self {
            Self::File(path) if !force => check_replaceable(path),
            Self::File(_) | Self::Stdout => Ok(()),
        }
    }

    /// Returns the path, if it is free or names a file. Also returns the path of a directory, so
    /// that the error is reported later.
    pub(crate) fn replaceable(&self) -> Result<Option<&Path>> {
        let Self::File(path) = self else { return Ok(None) };
        match inherited::look(path) {
            Ok(Ok(metadata)) => Ok((metadata.is_file() || metadata.is_dir()).then_some(path)),
            Ok(Err(_)) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(path)),
            Err(source) => Err(Error::io("write", path, source)),
        }
    }

    /// Opens the destination for writing in order; a named pipe's reader is waited for.
    pub(crate) fn open_stream(&self, progress: &Progress) -> Result<pipe::PipeWriter> {
        match self {
            Self::File(path) => pipe::PipeWriter::open(path, progress),
            Self::Stdout => pipe::PipeWriter::stdout(),
        }
    }

    /// Writes a few bytes that are all there is to write.
    pub(crate) fn write_whole(&self, bytes: &[u8], progress: &Progress) -> Result<()> {
        let Some(path) = self.replaceable()? else {
            return self.open_stream(progress)?.write_all(bytes, progress);
        };
        let temporary = TempFile::create(path, Direct::Off)?;
        temporary.file().write_at(bytes, 0)?;
        temporary.persist(path, true)
    }
}

/// Creates a directory of its own in `directory`, for the files of a measurement.
///
/// # Errors
///
/// [`Error::Io`] that names `directory`.
pub fn measurement_directory(directory: &Path) -> Result<SpillDirectory> {
    SpillDirectory::create(directory).map_err(|error| match error {
        Error::Io { path, offset, source, .. } => {
            let action = "create a directory for the measurement in";
            Error::Io { action, path, offset, source }
        }
        error => error,
    })
}

#[cfg(test)]
mod tests;
