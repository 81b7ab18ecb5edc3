//! Which signals are heeded, and that one received stops the work and names itself.

use crate::failure::usage_error;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::*;

/// Held while a job runs: there is one at a time, and between jobs a signal ends the process.
static ONE_JOB: Mutex<()> = Mutex::new(());

#[test]
fn ignored_signals_stay_ignored() {
    assert_eq!(not_ignored("0000000000000000"), [SIGINT, SIGTERM, SIGHUP]);
    assert_eq!(not_ignored("0000000000000001"), [SIGINT, SIGTERM], "nohup");
    assert_eq!(not_ignored("0000000000000006"), [SIGTERM, SIGHUP], "a shell's background job");
    assert_eq!(not_ignored(""), [SIGINT, SIGTERM, SIGHUP], "no /proc");
}

#[test]
fn a_signal_stops_the_work_and_is_named() {
    let _one = ONE_JOB.lock().unwrap_or_else(PoisonError::into_inner);
    let progress = Progress::new();
    let outcome = stoppable::<()>(&progress, || {
        signal_hook::low_level::raise(SIGTERM).expect("raise");
        let deadline = Instant::now() + Duration::from_secs(10);
        while !progress.is_stopping() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        Err(sortwell::Error::Interrupted)
    });
    assert!(matches!(outcome, Err(Failure::Signal { number: SIGTERM, .. })), "{outcome:?}");
}

#[test]
fn work_without_a_signal_is_left_alone() {
    let _one = ONE_JOB.lock().unwrap_or_else(PoisonError::into_inner);
    let progress = Progress::new();
    assert_eq!(stoppable(&progress, || Ok(7)).expect("no signal"), 7);
    assert!(!progress.is_stopping());
    let outcome = stoppable::<()>(&progress, || Err(usage_error("no")));
    assert!(matches!(outcome, Err(Failure::Library(sortwell::Error::Config(_)))), "{outcome:?}");
}
