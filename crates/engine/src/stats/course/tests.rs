//! Work that can be reckoned by hand.

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn share(phase: Phase, bytes: u64, weight: f64) -> PhaseShare {
    PhaseShare { phase, bytes, weight }
}

/// Reading weighs as much as writing twice as many bytes; finishing a tenth of both.
fn shares() -> Vec<PhaseShare> {
    vec![
        share(Phase::Reading, 1000, 5.0),
        share(Phase::Writing, 2000, 5.0),
        share(Phase::Finishing, 0, 1.0),
    ]
}

/// A job that has just been planned, and when it began.
fn course() -> (Course, Instant) {
    let mut course = Course::default();
    let begun = course.begun;
    assert_eq!((course.done(0), course.left(0, begun)), (None, None));
    course.expect(shares(), 0, begun);
    (course, begun)
}

#[track_caller]
fn assert_left(course: &Course, bytes: u64, now: Instant, seconds: f64) {
    let left = course.left(bytes, now).expect("known").as_secs_f64();
    assert!((left - seconds).abs() < 1e-6, "{left} for {seconds}");
}

#[test]
fn each_phase_has_a_pace_of_its_own() {
    let (mut course, begun) = course();
    assert_eq!(course.done(0), None, "planning is no work");
    course.enter(Phase::Reading, 0, begun);
    assert_eq!((course.done(0), course.left(10, begun + SECOND)), (Some(0.0), None));
    // Half of it in 5 s: as long again, and 12 s for what is to come.
    assert_left(&course, 500, begun + 5 * SECOND, 5.0 + 12.0);
    assert_eq!(course.done(500), Some(2.5 / 11.0));
    // Reading took 10 s; then nobody knows better yet than that all goes at this pace.
    course.enter(Phase::Writing, 1000, begun + 10 * SECOND);
    assert_left(&course, 1000, begun + 10 * SECOND, 12.0);
    // Half of the writing took 2 s; 8 s would have been usual, and still count a little.
    let left = 0.5 * (2.0 + PRIOR * 8.0) / (0.5 + PRIOR);
    assert_left(&course, 2000, begun + 12 * SECOND, left + 12.0 / 7.5);
    course.enter(Phase::Finishing, 3000, begun + 14 * SECOND);
    assert_eq!(course.done(3000), Some(10.0 / 11.0), "not all of it");
    assert_left(&course, 3000, begun + 14 * SECOND, 1.4);
    assert_left(&course, 3000, begun + 20 * SECOND, 0.0);
}

#[test]
fn a_slow_beginning_of_a_phase_is_not_taken_for_its_pace() {
    let (mut course, begun) = course();
    course.enter(Phase::Reading, 0, begun);
    course.enter(Phase::Writing, 1000, begun + 10 * SECOND);
    // A second went before the first twentieth was written: at that pace, 19 s more.
    let now = begun + 11 * SECOND;
    let left = course.left(1100, now).expect("known").as_secs_f64();
    assert!((11.0..15.0).contains(&left), "{left} s, 12 a second ago");
    // Had all gone on so slowly, that would be known by half of it.
    let left = course.left(2000, begun + 20 * SECOND).expect("known").as_secs_f64();
    assert!((10.0..12.5).contains(&left), "{left} s, 10 for as much and 2 to finish");
}

#[test]
fn entering_twice_is_entering_once() {
    let (mut course, begun) = course();
    course.enter(Phase::Reading, 0, begun);
    course.enter(Phase::Reading, 500, begun + 5 * SECOND);
    assert_left(&course, 500, begun + 5 * SECOND, 17.0);
}

#[test]
fn less_is_known_of_other_jobs() {
    let course = Course::default();
    assert!(!course.is_known());
    let now = course.begun + 3 * SECOND;
    assert_eq!(course.left_of(0.25, now), Some(9 * SECOND));
    assert_eq!(course.left_of(1.5, now), Some(Duration::ZERO));
    assert_eq!(course.left_of(0.0, now), None);
}

#[test]
fn a_phase_may_become_longer() {
    let (mut course, begun) = course();
    course.enter(Phase::Writing, 0, begun);
    let before = course.done(1000).expect("known");
    course.expect_of(Phase::Writing, 4000);
    assert_eq!(course.done(2000), Some((5.0 + 5.0) / 16.0));
    assert!(course.done(1000) < Some(before));
    course.expect_of(Phase::IntermediateMerge, 4000); // there is none
}

#[test]
fn a_job_may_be_planned_again() {
    let (mut course, begun) = course();
    course.enter(Phase::Reading, 0, begun);
    let again = begun + 5 * SECOND;
    course.expect(shares(), 700, again);
    course.enter(Phase::Reading, 700, again);
    assert_eq!((course.done(700), course.left(700, again)), (Some(0.0), None));
    assert_eq!(course.done(1200), Some(2.5 / 11.0), "none of what was read in vain");
}
