//! When the line is shown, and that showing it changes nothing about the work.

use super::*;

#[test]
fn auto_needs_a_terminal() {
    assert!(When::Auto.is_shown(true) && !When::Auto.is_shown(false));
    assert!(When::Always.is_shown(false) && !When::Never.is_shown(true));
}

#[test]
fn work_gives_its_result_watched_or_not() {
    let progress = Progress::new();
    assert_eq!(shown(false, &progress, || 1), 1);
    assert_eq!(shown(true, &progress, || 2), 2);
}

#[test]
fn a_panic_in_the_work_ends_the_watcher_too() {
    let result = std::panic::catch_unwind(|| shown(true, &Progress::new(), || panic!("work")));
    assert!(result.is_err(), "the panic comes through, and this test does not hang");
}
