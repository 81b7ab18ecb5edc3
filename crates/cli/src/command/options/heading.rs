//! Options for header lines.

use clap::Args;
use sortwell::HeaderLines;

use super::values;

/// Lines that are not sorted.
#[derive(Args, Debug)]
pub struct HeadingOptions {
    /// Keep N leading lines, or those that start with PREFIX, on top
    ///
    /// For lines. Header lines are not sorted. Of several inputs, the first that has a header
    /// provides it, and the headers of the others are left out. Write prefix:1 for a PREFIX of
    /// digits, as a number is N. Lines with PREFIX after other lines are sorted. With PREFIX,
    /// header lines count as comments, and --select leaves them unchanged. A header has at most 1
    /// MiB. Use '#' for a VCF or GFF file, and '@' for a SAM file. Example: --header 1.
    #[arg(long, value_name = "N|PREFIX", help_heading = None, allow_hyphen_values = true,
          value_parser = values::parse::<HeaderLines>)]
    header: Option<HeaderLines>,
}

impl HeadingOptions {
    /// Returns which lines are the header.
    pub fn header(&self) -> HeaderLines {
        self.header.clone().unwrap_or_default()
    }
}
