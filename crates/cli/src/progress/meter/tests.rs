//! Speed over the window, time left over the whole, and the words for both.

use super::*;

fn sample(seconds: u64, done_mb: u64, done: Option<f64>) -> ProgressSample {
    ProgressSample {
        elapsed: Duration::from_secs(seconds),
        words: "reading",
        bytes_done: done_mb * 1_000_000,
        input_read: done_mb * 1_000_000 / 2,
        spilled: 0,
        done,
        left: done.map(|_| Duration::from_secs(9)),
    }
}

fn metered(samples: &[ProgressSample]) -> Meter {
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
fn unknown_total_gives_bytes_of_input_time_and_speed() {
    let meter = metered(&[sample(0, 0, None), sample(2, 50, None)]);
    assert_eq!(meter.words(), "25 MB read in 2 s    25 MB/s");
    let long = ProgressSample { left: Some(Duration::from_secs(9)), ..sample(75, 50, None) };
    assert_eq!(metered(&[long]).words(), "25 MB read in 1 min 15 s", "no time left is guessed");
    assert_eq!(Meter::default().words(), "");
}

#[test]
fn what_was_spilled_is_told() {
    let spilled = ProgressSample { spilled: 5_120_000_000, ..sample(1, 100, Some(0.5)) };
    let meter = metered(&[sample(0, 0, Some(0.0)), spilled]);
    assert_eq!(meter.words(), " 50%   100 MB/s  5120 MB spilled  9 s left");
}

#[test]
fn speed_is_recent() {
    // Ten seconds at 10 MB/s, then ten at 90.
    let samples: Vec<ProgressSample> =
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
    assert_eq!(words_of(59), "59 s");
    assert_eq!(words_of(200), "3 min 20 s");
    assert_eq!(words_of(3900), "1 h 05 min");
    let soon = ProgressSample { left: Some(Duration::from_millis(200)), ..sample(1, 0, Some(0.9)) };
    assert!(metered(&[soon]).words().ends_with("1 s left"), "never 0 s");
}
