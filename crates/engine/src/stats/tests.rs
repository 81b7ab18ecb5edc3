//! The live counters say what they were told.

use super::*;

#[test]
fn every_phase_is_told_as_it_was_entered() {
    let progress = Progress::new();
    assert_eq!(progress.phase(), Phase::Planning);
    let mut words: Vec<&str> = Vec::new();
    for phase in Phase::ALL {
        progress.enter(phase);
        assert_eq!(progress.phase(), phase);
        words.push(phase.words());
    }
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), Phase::ALL.len(), "each has words of its own: {words:?}");
}

#[test]
fn bytes_add_up_and_the_total_may_be_unknown() {
    let progress = Progress::new();
    progress.moved(3);
    assert_eq!(progress.bytes(), (3, None));
    progress.expect_bytes(10);
    progress.moved(4);
    assert_eq!(progress.bytes(), (7, Some(10)));
    assert_eq!(progress.done(), Some(0.7));
    assert!(progress.left().is_some());
}

#[test]
fn a_part_stops_with_the_whole_and_counts_for_it() {
    let progress = Progress::new();
    let (part, other) = (progress.part(), progress.part());
    let nested = part.part();
    part.moved(3);
    nested.moved(4);
    assert_eq!(progress.bytes().0, 7);
    other.set_failing(true);
    part.request_stop();
    assert!(part.is_stopping() && nested.is_stopping() && other.is_stopping());
    assert!(!progress.is_stopping() && !other.is_stop_requested());
    progress.request_stop();
    assert!(other.is_stop_requested() && progress.part().is_stop_requested());
}

#[test]
fn a_stop_is_asked_for_once_and_for_all() {
    let progress = Progress::new();
    assert!(!progress.is_stopping());
    progress.request_stop();
    assert!(progress.is_stopping());
}
