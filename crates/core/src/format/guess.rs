//! Where a record probably begins, seen from the middle of an input: good enough for samples, which
//! may be wrong, and for nothing else.

use super::csv::At;
use super::framing::Framing;

/// Bytes from the start among which a prefix is looked for: more starts would tell no better.
const STARTS: usize = 1024;

impl Framing {
    /// Where in `bytes`, which are from anywhere, a record probably begins; their end where nothing
    /// looks like one.
    pub fn likely_start(self, bytes: &[u8]) -> usize {
        match self {
            Self::Fixed(_) | Self::Terminated(_) => self.first_length(bytes),
            // Whoever takes inside for outside sees quotes open behind letters, and few rows.
            Self::Quoted(quoting) => [At::Text, At::Quoted]
                .into_iter()
                .filter_map(|at| quoting.first_end(bytes, at))
                .min_by_key(|start| {
                    let rest = &bytes[*start..];
                    (odd_openings(quoting.quote(), rest), usize::MAX - self.count(rest))
                })
                .unwrap_or(bytes.len()),
            // Bytes that are no prefix lead out of sight within a few records.
            Self::Prefixed(_) => (0..bytes.len().min(STARTS))
                .map(|start| (self.count(&bytes[start..]), start))
                .filter(|(count, _)| *count > 1)
                .max_by_key(|(count, start)| (*count, usize::MAX - start))
                .map_or(bytes.len(), |(_, start)| start),
        }
    }
}

/// Quotes that open behind a letter or a digit, where no cell begins.
fn odd_openings(quote: u8, rows: &[u8]) -> usize {
    let mut is_inside = false;
    let is_odd = |at: usize| at > 0 && rows[at - 1].is_ascii_alphanumeric();
    let opens = |at: &usize| {
        is_inside = !is_inside;
        is_inside && is_odd(*at)
    };
    memchr::memchr_iter(quote, rows).filter(opens).count()
}

#[cfg(test)]
mod tests;
