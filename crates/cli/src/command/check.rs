//! `sortwell check`: whether files are sorted; the first record that is not, in words.

use std::process::ExitCode;

use clap::Args;
use sortwell::unstable::job::CheckJob;
use sortwell::{Disorder, Result};

use crate::command::options::heading::HeadingOptions;
use crate::command::options::inputs::Inputs;
use crate::command::options::order::Order;
use crate::command::options::resources::Resources;
use crate::command::options::watching::Watching;
use crate::failure::{CommandOutcome, escaped};
use crate::{standard, statistics};

/// Most bytes of a record that are shown.
const SHOWN_BYTES: usize = 200;

/// Check whether files of lines, CSV, TSV, JSON lines or binary records are sorted
///
/// If all files are sorted, there is no message and the exit status is 0. Otherwise, the exit
/// status is 1. The message then gives the file, the number and the offset of the first record that
/// belongs before the record that precedes it. Each file is checked on its own. A check uses some
/// megabytes of memory, and more only for long records.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CheckArguments {
    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    heading: HeadingOptions,

    /// Refuse adjacent records with equal keys as well
    #[arg(short, long, help_heading = None)]
    unique: bool,

    /// Print no message; set only the exit status
    #[arg(short, long, help_heading = None)]
    quiet: bool,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    watching: Watching,

    #[command(flatten)]
    resources: Resources,
}

const EXAMPLES: &str = "\
Examples:
  Check that the lines of a file are sorted and all different:
    sortwell check --unique names.txt

  By the number in the second column, largest first:
    sortwell check -k 2:decimal:desc table.txt && echo sorted";

/// Checks.
pub fn run(arguments: &CheckArguments) -> CommandOutcome {
    let job = arguments.job()?;
    arguments.resources.warn();
    let checked = arguments.watching.run(false, |progress| job.run(progress))?;
    if !arguments.quiet {
        standard::tell(statistics::dropped_line(checked.ragged_rows_dropped));
    }
    let Some(disorder) = checked.disorder else { return Ok(ExitCode::SUCCESS) };
    if !arguments.quiet {
        standard::tell(format!("sortwell: {}\n", sentence(&disorder, arguments.unique)));
    }
    Ok(ExitCode::from(1))
}

/// Returns the message about a record out of order: its place and its first bytes.
pub fn sentence(disorder: &Disorder, is_unique: bool) -> String {
    let Disorder { path, record_number, number_before, offset, record } = disorder;
    let why = if is_unique { "does not belong after" } else { "belongs before" };
    let mut words = format!(
        "{}: record {record_number} at offset {offset} is out of order: it {why} record \
         {number_before}: ",
        escaped(&path.display().to_string()),
    );
    words.extend(record.iter().take(SHOWN_BYTES).map(|byte| byte.escape_ascii().to_string()));
    words.push_str(if record.len() > SHOWN_BYTES { "..." } else { "" });
    words
}

impl CheckArguments {
    /// Returns the job that the arguments ask for.
    pub fn job(&self) -> Result<CheckJob> {
        let inputs = self.inputs.inputs()?;
        let format = self.order.format(&inputs)?;
        let (keys, order) = self.order.keys(format, false)?;
        Ok(CheckJob {
            keys,
            order,
            header: self.heading.header(),
            unique: self.unique,
            decompress: self.inputs.decompress,
            memory: self.resources.memory(),
            engine: self.resources.engine,
            direct: self.resources.direct.input,
            ..CheckJob::new(inputs, format)
        })
    }
}

#[cfg(test)]
mod tests;
