//! `sortwell generate`: the sort benchmark's records, with the options of gensort.
//!
//! The bytes are made by the library `sortbench`; here is only what the words mean.

use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortbench::{Destination, Generation};
use sortwell::stats::Progress;

use crate::command::options::values;
use crate::failure::Outcome;
use crate::progress::When;
use crate::watched;

/// Make a file of the sort benchmark's 100-byte records
///
/// The file is that of gensort 1.5 to the byte. Record 0 is the first; any range of records can be
/// made on its own, on any number of machines.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Make records of printable characters that end in CR LF, instead of binary ones
    #[arg(short, long)]
    ascii: bool,

    /// Print the sum of the records' CRC-32s to standard error, in hexadecimal
    #[arg(short, long)]
    checksum: bool,

    /// Skew the keys: some leading bytes become very frequent
    #[arg(short, long)]
    skewed: bool,

    /// Number of the first record
    #[arg(short = 'b', long, value_name = "START", default_value_t = 0)]
    start: u128,

    /// Number of threads; one for each core if not given
    #[arg(short, long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// How many records to make
    #[arg(value_name = "NUM_RECS")]
    records: u64,

    /// The file to write; `-` is standard output
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  A gigabyte, and the checksum to compare with that of 'sortwell validate':
    sortwell generate -c 10000000 input.bin

  The second million of the same records:
    sortwell generate -b1000000 1000000 part-2.bin";

/// Makes the file.
pub fn run(arguments: &Arguments) -> Outcome {
    let to = Destination::named(arguments.file.clone());
    let generation = arguments.generation();
    let progress = Progress::new();
    let made = watched::run(&progress, When::Auto, to == Destination::Stdout, || {
        sortbench::generate(&generation, &to, &progress)
    })?;
    if let Some(checksum) = made.checksum {
        writeln!(stderr(), "{checksum:x}")?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    fn generation(&self) -> Generation {
        Generation {
            start: self.start,
            ascii: self.ascii,
            skewed: self.skewed,
            checksum: self.checksum,
            threads: values::threads_or_cores(self.threads),
            ..Generation::new(self.records)
        }
    }
}
