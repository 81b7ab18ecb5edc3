//! Records of several lines, as many in each.
//!
//! ```text
//!     lines:group=4      @name | ACGT | + | !!!! | @name | ...     a FASTQ file
//! ```
//!
//! Where such a record begins can only be told from the beginning of its input, by counting.

use memchr::{memchr_iter, memrchr_iter};

use super::csv::nth_end;

/// The most lines that a record may have.
pub const GROUP_LINES_MAX: u32 = 1_000_000;

/// Lines that make up a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineGroup {
    /// The byte that ends each.
    pub end: u8,
    /// The number of lines, from 1 to [`GROUP_LINES_MAX`].
    pub lines: u32,
}

impl LineGroup {
    /// Returns the bytes of the first record in `bytes`, where these hold all of it.
    ///
    /// Never inlined: loops over records of any framing would keep fewer of their values in
    /// registers.
    #[inline(never)]
    pub fn record_length(self, bytes: &[u8]) -> Option<usize> {
        nth_end(self.end, bytes, self.lines as usize)
    }

    /// Returns the number of lines that end in `bytes`.
    pub fn count_lines(self, bytes: &[u8]) -> usize {
        memchr_iter(self.end, bytes).count()
    }

    /// Returns the place after the last line of `bytes` that `behind` other lines follow. Returns 0
    /// if there are fewer lines.
    pub fn last_end(self, bytes: &[u8], behind: usize) -> usize {
        memrchr_iter(self.end, bytes).nth(behind).map_or(0, |at| at + 1)
    }
}

/// Splits the text after `lines:` before `group=`, in any case. Returns the text of the byte, if it
/// is present, and the number; `None` without that word.
pub(super) fn split(text: &str) -> Option<(Option<&str>, &str)> {
    const WORD: &str = "group=";
    let start = text.to_ascii_lowercase().rfind(WORD)?;
    let (before, count) = (&text[..start], &text[start + WORD.len()..]);
    match before.strip_suffix(',') {
        _ if before.is_empty() => Some((None, count)),
        Some(byte) => Some((Some(byte), count)),
        None => None,
    }
}

/// Reads the number of lines of a record.
pub(super) fn lines(count: &str) -> Result<u32, String> {
    let number = count.parse().ok().filter(|lines| (1..=GROUP_LINES_MAX).contains(lines));
    number.ok_or_else(|| {
        format!(
            "'{count}' is not a number of lines; a record has 1 to {GROUP_LINES_MAX} lines, as in \
             lines:group=4"
        )
    })
}

#[cfg(test)]
mod tests;
