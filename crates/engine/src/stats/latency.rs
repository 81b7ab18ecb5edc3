//! Durations of requests, in a fixed and small amount of memory for any number of them.

use std::time::Duration;

use serde::Serialize;

/// Digits that are kept of each time.
const DIGITS: u8 = 2;

/// Longest time that is distinguished, in microseconds: an hour.
const LONGEST: u64 = 3600 * 1_000_000;

/// Ratio of the upper bounds of neighbouring buckets.
const STEP: f64 = std::f64::consts::SQRT_2;

/// Counts of times, to two digits (HdrHistogram). Nothing is taken for it before the first.
#[derive(Debug, Default)]
pub struct Histogram(Option<hdrhistogram::Histogram<u32>>);

/// Latencies of requests in seconds; for io_uring, until a worker noticed the completion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Number of requests.
    pub count: u64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
    /// Upper bound of each bucket, and its number of requests; empty buckets are left out.
    pub buckets: Vec<(f64, u64)>,
}

impl Histogram {
    /// Counts a time.
    pub fn add(&mut self, time: Duration) {
        if self.0.is_none() {
            self.0 = hdrhistogram::Histogram::new_with_bounds(1, LONGEST, DIGITS).ok();
        }
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(time.as_micros() as u64);
        }
    }

    /// Returns the latencies; `None` without any request.
    pub fn latency(&self) -> Option<Latency> {
        let histogram = self.0.as_ref()?;
        let seconds = |microseconds: u64| microseconds as f64 / 1e6;
        let at = |share: f64| seconds(histogram.value_at_quantile(share));
        let buckets = histogram.iter_log(1, STEP).filter_map(|bucket| {
            let count = bucket.count_since_last_iteration();
            (count > 0).then(|| (seconds(bucket.value_iterated_to()), count))
        });
        Some(Latency {
            count: histogram.len(),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: seconds(histogram.max()),
            buckets: buckets.collect(),
        })
    }
}

#[cfg(test)]
mod tests;
