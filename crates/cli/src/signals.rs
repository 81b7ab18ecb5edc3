//! Ctrl-C and `kill` ask the running job to stop. The job cleans up, and then the process dies of
//! the signal. A shell checks how its programs ended: it continues a script after a program that
//! exits by itself, with any status.
//!
//! A signal that was being ignored when the process began stays ignored: that is how `nohup` and a
//! shell's background jobs say that it is not meant for them. While no job is running there is
//! nothing to tidy up, and a signal does what it does by default.

use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, unregister};
use signal_hook::{SigId, flag};
use sortwell::Progress;

use crate::failure::Failure;
use crate::failure::usage_error;

/// The watcher does nothing but wait; the memory ceiling counts its stack too.
const STACK_BYTES: usize = 64 << 10;

/// Lets a write beyond the limit for the size of files (`ulimit -f`) fail, so that the job can
/// clean up. By default the process would die of it.
pub fn let_large_writes_fail() {
    // Where no handler can be set, the default stays.
    let _ = flag::register(SIGXFSZ, Arc::default());
}

/// Does `work`. A signal asks it to stop, and becomes its failure. This holds also if the work was
/// already done, as the sender wants nothing more to follow.
pub fn stoppable<T>(
    job: &Progress,
    work: impl FnOnce() -> sortwell::Result<T>,
) -> Result<T, Failure> {
    let hearing = Hearing::new(heeded());
    let Ok(mut signals) = Signals::new(heeded()) else {
        drop(hearing);
        return Ok(work()?);
    };
    let result = thread::scope(|scope| {
        let handle = signals.handle();
        let watch = || {
            if hearing.signal().is_some() {
                job.request_stop(); // It came before anybody listened.
            }
            signals.forever().for_each(|_| job.request_stop());
        };
        // Without a watcher the handlers would swallow signals, so there must be neither.
        match thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, watch) {
            Ok(_) => {
                // Closing by drop ends the watcher even when the work panics.
                let _close = CloseOnDrop(handle);
                work()
            }
            Err(error) => {
                Err(usage_error(format!("cannot start a thread to watch for signals: {error}")))
            }
        }
    });
    match (result, hearing.end()) {
        (Ok(made), None) => Ok(made),
        (Err(error), None) => Err(Failure::Library(error)),
        (outcome, Some(number)) => Err(Failure::Signal { number, error: outcome.err() }),
    }
}

/// Dies of a signal, as if it had never been caught. Returns the status that a shell would report
/// where that cannot be: the first process of a container dies of no signal.
pub fn die_of(number: i32) -> ExitCode {
    if !is_first_process() {
        // Only a number that is no signal would be an error.
        let _ = emulate_default_handler(number);
    }
    ExitCode::from(status(number))
}

/// Returns the status that a shell reports for a process that died of a signal.
pub fn status(number: i32) -> u8 {
    u8::try_from(128 + number).unwrap_or(u8::MAX)
}

/// Hears signals while a job is running. There is one at a time.
struct Hearing {
    /// The number of the last signal.
    received: Arc<AtomicUsize>,
    registered: Vec<SigId>,
}

impl Hearing {
    fn new(numbers: &[i32]) -> Self {
        let received = Arc::new(AtomicUsize::new(0));
        let note = |&number: &i32| {
            flag::register_usize(number, Arc::clone(&received), number.unsigned_abs() as usize).ok()
        };
        let registered = numbers.iter().filter_map(note).collect();
        is_idle().store(false, Ordering::SeqCst);
        Self { received, registered }
    }

    /// Hears no more: what comes from now on ends the process. The signal that came before.
    fn end(self) -> Option<i32> {
        is_idle().store(true, Ordering::SeqCst);
        self.signal()
    }

    /// Returns the signal that came, if one did.
    fn signal(&self) -> Option<i32> {
        match self.received.load(Ordering::SeqCst) {
            0 => None,
            number => i32::try_from(number).ok(),
        }
    }
}

impl Drop for Hearing {
    fn drop(&mut self) {
        is_idle().store(true, Ordering::SeqCst);
        for id in self.registered.drain(..) {
            unregister(id);
        }
    }
}

/// Returns whether no job is running. Handlers stay when a job has ended; they leave a signal to
/// its default action then.
fn is_idle() -> &'static AtomicBool {
    static IS_IDLE: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    IS_IDLE.get_or_init(|| {
        let is_idle = Arc::new(AtomicBool::new(true));
        for &number in heeded().iter().filter(|_| !is_first_process()) {
            // Where it cannot be, a signal that comes after a job is lost.
            let _ = flag::register_conditional_default(number, Arc::clone(&is_idle));
        }
        is_idle
    })
}

/// Returns whether the kernel keeps signals without a handler from this process.
fn is_first_process() -> bool {
    std::process::id() == 1
}

/// Makes sure that the status of ended children can be read. The parent process may have ignored
/// their signal, and the kernel would then discard their status.
pub fn heed_children() {
    // A handler that does nothing of importance is enough not to ignore it.
    let _ = flag::register(SIGCHLD, Arc::new(AtomicBool::new(false)));
}

struct CloseOnDrop(signal_hook::iterator::Handle);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Returns the signals that stop a job: those that were not ignored when the process began.
fn heeded() -> &'static [i32] {
    static HEEDED: OnceLock<Vec<i32>> = OnceLock::new();
    HEEDED.get_or_init(|| not_ignored(&ignored_mask()))
}

/// Returns this process's mask of ignored signals, as the kernel writes it: bit `n - 1` for signal
/// `n`.
fn ignored_mask() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.unwrap_or_default().trim().to_owned()
}

/// Returns the signals that stop a job, without those that the mask (in hexadecimal) says are
/// ignored.
fn not_ignored(ignored_mask: &str) -> Vec<i32> {
    let mask = u64::from_str_radix(ignored_mask, 16).unwrap_or(0);
    let is_ignored = |number: i32| mask >> (number - 1) & 1 == 1;
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&number| !is_ignored(number)).collect()
}

#[cfg(test)]
mod tests;
