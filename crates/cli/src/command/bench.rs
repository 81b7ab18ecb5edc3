//! `sortwell bench`: the benchmarks of the classics, run anew.
//!
//! What is measured and how is the benchmark library's; here is only what the words mean, and where
//! the result goes.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortbench::bench::{
    self, Finding, Ground, KernelSizes, MinuteOptions, PennyOptions, Program, text,
};
use sortwell::unstable::report;
use sortwell::{ByteSize, Progress, Result};

use super::options::values;
use super::options::watching::Watching;
use crate::failure::Outcome;
use crate::reporting::Page;
use crate::standard;

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
    sortwell bench datamation /data --price 2000 --report datamation.html

  What a minute is enough for, each size once:
    sortwell bench minute /data --runs 1

  How the time grows from 10 MB to 10 GB, in little memory:
    sortwell bench scale /data --largest 10GB --memory 512MiB --json scale.json";

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

        /// What the machine costs, in dollars: the result is told by its cost too
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: Option<f64>,

        #[command(flatten)]
        how: How,
    },
    /// Find the largest size that is sorted in a minute
    ///
    /// MinuteSort in both of its categories: Indy sorts binary records of 100 bytes, Daytona lines.
    /// Sizes are bracketed, and the best one is repeated.
    Minute {
        /// How long the minute is
        #[arg(long, value_name = "N", default_value_t = 60.0, value_parser = positive)]
        seconds: f64,

        /// Try no larger size; what the disk holds if not given
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        /// What the machine costs, in dollars: the result is told by its cost too
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: Option<f64>,

        #[command(flatten)]
        how: How,
    },
    /// Find how much is sorted for a penny
    ///
    /// By AlphaSort's formula and by psort's: foretold from sorts of several sizes, and verified
    /// where the disk has room for it.
    Penny {
        /// What the machine costs, in dollars
        #[arg(long, value_name = "DOLLARS", value_parser = dollars)]
        price: f64,

        /// Sort no larger size; what the disk holds if not given
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        #[command(flatten)]
        how: How,
    },
    /// Find how many records are sorted for a joule
    ///
    /// Where the processor tells what it uses (RAPL), which takes root on most systems and is not
    /// to be had in most virtual machines.
    Joule {
        /// How much is sorted; 1GB if not given
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        size: Option<ByteSize>,

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
    /// Compare ways to move bytes, and move the levers of a large sort one at a time
    ///
    /// read, mmap and asynchronous requests, through the page cache and past it, under a limit of
    /// memory that counts the cache; then direct writes, overlap, memory, threads, write buffers.
    Interfaces {
        /// The limit of memory; 512MiB if not given. Up to six times as much is needed on the disk
        #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        memory: Option<ByteSize>,

        #[command(flatten)]
        how: How,
    },
    /// See what the size of runs does to a sort, and how they are best merged
    Runs {
        /// How much is sorted; 2GB if not given
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        size: Option<ByteSize>,

        #[command(flatten)]
        how: How,
    },
    /// See how the time grows with the size, from 10 MB to what the disk holds, and with threads
    Scale {
        /// The largest size; what the disk holds if not given
        #[arg(long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        largest: Option<ByteSize>,

        /// Memory of each sort; as sortwell chooses if not given
        #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<ByteSize>)]
        memory: Option<ByteSize>,

        #[command(flatten)]
        how: How,
    },
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

    /// Number of threads of each sort; one for each core if 0 or not given
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
    }
}

impl How {
    /// Runs a bench, and shows what it found.
    fn run(&self, bench: impl FnOnce(&Ground) -> Result<Finding>) -> Outcome {
        // What cannot be written is better known before the bench than after it.
        let [json, page] = [&self.json, &self.report].map(|path| {
            path.as_deref().filter(|path| *path != Path::new("-")).map(Page::create).transpose()
        });
        let (json, page) = (json?, page?);
        let runs = usize::try_from(self.runs).unwrap_or(usize::MAX);
        let found = self.watching.run(false, |progress: &Progress| {
            let program = Program::this()?;
            let ground = Ground::new(
                (&self.directory, program),
                (runs, values::chosen(self.threads)),
                (progress, command()),
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
        let words = match self.json.as_deref() == Some(Path::new("-")) {
            true => format!("{value:#}\n"),
            false => text::words(&found),
        };
        standard::print(words.as_bytes())?;
        Ok(ExitCode::SUCCESS)
    }
}

fn command() -> String {
    let words: Vec<String> = env::args().skip(1).collect();
    format!("sortwell {}", words.join(" "))
}

/// A price: a positive number of dollars.
fn dollars(words: &str) -> std::result::Result<f64, String> {
    positive(words.trim_start_matches('$'))
        .map_err(|_| "a price is a number of dollars above nought, such as 2000".to_owned())
}

fn positive(words: &str) -> std::result::Result<f64, String> {
    let number = words.parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("'{words}' is not a number above nought"))
}
