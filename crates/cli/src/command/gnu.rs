//! `sortwell gnu`: sort with GNU sort's command line.
//!
//! Stands here for help, manual pages and completions; the command line itself is read by
//! [`crate::gnu`], before anything here could mistake its words.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::gnu::Call;

/// Sort lines with the options of GNU sort, as a program called `sort` does
///
/// The options, messages and exit statuses are those of GNU sort: see `sortwell gnu --help`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct GnuArguments {
    /// Options and files of GNU sort.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    arguments: Vec<OsString>,
}

/// Does it.
pub fn run(arguments: GnuArguments) -> ExitCode {
    Call::new(arguments.arguments).run()
}
