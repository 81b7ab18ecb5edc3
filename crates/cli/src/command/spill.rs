//! `sortwell spill`: what sorts have left behind.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortwell::unstable::io::{DirectoryIdentity, distinct};
use sortwell::unstable::job::{Leftover, State, leftovers, remove_leftovers};

use crate::failure::Outcome;
use crate::standard;

/// Show or remove what sorts have left behind
///
/// A sort with --resume that was stopped or failed keeps its runs, so that the same command can go
/// on with them. One without leaves nothing, unless it was killed; the next sort that uses the
/// directory removes what it left.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

const EXAMPLES: &str = "\
Examples:
  What sorts have left in a directory, whether it can be gone on with, and what it takes:
    sortwell spill list /mnt/scratch

  Remove all of it, but for what running sorts need:
    sortwell spill clean /mnt/scratch";

#[derive(Debug, Subcommand)]
enum Action {
    /// List what sorts have left in directories: state, size, and the output they make
    ///
    /// Without a directory, the current one and that of the system for temporary files (TMPDIR).
    List {
        /// A directory: one that was given with --temp, or that of the output; or a striped set
        #[arg(value_name = "DIRECTORY", value_hint = ValueHint::AnyPath)]
        directories: Vec<PathBuf>,
    },
    /// Remove what sorts that run no more have left in a directory, kept or not
    Clean {
        /// The directory: one that was given with --temp, or that of the output; or a striped set
        directory: PathBuf,

        /// Also what sorts with --in-place left: records that are nowhere else are lost then
        #[arg(long)]
        all: bool,
    },
}

/// Lists or cleans.
pub fn run(arguments: &Arguments) -> Outcome {
    // Writing to a string cannot fail.
    let mut out = String::new();
    match &arguments.action {
        Action::List { directories } => {
            let usual = [PathBuf::from("."), std::env::temp_dir()];
            let named = if directories.is_empty() { &usual[..] } else { directories };
            for directory in distinct(named.to_vec(), |path| DirectoryIdentity::of(path)) {
                for leftover in leftovers(&directory)? {
                    let _ = writeln!(out, "{}", words(&leftover));
                }
            }
        }
        Action::Clean { directory, all } => {
            let removed = remove_leftovers(directory, *all)?;
            let plural = if removed == 1 { "" } else { "s" };
            let directory_name = directory.display();
            let _ = writeln!(out, "{removed} leftover{plural} removed from {directory_name}");
            for left in leftovers(directory)? {
                let why = match left.state {
                    State::Running => "",
                    State::Abandoned => " (it cannot be removed)",
                    _ => " (records that may be nowhere else; --all removes them)",
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
        State::Running => "running".to_owned(),
        State::Kept { runs, merged } if merged.bytes() > 0 => {
            format!("kept: {runs} runs, {merged} merged")
        }
        State::Kept { runs, .. } => format!("kept: {runs} runs"),
        State::Damaged(why) => format!("damaged: {why}"),
        State::Abandoned => "abandoned: its sort was killed".to_owned(),
    };
    let output =
        output.as_ref().map_or_else(String::new, |path| format!(", for {}", path.display()));
    format!("{}: {state}, {bytes}{output}", path.display())
}
