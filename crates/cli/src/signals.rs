//! Ctrl-C and `kill` ask the running job to stop; the job then tidies up and ends by itself.
//!
//! A signal that was being ignored when the process began stays ignored: that is how `nohup` and a
//! shell's background jobs say that it is not meant for them. The signal's number is kept so that
//! the exit status can name it.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::thread;

use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use sortwell::stats::Progress;

use crate::failure::Failure;

/// The watcher does nothing but wait; the memory ceiling counts its stack too.
const STACK_BYTES: usize = 64 << 10;

/// Does `work`; a signal meanwhile asks it to stop and the failure it then ends with
/// carries the signal's number.
pub fn stoppable<T>(
    job: &Progress,
    work: impl FnOnce() -> sortwell::Result<T>,
) -> Result<T, Failure> {
    let received = AtomicI32::new(0);
    let result = match Signals::new(heeded(&ignored_mask())) {
        Ok(mut signals) => thread::scope(|scope| {
            let handle = signals.handle();
            let watch = || {
                for number in signals.forever() {
                    received.store(number, Ordering::Relaxed);
                    job.request_stop();
                }
            };
            // Without a watcher the handlers would swallow signals, so there must be neither.
            match thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, watch) {
                Ok(_) => {
                    // Closing by drop ends the watcher even when the work panics.
                    let _close = CloseOnDrop(handle);
                    work()
                }
                Err(error) => Err(sortwell::Error::Usage(format!(
                    "cannot start a thread to watch for signals: {error}"
                ))),
            }
        }),
        Err(_) => work(),
    };
    result.map_err(|error| match (error, received.load(Ordering::Relaxed)) {
        (error, number) if number > 0 && error.is_interruption() => {
            Failure::Signal { number, error }
        }
        (error, _) => Failure::Library(error),
    })
}

/// Makes sure that children which have ended leave their status behind. Whoever started us may have
/// had the signal of that ignored, and then nothing would be left of them.
pub fn heed_children() {
    // A handler that does nothing of importance is enough not to ignore it.
    let _ = signal_hook::flag::register(SIGCHLD, Arc::new(AtomicBool::new(false)));
}

struct CloseOnDrop(signal_hook::iterator::Handle);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// This process's mask of ignored signals, bit `n - 1` for signal `n`, as the kernel writes it.
fn ignored_mask() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.unwrap_or_default().trim().to_owned()
}

/// The signals that stop a job, without those that the mask (in hexadecimal) says are ignored.
fn heeded(ignored_mask: &str) -> Vec<i32> {
    let mask = u64::from_str_radix(ignored_mask, 16).unwrap_or(0);
    let is_ignored = |number: i32| mask >> (number - 1) & 1 == 1;
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&number| !is_ignored(number)).collect()
}

#[cfg(test)]
mod tests;
