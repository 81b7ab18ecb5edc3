//! The program that temporary files pass through: run as it is to compress, with `-d` to expand.
//!
//! It is found as a shell would find it, but no shell is asked. Two things are never taken on
//! trust: what it writes is whole only when it has ended well, and what it gives back only when it
//! has as many bytes as were put in. A program that is no longer needed is told to end, and waited
//! for, so that nothing of ours outlives us.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use sortwell::unstable::io::pipe::PipeReader;
use sortwell::{Error, Result};
use sortwell::{Input, Outlet, Progress, Supplied, Supply};

/// Name of the failed action, for a program that ended badly.
pub const RUN: &str = "run";

/// Name of the failed action, for a program that could not be started.
pub const START: &str = "start";

/// The first look whether a program has ended comes so soon: most are at their end already.
const PAUSE_FIRST: Duration = Duration::from_micros(100);

/// Later ones take twice as long each, up to this. It is what a stop may have to wait.
const PAUSE_LAST: Duration = Duration::from_millis(20);

/// Time that a program has to end after a request, before it is killed.
const GRACE: Duration = Duration::from_millis(200);

/// A key of the terminal stops all its programs at once. How long we wait to hear of it ourselves,
/// where it was the other that fell first.
const HEARING: Duration = Duration::from_millis(200);

/// A program that compresses to a file.
#[derive(Debug)]
pub struct Compressing {
    process: Process,
    outlet: Outlet,
}

impl Compressing {
    /// Starts it.
    ///
    /// # Errors
    ///
    /// That of a program that cannot be run.
    pub fn start(program: &OsStr, to: File) -> io::Result<Self> {
        let mut command = Command::new(program);
        let mut child = command.stdin(Stdio::piped()).stdout(to).spawn()?;
        let outlet = child.stdin.take().map(|pipe| Outlet::new(pipe, Path::new(program)));
        let process = Process { child, program: program.into(), has_ended: false };
        let outlet = outlet.ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(Self { process, outlet })
    }

    /// Returns the outlet to write to.
    pub fn outlet(&self) -> Outlet {
        self.outlet.clone()
    }

    /// Closes its input and waits for its end. `written` is how writing to it went: a program that
    /// did not want it all cannot have compressed it.
    pub fn finish<T>(self, written: Result<T>, progress: &Progress) -> Result<T> {
        let Self { mut process, outlet } = self;
        drop(outlet);
        match written {
            Err(error) if is_broken_pipe(&error) => {
                process.wait(progress)?;
                let path = PathBuf::from(&process.program);
                let message = "the program ended before it had read all data";
                Err(Error::Malformed { path, message: message.to_owned().into() })
            }
            Err(error) => Err(error),
            Ok(made) => process.wait(progress).map(|()| made),
        }
    }
}

/// Starts a program that expands a file of `bytes` bytes, as an input that is whole or an error.
pub fn expanded(program: &OsStr, from: File, bytes: u64) -> Result<Input> {
    let path = Path::new(program);
    let mut command = Command::new(program);
    command.arg("-d").stdin(from).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|e| Error::io(START, path, e))?;
    let pipe = child.stdout.take();
    let process = Process { child, program: program.into(), has_ended: false };
    let missing = || Error::io(START, path, io::ErrorKind::BrokenPipe);
    let reader = PipeReader::of(pipe.ok_or_else(missing)?, path);
    Ok(Input::Supplied(Supplied::new(path, Expanding { reader, process, bytes })))
}

/// Output of a program that expands a file.
struct Expanding {
    reader: PipeReader,
    process: Process,
    /// Bytes that were compressed.
    bytes: u64,
}

impl Supply for Expanding {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        let filled = self.reader.fill(buffer, progress)?;
        if filled < buffer.len() {
            self.process.wait(progress)?;
            let (bytes, all) = (self.reader.bytes(), self.bytes);
            if bytes != all {
                let path = self.reader.name().to_owned();
                let message = format!("returned {bytes} bytes with -d, but {all} were compressed");
                return Err(Error::Malformed { path, message: message.into() });
            }
        }
        Ok(filled)
    }
}

/// A program that runs, or has run.
#[derive(Debug)]
struct Process {
    child: Child,
    program: OsString,
    has_ended: bool,
}

impl Process {
    /// Waits for its end; an error unless that is a good one.
    fn wait(&mut self, progress: &Progress) -> Result<()> {
        let failed = |program: &OsStr, e| Error::io("wait for", Path::new(program), e);
        let mut pause = PAUSE_FIRST;
        loop {
            if let Some(status) = self.child.try_wait().map_err(|e| failed(&self.program, e))? {
                self.has_ended = true;
                return self.judge(status, progress);
            }
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            sleep(pause);
            pause = (2 * pause).min(PAUSE_LAST);
        }
    }

    fn judge(&self, status: ExitStatus, progress: &Progress) -> Result<()> {
        if status.success() {
            return Ok(());
        }
        let begun = Instant::now();
        let is_stopped = matches!(status.signal(), Some(SIGINT | SIGTERM | SIGHUP));
        while is_stopped && begun.elapsed() < HEARING {
            if progress.is_stopping() {
                return Err(Error::Interrupted);
            }
            sleep(PAUSE_LAST);
        }
        let how = io::Error::other(format!("it ended with {status}"));
        Err(Error::io(RUN, Path::new(&self.program), how))
    }

    /// Waits at most `time` for the end of the process. Returns whether it ended.
    fn ends_within(&mut self, time: Duration) -> bool {
        let begun = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) {
            if begun.elapsed() > time {
                return false;
            }
            sleep(PAUSE_FIRST);
        }
        true
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        // Not waited for yet, so that its number is still its own. Whether it heeds us or is gone
        // already, it will have ended.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        if !self.ends_within(GRACE) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Returns whether the error says that the reader of a pipe has gone.
fn is_broken_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}
