//! Panics on this thread and on others become failures.

use std::process::ExitCode;

use super::*;

#[test]
fn a_panic_becomes_a_failure_with_its_words() {
    let outcome = guarded(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| panic!("a bucket lost its lid"));
            worker.join().unwrap_or_else(|panic| panic::resume_unwind(panic))
        })
    });
    let Err(failure) = outcome else { panic!("it panicked") };
    let said = failure.message();
    assert!(matches!(failure, Failure::Fault(_)), "{said}");
    for part in ["internal error", "report this message"] {
        assert!(said.contains(part), "'{part}' is missing in: {said}");
    }
    let fine = guarded(|| Ok(ExitCode::SUCCESS));
    assert!(fine.is_ok());
    let _ = panic::take_hook();
}
