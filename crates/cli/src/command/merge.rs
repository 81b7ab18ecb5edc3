//! `sortwell merge`: arguments into a [`MergeJob`], the job run under watch, its statistics shown.

use std::borrow::Cow;

use clap::Args;
use sortwell::unstable::job::MergeJob;
use sortwell::{Input, Result};

use crate::command::options::heading::HeadingOptions;
use crate::command::options::inputs::Inputs;
use crate::command::options::levers::RequestOptions;
use crate::command::options::order::Order;
use crate::command::options::resources::Resources;
use crate::command::options::resuming::Resuming;
use crate::command::options::safety::Safety;
use crate::command::options::selecting::Selecting;
use crate::command::options::watching::AccountOptions;
use crate::command::options::writing::Writing;
use crate::command::options::{RESOURCES, SAFETY, values};
use crate::failure::CommandOutcome;
use crate::reporting::JobFiles;

/// Merge sorted files of lines, CSV, TSV, JSON lines or binary records
///
/// Every file must be sorted by the same keys. A merge takes the time to read and write the files
/// once. It uses a few megabytes of memory for each file, and more for long records. If there are
/// too many files to be open at once, or to have memory, sortwell merges in several rounds. Of
/// records with equal keys, those of earlier files come first. An output file appears whole or
/// not at all, and inputs are only read, unless one is also the output.
///
/// With --limit, a merge ends after the last record that is written. Records after it may or may
/// not be read and checked. With --unique-by KEY, the inputs must be in the order that `sortwell
/// sort --unique-by KEY` writes with the same keys: by KEY first, and by --key next.
#[derive(Args, Debug)]
#[command(after_help = FEW_EXAMPLES, after_long_help = EXAMPLES)]
pub struct MergeArguments {
    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    heading: HeadingOptions,

    #[command(flatten)]
    selecting: Selecting,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    writing: Writing,

    /// Refuse inputs that are not sorted, with `--verify off` too
    ///
    /// With --verify on, the default, sortwell always refuses such inputs. The message gives the
    /// file, the number and the offset of the first record out of order. There is no output then,
    /// and the exit status is 3. With --verify off and without this option, the output has all
    /// records of such inputs, but in no particular order.
    #[arg(long, help_heading = SAFETY)]
    check: bool,

    #[command(flatten)]
    resuming: Resuming,

    #[command(flatten)]
    safety: Safety,

    #[command(flatten)]
    account: AccountOptions,

    /// Set the number of worker threads; 0 or no option: one per core
    ///
    /// Several threads merge, each a range of keys, if all inputs are large plain files of lines
    /// or of records of one length, and the output is a plain file. No option may select, group or
    /// drop records. --verify must be on, or --check given. Memory must have room for each thread
    /// to read all inputs. Otherwise, as with --unique, one thread merges.
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads,
          help_heading = RESOURCES)]
    threads: Option<usize>,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    levers: RequestOptions,
}

const FEW_EXAMPLES: &str = "\
Examples:
  sortwell merge -o month.log day-*.log
  sortwell merge -F csv -k customer --sum amount -o month.csv day-*.csv

Keys: 'sortwell help keys'. All options: --help";

const EXAMPLES: &str = "\
Examples:
  Merge a month of sorted logs:
    sortwell merge -o month.log day-*.log

  By the number in the second column, after a check that all files are sorted by it:
    sortwell merge --check -k 2:decimal -o all.txt a.txt b.txt

  Records of 100 bytes, by their first ten:
    sortwell merge -F fixed:100 -k 0..10 -o all.bin a.bin b.bin

  The latest row of each id, from tables that have one row per id:
    sortwell merge -F csv --unique-by id -k updated:timestamp:desc -o all.csv a.csv b.csv

  Monthly totals of each customer, from totals of days:
    sortwell merge -F csv -k customer --sum amount -o month.csv day-*.csv

  A long merge that the same command continues after a power failure:
    sortwell merge --resume -o all.txt part-*.txt";

/// Merges.
pub fn run(arguments: &MergeArguments) -> CommandOutcome {
    let job = arguments.job()?;
    arguments.resources.warn();
    let format_by_names = arguments.format_by_names(&job.inputs);
    let files = JobFiles {
        inputs: &job.inputs,
        output: &job.output,
        is_split: false,
        force: job.force,
        format_by_names,
    };
    arguments.account.run(files, |progress| job.run(progress))
}

impl MergeArguments {
    /// Returns the format that the names of `inputs` say, if it is theirs.
    pub fn format_by_names(&self, inputs: &[Input]) -> Option<&'static str> {
        self.order().format_by_names(inputs).map(|(name, _)| name)
    }

    /// Returns the order of records, groups first.
    fn order(&self) -> Cow<'_, Order> {
        self.order.behind(self.selecting.group_keys())
    }

    /// Returns the job that the arguments ask for.
    pub fn job(&self) -> Result<MergeJob> {
        let inputs = self.inputs.inputs()?;
        let order = self.order();
        let format = order.format(&inputs)?;
        let select = self.selecting.select();
        let (keys, order) = order.keys(format, select.looks_at_days())?;
        Ok(MergeJob {
            keys,
            order,
            header: self.heading.header(),
            select,
            check: self.check || self.safety.verify,
            memory: self.resources.memory(),
            threads: values::chosen(self.threads),
            decompress: self.inputs.decompress,
            compress: self.writing.compress,
            temp: self.writing.temp.clone(),
            temp_limit: self.writing.temp_limit,
            engine: self.resources.engine,
            direct: self.resources.direct,
            levers: self.levers.chosen(),
            verify: self.safety.verify,
            sync: self.safety.sync,
            force: self.writing.force,
            resume: self.resuming.resume(),
            timeline: self.account.wants_timeline(),
            ..MergeJob::new(inputs, self.writing.output(), format)
        })
    }
}

#[cfg(test)]
mod tests;
