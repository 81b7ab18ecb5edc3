//! Buffers that are lent, used from other threads, and taken back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread::{scope, sleep, spawn};
use std::time::Duration;

use super::*;

#[test]
fn another_thread_writes_to_a_lent_buffer() {
    let mut buffer = [0; 5];
    let (to, from) = channel::<LentBuffer>();
    let borrower = spawn(move || {
        let lent = from.recv().expect("a buffer");
        assert_eq!(lent.with(|bytes| bytes[1..3].fill(7)), Some(()));
        assert_eq!(lent.with(|bytes| bytes.len()), Some(5));
        lent
    });
    let lent = lend(&mut buffer, |lent| {
        to.send(lent).expect("a borrower");
        borrower.join().expect("no panic")
    });
    assert_eq!(lent.with(|bytes| bytes.fill(9)), None, "it was taken back");
    assert_eq!(buffer, [0, 7, 7, 0, 0]);
}

/// The lender waits for a thread that is writing.
#[test]
fn a_buffer_is_not_taken_back_while_it_is_written_to() {
    let mut buffer = vec![0; 4];
    scope(|threads| {
        let (to, from) = channel::<()>();
        lend(&mut buffer, |lent| {
            threads.spawn(move || {
                lent.with(|bytes| {
                    to.send(()).expect("a lender");
                    sleep(Duration::from_millis(50));
                    bytes.fill(1);
                })
            });
            from.recv().expect("the writer has begun");
        });
        assert_eq!(buffer, [1; 4]);
    });
}

#[test]
fn panics_take_a_buffer_back() {
    let mut buffer = [3; 2];
    let mut kept = None;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        lend(&mut buffer, |lent| {
            let written = catch_unwind(AssertUnwindSafe(|| lent.with(|_| panic!("on purpose"))));
            assert!(written.is_err());
            assert_eq!(lent.with(|bytes| bytes[0]), Some(3), "it is still lent");
            kept = Some(lent);
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(kept.and_then(|lent| lent.with(|bytes| bytes.len())), None);
}
