//! The output: whole, durable and under its name, or not there at all.

mod parts;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::codec::{Compression, OutputEncoding};
use crate::error::{ConfigErrorKind, Error, Result, Setting, config};
use crate::io::{Direct, File, SharedConsumer, TempFile, directory_of, pipe, redirect, sweep};
use crate::load::layout::PAGE;
use crate::operator::PartFiles;
use crate::sink::{FileSink, Sink, StreamSink};
use crate::stats::Progress;
use crate::stripe::StripedOutput;
use crate::sys::space;
use crate::units::ByteSize;

pub use parts::{OutputParts, may_be_part};

/// Name of standard output in messages.
const STDOUT: &str = "standard output";

/// Open destination of records.
#[derive(Debug)]
pub enum OpenOutput {
    /// A file under a temporary name beside its final one.
    File {
        /// The temporary file; removed when dropped.
        temporary: TempFile,
        /// The final name.
        path: PathBuf,
    },
    /// New members of a striped file.
    Striped(StripedOutput),
    /// An empty file that standard output was redirected to, in place.
    Redirected(Arc<File>),
    /// Several files.
    Parts(Arc<OutputParts>),
    /// A stream; `None` once it was handed to a sink.
    Stream(Option<pipe::PipeWriter>),
    /// A part of the program.
    Consumer(SharedConsumer),
    /// A file or a stream, compressed on the way.
    Compressed {
        /// Destination of the compressed bytes.
        target: Box<OpenOutput>,
        /// Compressor of the output.
        encoding: OutputEncoding,
    },
}

impl OpenOutput {
    /// Returns an output that will appear at `path`.
    pub fn file(path: &Path, direct: Direct) -> Result<Self> {
        let temporary = TempFile::create(path, direct)?;
        sweep(temporary.directory())?;
        Ok(Self::File { temporary, path: path.to_owned() })
    }

    /// Returns an output that will appear at `path`, on its way at `part`: there already, unless it
    /// is new. It stays there if it gets no other name, so that another job can continue it.
    pub fn part(path: &Path, part: &Path, is_new: bool, direct: Direct) -> Result<Self> {
        let temporary = TempFile::part(part, is_new, direct)?;
        Ok(Self::File { temporary, path: path.to_owned() })
    }

    /// Returns an output to a pipe or a part of the program.
    pub fn outlet(outlet: &pipe::Outlet) -> Result<Self> {
        Ok(match outlet.open()? {
            pipe::OpenOutlet::Stream(writer) => Self::Stream(Some(writer)),
            pipe::OpenOutlet::Tasks(consumer) => Self::Consumer(consumer),
        })
    }

    /// Returns an output in new members of the striped file that is defined at `path`.
    pub fn striped(path: &Path, direct: Direct) -> Result<Self> {
        StripedOutput::create(path, direct).map(Self::Striped)
    }

    /// Waits until what was written is on the disk.
    pub fn make_durable(&self) -> Result<()> {
        self.open_file().map_or(Ok(()), |file| file.sync_data())
    }

    /// Removes what was written, where it would stay.
    pub fn forget(&mut self) {
        if let Self::File { temporary, .. } = self {
            temporary.keep(false);
        }
    }

    /// Opens standard output: the file that it was redirected to, in place, or a stream. Waits
    /// until no other job writes to the file.
    ///
    /// # Errors
    ///
    /// Those of opening it, or [`Error::Interrupted`] soon after a stop was asked for through
    /// `progress`.
    pub fn standard(direct: Direct, progress: &Progress) -> Result<Self> {
        let file = redirect::lock_output(direct, progress)?;
        match file {
            Some(file) if redirect::is_output_empty() => Ok(Self::redirected(file)),
            lock => {
                let mut writer = pipe::PipeWriter::stdout()?;
                writer.hold(lock);
                Ok(Self::Stream(Some(writer)))
            }
        }
    }

    /// Returns the output that standard output was redirected to.
    fn redirected(file: Arc<File>) -> Self {
        Self::Redirected(file.called(Path::new(STDOUT)))
    }

    /// Returns the output, compressed by the given number of threads.
    pub fn compressed(mut self, how: Compression, threads: usize) -> Result<Self> {
        let writer = match &mut self {
            Self::File { temporary, path } => pipe::PipeWriter::file(temporary.file(), path)?,
            Self::Redirected(file) => pipe::PipeWriter::file(file, Path::new(STDOUT))?,
            Self::Stream(writer) => writer.take().map_or_else(pipe::PipeWriter::stdout, Ok)?,
            Self::Striped(output) => {
                return Err(config!(
                    ConfigErrorKind::Conflict(Setting::Compress, Setting::Output),
                    "{} is a striped file, which cannot be compressed; leave out {}",
                    output.file().path().display(),
                    Setting::Compress,
                ));
            }
            Self::Parts(_) | Self::Consumer(_) | Self::Compressed { .. } => {
                unreachable!("one file or stream is compressed, and once")
            }
        };
        let encoding = OutputEncoding::start(writer, how, threads)?;
        Ok(Self::Compressed { target: Box::new(self), encoding })
    }

    /// Returns an output in files that will appear beside `path`; with `force` also in place of
    /// files that have no write permission.
    pub fn parts(path: &Path, direct: Direct, force: bool) -> Result<Self> {
        if directory_of(path).is_dir() {
            sweep(directory_of(path))?;
        }
        OutputParts::new(path, direct, force).map(|parts| Self::Parts(Arc::new(parts)))
    }

    /// Returns the files, where there are several.
    pub fn part_files(&self) -> Option<Arc<dyn PartFiles>> {
        match self {
            Self::Parts(parts) => Some(Arc::<OutputParts>::clone(parts)),
            _ => None,
        }
    }

    /// Returns whether the page cache is bypassed.
    pub fn is_direct(&self) -> bool {
        self.open_file().is_some_and(|file| file.is_direct())
    }

    /// Returns whether it goes to a stream, as it is.
    pub fn is_stream(&self) -> bool {
        matches!(self, Self::Stream(_))
    }

    /// Returns the file that is written to, where it is one.
    pub fn open_file(&self) -> Option<&Arc<File>> {
        match self {
            Self::File { temporary, .. } => Some(temporary.file()),
            Self::Striped(output) => Some(output.file()),
            Self::Redirected(file) => Some(file),
            Self::Parts(_) | Self::Stream(_) | Self::Consumer(_) | Self::Compressed { .. } => None,
        }
    }

    /// Reserves the space for `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::NoSpace`] with the numbers.
    pub fn reserve(&self, bytes: u64) -> Result<()> {
        let Some(file) = self.open_file() else { return Ok(()) };
        let file_system = match self {
            Self::File { path, .. } => Some(directory_of(path)),
            // Each member sees to its own share.
            Self::Striped(_) => None,
            _ => Some(Path::new("the file system of standard output")),
        };
        if let Some(path) = file_system {
            let (needed, available) = (ByteSize(bytes), space::free_around(&**file, file.path())?);
            if available < needed {
                let path = path.to_owned();
                return Err(Error::NoSpace {
                    path,
                    others: 0,
                    needed,
                    available,
                    setting: Some(Setting::Output),
                });
            }
        }
        file.preallocate(bytes.next_multiple_of(granule(file) as u64))
    }

    /// Returns the sink for the output's `bytes` bytes.
    pub fn sink(&mut self, bytes: u64) -> Result<Sink> {
        if let Some(file) = self.open_file() {
            return Ok(Sink::File(FileSink::new(Arc::clone(file), 0, bytes, granule(file))));
        }
        let writer = match self {
            Self::Consumer(consumer) => return Ok(Sink::Consumer(consumer.clone())),
            Self::Stream(writer) => writer.take(),
            Self::Compressed { encoding, .. } => Some(encoding.writer()),
            _ => None,
        };
        Ok(Sink::Stream(StreamSink::new(writer.map_or_else(pipe::PipeWriter::stdout, Ok)?)))
    }

    /// Returns a sink for as many bytes as will come.
    pub fn growing_sink(&mut self) -> Result<Sink> {
        if let Self::Parts(parts) = self {
            return parts.no_sink();
        }
        match self.open_file() {
            Some(file) => Ok(Sink::File(FileSink::growing(Arc::clone(file), granule(file)))),
            None => self.sink(0),
        }
    }

    /// Writes all of it at once.
    pub fn write_all(&mut self, bytes: &[u8], progress: &Progress) -> Result<()> {
        match self {
            Self::Stream(Some(writer)) => writer.write_all(bytes, progress),
            Self::Stream(None) => pipe::PipeWriter::stdout()?.write_all(bytes, progress),
            Self::File { temporary, .. } => temporary.file().write_at(bytes, 0),
            Self::Striped(output) => output.file().write_at(bytes, 0),
            Self::Redirected(file) => file.write_at(bytes, 0),
            Self::Compressed { encoding, .. } => encoding.writer().write_all(bytes, progress),
            Self::Parts(_) => unreachable!("an output that is split is written file by file"),
            Self::Consumer(consumer) => {
                let mut task = consumer.0.begin(0);
                task.take(bytes)?;
                task.finish()
            }
        }
    }

    /// Takes back what was written so far. A temporary file goes by itself.
    pub fn abandon(self) {
        match self {
            Self::Redirected(file) => {
                // The error that led here is what the user must hear of.
                if !redirect::is_written_by_others(&file) {
                    let _ = file.set_len(0);
                }
            }
            Self::Compressed { target, encoding } => {
                drop(encoding); // Nothing is written from here on.
                target.abandon();
            }
            Self::File { .. }
            | Self::Striped(_)
            | Self::Parts(_)
            | Self::Stream(_)
            | Self::Consumer(_) => {}
        }
    }

    /// Gives the output, now of `bytes` bytes, its name. Returns the bytes that it has in the
    /// end, if it is compressed. After an error an output that was redirected is empty.
    pub fn finish(self, bytes: u64, sync: bool, progress: &Progress) -> Result<Option<u64>> {
        let Self::Compressed { target, encoding } = self else {
            return self.name(bytes, sync).map(|()| None);
        };
        match encoding.finish(progress) {
            Ok(bytes) => target.name(bytes, sync).map(|()| Some(bytes)),
            Err(e) => {
                target.abandon();
                Err(e)
            }
        }
    }

    fn name(self, bytes: u64, sync: bool) -> Result<()> {
        match self {
            Self::File { temporary, path } => {
                temporary.file().set_len(bytes)?;
                temporary.persist(&path, sync)
            }
            Self::Striped(output) => output.finish(bytes, sync),
            Self::Redirected(file) => {
                let sync_data = || if sync { file.sync_data() } else { Ok(()) };
                if redirect::is_written_by_others(&file) {
                    let message = "another process has written to the same file meanwhile";
                    let source = std::io::Error::other(message);
                    return Err(Error::io("write", file.path(), source));
                }
                let finished = file.set_len(bytes).and_then(|()| sync_data());
                let finished = finished.and_then(|()| redirect::skip_output(bytes));
                finished.inspect_err(|_| Self::Redirected(file).abandon())
            }
            Self::Parts(parts) => parts.finish(sync),
            Self::Stream(_) | Self::Consumer(_) => Ok(()),
            Self::Compressed { .. } => unreachable!("an output is compressed once"),
        }
    }
}

/// Returns the bytes that writes are multiples of.
fn granule(file: &File) -> usize {
    file.block_bytes().max(PAGE)
}

#[cfg(test)]
mod tests;
