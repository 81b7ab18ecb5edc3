//! The standard streams, as commands print to them and read from them.
//!
//! Data that cannot be printed is an error, of status 4, be it that the disk is full or that the
//! stream was closed when the process began. Words on standard error are for whoever listens: where
//! they cannot be said, the exit status is that of the job all the same, and nothing panics as
//! `eprintln!` would. Rust's own standard output takes a closed one for one that nobody reads, and
//! is not used.

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use sortwell::Progress;
use sortwell::unstable::io::pipe::{PipeReader, PipeWriter};
use sortwell::unstable::io::{Direct, redirect};
use sortwell::{Error, Result};

/// Prints all of `text` to standard output.
///
/// # Errors
///
/// The errors of the system.
pub fn print(text: &[u8]) -> Result<()> {
    let progress = Progress::new();
    let lock = redirect::lock_output(Direct::Off, &progress)?;
    let mut writer = PipeWriter::stdout()?;
    writer.hold(lock);
    writer.write_all(text, &progress)
}

/// Prints what a parser of command lines has to show, in colours on a terminal.
///
/// # Errors
///
/// The errors of the system.
pub fn print_help(help: &clap::Error) -> io::Result<()> {
    match io::stdout().is_terminal() {
        true => help.print(),
        false => print(help.render().to_string().as_bytes()).map_err(reason),
    }
}

/// Prints text on standard error. A failure to print is ignored.
pub fn tell(words: impl AsRef<[u8]>) {
    let _ = io::stderr().write_all(words.as_ref());
}

/// Says something short on standard error, unless that would have to be waited for longer than
/// `patience`: what is shown while a job runs must not hold it up. Returns whether it was said, or
/// cannot be said at all.
pub fn tell_within(words: &str, patience: Duration) -> bool {
    let stderr = io::stderr();
    let mut ends = [PollFd::new(&stderr, PollFlags::OUT)];
    let patience = Timespec::try_from(patience).ok();
    // What cannot be polled can be written to at once.
    let is_ready = poll(&mut ends, patience.as_ref()).map_or(true, |ready| ready > 0);
    if is_ready {
        tell(words);
    }
    is_ready
}

/// Standard output, for text that is printed in pieces until `progress` is asked to stop.
#[derive(Debug)]
pub struct Printer<'p> {
    writer: PipeWriter,
    progress: &'p Progress,
    has_begun: bool,
}

impl<'p> Printer<'p> {
    /// Opens standard output for printing. The first piece waits until no other job writes to the
    /// file that it may be redirected to.
    pub fn new(progress: &'p Progress) -> Result<Self> {
        Ok(Self { writer: PipeWriter::stdout()?, progress, has_begun: false })
    }

    fn begin(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.writer.hold(redirect::lock_output(Direct::Off, self.progress)?);
        }
        Ok(())
    }
}

impl Write for Printer<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begin().map_err(reason)?;
        self.writer.write_all(bytes, self.progress).map_err(reason)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text that is read from its beginning to its end.
#[derive(Debug)]
pub struct Text(PipeReader);

impl Text {
    /// Returns what `path` names: a file, a descriptor that is open, or standard input where it is
    /// `-`.
    ///
    /// # Errors
    ///
    /// The errors of the system.
    pub fn open(path: &Path) -> Result<Self> {
        match path == Path::new("-") {
            true => PipeReader::stdin().map(Self),
            false => PipeReader::open(path).map(Self),
        }
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.fill(buffer, &Progress::new()).map_err(reason)
    }
}

/// Returns the system's error in one of the library's.
pub fn reason(error: Error) -> io::Error {
    match error {
        Error::Io { source, .. } => source,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests;
