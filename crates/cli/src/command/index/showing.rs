//! `sortwell index info`, `verify` and `export`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortwell::Output;
use sortwell_index::Index;

use super::{EffortOptions, IndexFile, open_checked, status};
use crate::failure::{CommandOutcome, escaped_bytes};
use crate::standard;

/// Show what an index is of: its data, its keys and its size
///
/// The data files need not exist.
#[derive(Args, Debug)]
#[command(after_help = INFO_EXAMPLES)]
pub struct InfoArguments {
    /// Index to read
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    index: PathBuf,
}

/// Compare every entry of an index with the data
///
/// The index is built again in the directory for temporary files, which takes as much room, and
/// compared with it. The first entry that differs is named, and the exit status is then 1.
#[derive(Args, Debug)]
// The index that is built to compare lies there too.
#[command(after_help = VERIFY_EXAMPLES,
          mut_arg("temp", |argument| argument.long_help(VERIFY_TEMP)))]
pub struct VerifyArguments {
    /// Index to compare; its data must not have changed
    #[arg(value_name = "INDEX", value_hint = ValueHint::FilePath)]
    index: PathBuf,

    #[command(flatten)]
    effort: EffortOptions,
}

/// Help of --temp of `index verify`.
const VERIFY_TEMP: &str = "\
Directory for temporary files; repeat to use several disks

Default: the directory of the index, or the system's directory for temporary files (TMPDIR) if \
that one cannot be written to. The first directory also gets the index that is built to compare.";

/// Write the records in the order of an index
///
/// The result is that of 'sortwell sort' with the keys of the index, header included.
#[derive(Args, Debug)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArguments {
    #[command(flatten)]
    index: IndexFile,

    /// Write the records to OUTPUT; default: standard output
    #[arg(short, long, value_name = "OUTPUT", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,

    /// Replace an output that has no write permission too
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    effort: EffortOptions,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  Write the rows of a file by city:
    sortwell index export orders.index -o sorted.csv";

const INFO_EXAMPLES: &str = "\
Examples:
  The data files, the keys and the number of entries:
    sortwell index info orders.index";

const VERIFY_EXAMPLES: &str = "\
Examples:
  Compare the entries with the data, with temporary files on another disk:
    sortwell index verify orders.index -T /mnt/scratch";

impl InfoArguments {
    /// Prints.
    pub fn run(&self) -> CommandOutcome {
        let index = Index::open_without_data(&self.index)?;
        let mut text = Vec::new();
        for (name, value) in index.lines() {
            text.extend_from_slice(format!("{name:<16} ").as_bytes());
            text.extend(escaped_bytes(value));
            text.push(b'\n');
        }
        let names = ["levels", "leaf pages", "branch pages", "value pages"];
        for (name, number) in names.iter().zip(index.sizes()) {
            text.extend_from_slice(format!("{name:<16} {number}\n").as_bytes());
        }
        standard::print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

impl VerifyArguments {
    /// Verifies.
    pub fn run(&self) -> CommandOutcome {
        let index = open_checked(&self.index)?;
        self.effort.warn();
        let effort = self.effort.effort();
        let verified = |progress: &_| index.verify(&effort, progress);
        let difference = self.effort.watching.run(false, verified)?;
        if let Some(difference) = &difference {
            standard::tell(format!(
                "sortwell: {}: entry {} is wrong: {}\n",
                self.index.display(),
                difference.entry,
                difference.words
            ));
        }
        Ok(status(difference.is_none()))
    }
}

impl ExportArguments {
    /// Exports.
    pub fn run(&self) -> CommandOutcome {
        let index = self.index.open()?;
        self.effort.warn();
        let effort = self.effort.effort();
        let output = match &self.output {
            Some(path) if path.as_os_str() != "-" => Output::File(path.clone()),
            _ => Output::Stdout,
        };
        let is_stdout = output == Output::Stdout;
        let export = |progress: &_| index.export(output.clone(), self.force, &effort, progress);
        self.effort.watching.run(is_stdout, export)?;
        Ok(ExitCode::SUCCESS)
    }
}
