//! Options for keeping and resuming interrupted sorts and merges.

use clap::Args;
use sortwell::Resume;

use super::SAFETY;

/// Going on where another job ended.
#[derive(Args, Debug)]
#[command(next_help_heading = SAFETY)]
pub struct Resuming {
    /// Save finished work, so that the same command can continue it
    ///
    /// Run the same command again to continue. It reuses the runs and the merged output that are
    /// already written. The inputs must be the same files, unchanged, and sortwell checks that
    /// first. Kept work lies in the --temp directories and beside the output. 'sortwell spill list'
    /// shows it, and 'sortwell spill clean DIRECTORY' removes it. Inputs and output must be files
    /// and not compressed.
    ///
    /// on: save the position in the output whenever that costs less than one percent of the time.
    /// often: save it as often as possible. Example: --resume.
    #[arg(long, value_name = "off|on|often", default_value = "off", default_missing_value = "on",
          num_args = 0..=1, require_equals = true, hide_possible_values = true,
          value_parser = ["off", "on", "often"])]
    resume: String,
}

/// Sorting a file where it is.
#[derive(Args, Debug)]
#[command(next_help_heading = SAFETY)]
pub struct InPlace {
    /// Sort the input file itself, with little free space
    ///
    /// The input gives back its space as it is read. The option works for lines and records of
    /// fixed length, with keys that every record has and without a locale. Records move to runs and
    /// then to the new file. Finished work is kept as with --resume.
    ///
    /// If the sort is stopped or killed, run the same command again: until it ends, the input is
    /// not complete. Runs go to the directory of the input, unless --temp names another. The sort
    /// needs free space there for about three loads, or one and a half times --memory. If little
    /// memory makes it merge runs more than once (see --stats), it needs as much as it merges at
    /// once. Example: sortwell sort -M 1GiB --in-place data.txt.
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
}

impl Resuming {
    /// Returns the given setting.
    pub fn resume(&self) -> Resume {
        match self.resume.as_str() {
            "on" => Resume::On,
            "often" => Resume::Often,
            _ => Resume::Off,
        }
    }
}
