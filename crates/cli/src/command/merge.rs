//! `sortwell merge`: arguments into a [`MergeJob`], the job run under watch, its statistics shown.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgAction, Args, ValueEnum, ValueHint};
use sortwell::Result;
use sortwell::io::{Direct, Engine};
use sortwell::job::{Budget, MergeJob, Output};
use sortwell::stats::Progress;

use crate::command::sort::values;
use crate::command::sorted::Order;
use crate::failure::Outcome;
use crate::progress::When;
use crate::statistics;
use crate::watched;

/// Merge files that are sorted already
///
/// Any number of files becomes one, in the time it takes to read and write them; more than can be
/// open at once are merged in several rounds. Of records with equal keys, those of earlier files go
/// first. The output appears whole or not at all, and inputs are only read.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files to merge, each sorted by the same keys; `-` or none is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    inputs: Vec<PathBuf>,

    /// Where the merged records go; standard output if not given or `-`
    ///
    /// A file is written under a temporary name beside it and gets this name only when it is
    /// complete. It may be one of the inputs, which is then replaced at that moment.
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    #[command(flatten)]
    order: Order,

    /// Keep only the first of records with equal keys
    #[arg(short, long)]
    unique: bool,

    /// Refuse inputs that are not sorted
    ///
    /// The first record out of order is named by its file, its number and its offset; there is no
    /// output then, and the exit status is 3. Without it, what is merged of such inputs is complete
    /// but in no particular order.
    #[arg(long)]
    check: bool,

    /// Ceiling of the memory of the whole process, as a size (512MiB, 4GiB, 2GB) or a share (50%)
    ///
    /// A share is one of what the machine or the container really offers; the default is 60%. More
    /// is used for long records, and to merge more files at once.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::budget)]
    memory: Option<Budget>,

    /// Directory for files that are merged again; repeat to use several, best on different disks
    ///
    /// Used only where there are too many inputs to be merged at once. The default is the directory
    /// of the output.
    #[arg(short = 'T', long = "temp", value_name = "DIRECTORY", value_hint = ValueHint::DirPath)]
    temp: Vec<PathBuf>,

    /// Prove that every input record is in the output exactly once
    ///
    /// Counts the records and sums a 128-bit checksum of each on the way in and on the way out; if
    /// they differ there is no output and the exit status is 5.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch())]
    verify: bool,

    /// Make the output durable before it gets its name
    ///
    /// With off the operating system writes it when it likes, and a power failure may lose it.
    #[arg(long, value_name = "on|off", default_value = "on",
          action = ArgAction::Set, value_parser = values::switch())]
    sync: bool,

    /// How bytes are moved
    ///
    /// auto takes io_uring where the system allows it and a pool of threads where not. --stats says
    /// what was used.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&["auto", "uring", "threads", "mmap", "sync"]))]
    engine: Engine,

    /// Whether files are read and written past the page cache
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

    /// Say on standard error, at the end, where the time and the bytes went
    #[arg(long, value_name = "FORM")]
    stats: Option<Form>,
}

const EXAMPLES: &str = "\
Examples:
  Merge a month of sorted logs:
    sortwell merge -o month.log day-*.log

  By the number in the second column, refusing files that are not sorted by it:
    sortwell merge --check -k 2:decimal -o all.txt a.txt b.txt

  Records of 100 bytes, by their first ten:
    sortwell merge -F fixed:100 -k 0..10 -o all.bin a.bin b.bin";

/// In which form statistics are shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// A short block for people
    Text,
    /// One line of JSON
    Json,
}

/// Merges.
pub fn run(arguments: &Arguments) -> Outcome {
    let job = arguments.job()?;
    let writes_stdout = job.output == Output::Stdout;
    let progress = Progress::new();
    let result = watched::run(&progress, arguments.progress, writes_stdout, || job.run(&progress))?;
    match arguments.stats {
        Some(Form::Text) => eprint!("{}", statistics::text(&result)),
        Some(Form::Json) => eprintln!("{}", statistics::json(&result)),
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// What was said, as what is meant.
    fn job(&self) -> Result<MergeJob> {
        let output = match &self.output {
            Some(path) if path.as_os_str() != "-" => Output::File(path.clone()),
            _ => Output::Stdout,
        };
        let (keys, order) = self.order.keys()?;
        Ok(MergeJob {
            keys,
            order,
            unique: self.unique,
            check: self.check,
            memory: self.memory.unwrap_or_default(),
            temp: self.temp.clone(),
            engine: self.engine,
            direct: self.direct,
            verify: self.verify,
            sync: self.sync,
            ..MergeJob::new(super::sorted::inputs(&self.inputs)?, output, self.order.format)
        })
    }
}

#[cfg(test)]
mod tests;
