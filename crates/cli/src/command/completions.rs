//! `sortwell completions`: a shell's completion script on standard output.

use std::process::ExitCode;

use clap::{Args, Command, CommandFactory, ValueHint};
use clap_complete::Shell;

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::standard;

const VERSION: &str = env!("CARGO_PKG_VERSION");

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
    clap_complete::generate(arguments.shell, &mut completed(), "sortwell", &mut script);
    standard::print(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command line without hidden subcommands. Names of files are offered only for
/// arguments that say so.
fn completed() -> Command {
    let whole = CommandLine::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    let about = whole.get_about().cloned().unwrap_or_default();
    let line = Command::new("sortwell").version(VERSION).about(about);
    line.subcommands(shown.map(without_other_files))
}

fn without_other_files(command: Command) -> Command {
    // All of its arguments are words of another program, files among them.
    if command.get_name() == "gnu" {
        return command;
    }
    let command = command.mut_args(|argument| match argument.get_value_hint() {
        ValueHint::Unknown if argument.get_action().takes_values() => {
            argument.value_hint(ValueHint::Other)
        }
        _ => argument,
    });
    command.mut_subcommands(without_other_files)
}
