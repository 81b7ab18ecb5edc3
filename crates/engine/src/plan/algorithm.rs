//! Algorithms that bring records into order, as far as the user can choose.

use std::str::FromStr;

use crate::error::{ParseError, message};
use crate::incore::Method;

/// Algorithm that sorts loads, or that makes runs without loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Algorithm {
    /// Best choice for most inputs: by radix.
    #[default]
    Auto,
    /// Load after load is dealt into buckets, these are sorted so, and written, by all workers.
    Buckets(Method),
    /// Load after load is sorted in runs so, as its blocks arrive. All workers merge the runs.
    Microruns(Method),
    /// The least record that still fits the run is written, and the next one read takes its place.
    /// Input that fits in memory is still sorted there, by radix.
    ReplacementSelection,
}

impl Algorithm {
    /// psort's microruns.
    pub const MERGESORT: Self = Self::Microruns(Method::Mergesort);
    /// AlphaSort's runs.
    pub const ALPHASORT: Self = Self::Microruns(Method::Quicksort);

    const ALL: [Self; 6] = [
        Self::Auto,
        Self::Buckets(Method::Radix),
        Self::Buckets(Method::Quicksort),
        Self::MERGESORT,
        Self::ALPHASORT,
        Self::ReplacementSelection,
    ];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::ALPHASORT => "alphasort",
            Self::Buckets(method) | Self::Microruns(method) => method.name(),
            Self::ReplacementSelection => "replacement-selection",
        }
    }

    /// Returns how a bucket is sorted, or a run in memory.
    pub(super) fn method(self) -> Method {
        match self {
            Self::Buckets(method) | Self::Microruns(method) => method,
            Self::Auto | Self::ReplacementSelection => Method::default(),
        }
    }

    /// Returns whether loads are sorted in runs, not in buckets.
    pub(super) fn makes_microruns(self) -> bool {
        matches!(self, Self::Microruns(_))
    }
}

impl FromStr for Algorithm {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let known = Self::ALL.into_iter().find(|algorithm| algorithm.name() == text);
        known.ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            let message = message!("'{}' is not an algorithm; use one of {}", text, names);
            ParseError::new("algorithm", text, message)
        })
    }
}
