//! Speed over the window, time left over the whole, and the words for both.

use super::*;

fn sample(seconds: u64, done_mb: u64, done: Option<f64>) -> Sample {
    Sample {
        elapsed: Duration::from_secs(seconds),
        words: "reading",
        bytes_done: done_mb * 1_000_000,
        spilled: 0,
        done,
        left: done.map(|_| Duration::from_secs(9)),
    }
}

fn metered(samples: &[Sample]) -> Meter {
    let mut meter = Meter::default();
    samples.iter().for_each(|&sample| meter.add(sample));
    meter
}

#[test]
fn known_total_gives_share_speed_and_time_left() {
    let meter = metered(&[sample(0, 0, Some(0.0)), sample(1, 100, Some(0.109))]);
    assert_eq!(meter.words(), " 10%   100 MB/s  9 s left");
}

#[test]
fn unknown_total_gives_amount_and_speed() {
    let meter = metered(&[sample(0, 0, None), sample(2, 50, None)]);
    assert_eq!(meter.words(), "50 MB    25 MB/s");
    assert_eq!(Meter::default().words(), "0 MB");
}

#[test]
fn what_was_spilled_is_told() {
    let spilled = Sample { spilled: 5_120_000_000, ..sample(1, 100, Some(0.5)) };
    let meter = metered(&[sample(0, 0, Some(0.0)), spilled]);
    assert_eq!(meter.words(), " 50%   100 MB/s  5120 MB spilled  9 s left");
}

#[test]
fn speed_is_recent() {
    // Ten seconds at 10 MB/s, then ten at 90.
    let samples: Vec<Sample> =
        (0..=20).map(|s| sample(s, 10 * s + 80 * s.saturating_sub(10), Some(0.5))).collect();
    let meter = metered(&samples);
    assert!(meter.samples.len() <= 4, "the window is bounded: {}", meter.samples.len());
    assert_eq!(meter.words(), " 50%    90 MB/s  9 s left");
}

#[test]
fn the_share_that_is_done_never_becomes_less() {
    let meter =
        metered(&[sample(0, 0, Some(0.0)), sample(1, 9, Some(0.9)), sample(2, 18, Some(0.4))]);
    assert_eq!(meter.words(), " 90%     9 MB/s  9 s left");
}

#[test]
fn times_in_words() {
    let words = |seconds| words_of(Duration::from_secs_f64(seconds));
    assert_eq!(words(0.2), "1 s");
    assert_eq!(words(59.0), "59 s");
    assert_eq!(words(200.0), "3 min 20 s");
    assert_eq!(words(3900.0), "1 h 05 min");
}
