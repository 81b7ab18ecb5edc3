//! Search for the memory wall: the most memory that can be in use without paging.
//!
//! NOW-Sort's tool takes a buffer, touches it, touches each page of it again, and looks at the
//! utilisation of the processor meanwhile. Where the buffer is in memory, the second touch never
//! waits, and a larger buffer is tried. Where pages come from a disk it does, and a smaller one is
//! tried: a binary search (Arpaci-Dusseau et al. 1997, section 4.1.3).

use std::fs;
use std::time::{Duration, Instant};

use sortwell::Result;
use sortwell::unstable::io::Region;
use sortwell::unstable::sys::limits;

/// Utilisation of the processor from which memory counts as present, as in NOW-Sort.
pub const PRESENT: f64 = 0.85;

/// Percentage of the wall that is safe to use, as in NOW-Sort.
pub const SAFE_PERCENT: u64 = 95;

/// Distance of the bytes that are touched: the smallest page.
const PAGE: usize = 4096;

/// Measurements of a size; the best one counts, as other programs only lower it.
const TRIES: usize = 3;

/// Least time of a measurement, so that clocks can tell.
const TRY_LEAST: Duration = Duration::from_millis(10);

/// Answer to the question whether so much memory fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFit {
    /// It does.
    Fits,
    /// It does not.
    TooMuch,
    /// The time was over before that was known.
    Unknown,
}

/// Result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundWall {
    /// Most bytes that fit; 0 if none were tried or none fit.
    pub bytes: u64,
    /// Answer for the least size that was tried and did not fit, or was not known; `Fits` if all
    /// that may be tried do.
    pub next: MemoryFit,
}

/// Doubles a size of `step` bytes as long as it fits, up to `most`, and halves the distance between
/// what fits and what does not down to a step.
///
/// # Errors
///
/// Those of `fits`.
pub fn search(
    step: u64,
    most: u64,
    mut fits: impl FnMut(u64) -> Result<MemoryFit>,
) -> Result<FoundWall> {
    let most = most / step;
    let (mut low, mut high, mut next) = (0, most + 1, MemoryFit::Fits);
    while high - low > 1 {
        let doubled = (2 * low).max(1);
        let tried =
            if next == MemoryFit::Fits { doubled.min(most) } else { low + (high - low) / 2 };
        match fits(tried * step)? {
            MemoryFit::Fits => low = tried,
            MemoryFit::TooMuch => (high, next) = (tried, MemoryFit::TooMuch),
            MemoryFit::Unknown => {
                return Ok(FoundWall { bytes: low * step, next: MemoryFit::Unknown });
            }
        }
    }
    Ok(FoundWall { bytes: low * step, next })
}

/// Touches each page of memory that was touched before. Returns the utilisation of the processor
/// while it does: its time as a share of the time in which it could run.
pub fn utilisation(memory: &mut [Region]) -> f64 {
    (0..TRIES).map(|_| touch_again(memory)).fold(0.0, f64::max)
}

fn touch_again(memory: &mut [Region]) -> f64 {
    let used = || {
        let time = limits::processor_time();
        time.user_seconds + time.system_seconds
    };
    let (begun, used_before, queued_before) = (Instant::now(), used(), queued_seconds());
    loop {
        for region in &mut *memory {
            for at in (0..region.len()).step_by(PAGE) {
                region[at] = std::hint::black_box(region[at]).wrapping_add(1);
            }
        }
        if memory.is_empty() || begun.elapsed() >= TRY_LEAST {
            break;
        }
    }
    let queued = queued_seconds() - queued_before;
    let seconds = begun.elapsed().as_secs_f64() - queued;
    ((used() - used_before) / seconds.max(f64::MIN_POSITIVE)).min(1.0)
}

/// Returns the seconds that this thread has waited for a processor that others had; 0 if the system
/// does not count them.
fn queued_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().nth(1).and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

#[cfg(test)]
mod tests;
