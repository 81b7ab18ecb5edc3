//! Choice of the stride of each member of a striped file, given the speeds of its disks alone and
//! together. Pure arithmetic, after NOW-Sort's diskconf (section 4.1).
//!
//! ```text
//!   alone, together ─▶ carried: the speed of each while all work ─▶ strides in that proportion
//! ```

use std::collections::HashMap;

/// The longest stride of the slowest disk, and of any.
const SLOWEST_MAX: u64 = 8;
const STRIDE_MAX: u64 = 256;

/// Share of the sum of all speeds that is good enough. With strides of 2:3, the paper's disks carry
/// 20.8 of 21.3 MB/s.
const ENOUGH: f64 = 0.97;

/// Use of a striped file that its strides are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StripeUse {
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// As much is read as is written.
    Both,
}

/// Speed of a directory in one way, in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectoryRate {
    /// Speed while nothing else works.
    pub alone: f64,
    /// Speed while all directories are read, or all are written.
    pub together: f64,
    /// Number of its disk: those of one disk have one number.
    pub disk: usize,
}

/// Returns the speed of each directory while all work at the same time.
///
/// A directory that is slower then shares something with others: a bus shows in this way. Those of
/// one disk share its speed, so each has the same part of it, even if measurements differ.
pub fn carried(rates: &[DirectoryRate]) -> Vec<f64> {
    let mut disks: HashMap<usize, (f64, f64)> = HashMap::new();
    for rate in rates {
        let (sum, count) = disks.entry(rate.disk).or_default();
        *sum += rate.alone.min(rate.together);
        *count += 1.0;
    }
    let part = |rate: &DirectoryRate| disks.get(&rate.disk).map_or(0.0, |(sum, count)| sum / count);
    rates.iter().map(part).collect()
}

/// Strides for disks of such speeds, in multiples of a base: the shortest with which all of them
/// together reach nearly the sum of their speeds, or those that come nearest to it. All disks are
/// done at the same time if strides are in proportion to speeds.
pub fn strides(speeds: &[f64]) -> Vec<u64> {
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let of = |longest: u64| -> Vec<u64> {
        let stride = |speed: &f64| ((speed / slowest * longest as f64).round() as u64).max(1);
        speeds.iter().map(|speed| stride(speed).min(STRIDE_MAX)).collect()
    };
    let sum: f64 = speeds.iter().sum();
    let mut best = of(1);
    for longest in 1..=SLOWEST_MAX {
        let now = of(longest);
        if striped_speed(speeds, &now) > striped_speed(speeds, &best) * (1.0 + 1e-9) {
            best = now;
        }
        if striped_speed(speeds, &best) >= ENOUGH * sum {
            break;
        }
    }
    best
}

/// Returns the speed of a striped file with these strides: the member that takes longest for its
/// own holds up the others.
pub fn striped_speed(speeds: &[f64], strides: &[u64]) -> f64 {
    let times = speeds.iter().zip(strides).map(|(speed, stride)| *stride as f64 / speed);
    let row: u64 = strides.iter().sum();
    row as f64 / times.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests;
