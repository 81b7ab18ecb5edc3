//! Speed over the window, time left over the whole, and the words for both.

use super::*;

fn sample(seconds: u64, done_mb: u64, total_mb: Option<u64>) -> Sample {
    Sample {
        elapsed: Duration::from_secs(seconds),
        words: "reading",
        bytes_done: done_mb * 1_000_000,
        bytes_total: total_mb.map(|mb| mb * 1_000_000),
    }
}

fn metered(samples: &[Sample]) -> Meter {
    let mut meter = Meter::default();
    samples.iter().for_each(|&sample| meter.add(sample));
    meter
}

#[test]
fn known_total_gives_share_speed_and_time_left() {
    let meter = metered(&[sample(0, 0, Some(1000)), sample(1, 100, Some(1000))]);
    assert_eq!(meter.words(), " 10%   100 MB/s  9 s left");
}

#[test]
fn unknown_total_gives_amount_and_speed() {
    let meter = metered(&[sample(0, 0, None), sample(2, 50, None)]);
    assert_eq!(meter.words(), "50 MB    25 MB/s");
}

#[test]
fn speed_is_recent_and_time_left_is_of_the_whole() {
    // Ten seconds at 10 MB/s, then ten at 90: 1000 of 2000 MB done in 20 s.
    let samples: Vec<Sample> =
        (0..=20).map(|s| sample(s, 10 * s + 80 * s.saturating_sub(10), Some(2000))).collect();
    let meter = metered(&samples);
    assert!(meter.samples.len() <= 4, "the window is bounded: {}", meter.samples.len());
    assert_eq!(meter.words(), " 50%    90 MB/s  20 s left");
}

#[test]
fn nothing_done_promises_nothing() {
    let meter = metered(&[sample(0, 0, Some(10)), sample(1, 0, Some(10))]);
    assert_eq!(meter.words(), "  0%     0 MB/s");
    assert_eq!(Meter::default().words(), "0 MB");
}

#[test]
fn more_done_than_planned_stays_at_the_end() {
    let meter = metered(&[sample(0, 0, Some(10)), sample(1, 11, Some(10))]);
    assert_eq!(meter.words(), "100%    11 MB/s  0 s left");
}

#[test]
fn times_in_words() {
    let words = |seconds| words_of(Duration::from_secs_f64(seconds));
    assert_eq!(words(0.2), "1 s");
    assert_eq!(words(59.0), "59 s");
    assert_eq!(words(200.0), "3 min 20 s");
    assert_eq!(words(3900.0), "1 h 05 min");
}
