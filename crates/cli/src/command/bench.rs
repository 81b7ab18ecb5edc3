//! `sortwell bench`: the benchmarks of the classics, run anew.
//!
//! The benchmark library measures. This file has the meaning of the options, and the place of the
//! result.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortbench::bench::{
    self, Finding, Ground, IndexSizes, KernelSizes, MinuteOptions, PennyOptions, Program, text,
};
use sortwell::{ByteSize, Progress, Result};

use super::options::values;
use super::options::watching::Watching;
use crate::failure::CommandOutcome;
use crate::report;
use crate::reporting::{self, ReportFile};
use crate::standard;
use crate::statistics::quoted;

/// Run the classic sort benchmarks, and compare your numbers with theirs
///
/// Each benchmark makes its own input in a directory that it removes afterwards, and runs sortwell
/// as a separate process. It prints its measurements and the numbers of the papers as tables. It
/// also lists what makes the comparison unfair.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct BenchArguments {
    #[command(subcommand)]
    bench: Bench,
}

const EXAMPLES: &str = "\
Examples:
  A million records on a machine of 2000 dollars, with an HTML page:
    sortwell bench datamation /data --price 2000 --report datamation.html

  The largest size for a minute, each size once:
    sortwell bench minute /data --runs 1

  The growth of the time from 10 MB to 10 GB, in little memory:
    sortwell bench scale /data --largest 10GB --memory 512MiB --json scale.json

  Index builds over a table of the size of Oracle's, each once:
    sortwell bench index /data --rows 10000000 --runs 1";

const DATAMATION_EXAMPLES: &str = "\
Examples:
  On a machine of 2000 dollars:
    sortwell bench datamation /data --price 2000";

const MINUTE_EXAMPLES: &str = "\
Examples:
  The largest size for a minute, each size once:
    sortwell bench minute /data --runs 1";

const PENNY_EXAMPLES: &str = "\
Examples:
  For a machine of 2000 dollars, with sorts of up to 10 GB:
    sortwell bench penny /data --price 2000 --largest 10GB";

const JOULE_EXAMPLES: &str = "\
Examples:
  With an input of 5 GB:
    sudo sortwell bench joule /data --size 5GB";

const KERNELS_EXAMPLES: &str = "\
Examples:
  With fewer keys, for a first look:
    sortwell bench kernels --keys 1000000 --runs 1";

const INTERFACES_EXAMPLES: &str = "\
Examples:
  With a memory limit of 256 MiB:
    sortwell bench interfaces /data --memory 256MiB";

const RUNS_EXAMPLES: &str = "\
Examples:
  With an input of 4 GB, as JSON too:
    sortwell bench runs /data --size 4GB --json runs.json";

const SCALE_EXAMPLES: &str = "\
Examples:
  From 10 MB to 10 GB, in little memory:
    sortwell bench scale /data --largest 10GB --memory 512MiB";

const INDEX_EXAMPLES: &str = "\
Examples:
  Builds over a tenth of the report's rows, each once:
    sortwell bench index /data --rows 1000000 --runs 1";

#[derive(Debug, Subcommand)]
enum Bench {
    /// Sort a million records of 100 bytes: seconds from launch to exit, and their parts
    ///
    /// The Datamation benchmark of 1985 with its seven steps, from a cold input to a durable
    /// output. The result includes the times of AlphaSort and NOW-Sort.
    #[command(after_help = DATAMATION_EXAMPLES)]
    Datamation {
        /// Set another number of records; the result is then not the benchmark's
        #[arg(long, value_name = "N", default_value_t = bench::DATAMATION_RECORDS,
              value_parser = clap::value_parser!(u64).range(1..))]
        records: u64,

        /// Set the price of the machine in dollars; the result then includes the cost
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: Option<f64>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Find the largest size that is sorted in a minute
    ///
    /// MinuteSort in both of its categories: Indy sorts binary records of 100 bytes, and Daytona
    /// sorts lines. The benchmark narrows the size down, and repeats the best one.
    #[command(after_help = MINUTE_EXAMPLES)]
    Minute {
        /// Set the length of the minute, in seconds
        #[arg(long, value_name = "N", default_value_t = 60.0, value_parser = positive)]
        seconds: f64,

        /// Limit the size; default: as much as the disk holds
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        /// Set the price of the machine in dollars; the result then includes the cost
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: Option<f64>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Find the number of records that are sorted for a penny
    ///
    /// The benchmark uses the formulas of AlphaSort and of psort. It predicts the number from sorts
    /// of several sizes, and verifies it if the disk has room.
    #[command(after_help = PENNY_EXAMPLES)]
    Penny {
        /// Set the price of the machine in dollars
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: f64,

        /// Limit the size of a sort; default: as much as the disk holds
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Find the number of records that are sorted for a joule
    ///
    /// The processor must report its energy (RAPL). Most systems allow root only to read it, and
    /// most virtual machines do not offer it.
    #[command(after_help = JOULE_EXAMPLES)]
    Joule {
        /// Set the size of the input; default: 1GB
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        size: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Sort in memory on one thread, as AlphaSort, NOW-Sort, psort and sortwell do
    ///
    /// The kernels are AlphaSort's four QuickSorts and its tournament, NOW-Sort's buckets with
    /// quicksort and radix, and psort's microruns. The result has seconds, nanoseconds per key and,
    /// if the counters of the processor can be read, cycles, instructions and misses.
    #[command(after_help = KERNELS_EXAMPLES)]
    Kernels {
        /// Set the number of records for the four QuickSorts
        #[arg(long, value_name = "N", default_value_t = KernelSizes::USUAL.records,
              value_parser = clap::value_parser!(u64).range(1..=KernelSizes::MOST))]
        records: u64,

        /// Set the largest number of keys for the other sorts, which start with 100000
        #[arg(long, value_name = "N", default_value_t = KernelSizes::USUAL.keys,
              value_parser = clap::value_parser!(u64).range(1..=KernelSizes::MOST))]
        keys: u64,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Compare ways to move bytes, and change the settings of a large sort one at a time
    ///
    /// The ways are read, mmap and asynchronous requests, through the page cache and past it, under
    /// a memory limit that includes the cache. The settings are direct writes, overlap, memory,
    /// threads and write buffers.
    #[command(after_help = INTERFACES_EXAMPLES)]
    Interfaces {
        /// Set the memory limit; default: 512MiB. The disk needs up to six times as much
        #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        memory: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Show how the size of runs affects a sort, and which merge is best for them
    #[command(after_help = RUNS_EXAMPLES)]
    Runs {
        /// Set the size of the input; default: 2GB
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        size: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Show how the time grows with the size, from 10 MB to what the disk holds, and with threads
    #[command(after_help = SCALE_EXAMPLES)]
    Scale {
        /// Set the largest size; default: as much as the disk holds
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        /// Set the memory of each sort; default: chosen by sortwell
        #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        memory: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
    /// Build indexes over a table of sales, as Oracle's report on large sorts does
    ///
    /// The table is that of 'sortwell generate sales'. The index is on store and product. The bench
    /// measures builds with one thread and with all, with requests one after the other and
    /// asynchronous, through the page cache and past it, with several sizes of runs and of write
    /// buffers. The result includes Tables 1 to 5 of the report.
    #[command(after_help = INDEX_EXAMPLES)]
    Index {
        /// Set the number of rows; the report's table has about 10000000
        #[arg(long, value_name = "N", default_value_t = bench::INDEX_ROWS,
              value_parser = clap::value_parser!(u64).range(1..))]
        rows: u64,

        /// Set the memory of each build; default: 64MiB
        #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        memory: Option<ByteSize>,

        #[command(flatten)]
        how: BenchOptions,
    },
}

/// The place and the number of the measurements, and the target of the result.
#[derive(Args, Debug)]
struct BenchOptions {
    /// Directory for the files of the benchmark, on the disk to measure; they are removed
    #[arg(value_name = "DIRECTORY", default_value = ".", value_hint = ValueHint::DirPath)]
    directory: PathBuf,

    /// Set the number of repetitions of each measurement
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    runs: u64,

    /// Set the number of threads of each sort; 0 or no option: one per core
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Write the result as JSON, with every measurement; - prints it in place of the tables
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,

    /// Write an HTML page of the result
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,

    /// Replace files of the result that have no write permission too
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    watching: Watching,
}

/// Runs a bench.
pub fn run(arguments: &BenchArguments) -> CommandOutcome {
    match &arguments.bench {
        Bench::Datamation { records, price, how } => {
            how.run(|ground| bench::datamation(ground, *records, *price))
        }
        Bench::Minute { seconds, largest, price, how } => {
            let options = MinuteOptions { seconds: *seconds, largest: *largest, dollars: *price };
            how.run(|ground| bench::minute(ground, options))
        }
        Bench::Penny { price, largest, how } => {
            let options = PennyOptions { dollars: *price, largest: *largest };
            how.run(|ground| bench::penny(ground, options))
        }
        Bench::Joule { size, how } => how.run(|ground| bench::joule(ground, *size)),
        Bench::Kernels { records, keys, how } => {
            let sizes = KernelSizes { records: *records, keys: *keys };
            how.run(|ground| bench::kernels(ground, sizes))
        }
        Bench::Interfaces { memory, how } => how.run(|ground| bench::interfaces(ground, *memory)),
        Bench::Runs { size, how } => how.run(|ground| bench::runs(ground, *size)),
        Bench::Scale { largest, memory, how } => {
            how.run(|ground| bench::scale(ground, *largest, *memory))
        }
        Bench::Index { rows, memory, how } => {
            let sizes = IndexSizes { rows: *rows, memory: *memory };
            how.run(|ground| bench::index(ground, sizes))
        }
    }
}

impl BenchOptions {
    /// Runs a bench, and shows what it found.
    fn run(&self, bench: impl FnOnce(&Ground) -> Result<Finding>) -> CommandOutcome {
        // What cannot be written is better known before the bench than after it.
        let (json, page) = self.files()?;
        let runs = usize::try_from(self.runs).unwrap_or(usize::MAX);
        let found = self.watching.run(false, |progress: &Progress| {
            let program = Program::this()?;
            let ground = Ground::new(
                &self.directory,
                program,
                runs,
                values::chosen(self.threads),
                progress,
                command(),
            )?;
            bench(&ground)
        })?;
        let value = serde_json::to_value(&found).unwrap_or_default();
        if let Some(json) = json {
            json.write(&format!("{value:#}\n"))?;
        }
        if let Some(page) = page {
            page.write(&report::bench_page(&value))?;
        }
        let words = match self.json.as_deref().is_some_and(reporting::is_stream) {
            true => format!("{value:#}\n"),
            false => text::words(&found),
        };
        standard::print(words.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }

    /// Creates the files of the result: the JSON, unless it is printed, and the page.
    fn files(&self) -> Result<(Option<ReportFile>, Option<ReportFile>)> {
        let json = self.json.as_deref().filter(|path| !reporting::is_stream(path));
        let page = self.report.as_deref();
        if let Some(page) = page {
            reporting::check_named(page, "--json -")?;
        }
        if let (Some(json), Some(page)) = (json, page) {
            reporting::check_differ("page", page, json)?;
        }
        let create = |path| ReportFile::create(path, self.force);
        Ok((json.map(create).transpose()?, page.map(create).transpose()?))
    }
}

fn command() -> String {
    let words: Vec<String> = env::args_os().skip(1).map(|word| quoted(&word)).collect();
    format!("sortwell {}", words.join(" "))
}

/// Parses a price: a positive number of dollars.
fn dollars(words: &str) -> std::result::Result<f64, String> {
    positive(words.trim_start_matches('$'))
        .map_err(|_| "a price is a number of dollars above 0, such as 2000".to_owned())
}

fn positive(words: &str) -> std::result::Result<f64, String> {
    let number = words.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("'{words}' is not a number above 0"))
}
