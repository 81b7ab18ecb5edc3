//! `sortwell generate`: the sort benchmark's records, with the options of gensort.
//!
//! The bytes are made by the library `sortbench`; here is only what the words mean.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortbench::{GeneratorDestination, RecordGeneration};
use sortwell::Progress;
use sortwell::unstable::codec::Foreign;
use sortwell::unstable::io::check_replaceable;
use sortwell::{Codec, Error};

use crate::command::options::values;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::progress::When;
use crate::standard;
use crate::watched;

/// Make a file of the sort benchmark's 100-byte records
///
/// The file equals that of gensort 1.5 to the byte. The first record is record 0. Several machines
/// can each make a range of the records.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct GenerateArguments {
    /// Make records of printable characters that end in CR LF, instead of binary ones
    #[arg(short, long)]
    ascii: bool,

    /// Print the sum of the records' CRC-32s to standard error, in hexadecimal
    #[arg(short, long)]
    checksum: bool,

    /// Skew the keys: some leading bytes become very frequent
    #[arg(short, long)]
    skewed: bool,

    /// Set the number of the first record
    #[arg(short = 'b', long, value_name = "START", default_value_t = 0)]
    start: u128,

    /// Set the number of threads; 0 or no option: one per core
    #[arg(short, long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Replace a file that has no write permission too
    #[arg(long)]
    force: bool,

    /// Number of records to make
    #[arg(value_name = "NUM_RECS")]
    records: u64,

    /// File to write; `-` is standard output
    ///
    /// generate refuses names of compressed files, such as names that end in .gz or .xz.
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
pub fn run(arguments: &GenerateArguments) -> CommandOutcome {
    refuse_packed(&arguments.file)?;
    let to = GeneratorDestination::named(arguments.file.clone());
    if to != GeneratorDestination::Stdout && !arguments.force {
        check_replaceable(&arguments.file)?;
    }
    let generation = arguments.generation();
    let progress = Progress::new();
    let made = watched::run(&progress, When::Auto, to == GeneratorDestination::Stdout, || {
        sortbench::generate(&generation, &to, &progress)
    })?;
    if let Some(checksum) = made.checksum {
        standard::tell(format!("{checksum:x}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Refuses a name that says the file is compressed: records are written as they are.
fn refuse_packed(path: &Path) -> Result<(), Error> {
    let codec = Codec::of_path(path).map(Codec::name);
    let Some(name) = codec.or_else(|| Foreign::of_path(path).map(|foreign| foreign.name)) else {
        return Ok(());
    };
    Err(usage_error(format!(
        "the name {} means {name}, but generate does not compress; give another name, or compress \
         its standard output ('-')",
        path.display()
    )))
}

impl GenerateArguments {
    fn generation(&self) -> RecordGeneration {
        RecordGeneration {
            start: self.start,
            ascii: self.ascii,
            skewed: self.skewed,
            checksum: self.checksum,
            threads: values::threads_or_cores(self.threads),
            ..RecordGeneration::new(self.records)
        }
    }
}
