//! `sortwell sort`: arguments into a [`SortJob`], the job run under watch, its statistics shown.
//!
//! Only what the words mean is decided here. How the job is done, and whether it can be, is the
//! library's to say.

use std::borrow::Cow;

use clap::Args;
use sortwell::unstable::job::SortJob;
use sortwell::unstable::operator::Select;
use sortwell::{Input, Output, Result};

use crate::command::options::algorithm::AlgorithmOptions;
use crate::command::options::filtering::Filtering;
use crate::command::options::heading::HeadingOptions;
use crate::command::options::inputs::Inputs;
use crate::command::options::levers::LeverOptions;
use crate::command::options::order::Order;
use crate::command::options::resources::{ProfileOptions, Resources};
use crate::command::options::resuming::{InPlace, Resuming};
use crate::command::options::safety::Safety;
use crate::command::options::selecting::{Selecting, SplitOptions};
use crate::command::options::watching::AccountOptions;
use crate::command::options::writing::Writing;
use crate::command::options::{RESOURCES, values};
use crate::failure::CommandOutcome;
use crate::reporting::JobFiles;

/// Sort lines, CSV, TSV, JSON lines or binary records
///
/// sortwell sorts all input files together. They may be far larger than memory: records that do not
/// fit are sorted in two passes or more. The sort is stable. Its output is the same to the byte for
/// any memory budget, number of threads and I/O engine. An output file appears whole or not at all.
/// Inputs are only read, except with --in-place, or if one is also the output.
#[derive(Args, Debug)]
#[command(after_help = FEW_EXAMPLES, after_long_help = EXAMPLES)]
pub struct SortArguments {
    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    heading: HeadingOptions,

    #[command(flatten)]
    selecting: Selecting,

    #[command(flatten)]
    splitting: SplitOptions,

    #[command(flatten)]
    filtering: Filtering,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    writing: Writing,

    /// Set the number of worker threads; 0 or no option: one per core
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads,
          help_heading = RESOURCES)]
    threads: Option<usize>,

    #[command(flatten)]
    resuming: Resuming,

    #[command(flatten)]
    replacing: InPlace,

    #[command(flatten)]
    safety: Safety,

    #[command(flatten)]
    account: AccountOptions,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    profile: ProfileOptions,

    #[command(flatten)]
    algorithm: AlgorithmOptions,

    #[command(flatten)]
    levers: LeverOptions,
}

const FEW_EXAMPLES: &str = "\
Examples:
  sortwell sort -k amount:decimal:desc -k name -o sorted.csv orders.csv
  sortwell sort -t tab -k 2:int --unique -o sorted.txt lines.txt
  du -h * | sortwell sort -k 1:size:desc --limit 10
  sortwell sort -F fixed:100 -k 0..10 -M 4G -T /mnt/scratch -o sorted.bin input.bin

Options of GNU sort: 'sortwell gnu'. Keys: 'sortwell help keys'. All options: --help";

const EXAMPLES: &str = "\
Examples:
  Sort the lines of a file, or of a pipeline:
    sortwell sort -o sorted.txt input.txt
    sortwell sort access.log.gz | head

  A table by its second column as a number, largest first, then by its first; keep its first line:
    sortwell sort -t tab -k 2:decimal:desc -k 1 --header 1 -o sorted.tsv table.tsv

  A VCF file by chromosome and position; keep the lines that start with # on top:
    sortwell sort -t tab -k 1:version -k 2:int --header '#' -o sorted.vcf.gz calls.vcf.gz

  FASTQ reads of four lines each, by the number after their names:
    sortwell sort -F lines:group=4 -k 1.2:int -o sorted.fastq reads.fastq.gz

  Only lines whose second column is 10 or more, without those that start with test:
    sortwell sort -t tab --include '2:decimal >= 10' --exclude '1 starts with \"test\"' table.tsv

  The number of times that each line occurs, and the ten smallest sizes:
    sortwell sort --count access.log
    du -h * | sortwell sort -k 1:size --limit 10

  Lines that occur more than once, with their numbers:
    sortwell sort --count --having 'count > 1' access.log

  The last line of each name in the first column:
    sortwell sort -t , -k 1 --unique=last -o latest.csv all.csv

  The latest row of each id of a table:
    sortwell sort -F csv --unique-by id -k updated:timestamp:desc -o latest.csv rows.csv

  Two tables with the same columns in different order, as one:
    sortwell sort -F csv --union-by-name -k id:int -o all.csv jan.csv feb.csv

  Sort 100-byte records by their first ten bytes:
    sortwell sort -F fixed:100 -k 0..10 -o sorted.bin input.bin

  By a little-endian number at bytes 8 to 16, largest first, then by bytes 0 to 4:
    sortwell sort -F fixed:32 -k 8..16:u64le:desc -k 0..4 -o sorted.bin input.bin

  More than memory holds, with temporary files on another disk, and statistics at the end:
    sortwell sort -F fixed:100 -M 1GiB -T /mnt/scratch --stats text -o sorted.bin input.bin

  The same sort, which the same command continues if it is stopped or killed:
    sortwell sort -F fixed:100 -M 1GiB -T /mnt/scratch --resume -o sorted.bin input.bin

  A log whose lines are nearly in order, of any length, in one run:
    sortwell sort -k 1:timestamp -M 256MiB --algorithm replacement-selection -o sorted.log in.log

  A file that fills most of its disk, in place:
    sortwell sort -F fixed:100 -k 0..10 -M 1GiB --in-place data.bin

  Compressed files, detected by their names, or with a given compression:
    sortwell sort -o sorted.txt.zst part-1.gz part-2.zst part-3.txt
    curl -s https://example.org/log | sortwell sort --decompress gzip --compress gzip:9 > sorted.gz

  In a pipeline:
    cat part-1 part-2 | sortwell sort -F fixed:16 -k 0..8:u64be > sorted.bin";

/// Sorts.
pub fn run(arguments: &SortArguments) -> CommandOutcome {
    let job = arguments.job()?;
    arguments.warn();
    let files = JobFiles {
        inputs: &job.inputs,
        output: &job.output,
        is_split: job.select.split.is_some(),
        force: job.force,
        format_by_names: arguments.format_by_names(&job.inputs),
    };
    arguments.account.run(files, |progress| job.run(progress))
}

impl SortArguments {
    /// Returns the format that the names of `inputs` say, if it is theirs.
    pub fn format_by_names(&self, inputs: &[Input]) -> Option<&'static str> {
        self.order().format_by_names(inputs).map(|(name, _)| name)
    }

    /// Says on standard error that the default machine profile cannot be read, or that the memory
    /// limit is more than all memory, where that is so.
    pub fn warn(&self) {
        self.profile.warn();
        self.resources.warn();
    }

    /// Returns the order of records, groups first.
    fn order(&self) -> Cow<'_, Order> {
        self.order.behind(self.selecting.group_keys())
    }

    /// Returns the job that the arguments ask for.
    pub fn job(&self) -> Result<SortJob> {
        let inputs = self.inputs.inputs()?;
        let order = self.order();
        let format = order.format(&inputs)?;
        let filter = self.filtering.filter();
        let select = Select { split: self.splitting.split(), ..self.selecting.select() };
        let has_days = filter.looks_at_days() || select.looks_at_days();
        let (keys, order) = order.keys(format, has_days)?;
        let output = match &inputs[..] {
            [Input::File(path)] if self.replacing.in_place => Output::File(path.clone()),
            _ => self.writing.output(),
        };
        Ok(SortJob {
            keys,
            order,
            filter,
            select,
            header: self.heading.header(),
            memory: self.resources.memory(),
            threads: values::chosen(self.threads),
            algorithm: self.algorithm.algorithm,
            decompress: self.inputs.decompress,
            compress: self.writing.compress,
            temp: self.writing.temp.clone(),
            temp_limit: self.writing.temp_limit,
            engine: self.resources.engine,
            direct: self.resources.direct,
            levers: self.algorithm.add_to(self.levers.chosen()),
            verify: self.safety.verify,
            sync: self.safety.sync,
            force: self.writing.force,
            resume: self.resuming.resume(),
            in_place: self.replacing.in_place,
            profile: self.profile.chosen()?,
            timeline: self.account.wants_timeline(),
            ..SortJob::new(inputs, output, format)
        })
    }
}

#[cfg(test)]
mod tests;
