//! `sortwell sort`: arguments into a [`SortJob`], the job run under watch, its statistics shown.
//!
//! Only what the words mean is decided here. How the job is done, and whether it can be, is the
//! library's to say.

pub mod values;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgAction, Args, ValueEnum, ValueHint};
use sortwell::Result;
use sortwell::io::{Direct, Engine};
use sortwell::job::{Budget, Output, SortJob};
use sortwell::operator::Select;
use sortwell::stats::Progress;

use crate::command::sorted::Order;
use crate::failure::Outcome;
use crate::progress::When;
use crate::statistics;
use crate::watched;

/// Sort files of lines or of fixed-length records
///
/// Files may be far larger than memory. The sort is stable, and its output is the same to the byte
/// for any memory budget, number of threads and I/O engine. The output appears whole or not at
/// all, and inputs are only read.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files to sort, taken together as one input; `-` or none is standard input
    #[arg(value_name = "INPUT", value_hint = ValueHint::FilePath)]
    inputs: Vec<PathBuf>,

    /// Where the sorted records go; standard output if not given or `-`
    ///
    /// A file is written under a temporary name beside it and gets this name only when it is
    /// complete. It may be one of the inputs, which is then replaced at that moment.
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    #[command(flatten)]
    order: Order,

    /// Of records with equal keys, write only the first
    #[arg(short, long)]
    unique: bool,

    /// Write only the first N records of the order; the others are not sorted
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Of lines with equal keys write only the first, and before it how many they are
    #[arg(long)]
    count: bool,

    /// Keep the first N lines on top, unsorted; of further inputs they are left out
    #[arg(long, value_name = "N", default_value_t = 0)]
    header: u64,

    /// Ceiling of the memory of the whole process, as a size (512MiB, 4GiB, 2GB) or a share (50%)
    ///
    /// A share is one of what the machine or the container really offers; the default is 60%. Input
    /// that does not fit is sorted in two passes or more.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::budget)]
    memory: Option<Budget>,

    /// Number of worker threads; one for each core if not given
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Directory for spilled runs; repeat to use several, best on different disks
    ///
    /// Used only when the input does not fit in memory. The default is the directory of the output.
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
  Sort the lines of a file, or of a pipeline:
    sortwell sort -o sorted.txt input.txt
    zcat access.log.gz | sortwell sort | head

  A table by its second column as a number, largest first, then by its first; its first line stays:
    sortwell sort -t tab -k 2:decimal:desc -k 1 --header 1 -o sorted.tsv table.tsv

  How often each line occurs, and the ten smallest sizes:
    sortwell sort --count access.log
    du -h * | sortwell sort -k 1:size --limit 10

  Sort 100-byte records by their first ten bytes:
    sortwell sort -F fixed:100 -k 0..10 -o sorted.bin input.bin

  By a little-endian number at bytes 8 to 16, largest first, then by bytes 0 to 4:
    sortwell sort -F fixed:32 -k 8..16:u64le:desc -k 0..4 -o sorted.bin input.bin

  More than memory holds, spilling to another disk, with an account at the end:
    sortwell sort -F fixed:100 -M 1GiB -T /mnt/scratch --stats text -o sorted.bin input.bin

  In a pipeline:
    cat part-1 part-2 | sortwell sort -F fixed:16 -k 0..8:u64be > sorted.bin";

/// In which form statistics are shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// A short block for people
    Text,
    /// One line of JSON
    Json,
}

/// Sorts.
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
    fn job(&self) -> Result<SortJob> {
        let mut job =
            SortJob::new(super::sorted::inputs(&self.inputs)?, self.output(), self.order.format);
        (job.keys, job.order) = self.order.keys()?;
        job.select = Select { unique: self.unique, count: self.count, limit: self.limit };
        job.header_lines = self.header;
        job.memory = self.memory.unwrap_or_default();
        job.threads = self.threads;
        job.temp.clone_from(&self.temp);
        job.engine = self.engine;
        job.direct = self.direct;
        job.verify = self.verify;
        job.sync = self.sync;
        Ok(job)
    }

    fn output(&self) -> Output {
        match &self.output {
            Some(path) if !is_standard_stream(path) => Output::File(path.clone()),
            _ => Output::Stdout,
        }
    }
}

fn is_standard_stream(path: &Path) -> bool {
    path.as_os_str() == "-"
}

#[cfg(test)]
mod tests;
