//! The command line's one definition: help, man pages, completions and reference all come from it.
//!
//! A subcommand is one file here and one row in [`Command`]; options that several of them have are
//! under [`options`]. The doc comment of an argument is its long help.

pub mod bench;
pub mod calibrate;
pub mod check;
pub mod cluster;
pub mod completions;
pub mod explain;
pub mod generate;
pub mod gnu;
pub mod index;
pub mod keys;
pub mod man;
pub mod merge;
pub mod options;
pub mod reference;
pub mod report;
pub mod sort;
pub mod spill;
pub mod stripe;
pub mod validate;

use clap::{Parser, Subcommand};

/// Sorts lines, CSV, JSON lines and binary records in files far larger than memory, at disk speed.
///
/// An output file appears whole or not at all. Inputs are only read, except with --in-place, or if
/// one is also the output. A pipe keeps what was written before an error. Before it reports
/// success, sortwell proves that the output has every input record exactly once, in order. --verify
/// off turns the proof off.
#[derive(Debug, Parser)]
#[command(name = "sortwell", version, after_help = EXIT_STATUS, arg_required_else_help = true)]
pub struct CommandLine {
    /// Operation
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_STATUS: &str = "\
Exit status:
  0    done
  1    check or validate found a file out of order; index get found no record, or
       index verify a wrong entry
  2    the command line is wrong, or cannot be carried out here
  3    the input does not have the given format
  4    reading or writing failed, or there is not enough space
  5    a proof or a checksum failed
  70   internal error of sortwell: please report it

A wrong command line is reported before a malformed input. A column that is missing from CSV
or TSV is reported once the headers are read, before any row.

After an error, a file with the name of the output is unchanged. It is new if only the last
sync of its directory failed, or the page of --report.

After SIGHUP, SIGINT (Ctrl-C) or SIGTERM, such a file is unchanged, or whole if it was complete
by then. sortwell removes its temporary files and dies of the signal. A shell reports this as
129, 130 or 143. With --resume or --in-place, finished work is kept.";

/// The subcommands, one file each.
#[derive(Debug, Subcommand)]
pub enum Command {
    Sort(Box<sort::SortArguments>),
    Merge(Box<merge::MergeArguments>),
    Check(check::CheckArguments),
    Spill(spill::SpillArguments),
    Explain(Box<explain::ExplainArguments>),
    Report(report::ReportArguments),
    Stripe(stripe::StripeArguments),
    Index(index::IndexArguments),
    Cluster(cluster::ClusterArguments),
    Calibrate(calibrate::CalibrateArguments),
    Bench(bench::BenchArguments),
    Gnu(gnu::GnuArguments),
    Generate(generate::GenerateArguments),
    Validate(validate::ValidateArguments),
    Completions(completions::CompletionsArguments),
    Keys(keys::KeysArguments),
    Man(man::ManArguments),
    /// Print the reference of every subcommand as Markdown.
    #[command(hide = true)]
    Reference,
}

#[cfg(test)]
mod tests;
