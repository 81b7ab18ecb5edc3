//! Errors of the command line: one line that says what is wrong and what to write instead.
//!
//! The parser says which word it cannot take; the message is made here, so that it has the form of
//! all others (`sortwell: what is wrong; what to do`). Suggestions are names that other programs
//! have for an option (`foreign`), the command line of GNU sort where the words are its (`gnu`),
//! and otherwise names that are near to the one given. What is not near is never suggested.

pub mod bare;
mod foreign;
pub mod gnu;

use std::error::Error as _;
use std::ffi::OsString;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};
use sortwell::unstable::error::spelling::{meant, nearest};

use crate::command::CommandLine;

/// A command line that cannot be read, with the definition of the subcommand that it names.
struct UnreadCommandLine<'a> {
    /// All words, the program's name first.
    words: &'a [OsString],
    /// The definition of the whole command line.
    whole: &'a Command,
    /// The subcommand, perhaps of a subcommand; the whole where none is named.
    command: &'a Command,
    /// The subcommand by its names, as in `sortwell spill list`.
    name: String,
}

/// Returns what is wrong with `words`, which the parser refused with `error`: a line without the
/// program's name and without its end.
pub fn message(error: &clap::Error, words: &[OsString]) -> String {
    let mut whole = CommandLine::command();
    whole.build();
    let (command, name) = named(&whole, words);
    let line = UnreadCommandLine { words, whole: &whole, command, name };
    let wrong = line.what_is_wrong(error);
    if wrong.contains('\n') {
        return wrong; // It ends with the place of the fault, below the value.
    }
    let help = if line.command.has_subcommands() { "--help" } else { "-h" };
    format!("{wrong}; see `{} {help}`", line.name)
}

/// Finds the subcommand that `words` name, and its name in full.
fn named<'a>(whole: &'a Command, words: &[OsString]) -> (&'a Command, String) {
    let (mut command, mut name) = (whole, whole.get_name().to_owned());
    let is_help = words.get(1).is_some_and(|word| word == "help");
    for word in words.iter().skip(1 + usize::from(is_help)) {
        let found = command.find_subcommand(word).filter(|found| found.get_name() != "help");
        let Some(found) = found else { break };
        name = format!("{name} {}", found.get_name());
        command = found;
    }
    (command, name)
}

impl UnreadCommandLine<'_> {
    fn what_is_wrong(&self, error: &clap::Error) -> String {
        let text = |kind| match error.get(kind) {
            Some(ContextValue::String(text)) => Some(text.as_str()),
            _ => None,
        };
        let argument = text(ContextKind::InvalidArg);
        let value = text(ContextKind::InvalidValue);
        match (error.kind(), argument, value) {
            (ErrorKind::UnknownArgument, Some(argument), _) => self.unknown(argument),
            (ErrorKind::InvalidSubcommand, ..) => {
                self.unknown_subcommand(text(ContextKind::InvalidSubcommand).unwrap_or_default())
            }
            (ErrorKind::ArgumentConflict, ..) if self.is_surplus(error) => {
                let word = text(ContextKind::InvalidSubcommand).unwrap_or_default();
                format!("unexpected argument '{word}'")
            }
            (ErrorKind::InvalidValue, Some(argument), None | Some("")) => {
                format!("{argument} needs a value")
            }
            (ErrorKind::InvalidValue, Some(argument), Some(value)) => {
                let known = match error.get(ContextKind::ValidValue) {
                    Some(ContextValue::Strings(known)) => known.as_slice(),
                    _ => &[],
                };
                let meant = meant(value, known);
                format!("{argument}: '{value}' is not one of {}{meant}", known.join(", "))
            }
            (ErrorKind::ValueValidation, Some(argument), Some(value)) => {
                let why = error.source().map(ToString::to_string).unwrap_or_default();
                self.wrong_value(argument, value, &why)
            }
            _ => first_paragraph(error),
        }
    }

    /// Returns whether a word that was taken for a subcommand is none: there are too many words.
    fn is_surplus(&self, error: &clap::Error) -> bool {
        let word = match error.get(ContextKind::InvalidSubcommand) {
            Some(ContextValue::String(word)) => word,
            _ => return false,
        };
        self.command.find_subcommand(word).is_none()
    }

    /// Describes a value that its option cannot read, and `why`.
    fn wrong_value(&self, argument: &str, value: &str, why: &str) -> String {
        let why = match why {
            "invalid digit found in string" | "cannot parse integer from empty string" => {
                format!("'{value}' is not a whole number")
            }
            "number too large to fit in target type" => {
                format!("the number '{value}' is too large")
            }
            why if why.contains(value) => why.to_owned(),
            why => format!("'{value}': {why}"),
        };
        // -M is the months of GNU sort, and the memory here. A wrong size is not meant so.
        let is_file = Path::new(value).exists();
        let is_months = is_file || !value.starts_with(|first: char| first.is_ascii_digit());
        let is_months = is_months && argument.starts_with("--memory");
        let advice = is_months.then(|| self.gnu_advice("-M")).flatten();
        format!("{argument}: {why}{}", advice.unwrap_or_default())
    }

    /// Describes a value that begins with a dash, of which `letter` is the beginning, after an
    /// option that needs one.
    fn dashed_value(&self, letter: &str) -> Option<String> {
        let is_value = |word: &OsString| word.to_str().is_some_and(|word| word.starts_with(letter));
        let at = self.words.iter().position(is_value)?;
        let (option, value) =
            (self.words.get(at.checked_sub(1)?)?.to_str()?, self.words[at].to_str()?);
        let is_meant = |known: &&clap::Arg| match option.strip_prefix("--") {
            Some(long) => known.get_long() == Some(long),
            None => known.get_short().is_some_and(|short| option == format!("-{short}")),
        };
        let known = self.command.get_arguments().find(is_meant)?;
        let needs_value = known.get_num_args().is_some_and(|values| values.min_values() > 0);
        let name = known.get_long().filter(|_| needs_value)?;
        let text = &value[1..];
        Some(match (name, text.parse::<f64>()) {
            (_, Ok(_)) => format!("--{name}: '{value}' is negative"),
            ("key", _) => format!(
                "--key: '{value}' begins with a dash; write {text}:desc for a descending key"
            ),
            _ => format!("--{name}: '{value}' begins with a dash; write --{name}={value}"),
        })
    }

    /// Returns the advice about an unknown option.
    fn unknown(&self, argument: &str) -> String {
        let Self { name, command, .. } = self;
        if command.get_name() == self.whole.get_name() {
            let advice = self.gnu_advice(argument).unwrap_or_default();
            return format!(
                "'{argument}' comes before a subcommand; write the subcommand first, as in \
                 `sortwell sort`{advice}"
            );
        }
        if !argument.starts_with('-') {
            return format!("unexpected argument '{argument}'");
        }
        let said = format!("'{argument}' is not an option of '{name}'");
        let Some(long) = argument.strip_prefix("--") else {
            if let Some(value) = self.dashed_value(argument) {
                return value;
            }
            let long = gnu::long_name(argument).and_then(foreign::advice);
            let advice = long.map(|advice| format!(": {advice}"));
            let advice = self.gnu_advice(argument).or(advice).or_else(|| self.file(argument));
            return said + &advice.unwrap_or_default();
        };
        let long = long.split('=').next().unwrap_or_default();
        if let Some(advice) = foreign::advice(long) {
            let place = self.with_options(foreign::options_in(advice));
            let gnu = self.gnu_advice(argument).unwrap_or_default();
            return format!("{said}: {advice}{place}{gnu}");
        }
        let place = self.with_options(std::iter::once(long));
        if !place.is_empty() {
            return said + &place.replacen(" (", " (it is ", 1);
        }
        match nearest(long, options(command)) {
            Some(near) => format!("{said} (did you mean '--{near}'?)"),
            None => said + &self.file(argument).unwrap_or_default(),
        }
    }

    /// Returns in which subcommands options are, where this one lacks one of them.
    fn with_options<'o>(&self, wanted: impl Iterator<Item = &'o str>) -> String {
        let lacking: Vec<&str> =
            wanted.filter(|name| !options(self.command).any(|known| known == *name)).collect();
        let Some(first) = lacking.first() else { return String::new() };
        let has = |command: &&Command| options(command).any(|known| known == *first);
        match self.whole.get_subcommands().filter(|command| !command.is_hide_set()).find(has) {
            Some(command) => format!(" (an option of 'sortwell {}')", command.get_name()),
            None => String::new(),
        }
    }

    /// Returns the command line of GNU sort, where the words are one and `option` is its.
    fn gnu_advice(&self, option: &str) -> Option<String> {
        gnu::has(option).then(|| gnu::advice(self.words)).flatten()
    }

    /// Returns the way to name a file that looks like an option.
    fn file(&self, word: &str) -> Option<String> {
        let is_file = Path::new(word).exists();
        is_file.then(|| format!("; the file of that name is written ./{word}"))
    }

    fn unknown_subcommand(&self, word: &str) -> String {
        let said = format!("'{word}' is not a subcommand of '{}'", self.name);
        let known = self.command.get_subcommands().filter(|command| !command.is_hide_set());
        if let Some(near) = nearest(word, known.map(Command::get_name)) {
            return format!("{said} (did you mean '{near}'?)");
        }
        let is_first = self.command.get_name() == self.whole.get_name();
        match foreign::subcommand(word).filter(|_| is_first) {
            Some(advice) => format!("{said}: {advice}"),
            None if is_first && Path::new(word).exists() => {
                format!("{said}: to sort the file, write `sortwell sort {word}`")
            }
            None => said,
        }
    }
}

/// Returns the long names of a subcommand's options.
fn options(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(clap::Arg::get_long)
}

/// Returns the parser's message, without its usage and its advice.
fn first_paragraph(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
