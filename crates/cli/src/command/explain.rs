//! `sortwell explain`: the plan of a sort, without running it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::sort;
use crate::explanation;
use crate::failure::CommandOutcome;
use crate::standard;
use crate::statistics;

/// Print the plan of a sort, without sorting
///
/// explain takes the arguments of `sortwell sort`, so you can put the word into a command as it is.
/// It ignores --progress and --stats. It opens the inputs and writes nothing. It prints the passes,
/// the runs, the merge width, the sizes of requests, the spill space and the division of memory,
/// the memory budgets at which these would change, and the reason of each decision.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
#[group(id = "explain")]
pub struct ExplainArguments {
    /// Choose the output form
    #[arg(long, value_name = "FORM", default_value = "text", help_heading = None)]
    form: ExplanationForm,

    #[command(flatten)]
    sort: sort::SortArguments,
}

/// In which form a plan is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExplanationForm {
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
pub fn run(arguments: &ExplainArguments) -> CommandOutcome {
    let job = arguments.sort.job()?;
    arguments.sort.warn_of_profile();
    let explanation = job.explain()?;
    let by_names = arguments.sort.format_by_names(&job);
    let words = match arguments.form {
        ExplanationForm::Text => {
            explanation::text(&explanation) + &statistics::format_line(by_names)
        }
        ExplanationForm::Json => explanation::json(&explanation, by_names) + "\n",
    };
    standard::print(words.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
