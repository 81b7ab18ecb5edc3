//! When the line is shown, and that showing it changes nothing about the work.

use super::*;

#[test]
fn auto_needs_a_terminal() {
    assert_eq!((When::Auto.style(true), When::Auto.style(false)), (Some(Style::Line), None));
    assert_eq!((When::Always.style(false), When::Never.style(true)), (Some(Style::Line), None));
    assert_eq!(When::Json.style(false), Some(Style::Events));
}

#[test]
fn work_gives_its_result_watched_or_not() {
    let progress = Progress::new();
    assert_eq!(shown(None, &progress, || Ok::<_, ()>(1)), Ok(1));
    assert_eq!(shown(Some(Style::Line), &progress, || Ok::<_, ()>(2)), Ok(2));
    assert_eq!(shown(Some(Style::Events), &progress, || Err::<(), _>(3)), Err(3));
}

#[test]
fn a_panic_in_the_work_ends_the_watcher_too() {
    for style in [Style::Line, Style::Events] {
        let work = || shown(Some(style), &Progress::new(), || -> Result<(), ()> { panic!("work") });
        assert!(std::panic::catch_unwind(work).is_err(), "it comes through, and nothing hangs");
    }
}
