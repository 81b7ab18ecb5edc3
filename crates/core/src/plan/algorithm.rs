//! How records are brought into order where memory does not hold them all, as far as the user has
//! a choice.

use std::str::FromStr;

/// How runs are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// What is best for most inputs: buckets.
    #[default]
    Auto,
    /// Load after load is dealt into buckets, sorted and written, by all workers.
    Buckets,
    /// The least record that still fits the run is written, and the next one read takes its place.
    ReplacementSelection,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::Auto, Self::Buckets, Self::ReplacementSelection];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Buckets => "buckets",
            Self::ReplacementSelection => "replacement-selection",
        }
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        known.ok_or_else(|| {
            format!("'{text}' is no algorithm; use auto, buckets or replacement-selection")
        })
    }
}
