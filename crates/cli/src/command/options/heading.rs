//! What stands at the top of lines.

use clap::Args;
use sortwell::HeaderLines;

use super::values;

/// Lines that are not sorted.
#[derive(Args, Debug)]
pub struct Heading {
    /// Lines: keep the first N, or all first ones that start with PREFIX, on top
    ///
    /// They are not sorted. Of several inputs, those of the first that has some are kept, and those
    /// of the others are left out. A number is N; 'prefix:1' is a PREFIX of digits. With '#', a
    /// VCF or GFF file keeps its header, and so does a SAM file with '@'. Lines with PREFIX below
    /// other lines are sorted. A header has at most 1 MiB.
    #[arg(long, value_name = "N|PREFIX", help_heading = None, allow_hyphen_values = true,
          value_parser = values::parse::<HeaderLines>)]
    header: Option<HeaderLines>,
}

impl Heading {
    /// Returns which lines are the header.
    pub fn header(&self) -> HeaderLines {
        self.header.clone().unwrap_or_default()
    }
}
