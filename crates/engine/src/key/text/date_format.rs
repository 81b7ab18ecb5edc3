//! Days and times written in a form of one's own: a pattern as of C's `strptime`.
//!
//! The forms of ISO 8601 have readers of their own in `encode`, which are fast. This is for the
//! others, and left to the crate `jiff`, whose list of directives is ours: `%d.%m.%Y`,
//! `%m/%d/%y %I:%M %p`, `%s`. Fractions of a second reach to nanoseconds (`%.f`). It takes the
//! feature `dates`.
//!
//! As with `strptime`, names of months and days may be full or short for each of their directives.
//! An offset may also have a colon or no minutes, or be Z.

#[cfg(feature = "dates")]
mod strptime;

/// A form of days and times, and the parts of them that it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormat {
    pattern: String,
    /// Variants of the pattern with other forms of names and offsets, for other texts.
    alternatives: Vec<String>,
    /// True if it contains the day.
    pub has_date: bool,
    /// True if it contains the time.
    pub has_time: bool,
}

/// Part of a second that a pattern reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Nanoseconds {
    /// True if the second is 60, which the moment counts as 59.
    pub is_leap: bool,
    /// Digits after the point.
    pub digits: [u8; 9],
}

#[cfg(not(feature = "dates"))]
impl DateFormat {
    /// Returns that the feature is missing.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Err(format!(
            "this build reads no date formats such as '{pattern}'; build it with the cargo feature \
             'dates', or write dates as 2026-11-25"
        ))
    }

    pub(super) fn date(&self, _: &[u8]) -> Option<i32> {
        None
    }

    pub(super) fn time(&self, _: &[u8]) -> Option<(i32, Nanoseconds)> {
        None
    }

    pub(super) fn timestamp(&self, _: &[u8]) -> Option<(i64, Nanoseconds)> {
        None
    }
}

impl DateFormat {
    /// Returns the pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

#[cfg(all(test, feature = "dates"))]
mod tests;
