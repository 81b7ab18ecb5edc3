//! `sortwell man`: a manual page on standard output.

use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use sortwell::Error;

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::standard;

/// Print a manual page
///
/// The page is in roff. To read it directly: sortwell man sort | man -l -
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Subcommand to describe; default: sortwell as a whole
    subcommand: Option<String>,
}

/// Prints the page.
pub fn run(arguments: &ManArguments) -> CommandOutcome {
    let mut whole = CommandLine::command();
    whole.build();
    let command = match &arguments.subcommand {
        None => whole,
        Some(name) => find(&whole, name)?,
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    standard::print(&page)?;
    Ok(ExitCode::SUCCESS)
}

fn find(whole: &Command, name: &str) -> Result<Command, Error> {
    let found = whole.find_subcommand(name).filter(|command| !command.is_hide_set());
    found.cloned().ok_or_else(|| {
        usage_error(format!("'{name}' is not a subcommand; 'sortwell help' lists them"))
    })
}
