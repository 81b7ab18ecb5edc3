//! Choice of the stride of each member of a striped file, given the speeds of its disks.

/// The longest stride of the slowest disk, and of any.
const SLOWEST_MAX: u64 = 8;
const STRIDE_MAX: u64 = 256;

/// Share of the sum of all speeds that is good enough.
const ENOUGH: f64 = 0.98;

/// Strides for disks of such speeds, in multiples of a base: the shortest with which all of them
/// together reach nearly the sum of their speeds, or those that come nearest to it. All disks are
/// done at the same time if strides are in proportion to speeds (NOW-Sort, section 4.1).
pub fn strides(speeds: &[f64]) -> Vec<u64> {
    let slowest = speeds.iter().copied().fold(f64::INFINITY, f64::min);
    let of = |longest: u64| -> Vec<u64> {
        let stride = |speed: &f64| ((speed / slowest * longest as f64).round() as u64).max(1);
        speeds.iter().map(|speed| stride(speed).min(STRIDE_MAX)).collect()
    };
    let mut best = of(1);
    for longest in 1..=SLOWEST_MAX {
        let now = of(longest);
        if efficiency(speeds, &now) > efficiency(speeds, &best) + 1e-9 {
            best = now;
        }
        if efficiency(speeds, &best) >= ENOUGH {
            break;
        }
    }
    best
}

/// Returns the share of the sum of all speeds that is reached with these strides: the member that
/// takes longest for its own holds up the others.
fn efficiency(speeds: &[f64], strides: &[u64]) -> f64 {
    let times = speeds.iter().zip(strides).map(|(speed, stride)| *stride as f64 / speed);
    let longest = times.fold(0.0, f64::max);
    let row: u64 = strides.iter().sum();
    row as f64 / longest / speeds.iter().sum::<f64>()
}

#[cfg(test)]
mod tests;
