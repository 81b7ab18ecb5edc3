//! The command `sortwell`: words in, a job out, words back.
//!
//! Each subcommand is one file under `command`. This file starts one and ends the process;
//! `failure` is the one place that prints an error and chooses an exit status. Data goes to
//! standard output, words to standard error, and both through `standard`. The crate is a library
//! so that libraries for other languages have the command's grammar and words: `embed`.

#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::print_stderr))]

mod calibration;
mod command;
#[doc(hidden)]
pub mod embed;
mod explanation;
mod failure;
mod gnu;
mod guard;
mod progress;
mod report;
mod reporting;
mod signals;
mod stack;
mod standard;
mod statistics;
mod usage;
mod watched;
mod wording;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use crate::command::{Command, CommandLine};
use crate::failure::Failure;
use crate::failure::usage_error;

/// Runs the command with the arguments of the process, and returns its exit status.
pub fn main() -> ExitCode {
    stack::with_enough(run)
}

/// Does what the command line says.
fn run() -> ExitCode {
    signals::let_large_writes_fail();
    sortwell::unstable::sys::limits::set_up_allocator();
    // Its words have rules of their own, and `sort` is a name of the program too.
    if let Some(call) = gnu::Call::find(std::env::args_os()) {
        return guard::guarded(|| Ok(call.run())).unwrap_or_else(|failure| failure.report());
    }
    let words = usage::bare::completed(std::env::args_os());
    let command = match CommandLine::try_parse_from(&words) {
        Ok(line) => line.command,
        Err(wrong) => return answered(&wrong, &words),
    };
    let outcome = guard::guarded(|| match command {
        Command::Sort(arguments) => command::sort::run(&arguments),
        Command::Merge(arguments) => command::merge::run(&arguments),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Spill(arguments) => command::spill::run(&arguments),
        Command::Explain(arguments) => command::explain::run(&arguments),
        Command::Report(arguments) => command::report::run(&arguments),
        Command::Stripe(arguments) => command::stripe::run(&arguments),
        Command::Index(arguments) => command::index::run(&arguments),
        Command::Cluster(arguments) => command::cluster::run(&arguments),
        Command::Calibrate(arguments) => command::calibrate::run(&arguments),
        Command::Bench(arguments) => command::bench::run(&arguments),
        Command::Gnu(arguments) => Ok(command::gnu::run(arguments)),
        Command::Generate(arguments) => command::generate::run(&arguments),
        Command::Validate(arguments) => command::validate::run(&arguments),
        Command::Completions(arguments) => command::completions::run(&arguments),
        Command::Keys(_) => command::keys::run(),
        Command::Man(arguments) => command::man::run(&arguments),
        Command::Reference => command::reference::run(),
    });
    outcome.unwrap_or_else(|failure| failure.report())
}

/// Prints the help that `words` ask for, or what is wrong with them.
fn answered(answer: &clap::Error, words: &[OsString]) -> ExitCode {
    let is_help = !answer.use_stderr();
    if let Some(wrong) = usage::gnu::accidental_help(words).filter(|_| is_help) {
        return Failure::from(usage_error(wrong)).report();
    }
    match answer.kind() {
        _ if is_help => {
            let printed = standard::print_help(answer).map(|()| ExitCode::SUCCESS);
            printed.unwrap_or_else(|error| Failure::from(error).report())
        }
        // The help is the answer to a command line without a subcommand.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => answer.exit(),
        _ => Failure::from(usage_error(usage::message(answer, words))).report(),
    }
}
