//! `sortwell man`: a manual page on standard output, or all of them in a directory.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use sortwell::Error;

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::standard;

/// Source of all pages, which stands at their ends.
const SOURCE: &str = concat!("sortwell ", env!("CARGO_PKG_VERSION"));

/// Print a manual page
///
/// The page is in roff. To read it directly: sortwell man sort | man -l -
///
/// To install all pages: sortwell man --to ~/.local/share/man/man1
#[derive(Args, Debug)]
pub struct ManArguments {
    /// Subcommand to describe, as in `sort` or `index build`; default: sortwell as a whole
    subcommand: Vec<String>,

    /// Write the pages of all subcommands into a directory, which is made if it is missing
    #[arg(long, value_name = "DIR", conflicts_with = "subcommand")]
    to: Option<PathBuf>,
}

/// Prints the page.
pub fn run(arguments: &ManArguments) -> CommandOutcome {
    if let Some(directory) = &arguments.to {
        write_all(directory)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut whole = CommandLine::command();
    whole.build();
    let mut command = &whole;
    for name in &arguments.subcommand {
        command = find(command, name)?;
    }
    let mut text = Vec::new();
    page(command).render(&mut text)?;
    standard::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn write_all(directory: &Path) -> Result<(), Error> {
    let mut whole = CommandLine::command().disable_help_subcommand(true);
    whole.build();
    let written = fs::create_dir_all(directory).and_then(|()| write_each(directory, &whole));
    written.map_err(|source| Error::Io {
        action: "write manual pages to",
        path: directory.to_owned(),
        offset: None,
        source,
    })
}

/// Writes the pages of a command and of its subcommands.
fn write_each(directory: &Path, command: &Command) -> io::Result<()> {
    let mut shown = command.get_subcommands().filter(|command| !command.is_hide_set());
    shown.try_for_each(|command| write_each(directory, command))?;
    page(command).generate_to(directory).map(drop)
}

fn page(command: &Command) -> Man {
    Man::new(command.clone()).source(SOURCE)
}

fn find<'c>(whole: &'c Command, name: &str) -> Result<&'c Command, Error> {
    let found = whole.find_subcommand(name).filter(|command| !command.is_hide_set());
    found.ok_or_else(|| {
        usage_error(format!("'{name}' is not a subcommand; 'sortwell help' lists them"))
    })
}
