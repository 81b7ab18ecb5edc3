//! All time is spent once.

use std::thread::sleep;

use super::*;
use crate::stats::Stream;

#[test]
fn what_the_lane_counts_is_taken_off() {
    let begun = Instant::now();
    let mut clock = WorkerClock::default();
    clock.turn_from(Duration::ZERO, Activity::Sorting);
    sleep(Duration::from_millis(2));
    clock.turn_to(Activity::Gathering);
    sleep(Duration::from_millis(20));
    let mut waited = Waits::default();
    waited.add(Stream::SpillRead, Duration::from_millis(9));
    let written = Duration::from_millis(3);
    clock.turn_from(waited.total() + written, Activity::Resting);
    clock.turn_from(waited.total() + written, Activity::Resting);
    let all = begun.elapsed().as_secs_f64();
    let time = clock.time(waited, written);
    assert_eq!((time.waiting, time.waiting_for), (0.009, waited));
    assert!(time.sorting >= 0.002 && time.gathering >= 0.008, "{time:?}");
    let WorkerTime { reading, dealing, sorting, merging, gathering, resting, .. } = time;
    let own = reading + dealing + sorting + merging + gathering + resting;
    let sum = own + time.waiting + time.writing;
    assert!(sum <= all && sum > 0.9 * all - 0.001, "{sum} of {all}: {time:?}");
}
