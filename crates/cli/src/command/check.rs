//! `sortwell check`: whether files are sorted; the first record that is not, in words.

use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortwell::Result;
use sortwell::io::{Direct, Engine};
use sortwell::job::{Budget, CheckJob, Disorder};
use sortwell::stats::Progress;

use crate::command::sort::values;
use crate::command::sorted::Order;
use crate::failure::Outcome;
use crate::progress::When;
use crate::watched;

/// Most bytes of a record that are shown.
const SHOWN_BYTES: usize = 200;

/// Check whether files are sorted
///
/// Says nothing and ends with status 0 if they are. If not, the first record that belongs before
/// the one before it is named by its file, its number and its offset, and the exit status is 1. Of
/// several files, each is checked by itself.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files to check; `-` or none is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    order: Order,

    /// Refuse neighbours with equal keys as well
    #[arg(short, long)]
    unique: bool,

    /// Say nothing; only the exit status tells
    #[arg(short, long)]
    quiet: bool,

    /// Ceiling of the memory of the whole process, as a size (512MiB, 4GiB, 2GB) or a share (50%)
    ///
    /// The default is 60%; more than some megabytes is used only for long records.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::budget)]
    memory: Option<Budget>,

    /// How bytes are moved
    ///
    /// auto takes io_uring where the system allows it and a pool of threads where not.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&["auto", "uring", "threads", "mmap", "sync"]))]
    engine: Engine,

    /// Whether files are read past the page cache
    ///
    /// auto does so where the file system takes it, unless the input is in the cache already.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::one_of::<Direct>(&["auto", "on", "off"]))]
    direct: Direct,

    /// When to show a progress line on standard error
    ///
    /// auto shows it on a terminal for anything longer than a second.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    progress: When,
}

const EXAMPLES: &str = "\
Examples:
  Whether the lines of a file are sorted, and no two equal:
    sortwell check --unique names.txt

  By the number in the second column, largest first:
    sortwell check -k 2:decimal:desc table.txt && echo sorted";

/// Checks.
pub fn run(arguments: &Arguments) -> Outcome {
    let job = arguments.job()?;
    let progress = Progress::new();
    let checked = watched::run(&progress, arguments.progress, false, || job.run(&progress))?;
    let Some(disorder) = checked.disorder else { return Ok(ExitCode::SUCCESS) };
    if !arguments.quiet {
        writeln!(stderr(), "sortwell: {}", sentence(&disorder, arguments.unique))?;
    }
    Ok(ExitCode::from(1))
}

/// What is out of order, where, and which record it is.
fn sentence(disorder: &Disorder, is_unique: bool) -> String {
    let Disorder { path, record_number, offset, record } = disorder;
    let why = if is_unique { "does not belong behind" } else { "belongs before" };
    let mut words = format!(
        "{}: record {record_number} at offset {offset} is out of order: it {why} record {}: ",
        path.display(),
        record_number - 1,
    );
    words.extend(record.iter().take(SHOWN_BYTES).map(|byte| byte.escape_ascii().to_string()));
    words.push_str(if record.len() > SHOWN_BYTES { "..." } else { "" });
    words
}

impl Arguments {
    /// What was said, as what is meant.
    fn job(&self) -> Result<CheckJob> {
        let (keys, order) = self.order.keys()?;
        Ok(CheckJob {
            keys,
            order,
            unique: self.unique,
            memory: self.memory.unwrap_or_default(),
            engine: self.engine,
            direct: self.direct,
            ..CheckJob::new(super::sorted::inputs(&self.inputs)?, self.order.format)
        })
    }
}

#[cfg(test)]
mod tests;
