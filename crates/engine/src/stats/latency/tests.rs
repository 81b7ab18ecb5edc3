//! Times are told to two digits, and all of them are in some bucket.

use super::*;

#[test]
fn nothing_comes_of_nothing() {
    assert_eq!(Histogram::default().latency(), None);
}

#[test]
fn times_are_told_to_two_digits() {
    let mut histogram = Histogram::default();
    (1..=1000).for_each(|time| histogram.add(Duration::from_micros(10 * time)));
    histogram.add(Duration::ZERO);
    histogram.add(Duration::from_secs(100_000));
    let latency = histogram.latency().expect("times");
    assert_eq!(latency.count, 1002);
    for (found, expected) in [(latency.p50, 0.005), (latency.p90, 0.009), (latency.p99, 0.0099)] {
        assert!((found / expected - 1.0_f64).abs() < 0.02, "{found} for {expected}");
    }
    assert!((latency.max / 3600.0 - 1.0).abs() < 0.02, "{}", latency.max);
    let counts: u64 = latency.buckets.iter().map(|(_, count)| count).sum();
    assert_eq!(counts, latency.count, "{:?}", latency.buckets);
    assert!(latency.buckets.is_sorted_by(|(a, _), (b, _)| a < b));
}
