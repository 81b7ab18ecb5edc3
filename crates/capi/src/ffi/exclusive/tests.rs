//! One call at a time has the value, whatever ends it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::*;

#[test]
fn one_call_at_a_time() {
    let value = Exclusive::new(1);
    let mut entered = value.enter().unwrap();
    assert!(value.enter().is_none());
    *entered += 1;
    drop(entered);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _entered = value.enter().unwrap();
        panic!("as a test");
    }));
    assert!(panicked.is_err());
    assert_eq!(*value.enter().unwrap(), 2);
}

#[test]
fn threads_never_share_the_value() {
    let value = Exclusive::new(0_u64);
    let add = || {
        let entered = (0..100_000).filter_map(|_| value.enter());
        entered.map(|mut held| *held += 1).count() as u64
    };
    let added = thread::scope(|scope| {
        let threads = [0; 4].map(|_| scope.spawn(add));
        threads.map(|thread| thread.join().unwrap()).iter().sum::<u64>()
    });
    assert_eq!(*value.enter().unwrap(), added);
}
