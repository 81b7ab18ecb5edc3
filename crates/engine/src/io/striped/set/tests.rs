//! Tests of work on many members at the same time.

use super::*;

/// Returns 100 items, each with whether the calling thread did it.
fn done(builder: fn() -> Builder) -> Vec<(usize, bool)> {
    let caller = thread::current().id();
    all_at_once(0..100, &|item| (item, thread::current().id() == caller), builder)
}

#[test]
fn each_item_has_a_thread_and_results_are_in_order() {
    assert_eq!(done(Builder::new), (0..100).map(|item| (item, false)).collect::<Vec<_>>());
}

#[test]
fn items_whose_thread_is_refused_are_done_by_the_calling_thread() {
    // No machine has room for such a stack.
    let refused = || Builder::new().stack_size(1 << 60);
    assert!(refused().spawn(|| ()).is_err());
    assert_eq!(done(refused), (0..100).map(|item| (item, true)).collect::<Vec<_>>());
}

#[test]
fn the_first_error_of_many_items_is_returned() {
    let act = |item: u64| match item % 70 {
        69 => Err(Error::Changed { expected: item, found: 0 }),
        _ => Ok(item),
    };
    assert_eq!(in_parallel(0..69, act).unwrap(), (0..69).collect::<Vec<_>>());
    assert!(matches!(in_parallel(0..200, act), Err(Error::Changed { expected: 69, .. })));
}
