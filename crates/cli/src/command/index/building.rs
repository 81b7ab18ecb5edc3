//! `sortwell index build` and `append`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use sortwell::unstable::io::{Direct, Engine};
use sortwell::{Error, Input, Message, Output, Reference, Result, Setting, Unique};
use sortwell_index::{AppendJob, BuildJob, Effort, Include, IndexTarget, SortSettings};

use super::{EffortOptions, with_advice};
use crate::command::options::heading::HeadingOptions;
use crate::command::options::levers::LeverOptions;
use crate::command::options::order::Order;
use crate::command::options::resources::ENGINES;
use crate::command::options::values::ListedValues;
use crate::command::options::watching::AccountOptions;
use crate::command::options::{EXPERT, values};
use crate::failure::{CommandOutcome, Failure, usage_error};
use crate::reporting::{JobFiles, is_stream};
use crate::{standard, statistics};

/// Build an index over one or more files
///
/// Several threads read the files and compute the key of each record. Keys and places are sorted
/// within the memory limit, and several threads write the index; a database is written by one. It
/// appears whole, or not at all. --stats and --report show the sort of keys and places: its bytes
/// are not those of the files.
#[derive(Args, Debug)]
// An index refuses the option, and the error says why.
#[command(after_help = BUILD_EXAMPLES,
          mut_arg("union_by_name", |argument| argument.hide(true)))]
pub struct BuildArguments {
    #[command(flatten)]
    order: Order,

    #[command(flatten)]
    heading: HeadingOptions,

    /// Refuse records with equal keys, or keep the first or the last of them
    ///
    /// Without it, the index has all records. With it, an entry of an LMDB file has the key alone,
    /// without the place after it, which is easier to read for other programs.
    #[arg(long, value_name = "WHICH", num_args = 0..=1, default_missing_value = "error",
          require_equals = true,
          value_parser = values::one_of::<Unique>(&["error", "first", "last"]),
          help_heading = None)]
    unique: Option<Unique>,

    /// Keep these columns, or ranges of bytes such as 8..16, in the index
    ///
    /// get, range and prefix print them with --included, without reading the data. A column is a
    /// name or a number, and bytes count as in keys: without the end of a line or row, and without
    /// a length in front of a record. Write a name with a comma, or of digits alone, in double
    /// quotes, and single quotes around all for the shell: --include '"a,b",id'. Example: --include
    /// id,amount.
    #[arg(long, value_name = "PART,...", help_heading = None,
          value_parser = values::listed(|part| Ok(Include::from_text(part))))]
    include: Vec<ListedValues<Include>>,

    /// Write an index (lmdb), or an SQLite database for programs that search by SQL (sqlite)
    ///
    /// A database has a row for each record, in the order of the keys: the values of the keys by
    /// their types, the columns of --include as text, and the place of the record in the data.
    /// 'sortwell index get' and the other operations read indexes, and no databases. Default: lmdb.
    #[arg(long, value_name = "KIND", default_value = "lmdb", hide_default_value = true,
          value_parser = PossibleValuesParser::new(["lmdb", "sqlite"]).map(|word| target(&word)),
          help_heading = None)]
    to: IndexTarget,

    /// Files to index: regular files, not compressed or compressed by bgzip
    #[arg(value_name = "DATA", required = true, value_hint = ValueHint::FilePath)]
    data: Vec<PathBuf>,

    /// Write the index to INDEX
    #[arg(short, long, value_name = "INDEX", value_hint = ValueHint::FilePath,
          help_heading = None)]
    output: PathBuf,

    /// Replace an index or a page that has no write permission too
    #[arg(long, help_heading = None)]
    force: bool,

    /// Keep finished work if the build fails or is stopped, and continue from it next time
    ///
    /// The entries are sorted in parts of up to 1 GiB of data, which are written to the first
    /// directory for temporary files. 'sortwell spill clean DIRECTORY' removes what no build
    /// continues.
    #[arg(long, help_heading = None)]
    resume: bool,

    #[command(flatten)]
    effort: EffortOptions<AccountOptions>,

    #[command(flatten)]
    runs: RunOptions,
}

/// Returns the kind of file of this name.
fn target(name: &str) -> IndexTarget {
    if name == "sqlite" { IndexTarget::Sqlite } else { IndexTarget::Lmdb }
}

/// Reading and writing of the temporary files of a build.
#[derive(Args, Debug)]
#[command(next_help_heading = EXPERT)]
struct RunOptions {
    /// Choose how to read and write temporary files
    ///
    /// uring: io_uring. threads: a pool of threads. mmap: memory mappings, with their pages
    /// requested ahead. mmap-plain: memory mappings without that, for comparison. sync: one request
    /// after the other. auto: uring if the system allows it, otherwise threads. Example: --io
    /// threads.
    #[arg(long = "io", value_name = "ENGINE", default_value = "auto",
          value_parser = values::one_of::<Engine>(&ENGINES), hide_short_help = true)]
    engine: Engine,

    /// Bypass the page cache for temporary files: auto, on or off
    ///
    /// auto bypasses the cache if the file system supports that, unless the memory for loads is
    /// less than 640 KiB per thread, which a small --run-size can cause. The data and the index
    /// always pass through the cache. Example: --direct off.
    #[arg(long, value_name = "WHEN", default_value = "auto",
          value_parser = values::one_of::<Direct>(&["auto", "on", "off"]), hide_short_help = true)]
    direct: Direct,

    #[command(flatten)]
    levers: LeverOptions,
}

/// Add new records to an index
///
/// These are the records that follow those that were indexed in the last data file, and all records
/// of new files. Only they are read and sorted. The new index replaces the old one when it is
/// complete.
#[derive(Args, Debug)]
#[command(after_help = APPEND_EXAMPLES)]
pub struct AppendArguments {
    /// Index to replace
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    index: PathBuf,

    /// New data files, with the columns of the others
    #[arg(value_name = "DATA", value_hint = ValueHint::FilePath)]
    data: Vec<PathBuf>,

    /// Replace an index that has no write permission too
    #[arg(long, help_heading = None)]
    force: bool,

    #[command(flatten)]
    effort: EffortOptions,
}

const BUILD_EXAMPLES: &str = "\
Examples:
  Index a CSV file by two columns, and keep another one in the index:
    sortwell index build orders.csv -k city -k amount:decimal --include id -o orders.index

  Write a database for programs that search by SQL:
    sortwell index build orders.csv -k city -k amount:decimal --to sqlite -o orders.db";

const APPEND_EXAMPLES: &str = "\
Examples:
  Add the rows that were written to the last data file since then:
    sortwell index append orders.index

  Add the rows of a new file:
    sortwell index append orders.index orders-2.csv";

impl AppendArguments {
    /// Appends.
    pub fn run(&self) -> CommandOutcome {
        let job = self.job();
        self.effort.warn();
        let appended = self.effort.watching.run(false, |progress| job.run(progress));
        let appended = appended.map_err(|failure| match failure {
            Failure::Library(Error::Malformed { path, message }) => match advice_of(&message) {
                Some(advice) => with_advice(path, &message, advice).into(),
                None => Error::Malformed { path, message }.into(),
            },
            failure => failure,
        });
        let mut statistics = appended?.statistics;
        // Records that were in the index before may have values of these keys.
        statistics.keys.unmatched.clear();
        standard::tell(statistics::finding_lines(&statistics));
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the job.
    pub fn job(&self) -> AppendJob {
        let Effort { memory, threads, temp } = self.effort.effort();
        AppendJob {
            index: self.index.clone(),
            data: self.data.clone(),
            memory,
            threads,
            temp,
            force: self.force,
            sync: true,
        }
    }
}

/// Addition to the advice to set the place of invalid keys: an append has no options for keys.
const OF_BUILD: &str = " of 'sortwell index build'; the index has to be built again for that";

/// Addition to advice to set options that only a build has.
const AS_BUILT: &str =
    "; an append has the options of 'sortwell index build': for other ones, build the index again";

/// Returns an addition to a message that advises to set options that an append lacks.
fn advice_of(message: &Message) -> Option<&'static str> {
    let advises = |wanted: &[Setting]| {
        let is_wanted =
            |of: &Reference| matches!(of, Reference::Setting(of, _) if wanted.contains(of));
        message.references().any(is_wanted)
    };
    if advises(&[Setting::Invalid]) {
        return Some(OF_BUILD);
    }
    let others = [Setting::Ragged, Setting::Quote, Setting::Unique, Setting::Separator];
    advises(&others).then_some(AS_BUILT)
}

impl BuildArguments {
    /// Builds.
    pub fn run(&self) -> CommandOutcome {
        let job = self.job()?;
        self.effort.warn();
        let inputs: Vec<Input> = self.data.iter().map(Input::from).collect();
        let output = Output::File(self.output.clone());
        let files = JobFiles {
            inputs: &inputs,
            output: &output,
            is_split: false,
            force: self.force,
            format_by_names: None,
        };
        let build = |progress: &_| job.run(progress).map(|built| built.statistics);
        self.effort.watching.run(files, build)
    }

    /// Returns the job.
    ///
    /// # Errors
    ///
    /// Options that are wrong together.
    pub fn job(&self) -> Result<BuildJob> {
        if is_stream(&self.output) {
            return Err(usage_error(
                "an index needs the name of a file; '-' is standard output, and ./- a file of \
                 that name",
            ));
        }
        let inputs: Vec<Input> = self.data.iter().map(Input::from).collect();
        let format = self.order.format(&inputs)?;
        let (keys, order) = self.order.keys(format, false)?;
        let Effort { memory, threads, temp } = self.effort.effort();
        Ok(BuildJob {
            data: self.data.clone(),
            output: self.output.clone(),
            format,
            keys,
            order,
            header: self.heading.header(),
            include: self.include.iter().flat_map(|listed| listed.0.clone()).collect(),
            target: self.to,
            unique: self.unique,
            memory,
            threads,
            temp,
            sort: SortSettings {
                engine: self.runs.engine,
                direct: self.runs.direct,
                levers: self.runs.levers.chosen(),
                timeline: self.effort.watching.wants_timeline(),
            },
            force: self.force,
            sync: true,
            resume: self.resume,
        })
    }
}
