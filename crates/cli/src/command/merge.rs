//! `sortwell merge`: arguments into a [`MergeJob`], the job run under watch, its statistics shown.

use clap::Args;
use sortwell::Result;
use sortwell::job::MergeJob;

use crate::command::options::inputs::Inputs;
use crate::command::options::levers::Requests;
use crate::command::options::order::Order;
use crate::command::options::resources::Resources;
use crate::command::options::resuming::Resuming;
use crate::command::options::safety::Safety;
use crate::command::options::watching::Account;
use crate::command::options::writing::Writing;
use crate::failure::Outcome;

/// Merge files that are sorted already
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
    inputs: Inputs,

    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    writing: Writing,

    /// Of records with equal keys, write only the first
    #[arg(short, long)]
    unique: bool,

    /// Refuse inputs that are not sorted
    ///
    /// The first record out of order is named by its file, its number and its offset; there is no
    /// output then, and the exit status is 3. Without it, what is merged of such inputs is complete
    /// but in no particular order.
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    resources: Resources,

    #[command(flatten)]
    levers: Requests,

    #[command(flatten)]
    safety: Safety,

    #[command(flatten)]
    resuming: Resuming,

    #[command(flatten)]
    account: Account,
}

const EXAMPLES: &str = "\
Examples:
  Merge a month of sorted logs:
    sortwell merge -o month.log day-*.log

  By the number in the second column, refusing files that are not sorted by it:
    sortwell merge --check -k 2:decimal -o all.txt a.txt b.txt

  Records of 100 bytes, by their first ten:
    sortwell merge -F fixed:100 -k 0..10 -o all.bin a.bin b.bin

  A merge of hours, that goes on where it was after a power cut:
    sortwell merge --resume -o all.txt part-*.txt";

/// Merges.
pub fn run(arguments: &Arguments) -> Outcome {
    let job = arguments.job()?;
    arguments.resources.warn();
    arguments.account.run((&job.inputs, &job.output), |progress| job.run(progress))
}

impl Arguments {
    /// What was said, as what is meant.
    fn job(&self) -> Result<MergeJob> {
        let (keys, order) = self.order.keys()?;
        Ok(MergeJob {
            keys,
            order,
            unique: self.unique,
            check: self.check,
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
            resume: self.resuming.resume(),
            timeline: self.account.wants_timeline(),
            ..MergeJob::new(self.inputs.inputs()?, self.writing.output(), self.order.format()?)
        })
    }
}

#[cfg(test)]
mod tests;
