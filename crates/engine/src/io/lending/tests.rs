//! Sources that are lent, used by other threads, and taken back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread::{scope, sleep, spawn};
use std::time::Duration;

use super::*;

#[test]
fn another_thread_takes_bytes_of_a_lent_source() {
    let bytes = [1, 2, 3, 4, 5];
    let mut rest = &bytes[..];
    let mut source = |buffer: &mut [u8]| {
        let count = buffer.len().min(rest.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        rest = &rest[count..];
        count
    };
    let (to, from) = channel::<LentSource>();
    let borrower = spawn(move || {
        let lent = from.recv().expect("a source");
        let mut buffer = [0; 3];
        assert_eq!((lent.fill(&mut buffer), buffer), (Some(3), [1, 2, 3]));
        assert_eq!((lent.fill(&mut buffer), buffer), (Some(2), [4, 5, 3]));
        lent
    });
    let lent = lend(&mut source, |lent| {
        to.send(lent).expect("a borrower");
        borrower.join().expect("no panic")
    });
    assert_eq!(lent.fill(&mut [0; 3]), None, "it was taken back");
    assert!(rest.is_empty());
}

/// The lender waits for a thread that calls the source.
#[test]
fn a_source_is_not_taken_back_while_it_is_called() {
    let mut is_over = false;
    let (to, from) = channel::<()>();
    let mut source = |_: &mut [u8]| {
        to.send(()).expect("a lender");
        sleep(Duration::from_millis(50));
        is_over = true;
        0
    };
    scope(|threads| {
        lend(&mut source, |lent| {
            threads.spawn(move || lent.fill(&mut []));
            from.recv().expect("the call has begun");
        });
    });
    assert!(is_over);
}

#[test]
fn panics_take_a_source_back() {
    let mut kept = None;
    let mut calls = 0;
    let mut source = |_: &mut [u8]| {
        calls += 1;
        assert!(calls > 1, "on purpose");
        7
    };
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        lend(&mut source, |lent| {
            assert!(catch_unwind(AssertUnwindSafe(|| lent.fill(&mut []))).is_err());
            assert_eq!(lent.fill(&mut []), Some(7), "it is still lent");
            kept = Some(lent);
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(kept.and_then(|lent| lent.fill(&mut [])), None);
}
