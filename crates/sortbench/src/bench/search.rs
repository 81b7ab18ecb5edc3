//! Finding the largest size that is done in a time: bracketed from below and from above.

/// A bracket this tight is good enough.
const TIGHT: f64 = 1.03;

/// Sizes that are tried at most.
const TRIES: usize = 8;

/// The aim is a little below the time: a size that just misses it says less than one that makes it.
const CAUTION: f64 = 0.98;

/// Largest ratio of the next size to the largest size that was done.
const LEAP: f64 = 16.0;

/// Bytes a second that the first size supposes.
pub const SUPPOSED: f64 = 16e6;

/// A search, and what it has seen.
#[derive(Clone, Debug)]
pub struct Search {
    seconds: f64,
    most: u64,
    tries: Vec<(u64, f64)>,
}

impl Search {
    /// Creates a search for the largest size of at most `most` bytes that is done in `seconds`
    /// seconds. All sizes are of whole records.
    pub fn new(seconds: f64, most: u64) -> Self {
        Self { seconds, most, tries: Vec::new() }
    }

    /// Returns the next size to try, until the bracket is tight, or closed by the most there may
    /// be.
    pub fn next(&self) -> Option<u64> {
        if self.tries.len() >= TRIES || self.is_capped() {
            return None;
        }
        let size = match (self.best(), self.worst()) {
            (None, None) => self.seconds * SUPPOSED,
            (Some((size, took)), None) => {
                size as f64 * (self.seconds / took * CAUTION).clamp(TIGHT, LEAP)
            }
            (None, Some((size, took))) => size as f64 * (self.seconds / took * CAUTION).min(0.9),
            (Some((below, _)), Some((above, _))) if (above as f64) < below as f64 * TIGHT => {
                return None;
            }
            (Some((below, short)), Some((above, long))) => {
                self.between(below as f64, short, above as f64, long)
            }
        };
        let size = (size as u64).min(self.most) / 100 * 100;
        let is_new = self.tries.iter().all(|(tried, _)| *tried != size);
        (size > 0 && is_new).then_some(size)
    }

    /// Returns where the time would be met if it grew evenly from the size `below`, which takes the
    /// `short` time, to the size `above`, and off both ends by enough that the bracket becomes
    /// tighter.
    fn between(&self, below: f64, short: f64, above: f64, long: f64) -> f64 {
        let share = (self.seconds * CAUTION - short) / (long - short).max(f64::MIN_POSITIVE);
        below + (above - below) * share.clamp(0.1, 0.9)
    }

    /// Notes how long a size took.
    pub fn note(&mut self, size: u64, seconds: f64) {
        self.tries.push((size, seconds));
    }

    /// Returns the largest size that was done in the time, and how long it took: one below every
    /// size that was not.
    pub fn best(&self) -> Option<(u64, f64)> {
        let limit = self.worst().map_or(u64::MAX, |(size, _)| size);
        let done = self.tries.iter().filter(|(size, took)| *took <= self.seconds && *size < limit);
        done.max_by_key(|(size, _)| *size).copied()
    }

    /// Returns the smallest size that was not.
    fn worst(&self) -> Option<(u64, f64)> {
        let missed = self.tries.iter().filter(|(_, took)| *took > self.seconds);
        missed.min_by_key(|(size, _)| *size).copied()
    }

    /// Returns whether the most that may be tried was done in the time.
    pub fn is_capped(&self) -> bool {
        self.best().is_some_and(|(size, _)| size >= self.most / 100 * 100)
    }

    /// Returns all sizes that were tried, and their seconds, in order.
    pub fn tries(&self) -> &[(u64, f64)] {
        &self.tries
    }
}

#[cfg(test)]
mod tests;
