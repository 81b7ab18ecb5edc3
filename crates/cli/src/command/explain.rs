//! `sortwell explain`: a sort told beforehand.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::sort;
use crate::explanation;
use crate::failure::Outcome;

/// Say what a sort would do, without doing it
///
/// Takes the arguments of `sortwell sort`, so that the word can be put into a command as it is;
/// those about watching a sort, --progress and --stats, mean nothing here. Inputs are opened and
/// nothing is written: passes, runs, merge width, sizes of requests, spill space, how memory is
/// divided, and at which budgets that would be otherwise.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[group(id = "explain")]
pub struct Arguments {
    /// In which form it is said
    #[arg(long, value_name = "FORM", default_value = "text")]
    form: Form,

    #[command(flatten)]
    sort: sort::Arguments,
}

/// In which form a plan is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// Lines for people
    Text,
    /// One line of JSON
    Json,
}

const EXAMPLES: &str = "\
Examples:
  How much memory would a sort of this file take to be done in one pass?
    sortwell explain -F fixed:100 -k 0..10 big.bin -o sorted.bin

  Is there room for what a sort within 1 GiB spills?
    sortwell explain -M 1GiB -T /mnt/scratch lines.txt -o sorted.txt";

/// Explains.
pub fn run(arguments: &Arguments) -> Outcome {
    let explanation = arguments.sort.job()?.explain()?;
    let mut out = io::stdout();
    match arguments.form {
        Form::Text => write!(out, "{}", explanation::text(&explanation))?,
        Form::Json => writeln!(out, "{}", explanation::json(&explanation))?,
    }
    Ok(ExitCode::SUCCESS)
}
