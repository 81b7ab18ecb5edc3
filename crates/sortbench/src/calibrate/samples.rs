//! Several measurements of the same thing, and how far they lie apart.

/// The median of some rates, and by how much of it the others lie apart: the distance of the
/// quartiles, so that one outlier among many says nothing.
pub fn median_and_spread(rates: &[f64]) -> (f64, f64) {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    if sorted.is_empty() {
        return (0.0, 0.0);
    }
    let median = at(0.5);
    (median, (at(0.75) - at(0.25)) / median.max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests;
