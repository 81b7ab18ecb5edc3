//! What is kept of a sort or a merge that does not come to its end.

use clap::{Args, ValueEnum};
use sortwell::Resume;

use super::SAFETY;

/// Going on where another job ended.
#[derive(Args, Debug)]
#[command(next_help_heading = SAFETY)]
pub struct Resuming {
    /// Keep what is done if it is stopped or fails, and continue it the next time
    ///
    /// The same command then goes on where it was: runs that were written are not written again,
    /// nor is what was merged. Before that the inputs are looked at: they must be the same files,
    /// unchanged. What is kept lies in the --temp directories and beside the output; 'sortwell
    /// spill list' shows it and 'sortwell spill clean' removes it. Inputs and output must be files
    /// and not compressed. With often it is noted as often as possible how far the output has come,
    /// not only when that costs less than a hundredth of the time.
    #[arg(long, value_name = "off|on|often", default_value = "off", default_missing_value = "on",
          num_args = 0..=1, require_equals = true, hide_possible_values = true)]
    resume: Choice,
}

/// Sorting a file where it is.
#[derive(Args, Debug)]
#[command(next_help_heading = SAFETY)]
pub struct InPlace {
    /// Sort the file itself, with little room beside it
    ///
    /// FILE gives back its room as it is read. For lines and records of fixed length, with keys
    /// that every record has and without a locale. Its records lie in runs and then in the new
    /// file; what is done is kept as with --resume, and a sort that was stopped, or killed, must be
    /// continued by its own command: until then FILE is not whole. Runs are spilled to the
    /// directory of FILE, unless --temp says otherwise. About three loads, or one and a half times
    /// --memory, need room beside FILE; with so little memory that runs are merged more than once
    /// (see --stats), as much as is merged at once.
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Choice {
    Off,
    On,
    Often,
}

impl Resuming {
    /// What was said.
    pub fn resume(&self) -> Resume {
        match self.resume {
            Choice::Off => Resume::Off,
            Choice::On => Resume::On,
            Choice::Often => Resume::Often,
        }
    }
}
