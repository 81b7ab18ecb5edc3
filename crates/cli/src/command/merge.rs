//! `sortwell merge`: arguments into a [`MergeJob`], the job run under watch, its statistics shown.

use clap::Args;
use sortwell::Result;
use sortwell::unstable::job::MergeJob;

use crate::command::options::SAFETY;
use crate::command::options::heading::Heading;
use crate::command::options::inputs::Inputs;
use crate::command::options::levers::Requests;
use crate::command::options::order::Order;
use crate::command::options::resources::Resources;
use crate::command::options::resuming::Resuming;
use crate::command::options::safety::Safety;
use crate::command::options::watching::Account;
use crate::command::options::writing::Writing;
use crate::failure::Outcome;
use crate::reporting::JobFiles;

/// Merge sorted files of lines, of CSV or of binary records
///
/// Any number of files, each sorted by the same keys, becomes one in the time it takes to read and
/// write them. A few megabytes of memory are used for each file, and more for long records; files
/// that are too many to be open at once, or to have memory, are merged in several rounds. Of
/// records with equal keys, those of earlier files go first. The output appears whole or not at
/// all, and inputs are only read.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    heading: Heading,

    /// Of records with equal keys, write only the first
    #[arg(short, long, help_heading = None)]
    unique: bool,

    /// Write only the first record of each KEY; repeatable
    ///
    /// KEY is written as for --key. The inputs are in the order that `sortwell sort --unique-by
    /// KEY` writes, with the same keys: by KEY first, and then by --key.
    #[arg(long, value_name = "KEY", help_heading = None)]
    unique_by: Vec<String>,

    #[command(flatten)]
    inputs: Inputs,

    #[command(flatten)]
    writing: Writing,

    /// Refuse inputs that are not sorted, with `--verify off` too
    ///
    /// With --verify on, the default, such inputs are always refused. The first record out of order
    /// is named by its file, its number and its offset; there is no output then, and the exit
    /// status is 3. With --verify off and without this option, what is merged of such inputs is
    /// complete but in no particular order.
    #[arg(long, help_heading = SAFETY)]
    check: bool,

    #[command(flatten)]
    resuming: Resuming,

    #[command(flatten)]
    safety: Safety,

    #[command(flatten)]
    account: Account,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    levers: Requests,
}

const EXAMPLES: &str = "\
Examples:
  Merge a month of sorted logs:
    sortwell merge -o month.log day-*.log

  By the number in the second column, refusing files that are not sorted by it:
    sortwell merge --check -k 2:decimal -o all.txt a.txt b.txt

  Records of 100 bytes, by their first ten:
    sortwell merge -F fixed:100 -k 0..10 -o all.bin a.bin b.bin

  The latest row of each id, of tables that were made so:
    sortwell merge -F csv --unique-by id -k updated:timestamp:desc -o all.csv a.csv b.csv

  A merge of hours, that goes on where it was after a power cut:
    sortwell merge --resume -o all.txt part-*.txt";

/// Merges.
pub fn run(arguments: &Arguments) -> Outcome {
    let job = arguments.job()?;
    arguments.resources.warn();
    let order = arguments.order.behind(&arguments.unique_by);
    let format_by_names = order.format_by_names(&job.inputs).map(|(name, _)| name);
    let files =
        JobFiles { inputs: &job.inputs, output: &job.output, is_split: false, format_by_names };
    arguments.account.run(files, |progress| job.run(progress))
}

impl Arguments {
    /// What was said, as what is meant.
    fn job(&self) -> Result<MergeJob> {
        let inputs = self.inputs.inputs()?;
        let order = self.order.behind(&self.unique_by);
        let format = order.format(&inputs)?;
        let (keys, order) = order.keys(format, false)?;
        Ok(MergeJob {
            keys,
            order,
            header: self.heading.header(),
            unique: self.unique || !self.unique_by.is_empty(),
            unique_by: Some(self.unique_by.len()).filter(|keys| *keys > 0),
            check: self.check || self.safety.verify,
            memory: self.resources.memory(),
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
