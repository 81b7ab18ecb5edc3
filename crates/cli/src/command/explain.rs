//! `sortwell explain`: the plan of a sort, without running it.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use sortwell::unstable::job::SortJob;
use sortwell::unstable::plan::price::{DiskPrice, MemoryPrice, Prices};
use sortwell::{Error, Explanation};

use super::options::values;
use super::sort;
use crate::explanation;
use crate::failure::CommandOutcome;
use crate::standard;
use crate::{statistics, wording};

/// Print the plan of a sort, without sorting
///
/// explain takes the arguments of `sortwell sort`, so you can put the word into a command as it is.
/// It ignores --progress, --stats and --report. It opens the inputs and writes nothing. The inputs
/// are plain files, as the length of a pipe or a compressed input is not known. explain prints the
/// passes, the runs, the merge width, the sizes of requests, the spill space, the division of
/// memory, the memory budgets at which these would change, and the reason of each decision.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = ALL_EXAMPLES)]
#[group(id = "explain")]
pub struct ExplainArguments {
    /// Choose the output form
    #[arg(long, value_name = "FORM", default_value = "text", help_heading = None)]
    form: ExplanationForm,

    /// Set the price of a GB of memory, to compare one pass with two by price
    ///
    /// The price is for a GB (10^9 bytes), in any currency, or has a unit: 4, 4/GB, 100/MB. explain
    /// compares the least memory for one pass with the least memory for two passes and the disks
    /// that hold their runs. It needs --price-disk too.
    #[arg(long, value_name = "PRICE", requires = "price_disk", help_heading = None,
          value_parser = values::parse::<MemoryPrice>)]
    price_memory: Option<MemoryPrice>,

    /// Set the price of scratch disks, for a GB of spill space or for a disk
    ///
    /// The price is for a GB (10^9 bytes) of spill space, or has a unit: 0.05, 50/TB. With /disk it
    /// is for a disk with its connection, such as 2400/disk. Each directory of --temp counts as a
    /// disk. It needs --price-memory too.
    #[arg(long, value_name = "PRICE", requires = "price_memory", help_heading = None,
          value_parser = values::parse::<DiskPrice>)]
    price_disk: Option<DiskPrice>,

    #[command(flatten)]
    sort: sort::SortArguments,
}

/// In which form a plan is shown.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ExplanationForm {
    /// Lines for people
    Text,
    /// One line of JSON
    Json,
}

const EXAMPLES: &str = "\
Examples:
  How much memory would a sort of this file take to be done in one pass?
    sortwell explain -F fixed:100 -k 0..10 big.bin -o sorted.bin

  Is there room for what a sort within 1 GiB spills?
    sortwell explain -M 1GiB -T /mnt/scratch lines.txt -o sorted.txt";

/// Examples of the long help: the short one has no room for all.
const ALL_EXAMPLES: &str = "\
Examples:
  How much memory would a sort of this file take to be done in one pass?
    sortwell explain -F fixed:100 -k 0..10 big.bin -o sorted.bin

  Is there room for what a sort within 1 GiB spills?
    sortwell explain -M 1GiB -T /mnt/scratch lines.txt -o sorted.txt

  Is memory for one pass cheaper than two scratch disks, at 4 per GB and 60 per disk?
    sortwell explain --price-memory 4 --price-disk 60/disk -T /s1 -T /s2 big.txt";

/// Says on standard error that --temp-limit would refuse the sort, if that is certain.
fn warn_of_limit(job: &SortJob, explanation: &Explanation) {
    let needed = explanation.outlook.spill_space;
    let is_certain = !explanation.is_at_most && explanation.compressed_runs.is_empty();
    if let Some(limit) = job.temp_limit.filter(|limit| is_certain && *limit < needed) {
        let words = wording::chain(&Error::OverLimit { needed: Some(needed), limit });
        standard::tell(format!("sortwell: the sort would be refused: {words}\n"));
    }
}

/// Explains.
pub fn run(arguments: &ExplainArguments) -> CommandOutcome {
    let job = arguments.sort.job()?;
    arguments.sort.warn();
    let explanation = job.explain()?;
    let by_names = arguments.sort.format_by_names(&job.inputs);
    let prices = arguments.price_memory.zip(arguments.price_disk);
    let prices = prices.map(|(memory, disk)| Prices { memory, disk });
    let prices = prices.as_ref();
    let words = match arguments.form {
        ExplanationForm::Text => {
            explanation::text(&explanation, prices) + &statistics::format_line(by_names)
        }
        ExplanationForm::Json => explanation::json(&explanation, prices, by_names) + "\n",
    };
    standard::print(words.as_bytes())?;
    warn_of_limit(&job, &explanation);
    Ok(ExitCode::SUCCESS)
}
