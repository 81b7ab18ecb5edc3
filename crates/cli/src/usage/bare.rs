//! Options that may be given bare, before the name of a file.
//!
//! `--stats` takes the word that follows as its value, as in `--stats json`. Where that word is no
//! value but a file, as in `--stats in.txt`, the option stands bare and the word is an input.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{Command, CommandFactory};

use crate::command::CommandLine;

/// Options that may stand bare, and what that means; the definition of each has the value too.
const BARE: [(&str, &str); 2] = [("--stats", "text"), ("--progress", "auto")];

/// Returns `words` with the value put in where an option stands bare before a file.
pub fn completed(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.collect();
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let Some((sub, rest)) = words[..end].get_mut(1..).and_then(<[_]>::split_first_mut) else {
        return words;
    };
    for place in 0..rest.len().saturating_sub(1) {
        let bare = BARE.iter().find(|(option, _)| rest[place] == *option);
        if let Some((option, value)) = bare
            && !is_value(sub, option, &rest[place + 1])
            && (rest[place + 1] == "-" || Path::new(&rest[place + 1]).exists())
        {
            rest[place] = format!("{option}={value}").into();
        }
    }
    words
}

/// Returns whether `word` is a value of an option of a subcommand.
fn is_value(subcommand: &OsStr, option: &str, word: &OsStr) -> bool {
    let whole = CommandLine::command();
    let arguments = whole.find_subcommand(subcommand).into_iter().flat_map(Command::get_arguments);
    let mut named = arguments.filter(|a| a.get_long() == option.strip_prefix("--"));
    named.any(|a| a.get_possible_values().iter().any(|value| word == value.get_name()))
}

#[cfg(test)]
mod tests;
