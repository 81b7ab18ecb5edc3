//! Regular expressions of conditions, as the crate `regex` has them, if the feature `regex` is on.

#[cfg(not(feature = "regex"))]
use std::convert::Infallible;

#[cfg(feature = "regex")]
use regex::bytes::{Regex, RegexBuilder};

/// Bytes that a pattern may take once it is compiled, and those that each thread may keep of what
/// it has found out about it. Budgets are for records; the patterns that people write take some
/// tens of kilobytes, most of it Unicode's tables.
#[cfg(feature = "regex")]
const PATTERN_BYTES: usize = 1 << 20;

#[cfg(feature = "regex")]
type Compiled = Regex;
/// No pattern exists without the feature.
#[cfg(not(feature = "regex"))]
type Compiled = Infallible;

/// A regular expression.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Compiled);

impl Pattern {
    /// Creates the regular expression of a text. Its characters are those of Unicode if
    /// `is_unicode`, otherwise bytes.
    ///
    /// # Errors
    ///
    /// The fault of the text, in words; without the feature, that it is missing.
    #[cfg(feature = "regex")]
    pub fn new(text: &str, is_unicode: bool, folds_case: bool) -> Result<Self, String> {
        let regex = RegexBuilder::new(text)
            .unicode(is_unicode)
            .case_insensitive(folds_case)
            .size_limit(PATTERN_BYTES)
            .dfa_size_limit(PATTERN_BYTES)
            .build();
        regex.map(Self).map_err(|error| format!("the pattern cannot be used: {error}"))
    }

    #[cfg(not(feature = "regex"))]
    pub fn new(_: &str, _: bool, _: bool) -> Result<Self, String> {
        Err("this build has no regular expressions; build it with the cargo feature 'regex', or \
             use contains, starts with or ends with"
            .to_owned())
    }

    /// Returns whether it is found in a value.
    #[inline]
    pub fn is_match(&self, value: &[u8]) -> bool {
        #[cfg(feature = "regex")]
        return self.0.is_match(value);
        #[cfg(not(feature = "regex"))]
        match (self.0, value) {}
    }
}
