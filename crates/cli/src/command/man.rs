//! `sortwell man`: a manual page on standard output, or all of them in a directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory};
use sortwell::Error;

use crate::command::CommandLine;
use crate::failure::CommandOutcome;
use crate::failure::usage_error;
use crate::standard;

const VERSION: &str = env!("CARGO_PKG_VERSION");

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
    let mut whole = with_versions(CommandLine::command());
    whole.build();
    let mut command = &whole;
    for name in &arguments.subcommand {
        command = find(command, name)?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    standard::print(&page)?;
    Ok(ExitCode::SUCCESS)
}

fn write_all(directory: &Path) -> Result<(), Error> {
    let written = fs::create_dir_all(directory)
        .and_then(|()| clap_mangen::generate_to(with_versions(CommandLine::command()), directory));
    written.map_err(|source| Error::Io {
        action: "write manual pages to",
        path: directory.to_owned(),
        offset: None,
        source,
    })
}

/// Returns a command whose subcommands have the version too: each page ends with it.
fn with_versions(command: Command) -> Command {
    let versioned =
        |command: Command| with_versions(command.version(VERSION).disable_version_flag(true));
    command.mut_subcommands(versioned)
}

fn find<'c>(whole: &'c Command, name: &str) -> Result<&'c Command, Error> {
    let found = whole.find_subcommand(name).filter(|command| !command.is_hide_set());
    found.ok_or_else(|| {
        usage_error(format!("'{name}' is not a subcommand; 'sortwell help' lists them"))
    })
}
