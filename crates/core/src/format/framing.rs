//! How one record is told from the next in memory.

use memchr::memchr;

/// Cuts bytes into records. A record includes what ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Every record has this many bytes.
    Fixed(usize),
    /// Every record ends with this byte, which is found nowhere else in it.
    Terminated(u8),
}

impl Framing {
    /// Bytes of the first record in `bytes`; all there are where its end is not among them.
    #[inline]
    pub fn first_length(self, bytes: &[u8]) -> usize {
        match self {
            Self::Fixed(length) => length.min(bytes.len()),
            Self::Terminated(end) => memchr(end, bytes).map_or(bytes.len(), |at| at + 1),
        }
    }

    /// Bytes of every record, where these do not differ.
    pub fn fixed_length(self) -> Option<usize> {
        match self {
            Self::Fixed(length) => Some(length),
            Self::Terminated(_) => None,
        }
    }

    /// The records in `bytes`, which holds whole ones back to back.
    pub fn records(self, bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = bytes;
        std::iter::from_fn(move || {
            let (record, behind) = rest.split_at(self.first_length(rest));
            rest = behind;
            (!record.is_empty()).then_some(record)
        })
    }
}

#[cfg(test)]
mod tests;
