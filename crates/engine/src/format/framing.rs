//! Splitting of bytes in memory into records.

use memchr::{memchr, memchr_iter, memrchr};

use super::csv::{self, Gap, Quoting};
use super::group::LineGroup;
use super::prefix::Prefix;

/// Cuts bytes into records. A record includes what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Every record has this many bytes.
    Fixed(usize),
    /// Every record ends with this byte, which is found nowhere else in it.
    Terminated(u8),
    /// Every record ends with a line feed that does not lie in quotes.
    Quoted(Quoting),
    /// Every record begins with its length.
    Prefixed(Prefix),
    /// Every record is some lines.
    Grouped(LineGroup),
}

/// The effect of some bytes on the place that they are passed from, be that in a record or between
/// two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// An effect that is found only by passing the bytes.
    Any,
    /// The effect on rows.
    Rows(csv::RowPassage),
    /// The effect on groups of lines: the number of lines that end among the bytes.
    Lines(usize),
}

impl Framing {
    /// Returns the number of bytes of the first record in `bytes`; all there are where its end is
    /// not among them.
    #[inline]
    pub fn first_length(self, bytes: &[u8]) -> usize {
        self.whole_length(bytes).unwrap_or(bytes.len())
    }

    /// Returns the number of bytes of the first record in `bytes`, where these hold all of it.
    #[inline]
    pub fn whole_length(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Terminated(end) => memchr(end, bytes).map(|at| at + 1),
            Self::Quoted(quoting) => quoting.first_end(bytes, Gap::Start),
            Self::Prefixed(prefix) => prefix.record_length(bytes),
            Self::Grouped(group) => group.record_length(bytes),
        }
        .filter(|length| *length <= bytes.len())
    }

    /// Returns the number of bytes of every record, where these do not differ.
    pub fn fixed_length(self) -> Option<usize> {
        match self {
            Self::Fixed(length) => Some(length),
            _ => None,
        }
    }

    /// Returns the least number of bytes that a record can have.
    pub fn least_length(self) -> usize {
        match self {
            Self::Fixed(length) => length,
            Self::Prefixed(prefix) => prefix.bytes(),
            Self::Terminated(_) | Self::Quoted(_) | Self::Grouped(_) => 1,
        }
    }

    /// Returns what is wrong with the record that `bytes` begins with, where its first bytes tell.
    pub fn fault(self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Prefixed(prefix) => prefix.fault(bytes),
            _ => None,
        }
    }

    /// Returns the byte that the last record of an input gets where it has no end.
    pub fn terminator(self) -> Option<u8> {
        match self {
            Self::Terminated(end) => Some(end),
            Self::Quoted(_) => Some(csv::ROW_END),
            Self::Grouped(group) => Some(group.end),
            Self::Fixed(_) | Self::Prefixed(_) => None,
        }
    }

    /// Returns the byte that ends lines, as messages count them.
    pub fn line_end(self) -> u8 {
        match self {
            Self::Grouped(group) => group.end,
            _ => b'\n',
        }
    }

    /// Returns the number of lines of `records` records, if all have the same number.
    pub fn lines_of(self, records: u64) -> Option<u64> {
        match self {
            Self::Grouped(group) => Some(records.saturating_mul(group.lines.into())),
            _ => None,
        }
    }

    /// Returns whether the bytes around a place show where records begin. Otherwise this takes all
    /// bytes since a known place.
    pub fn is_local(self) -> bool {
        matches!(self, Self::Fixed(_) | Self::Terminated(_))
    }

    /// Returns the effect of a piece of an input on where records begin after it, for any bytes
    /// before it.
    pub fn passage(self, bytes: &[u8]) -> Passage {
        match self {
            Self::Quoted(quoting) => Passage::Rows(quoting.passage(bytes)),
            Self::Grouped(group) => Passage::Lines(group.count_lines(bytes)),
            Self::Fixed(_) | Self::Terminated(_) | Self::Prefixed(_) => Passage::Any,
        }
    }

    /// Returns the records in `bytes`, which holds whole ones back to back.
    pub fn records(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let (record, behind) = rest.split_at(self.first_length(rest));
            rest = behind;
            (!record.is_empty()).then_some(record)
        })
    }

    /// Returns the number of whole records in `bytes`, which begins with a record.
    pub fn count(self, bytes: &[u8]) -> usize {
        match self {
            Self::Fixed(length) => bytes.len() / length,
            Self::Terminated(end) => memchr_iter(end, bytes).count(),
            Self::Quoted(quoting) => quoting.count(bytes),
            Self::Prefixed(prefix) => prefix.count(bytes),
            Self::Grouped(group) => group.count_lines(bytes) / group.lines as usize,
        }
    }

    /// Returns the number of bytes of the whole records at the beginning of `bytes`.
    pub fn whole_bytes(self, bytes: &[u8]) -> usize {
        match self {
            Self::Fixed(length) => bytes.len() / length * length,
            Self::Terminated(end) => memrchr(end, bytes).map_or(0, |last| last + 1),
            Self::Quoted(_) | Self::Prefixed(_) => self.walk(bytes, |_| true),
            Self::Grouped(group) => {
                let excess = group.count_lines(bytes) % group.lines as usize;
                group.last_end(bytes, excess)
            }
        }
    }

    /// Returns the first record of `records` that begins at byte `boundary` or after it; whole
    /// records lie back to back there.
    pub fn first_from(self, records: &[u8], boundary: usize) -> Option<usize> {
        if boundary >= records.len() {
            return None;
        }
        let next = match self {
            Self::Fixed(length) => boundary.next_multiple_of(length),
            // The byte before may end a record.
            Self::Terminated(end) if boundary > 0 => {
                boundary + memchr(end, &records[boundary - 1..])?
            }
            _ => self.walk(records, |at| at < boundary),
        };
        (next < records.len()).then_some(next)
    }

    /// Returns the beginning of the last of some whole records.
    pub fn last_start(self, records: &[u8]) -> usize {
        match self {
            Self::Fixed(length) => records.len() - length,
            Self::Terminated(end) => {
                memrchr(end, &records[..records.len() - 1]).map_or(0, |before| before + 1)
            }
            Self::Grouped(group) => group.last_end(records, group.lines as usize),
            Self::Quoted(_) | Self::Prefixed(_) => {
                let mut last = 0;
                self.walk(records, |at| {
                    last = at;
                    true
                });
                last
            }
        }
    }

    /// Goes over the whole records of `bytes` as long as `is_passed` holds for where the next one
    /// begins; where it stopped.
    fn walk(self, bytes: &[u8], mut is_passed: impl FnMut(usize) -> bool) -> usize {
        let mut at = 0;
        while let Some(length) = self.whole_length(&bytes[at..]) {
            if length == 0 || !is_passed(at) {
                break;
            }
            at += length;
        }
        at
    }
}

#[cfg(test)]
mod tests;
