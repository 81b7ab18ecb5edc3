//! What is kept of a sort or a merge that does not come to its end.

use clap::{Args, ValueEnum};
use sortwell::job::Resume;

/// Going on where another job ended.
#[derive(Args, Debug)]
pub struct Resuming {
    /// Keep what is done if it is stopped or fails, and go on with what was kept
    ///
    /// The same command then goes on where it was: runs that were written are not written again,
    /// nor is what was merged. Before that the inputs are looked at: they must be the same files,
    /// unchanged. What is kept lies in the --temp directories and beside the output; 'sortwell
    /// spill list' shows it and 'sortwell spill clean' removes it. Inputs and output must be files
    /// and not compressed. With often it is noted as often as possible how far the output has come,
    /// not only when that costs less than a hundredth of the time.
    #[arg(long, value_name = "off|on|often", default_value = "off", default_missing_value = "on",
          num_args = 0..=1, require_equals = true)]
    resume: Choice,
}

/// Sorting a file where it is.
#[derive(Args, Debug)]
pub struct InPlace {
    /// Sort FILE itself, giving back its room as it is read: little more is needed beside it
    ///
    /// For lines and records of fixed length. Its records lie in runs and then in the new file;
    /// what is done is kept as with --resume, and a sort that was stopped, or killed, must be gone
    /// on with by the same command: until then FILE is not whole. Runs are spilled to the directory
    /// of FILE, unless --temp says otherwise. About three loads, or one and a half times --memory,
    /// need room beside FILE; with so little memory that runs are merged more than once (see
    /// --stats), as much as is merged at once.
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
