//! `sortwell generate`: the sort benchmark's records, with the options of gensort. Tables of
//! another kind are subcommands, one file each.
//!
//! The bytes are made by the library `sortbench`; here is only what the words mean.

mod sales;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortbench::{GenerationResult, GeneratorDestination, RecordGeneration};
use sortwell::Progress;
use sortwell::unstable::codec::Foreign;
use sortwell::{Codec, Result};

use crate::command::options::values;
use crate::failure::{CommandOutcome, Failure, usage_error};
use crate::progress::When;
use crate::standard;
use crate::watched;

/// Make a file of the sort benchmark's 100-byte records
///
/// The file equals that of gensort 1.5 to the byte. The first record is record 0. Several machines
/// can each make a range of the records. 'sortwell generate sales' makes a table of another kind.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true,
          subcommand_negates_reqs = true)]
pub struct GenerateArguments {
    #[command(subcommand)]
    table: Option<GeneratedTable>,

    /// The records, if no table is named.
    #[command(flatten)]
    records: Option<RecordArguments>,
}

#[derive(Debug, Subcommand)]
enum GeneratedTable {
    Sales(sales::SalesArguments),
}

/// The records of the sort benchmark.
#[derive(Args, Debug)]
struct RecordArguments {
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
    #[arg(short, visible_short_alias = 'j', long, value_name = "N", value_parser = values::threads)]
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
    sortwell generate -b1000000 1000000 part-2.bin

  A table of sales in CSV, of ten million rows:
    sortwell generate sales 10000000 sales.csv";

/// Makes the file.
pub fn run(arguments: &GenerateArguments) -> CommandOutcome {
    match (&arguments.table, &arguments.records) {
        (Some(GeneratedTable::Sales(table)), _) => table.run(),
        (None, Some(records)) => records.run(),
        (None, None) => Err(usage_error("NUM_RECS and FILE are missing").into()),
    }
}

/// Makes a file, unless its name must not be taken.
fn make(
    file: &Path,
    force: bool,
    make: impl FnOnce(&GeneratorDestination, &Progress) -> Result<GenerationResult>,
) -> std::result::Result<GenerationResult, Failure> {
    refuse_packed(file)?;
    let to = GeneratorDestination::named(file.to_owned());
    to.check_replaceable(force)?;
    let progress = Progress::new();
    watched::run(&progress, When::Auto, to == GeneratorDestination::Stdout, || make(&to, &progress))
}

/// Refuses a name that says the file is compressed: records are written as they are.
fn refuse_packed(path: &Path) -> Result<()> {
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

impl RecordArguments {
    /// Makes the records.
    fn run(&self) -> CommandOutcome {
        let generation = self.generation();
        let made = make(&self.file, self.force, |to, progress| {
            sortbench::generate(&generation, to, progress)
        })?;
        if let Some(checksum) = made.checksum {
            standard::tell(format!("{checksum:x}\n"));
        }
        Ok(ExitCode::SUCCESS)
    }

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
