//! The program itself, run again: what is timed is what a user would run, from launch to exit.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use sortwell::{ConfigErrorKind, Phase, Progress};
use sortwell::{Error, Result};

use super::confinement::Confinement;

/// Longest time until a request to stop is seen.
const PATIENCE: Duration = Duration::from_millis(50);

/// Path of the program.
#[derive(Clone, Debug)]
pub struct Program(pub(super) PathBuf);

/// One run of it.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Seconds from its launch to its exit, as the caller saw them.
    pub seconds: f64,
    /// Seconds among those until the job began: the program loaded, its arguments read.
    pub launch_seconds: f64,
    /// Seconds among those after the job had ended: memory given back, the process gone.
    pub exit_seconds: f64,
    /// Bytes of its output, where the caller has looked.
    pub output_bytes: u64,
    /// Statistics that the program printed (`--stats json`).
    pub statistics: Value,
}

impl Trial {
    /// Returns a number of its statistics, by a path such as `streams/input_read`; 0 if it is
    /// missing.
    pub fn number(&self, path: &str) -> f64 {
        self.statistics.pointer(&format!("/{path}")).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// Returns the number of seconds of a phase, however often the job was in it.
    pub fn phase_seconds(&self, phase: Phase) -> f64 {
        let name = serde_json::to_value(phase).unwrap_or_default();
        let phases = self.statistics["phases"].as_array().map_or(&[][..], Vec::as_slice);
        let named = phases.iter().filter(|phase| phase["phase"] == name);
        // Of none the sum is -0.
        named.filter_map(|phase| phase["seconds"].as_f64()).fold(0.0, |sum, more| sum + more)
    }
}

/// Remains of a finished process.
struct Ending {
    /// Text on standard error, and the time it ended.
    words: String,
    said: Instant,
}

impl Program {
    /// Returns the program that is running.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where the system does not say which that is.
    pub fn this() -> Result<Self> {
        let path = std::env::current_exe();
        path.map(Self).map_err(|error| Error::io("find", Path::new("/proc/self/exe"), error))
    }

    /// Runs a subcommand with these arguments, within a limit of memory if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] with what the program said if it fails, [`Error::Interrupted`] if it is
    /// stopped through `progress`; it is gone then.
    pub fn run(
        &self,
        subcommand: &[&str],
        arguments: &[String],
        within: Option<&Confinement>,
        progress: &Progress,
    ) -> Result<Trial> {
        let mut command = Command::new(&self.0);
        command.args(subcommand).args(["--stats", "json", "--progress", "never"]).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let start = Instant::now();
        let mut child = command.spawn().map_err(|error| Error::io("run", &self.0, error))?;
        if let Some(confinement) = within {
            // One that has ended already needs no limit any more.
            confinement.hold(child.id());
        }
        let ending = awaited(&listen(&mut child), &mut child, progress)?;
        let status = child.wait().map_err(|error| Error::io("wait for", &self.0, error))?;
        let seconds = start.elapsed().as_secs_f64();
        let last = ending.words.trim_end().rsplit('\n').next().unwrap_or_default();
        let statistics = serde_json::from_str::<Value>(last).unwrap_or_default();
        if !status.success() || !statistics.is_object() {
            let words = ending.words.trim();
            let with = [&subcommand.join(" "), &arguments.join(" ")].map(String::as_str).join(" ");
            return Err(Error::config(
                ConfigErrorKind::Other,
                format!("'sortwell {with}' ended with {status}: {words}"),
            ));
        }
        // The words are the last thing it does before it ends.
        let exit_seconds = (seconds - (ending.said - start).as_secs_f64()).max(0.0);
        let job_seconds = statistics["seconds"].as_f64().unwrap_or(0.0);
        let launch_seconds = (seconds - exit_seconds - job_seconds).max(0.0);
        Ok(Trial { seconds, launch_seconds, exit_seconds, output_bytes: 0, statistics })
    }
}

/// Hears what a child says until it says no more, on a thread of its own.
fn listen(child: &mut Child) -> Receiver<Ending> {
    let (to, from) = channel();
    if let Some(mut stream) = child.stderr.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let mut block = [0; 4096];
            let mut said = Instant::now();
            while let Ok(count @ 1..) = stream.read(&mut block) {
                said = Instant::now();
                bytes.extend_from_slice(&block[..count]);
            }
            let words = String::from_utf8_lossy(&bytes).into_owned();
            // Nobody hears it any more where the wait was given up.
            let _ = to.send(Ending { words, said });
        });
    }
    from
}

/// Waits for a child to say no more; one that is in the way of a request to stop is made to end.
fn awaited(from: &Receiver<Ending>, child: &mut Child, progress: &Progress) -> Result<Ending> {
    loop {
        match from.recv_timeout(PATIENCE) {
            Ok(ending) => return Ok(ending),
            Err(RecvTimeoutError::Timeout) if progress.is_stopping() => {
                terminate(child);
                let _ = child.wait();
                return Err(Error::Interrupted);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Ending { words: String::new(), said: Instant::now() });
            }
        }
    }
}

/// Asks a child to end, as a terminal would: it tidies up after itself.
fn terminate(child: &Child) {
    if let Some(id) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
}

#[cfg(test)]
mod tests;
