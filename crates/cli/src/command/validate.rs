//! `sortwell validate`: whether a file of the sort benchmark is sorted; valsort's options.
//!
//! The file is judged by the library `sortbench`; the verdict goes to standard error in valsort's
//! words, and its exit status is the command's.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortbench::{Contents, GeneratorDestination, KeyOrder, Validation, ValidatorSource};
use sortwell::Progress;

use crate::command::options::values;
use crate::failure::CommandOutcome;
use crate::progress::When;
use crate::reporting;
use crate::standard;
use crate::watched;

/// Check that a file of the sort benchmark's records is sorted
///
/// validate prints to standard error, in the words of valsort 1.5. It prints the number of records,
/// the sum of their CRC-32s, and the numbers of records that repeat the key before them or are out
/// of order. The exit status is 0 if all records are in order, 1 if some are not, and 2 to 5 for an
/// error.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ValidateArguments {
    /// Compare keys without regard to the case of ASCII letters
    #[arg(short = 'i', long)]
    ignore_case: bool,

    /// Write a summary of FILE, a partition of a larger output, to SUMMARY
    ///
    /// To check the whole output, join the summaries of all partitions in order and give them to
    /// -s.
    #[arg(short = 'o', long, value_name = "SUMMARY", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Replace a summary that has no write permission too
    #[arg(long)]
    force: bool,

    /// Read summaries written with -o, not records, and check the whole output
    #[arg(short, long)]
    summaries: bool,

    /// Set the number of threads; 0 or no option: one per core
    #[arg(short, visible_short_alias = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// The file to check; `-` is standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  Check a sorted file:
    sortwell validate sorted.bin

  Check an output in two partitions:
    sortwell validate -o 1.sum part-1 && sortwell validate -o 2.sum part-2
    cat 1.sum 2.sum | sortwell validate -s -";

/// Checks the file.
pub fn run(arguments: &ValidateArguments) -> CommandOutcome {
    let from = ValidatorSource::named(arguments.file.clone());
    let validation = arguments.validation();
    if let Some(summary) = &arguments.output {
        reporting::check_differ("summary", summary, &arguments.file)?;
    }
    if let Some(to) = &validation.summary_to {
        to.check_replaceable(arguments.force)?;
    }
    let progress = Progress::new();
    let verdict = watched::run(&progress, When::Auto, false, || {
        sortbench::validate(&validation, &from, &progress)
    })?;
    standard::tell(format!("{verdict}\n"));
    Ok(ExitCode::from(verdict.exit_code()))
}

impl ValidateArguments {
    fn validation(&self) -> Validation {
        Validation {
            content: if self.summaries { Contents::Summaries } else { Contents::Records },
            order: if self.ignore_case { KeyOrder::IgnoreCase } else { KeyOrder::Bytes },
            threads: values::threads_or_cores(self.threads),
            summary_to: self.output.clone().map(GeneratorDestination::named),
        }
    }
}
