//! `sortwell index info`, `verify` and `export`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueHint};
use sortwell::Output;
use sortwell_index::Index;

use super::{EffortOptions, IndexFile, status};
use crate::failure::CommandOutcome;
use crate::standard;

/// Show what an index is of: its data, its keys and its size
///
/// The data files need not exist.
#[derive(Args, Debug)]
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
pub struct VerifyArguments {
    #[command(flatten)]
    index: IndexFile,

    #[command(flatten)]
    effort: EffortOptions,
}

/// Write the records in the order of an index
///
/// The result is that of 'sortwell sort' with the keys of the index, header included.
#[derive(Args, Debug)]
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

impl InfoArguments {
    /// Prints.
    pub fn run(&self) -> CommandOutcome {
        let index = Index::open_without_data(&self.index)?;
        let mut text = Vec::new();
        for (name, value) in index.lines() {
            text.extend_from_slice(format!("{name:<16} ").as_bytes());
            text.extend_from_slice(value);
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
        let index = self.index.open()?;
        let effort = self.effort.effort();
        let verified = |progress: &_| index.verify(&effort, progress);
        let difference = self.effort.watching.run(false, verified)?;
        if let Some(difference) = &difference {
            standard::tell(format!(
                "sortwell: {}: entry {} is wrong: {}\n",
                self.index.index.display(),
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
