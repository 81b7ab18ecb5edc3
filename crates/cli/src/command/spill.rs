//! `sortwell spill`: work that interrupted sorts have saved.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortwell::unstable::io::{DirectoryIdentity, distinct};
use sortwell::unstable::job::{Leftover, LeftoverState, leftovers, remove_leftovers};
use sortwell::unstable::sys::space;

use crate::failure::{CommandOutcome, escaped};
use crate::standard;
use crate::statistics::counted;
use crate::wording;

/// Show or remove the temporary files of earlier sorts
///
/// A sort with --resume that stopped or failed keeps its runs, and the same command continues it.
/// Any other sort leaves nothing, unless it was killed. The next sort that uses the directory
/// removes what a killed sort left.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SpillArguments {
    /// Operation
    #[command(subcommand)]
    action: SpillAction,
}

const EXAMPLES: &str = "\
Examples:
  The temporary files in a directory, whether a sort can continue from them, and their sizes:
    sortwell spill list /mnt/scratch

  Remove all of them, except those of running sorts:
    sortwell spill clean /mnt/scratch";

const LIST_EXAMPLES: &str = "\
Examples:
  The temporary files of two disks:
    sortwell spill list /mnt/scratch-1 /mnt/scratch-2";

const CLEAN_EXAMPLES: &str = "\
Examples:
  Remove what killed and interrupted sorts have left:
    sortwell spill clean /mnt/scratch";

#[derive(Debug, Subcommand)]
enum SpillAction {
    /// List temporary files in directories: state, size, and the output they are for
    ///
    /// Without a directory, list those in the current one and in the system's directory for
    /// temporary files (TMPDIR).
    #[command(after_help = LIST_EXAMPLES)]
    List {
        /// A directory given with --temp, the directory of an output, or a striped file
        #[arg(value_name = "DIRECTORY", value_hint = ValueHint::AnyPath)]
        directories: Vec<PathBuf>,
    },
    /// Remove the temporary files of all sorts that do not run any more from a directory
    #[command(after_help = CLEAN_EXAMPLES)]
    Clean {
        /// The directory given with --temp, the directory of the output, or a striped file
        directory: PathBuf,

        /// Also remove the files of sorts with --in-place; records that exist nowhere else are lost
        #[arg(long)]
        all: bool,
    },
}

/// Lists or cleans.
pub fn run(arguments: &SpillArguments) -> CommandOutcome {
    // Writing to a string cannot fail.
    let mut out = String::new();
    match &arguments.action {
        SpillAction::List { directories } => {
            let usual = [PathBuf::from("."), space::temporary_directory()];
            let named = if directories.is_empty() { &usual[..] } else { directories };
            for directory in distinct(named.to_vec(), |path| DirectoryIdentity::of(path)) {
                for leftover in leftovers(&directory)? {
                    let _ = writeln!(out, "{}", words(&leftover));
                }
            }
        }
        SpillAction::Clean { directory, all } => {
            let removed = remove_leftovers(directory, *all)?;
            let plural = if removed == 1 { "" } else { "s" };
            let directory_name = directory.display();
            let _ = writeln!(out, "{removed} leftover{plural} removed from {directory_name}");
            for left in leftovers(directory)? {
                let why = match left.state {
                    LeftoverState::Running => "",
                    LeftoverState::Abandoned => " (it cannot be removed)",
                    LeftoverState::Damaged(_) if left.output.is_none() => {
                        " (its records may exist nowhere else; --all removes it, but not the file \
                         in .part that its output was written to)"
                    }
                    _ => " (its records may exist nowhere else; --all removes it)",
                };
                let _ = writeln!(out, "left: {}{why}", words(&left));
            }
        }
    }
    standard::print(out.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn words(leftover: &Leftover) -> String {
    let Leftover { path, state, output, bytes } = leftover;
    let state = match state {
        LeftoverState::Running => "running".to_owned(),
        LeftoverState::Kept { runs, merged } if merged.bytes() > 0 => {
            format!("kept: {}, {merged} merged", counted(*runs as u64, "run"))
        }
        LeftoverState::Kept { runs, .. } => format!("kept: {}", counted(*runs as u64, "run")),
        LeftoverState::Damaged(why) => format!("damaged: {}", wording::text(why)),
        LeftoverState::Abandoned => "abandoned: its sort was killed".to_owned(),
    };
    let output =
        output.as_ref().map_or_else(String::new, |path| format!(", for {}", path.display()));
    escaped(&format!("{}: {state}, {bytes}{output}", path.display()))
}
