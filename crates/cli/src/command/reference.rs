//! `sortwell reference` (hidden): the page `docs/reference.md`, written from the one definition.
//!
//! `make docs` writes the page and a test fails when the page in the tree is not what this prints.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Command, CommandFactory};

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::standard;

/// The page's line width, whatever the width of the terminal that `make docs` runs in.
const WIDTH_COLUMNS: usize = 96;

const HEAD: &str = "\
# Reference of the command line

The output of `sortwell help SUBCOMMAND` for every subcommand. This page is generated from the
definition of the command line. To change it, edit the doc comments under `crates/cli/src/command`
and run `make docs`.
";

/// Prints the page.
pub fn run() -> CommandOutcome {
    standard::print(page().as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn page() -> String {
    let mut whole = CommandLine::command().term_width(WIDTH_COLUMNS);
    whole.build();
    let mut page = HEAD.to_owned();
    add_all(&mut page, &mut whole);
    page
}

/// Appends a command and its subcommands.
fn add_all(page: &mut String, command: &mut Command) {
    add(page, command);
    let shown = |command: &&mut Command| !command.is_hide_set() && command.get_name() != "help";
    for command in command.get_subcommands_mut().filter(shown) {
        add_all(page, command);
    }
}

/// Appends a heading and the command's long help, without trailing blanks.
fn add(page: &mut String, command: &mut Command) {
    let title = command.get_bin_name().unwrap_or(command.get_name()).to_owned();
    let help = command.render_long_help().to_string();
    let help: Vec<&str> = help.trim_end().lines().map(str::trim_end).collect();
    // Writing to a string cannot fail.
    let _ = write!(page, "\n## {title}\n\n```text\n{}\n```\n", help.join("\n"));
}
