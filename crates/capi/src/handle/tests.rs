//! Panics in calls, and calls of two threads.

use std::sync::Barrier;
use std::thread;

use super::*;
use crate::call_error::code;

#[test]
fn a_panic_becomes_a_code_and_no_call_follows() {
    let handle = Handle::new(EmbeddedCommand::Sort);
    let made: Result<(), CallError> = handle.call("f", |_| panic!("a fault on purpose"));
    let error = made.expect_err("a panic");
    assert_eq!(error.code(), code::BUG);
    assert!(error.message().to_string_lossy().contains("a fault on purpose"), "{error:?}");
    let next = handle.call("g", |job| job.push(b"a\n")).expect_err("broken");
    assert_eq!(next, error, "every call answers with the first fault");
    assert!(handle.is_free(), "it can be freed");
}

#[test]
fn two_threads_cannot_call_at_once() {
    let handle = Handle::new(EmbeddedCommand::Sort);
    let (begun, end) = (Barrier::new(2), Barrier::new(2));
    thread::scope(|scope| {
        scope.spawn(|| {
            handle.call("f", |_| {
                begun.wait();
                end.wait();
                Ok(())
            })
        });
        begun.wait();
        let error = handle.call("g", |_| Ok(())).expect_err("in use");
        let is_free = handle.is_free();
        end.wait();
        assert_eq!(error.code(), code::USAGE);
        assert!(!is_free);
    });
    handle.call("g", |_| Ok(())).expect("free again");
}
