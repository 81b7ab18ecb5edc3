//! Options that a program gives as true or false, as words of a command line.
//!
//! The definition of the command line says what such a value means. So there is no list of options
//! here: an option takes `on` or `off` if its parser does, and no text at all.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Arg, CommandFactory, Parser};
use sortwell::Result;

use super::kind_of;
use crate::command::CommandLine;
use crate::failure::usage_error;

/// Words of the two values of a switch.
const ON: &str = "on";
const OFF: &str = "off";

/// Value that no option takes, unless it takes every text.
const NO_VALUE: &str = "\u{1}";

/// Form of an option on a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchForm {
    /// The option is left out.
    Absent,
    /// The option has no value.
    Bare,
    /// The option has this value.
    Value(&'static str),
}

/// Returns the form that an option of a subcommand has for true or false. `subcommand` is the words
/// of that, and `name` the long name of the option without dashes.
///
/// For an option that takes `on` or `off`, the value is that word. Another option that may stand
/// alone does so for true, and is left out for false.
///
/// # Errors
///
/// A usage error for an option that takes only other values. A name that is no option is bare: the
/// parser of the command line reports it.
pub fn switch_form(subcommand: &[&str], name: &str, is_on: bool) -> Result<SwitchForm> {
    let Some((is_flag, may_be_bare)) = option_of(subcommand, name) else {
        return Ok(SwitchForm::Bare);
    };
    let word = if is_on { ON } else { OFF };
    let takes = |value| takes_value(subcommand, name, value);
    if !is_flag && takes(word) && !takes(NO_VALUE) {
        return Ok(SwitchForm::Value(word));
    }
    match (may_be_bare, is_on) {
        (true, true) => Ok(SwitchForm::Bare),
        (true, false) => Ok(SwitchForm::Absent),
        (false, _) => Err(usage_error(format!(
            "--{name} is neither a flag nor an option that takes '{word}', so it cannot be \
             {is_on}; give a value, or leave the option out"
        ))),
    }
}

/// Returns whether an option is a flag, and whether its value may be left out.
fn option_of(subcommand: &[&str], name: &str) -> Option<(bool, bool)> {
    let whole = CommandLine::command();
    let mut words = subcommand.iter();
    let command = words.try_fold(&whole, |above, word| above.find_subcommand(word))?;
    let is_it = |argument: &&Arg| argument.get_long() == Some(name);
    command.get_arguments().find(is_it).map(kind_of)
}

/// Returns whether an option takes a value. What the command line lacks does not matter.
fn takes_value(subcommand: &[&str], name: &str, value: &str) -> bool {
    let words = ["sortwell"].iter().chain(subcommand).map(OsString::from);
    let words = words.chain([OsString::from(format!("--{name}={value}"))]);
    let refusals = [ErrorKind::InvalidValue, ErrorKind::ValueValidation];
    CommandLine::try_parse_from(words)
        .map_or_else(|wrong| !refusals.contains(&wrong.kind()), |_| true)
}
