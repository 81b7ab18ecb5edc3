//! `sortwell index`: indexes over files that stay where they are.

mod building;
mod finding;
mod showing;

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueHint};
use sortwell::{Budget, Error, Message};
use sortwell_index::{AppendJob, BuildJob, Effort, Index};

use super::options::resources::warn_of_excess;
use super::options::watching::Watching;
use super::options::{RESOURCES, values};
use crate::failure::{CommandOutcome, Failure};
use crate::wording;

/// Build an index over files, and find records by their keys
///
/// An index has the key and the place of each record. The data stays where it is. Records are then
/// found by their keys in microseconds, in files of any size. The index is an LMDB file, which many
/// other programs read. An index whose data has changed is refused.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct IndexArguments {
    /// Operation
    #[command(subcommand)]
    action: IndexAction,
}

const EXAMPLES: &str = "\
Examples:
  Index a CSV file by two columns, and find rows:
    sortwell index build orders.csv -k city -k amount:decimal -o orders.index
    sortwell index get orders.index Oslo
    sortwell index range orders.index --from Oslo --from 10 --before Oslo --before 20
    sortwell index prefix orders.index Os --limit 10

  Add the rows that were written to the file since then:
    sortwell index append orders.index

  Build an index in little memory, and show how its entries were sorted:
    sortwell index build orders.csv -k city -o orders.index -M 64MiB --stats

  Check the index, and write the rows in its order:
    sortwell index verify orders.index
    sortwell index export orders.index -o sorted.csv

Exit status:
  get     0 if it found a record, 1 if not
  verify  0 if all entries are right, 1 if not";

#[derive(Debug, Subcommand)]
enum IndexAction {
    Build(Box<building::BuildArguments>),
    Append(building::AppendArguments),
    Get(finding::GetArguments),
    Range(finding::RangeArguments),
    Prefix(finding::PrefixArguments),
    Info(showing::InfoArguments),
    Verify(showing::VerifyArguments),
    Export(showing::ExportArguments),
}

/// Memory, threads and temporary files of a long operation, and options `W` to watch it.
#[derive(Args, Debug)]
#[command(next_help_heading = RESOURCES)]
struct EffortOptions<W: Args = Watching> {
    /// Limit the memory of the process: a size (512M, 4GiB, 2GB) or a share (50%)
    ///
    /// Default: 60% of the memory that the machine or the container really offers.
    #[arg(short = 'M', long, value_name = "SIZE", value_parser = values::parse::<Budget>)]
    memory: Option<Budget>,

    /// Number of worker threads; default: one for each processor
    #[arg(short = 'j', long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,

    /// Directory for temporary files; repeat to use several disks
    ///
    /// Default: the directory of the index or the output.
    #[arg(short = 'T', long = "temp", value_name = "DIRECTORY", value_hint = ValueHint::AnyPath)]
    temp: Vec<PathBuf>,

    #[command(flatten)]
    watching: W,
}

impl<W: Args> EffortOptions<W> {
    /// Says on standard error where the memory limit is more than all memory.
    fn warn(&self) {
        warn_of_excess(self.memory.unwrap_or_default());
    }

    fn effort(&self) -> Effort {
        let (memory, threads) = (self.memory.unwrap_or_default(), values::chosen(self.threads));
        Effort { memory, threads, temp: self.temp.clone() }
    }
}

/// The index, and what is allowed of its data.
#[derive(Args, Debug)]
struct IndexFile {
    /// Index to read
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    index: PathBuf,

    /// Use the index although its data has changed
    ///
    /// Only do this if all changes lie after the records that were indexed, as in a log that has
    /// grown. Otherwise, other bytes than records may be printed.
    #[arg(long)]
    stale_ok: bool,
}

impl IndexFile {
    /// Opens the index and its data.
    fn open(&self) -> Result<Index, Failure> {
        if self.stale_ok {
            let opened = Index::open_stale(&self.index);
            return opened.map_err(|error| of_moved_data(&self.index, error).into());
        }
        open_checked(&self.index).map_err(|error| match error {
            Failure::Library(Error::Malformed { path, message }) if path != self.index => {
                with_advice(path, &message, ", or give --stale-ok to use it all the same").into()
            }
            error => error,
        })
    }
}

/// Opens an index whose data must be as it was.
fn open_checked(index: &Path) -> Result<Index, Failure> {
    Index::open(index).map_err(|error| of_moved_data(index, error).into())
}

/// Returns the error of opening `index`. If it is about a data file that is missing, it says why
/// the file is looked for there.
fn of_moved_data(index: &Path, error: Error) -> Error {
    match error {
        Error::Io { action, path, offset, source }
            if path != index && source.kind() == io::ErrorKind::NotFound =>
        {
            let words = format!(
                "{source}; the index has the paths of its data: if the file was moved, build the \
                 index again"
            );
            let source = io::Error::new(source.kind(), words);
            Error::Io { action, path, offset, source }
        }
        error => error,
    }
}

/// Returns the error about data with this message, and then with `advice`.
fn with_advice(path: PathBuf, message: &Message, advice: &str) -> Error {
    let message = wording::text(message) + advice;
    Error::Malformed { path, message: message.into() }
}

/// Does it.
pub fn run(arguments: &IndexArguments) -> CommandOutcome {
    match &arguments.action {
        IndexAction::Build(arguments) => arguments.run(),
        IndexAction::Append(arguments) => arguments.run(),
        IndexAction::Get(arguments) => arguments.run(),
        IndexAction::Range(arguments) => arguments.run(),
        IndexAction::Prefix(arguments) => arguments.run(),
        IndexAction::Info(arguments) => arguments.run(),
        IndexAction::Verify(arguments) => arguments.run(),
        IndexAction::Export(arguments) => arguments.run(),
    }
}

/// Work that writes an index.
#[derive(Debug)]
pub enum IndexWork {
    /// The build of an index.
    Build(Box<BuildJob>),
    /// The append to an index.
    Append(Box<AppendJob>),
}

impl IndexArguments {
    /// Returns the work that writes an index; `None` for other operations.
    ///
    /// # Errors
    ///
    /// Options that are wrong together.
    pub fn work(&self) -> Result<Option<IndexWork>, Error> {
        Ok(match &self.action {
            IndexAction::Build(arguments) => Some(IndexWork::Build(Box::new(arguments.job()?))),
            IndexAction::Append(arguments) => Some(IndexWork::Append(Box::new(arguments.job()))),
            _ => None,
        })
    }
}

/// Returns the exit status for something that was found or is so.
fn status(is_so: bool) -> ExitCode {
    ExitCode::from(u8::from(!is_so))
}
