//! Words that mean something to GNU sort, and the command line that takes them as they are.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use sortwell::unstable::key::gnu_key;

use crate::gnu::{Call, LONG, LongOption, Name};
use crate::statistics::quoted;

/// Letters of options that GNU sort has.
const LETTERS: &str = "bcCdfghikmMnorRsStTuVz";

/// Long names of GNU sort's that are names of sortwell's as well.
const SHARED: [&str; 8] =
    ["files0-from", "help", "key", "merge", "output", "reverse", "unique", "version"];

/// Returns whether GNU sort has an option of its own: a letter after a dash, or a name after two.
pub fn has(option: &str) -> bool {
    match (option.strip_prefix("--"), option.strip_prefix('-')) {
        (Some(name), _) => {
            let name = name.split('=').next().unwrap_or_default();
            LONG.iter().any(|option| option.text == name) && !SHARED.contains(&name)
        }
        (None, Some(letter)) => letter.len() == 1 && LETTERS.contains(letter),
        (None, None) => false,
    }
}

/// Returns the long name of an option that is a letter after a dash.
pub fn long_name(option: &str) -> Option<&'static str> {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?.as_bytes()[0];
    let has_letter = |option: &&LongOption| option.name == Name::Letter(letter);
    LONG.iter().find(has_letter).map(|option| option.text)
}

/// Returns the command line of GNU sort for `words`, as advice that ends a message; `None` where
/// GNU sort would not read them, where they ask for what it does not do, or where a file is a table
/// or of JSON by its name.
pub fn advice(words: &[OsString]) -> Option<String> {
    let (subcommand, rest) = words.get(1..)?.split_first()?;
    let first: Option<OsString> = match subcommand.to_str()? {
        "sort" => None,
        option if option.starts_with('-') => Some(subcommand.clone()),
        "merge" => Some("-m".into()),
        "check" => Some("-c".into()),
        _ => return None,
    };
    let arguments: Vec<OsString> = first.into_iter().chain(rest.iter().cloned()).collect();
    let shown: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let is_read = Call::new(arguments).is_readable() && !words.iter().any(is_table);
    is_read.then(|| format!(". GNU sort options: use `sortwell gnu {}`", shown.join(" ")))
}

/// Returns whether a word names a file whose records GNU sort does not know.
fn is_table(word: &OsString) -> bool {
    let ends = [".csv", ".tsv", ".jsonl", ".ndjson"];
    ends.iter().any(|end| word.as_bytes().ends_with(end.as_bytes()))
}

/// Returns the advice for a `key` that is written as for GNU sort, as part of this process's words.
pub fn advice_for_key(key: &str) -> Option<String> {
    let place = key.split(':').next().unwrap_or_default();
    gnu_key(place)?;
    advice(&std::env::args_os().collect::<Vec<_>>())
}

/// Returns what is wrong with a cluster of letters that asks for help by accident: in GNU sort, -h
/// compares sizes, as in `-rh`.
pub fn accidental_help(words: &[OsString]) -> Option<String> {
    let is_cluster = |word: &&OsString| {
        let letters = word.as_bytes().strip_prefix(b"-").unwrap_or_default();
        let is_letter = |byte: &u8| LETTERS.as_bytes().contains(byte);
        letters.len() > 1 && letters.contains(&b'h') && letters.iter().all(is_letter)
    };
    let is_help = words.get(1).is_some_and(|word| word == "help");
    let is_asked = is_help || words.iter().any(|word| word == "-h" || word == "--help");
    let cluster = words.iter().find(is_cluster).filter(|_| !is_asked)?;
    Some(format!("'{}' are not options of sortwell{}", cluster.display(), advice(words)?))
}

#[cfg(test)]
mod tests;
