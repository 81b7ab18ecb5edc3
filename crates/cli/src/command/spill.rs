//! `sortwell spill`: what sorts have left behind.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use sortwell::job::{Leftover, State, leftovers, remove_leftovers};

use crate::failure::Outcome;

/// Show or remove what sorts have left behind
///
/// A sort with --resume that was stopped or failed keeps its runs, so that the same command can go
/// on with them. One without leaves nothing, unless it was killed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

const EXAMPLES: &str = "\
Examples:
  What could be gone on with in a directory, and what it takes:
    sortwell spill list /mnt/scratch

  Remove all of it, but for what running sorts need:
    sortwell spill clean /mnt/scratch";

#[derive(Debug, Subcommand)]
enum Action {
    /// List the sorts whose runs are kept in a directory: state, size, and the output they make
    List {
        /// The directory: one that was given with --temp, or that of the output; or a striped set
        directory: PathBuf,
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
    let mut out = io::stdout();
    match &arguments.action {
        Action::List { directory } => {
            for leftover in leftovers(directory)? {
                writeln!(out, "{}", words(&leftover))?;
            }
        }
        Action::Clean { directory, all } => {
            let removed = remove_leftovers(directory, *all)?;
            let plural = if removed == 1 { "" } else { "s" };
            writeln!(out, "{removed} leftover{plural} removed from {}", directory.display())?;
            for left in leftovers(directory)? {
                let why = match left.state {
                    State::Running => "",
                    _ => " (records that may be nowhere else; --all removes them)",
                };
                writeln!(out, "left: {}{why}", words(&left))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn words(leftover: &Leftover) -> String {
    let Leftover { directory, state, output, bytes } = leftover;
    let state = match state {
        State::Running => "running".to_owned(),
        State::Kept { runs, merged } if merged.bytes() > 0 => {
            format!("kept: {runs} runs, {merged} merged")
        }
        State::Kept { runs, .. } => format!("kept: {runs} runs"),
        State::Damaged(why) => format!("damaged: {why}"),
    };
    let output =
        output.as_ref().map_or_else(String::new, |path| format!(", for {}", path.display()));
    format!("{}: {state}, {bytes}{output}", directory.display())
}
