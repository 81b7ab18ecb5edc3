//! `sortwell completions`: a shell's completion script on standard output.

use std::process::ExitCode;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::standard;

/// Print a completion script for a shell
///
/// For bash, for example:
/// sortwell completions bash > ~/.local/share/bash-completion/completions/sortwell
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// Shell that runs the script
    shell: Shell,
}

/// Prints the script.
pub fn run(arguments: &CompletionsArguments) -> CommandOutcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut CommandLine::command(), "sortwell", &mut script);
    standard::print(&script)?;
    Ok(ExitCode::SUCCESS)
}
