//! `sortwell bench`: the benchmarks of the classics, run anew.
//!
//! What is measured and how is the benchmark library's; here is only what the words mean, and where
//! the result goes.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortbench::bench::{self, Finding, Ground, KernelSizes, Program, text};
use sortwell::io::{Direct, TempFile};
use sortwell::stats::Progress;
use sortwell::{Result, report};

use super::options::values;
use super::options::watching::Watching;
use crate::failure::Outcome;
use crate::reporting;

/// Run the benchmarks of the classics, and see their numbers beside yours
///
/// Each makes its own input in a directory that is removed afterwards, runs sortwell as a process
/// of its own, and prints what it measured as tables, what the papers printed as tables of their
/// own, and what is unfair about comparing the two.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    bench: Bench,
}

const EXAMPLES: &str = "\
Examples:
  A million records, on a machine of 2000 dollars, and a page to look at:
    sortwell bench datamation /data --price 2000 --report datamation.html";

#[derive(Debug, Subcommand)]
enum Bench {
    /// Sort a million records of 100 bytes: seconds from launch to exit, and where they went
    ///
    /// The Datamation benchmark of 1985 with its seven steps, from a cold input to a durable
    /// output, beside AlphaSort's and NOW-Sort's times.
    Datamation {
        /// Sort so many records instead, which is none of the benchmark
        #[arg(long, value_name = "N", default_value_t = bench::DATAMATION_RECORDS,
              value_parser = clap::value_parser!(u64).range(1..))]
        records: u64,

        #[command(flatten)]
        price: Price,

        #[command(flatten)]
        how: How,
    },

    /// Sort in memory, on one thread, as AlphaSort, NOW-Sort and psort did, and as sortwell does
    ///
    /// AlphaSort's four QuickSorts and its tournament, NOW-Sort's buckets with quicksort and radix,
    /// psort's microruns: seconds, nanoseconds a key and, where the processor's counters can be
    /// read, cycles, instructions and misses.
    Kernels {
        /// Number of records that are sorted by the four QuickSorts
        #[arg(long, value_name = "N", default_value_t = KernelSizes::USUAL.records,
              value_parser = clap::value_parser!(u64).range(1..=KernelSizes::MOST))]
        records: u64,

        /// Largest number of keys of the other sorts, which begin with 100000
        #[arg(long, value_name = "N", default_value_t = KernelSizes::USUAL.keys,
              value_parser = clap::value_parser!(u64).range(1..=KernelSizes::MOST))]
        keys: u64,

        #[command(flatten)]
        how: How,
    },
}

/// What the machine costs.
#[derive(Args, Debug)]
struct Price {
    /// What the machine costs, in dollars: the result is told by its cost too
    #[arg(long = "price", value_name = "DOLLARS", value_parser = dollars)]
    dollars: Option<f64>,
}

/// Where and how often is measured, and where the result goes.
#[derive(Args, Debug)]
struct How {
    /// Where files are made, and removed: on the disk that is to be measured
    #[arg(value_name = "DIRECTORY", default_value = ".", value_hint = ValueHint::DirPath)]
    directory: PathBuf,

    /// How often each measurement is repeated
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    runs: u64,

    /// Number of threads of each sort; one for each core if not given
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Write the result as JSON, with every measurement; - for standard output, in place of words
    #[arg(long, value_name = "FILE.json", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,

    /// Make a page of the result, to look at
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    report: Option<PathBuf>,

    #[command(flatten)]
    watching: Watching,
}

/// Runs a bench.
pub fn run(arguments: &Arguments) -> Outcome {
    match &arguments.bench {
        Bench::Datamation { records, price, how } => {
            how.run(|ground| bench::datamation(ground, *records, price.dollars))
        }
        Bench::Kernels { records, keys, how } => {
            let sizes = KernelSizes { records: *records, keys: *keys };
            how.run(|ground| bench::kernels(ground, sizes))
        }
    }
}

impl How {
    /// Runs a bench, and shows what it found.
    fn run(&self, bench: impl FnOnce(&Ground) -> Result<Finding>) -> Outcome {
        // What cannot be written is better known before the bench than after it.
        let [json, page] = [&self.json, &self.report].map(|path| {
            path.as_deref().filter(|path| *path != Path::new("-")).map(Kept::new).transpose()
        });
        let (json, page) = (json?, page?);
        let runs = usize::try_from(self.runs).unwrap_or(usize::MAX);
        let found = self.watching.run(false, |progress: &Progress| {
            let program = Program::this()?;
            let ground = Ground::new(
                (&self.directory, program),
                (runs, self.threads),
                (progress, command()),
            )?;
            bench(&ground)
        })?;
        let value = serde_json::to_value(&found).unwrap_or_default();
        if let Some(kept) = json {
            kept.write(&format!("{value:#}\n"))?;
        }
        if let Some(kept) = page {
            kept.write(&report::bench_page(&value))?;
        }
        match self.json.as_deref() == Some(Path::new("-")) {
            true => writeln!(io::stdout(), "{value:#}")?,
            false => write!(io::stdout(), "{}", text::words(&found))?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A result on its way to its name.
struct Kept {
    path: PathBuf,
    temporary: TempFile,
}

impl Kept {
    fn new(path: &Path) -> Result<Self> {
        Ok(Self { path: path.to_owned(), temporary: TempFile::create(path, Direct::Off)? })
    }

    fn write(self, words: &str) -> Result<()> {
        reporting::write(self.temporary, &self.path, words)
    }
}

fn command() -> String {
    let words: Vec<String> = env::args().skip(1).collect();
    format!("sortwell {}", words.join(" "))
}

/// A price: a positive number of dollars.
fn dollars(words: &str) -> std::result::Result<f64, String> {
    let price = words.trim_start_matches('$').parse::<f64>();
    let known = price.ok().filter(|price| price.is_finite() && *price > 0.0);
    known.ok_or_else(|| "a price is a number of dollars above nought, such as 2000".to_owned())
}
