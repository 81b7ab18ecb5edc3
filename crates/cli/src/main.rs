//! The command `sortwell`: words in, a job out, words back.
//!
//! Each subcommand is one file under `command`. This file starts one and ends the process;
//! `failure` is the one place that prints an error and chooses an exit status. Data goes to
//! standard output, words to standard error.

mod calibration;
mod command;
mod explanation;
mod failure;
mod gnu;
mod guard;
mod progress;
mod reporting;
mod signals;
mod statistics;
mod watched;

use std::process::ExitCode;

use clap::Parser;

use crate::command::{Command, CommandLine};

fn main() -> ExitCode {
    // Its words have rules of their own, and `sort` is a name of the program too.
    if let Some(call) = gnu::Call::find(std::env::args_os()) {
        return guard::guarded(|| Ok(call.run())).unwrap_or_else(|failure| failure.report());
    }
    let command = CommandLine::parse().command;
    let outcome = guard::guarded(|| match command {
        Command::Sort(arguments) => command::sort::run(&arguments),
        Command::Merge(arguments) => command::merge::run(&arguments),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Spill(arguments) => command::spill::run(&arguments),
        Command::Explain(arguments) => command::explain::run(&arguments),
        Command::Report(arguments) => command::report::run(&arguments),
        Command::Stripe(arguments) => command::stripe::run(&arguments),
        Command::Calibrate(arguments) => command::calibrate::run(&arguments),
        Command::Bench(arguments) => command::bench::run(&arguments),
        Command::Gnu(arguments) => Ok(command::gnu::run(arguments)),
        Command::Generate(arguments) => command::generate::run(&arguments),
        Command::Validate(arguments) => command::validate::run(&arguments),
        Command::Completions(arguments) => command::completions::run(&arguments),
        Command::Man(arguments) => command::man::run(&arguments),
        Command::Reference => command::reference::run(),
    });
    outcome.unwrap_or_else(|failure| failure.report())
}
