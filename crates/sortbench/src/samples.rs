//! Several measurements of the same thing, and how far they lie apart.

use serde::Serialize;

/// The middle of some measurements, and where half of them and all of them lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// The least.
    pub least: f64,
    /// The value that a quarter of the samples lie below.
    pub lower: f64,
    /// The value that half of the samples lie below.
    pub median: f64,
    /// The value that a quarter of the samples lie above.
    pub upper: f64,
    /// The most.
    pub most: f64,
    /// Number of values.
    pub count: usize,
}

impl Spread {
    /// Returns the spread of these samples; all zeros without samples.
    pub fn of(samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        // Between two samples, as their distances say (the seventh definition of Hyndman and Fan,
        // "Sample Quantiles in Statistical Packages", 1996).
        let at = |share: f64| {
            let place = sorted.len().saturating_sub(1) as f64 * share;
            let [before, after] = [place.floor(), place.ceil()]
                .map(|place| sorted.get(place as usize).copied().unwrap_or_default());
            before + (after - before) * place.fract()
        };
        Self {
            least: at(0.0),
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
            most: at(1.0),
            count: sorted.len(),
        }
    }

    /// Returns the distance of the quartiles as a share of the median. One outlier among many does
    /// not matter.
    pub fn relative(&self) -> f64 {
        match self.count {
            0 => 0.0,
            _ => (self.upper - self.lower) / self.median.max(f64::MIN_POSITIVE),
        }
    }
}

/// Returns the median of some rates, and by how much of it the others lie apart.
pub fn median_and_spread(rates: &[f64]) -> (f64, f64) {
    let spread = Spread::of(rates);
    (spread.median, spread.relative())
}

#[cfg(test)]
mod tests;
