//! Search for the probable beginning of a record in the middle of an input. Only samples may use
//! it, because the result may be wrong.

use super::csv::Gap;
use super::framing::Framing;
use super::group::LineGroup;

/// Bytes from the start among which a prefix is looked for: more starts would tell no better.
const STARTS: usize = 1024;

impl Framing {
    /// Returns the place in `bytes`, which are from anywhere, where a record probably begins.
    /// Returns their end if nothing looks like a record.
    pub fn likely_start(self, bytes: &[u8]) -> usize {
        match self {
            Self::Fixed(_) | Self::Terminated(_) => self.first_length(bytes),
            // Any line may be the first of a record; a guide knows better.
            Self::Grouped(group) => Framing::Terminated(group.end).first_length(bytes),
            // Whoever takes inside for outside sees quotes open behind letters, and few rows.
            Self::Quoted(quoting) => [Gap::Text, Gap::Quoted]
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

/// The most lines of a record that a guide distinguishes.
const GUIDED_LINES_MAX: usize = 64;

/// The most bytes of a line's beginning that a guide looks at.
const BEGINNING: usize = 4;

/// Description of what records look like, from the first ones of an input. It is needed to find
/// which of several lines is the first of a record.
#[derive(Clone, Debug)]
pub struct Guide {
    framing: Framing,
    /// Bytes that were seen at each of the first places of each line of a record.
    seen: Vec<[[bool; 256]; BEGINNING]>,
}

impl Guide {
    /// Creates a guide to records like those that `first` begins with; they may be cut off.
    pub fn new(framing: Framing, first: &[u8]) -> Self {
        let mut seen = Vec::new();
        if let Framing::Grouped(LineGroup { end, lines }) = framing
            && lines as usize <= GUIDED_LINES_MAX
        {
            seen = vec![[[false; 256]; BEGINNING]; lines as usize];
            let kinds = (0..lines as usize).cycle();
            for (kind, line) in kinds.zip(Framing::Terminated(end).records(first)) {
                for (place, byte) in line.iter().take(BEGINNING).enumerate() {
                    seen[kind][place][usize::from(*byte)] = true;
                }
            }
        }
        Self { framing, seen }
    }

    /// Returns the place in `bytes`, which are from anywhere, where a record probably begins.
    /// Returns their end if nothing looks like a record.
    pub fn likely_start(&self, bytes: &[u8]) -> usize {
        let start = self.framing.likely_start(bytes);
        let Framing::Grouped(LineGroup { end, .. }) = self.framing else { return start };
        let lines = || Framing::Terminated(end).records(&bytes[start..]);
        let likeness = |first: usize| {
            // The line `first` is the first of a record.
            let kinds = (0..self.seen.len()).cycle().skip(self.seen.len() - first);
            let like = |(kind, line): (usize, &[u8])| {
                let bytes = line.iter().take(BEGINNING).enumerate();
                bytes.filter(|(place, byte)| self.seen[kind][*place][usize::from(**byte)]).count()
            };
            kinds.zip(lines()).map(like).sum::<usize>()
        };
        let firsts = (0..self.seen.len()).rev();
        let first = firsts.max_by_key(|first| likeness(*first)).unwrap_or(0);
        start + lines().take(first).map(<[u8]>::len).sum::<usize>()
    }
}

/// Returns the number of quotes that open after a letter or a digit, where no cell begins.
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
