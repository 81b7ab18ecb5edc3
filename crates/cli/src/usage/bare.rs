//! Options that may be given bare, before the name of a file.
//!
//! `--stats` takes the word that follows as its value, as in `--stats json`. Where that word is no
//! value but a file, as in `--stats in.txt`, the option stands bare and the word is an input.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::CommandFactory;

use super::named;
use crate::command::CommandLine;

/// Options that may stand bare, and what that means; the definition of each has the value too.
const BARE: [(&str, &str); 2] = [("--stats", "text"), ("--progress", "auto")];

/// Returns `words` with the value put in where an option stands bare before a file.
pub fn completed(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for place in 2..end.saturating_sub(1) {
        let next = &words[place + 1];
        let bare = BARE.iter().find(|(option, _)| words[place] == *option);
        if let Some((option, value)) = bare
            && (next == "-" || Path::new(next).exists())
            && is_bare_before(next, option, &words[..end])
        {
            words[place] = format!("{option}={value}").into();
        }
    }
    words
}

/// Returns whether the subcommand that `words` name has `option`, and `next` is no value of it.
fn is_bare_before(next: &OsStr, option: &str, words: &[OsString]) -> bool {
    let whole = CommandLine::command();
    let (command, _) = named(&whole, words);
    let mut arguments = command.get_arguments();
    let argument = arguments.find(|a| a.get_long() == option.strip_prefix("--"));
    argument.is_some_and(|a| a.get_possible_values().iter().all(|value| next != value.get_name()))
}

#[cfg(test)]
mod tests;
