//! Parsers of option values: one small function each.
//!
//! What the library can read it reads itself; here is only what the command line adds.

use std::num::NonZero;
use std::str::FromStr;
use std::thread;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use sortwell::ParseError;
use sortwell::unstable::key::words;
use sortwell::unstable::sys::limits;

use crate::wording;

/// The most threads one may ask for: far past any machine, low enough to catch a slip.
const THREADS_MAX: usize = limits::WORKERS_MAX;

/// Reads a value that the library knows how to read; an error names options, not settings.
pub fn parse<T: FromStr<Err: Into<ParseError>>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| wording::text(error.into().message()))
}

/// Values that one option lists, with commas between them.
#[derive(Clone, Debug)]
pub struct ListedValues<T>(pub Vec<T>);

/// Returns a parser of values with commas between them, each of which `read` reads. Commas in
/// double quotes are part of a value.
pub fn listed<T>(
    read: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<ListedValues<T>, String> + Clone {
    move |text| {
        let pieces = words::split(text, ',').ok_or_else(|| {
            format!("'{text}' has no closing quote; double a quote inside quotes")
        })?;
        pieces.into_iter().map(&read).collect::<Result<_, _>>().map(ListedValues)
    }
}

/// Returns a parser of one of a few words, listed in the help and completed by shells.
pub fn one_of<T>(words: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Into<ParseError>> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(words).try_map(|word| parse::<T>(&word))
}

/// Returns a parser of `on` and `off`.
pub fn switch() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

/// Reads a number of threads, of which 0 leaves the choice to the program.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(threads) if (0..=THREADS_MAX).contains(&threads) => Ok(threads),
        _ => Err(format!(
            "'{text}' is not a number of threads; write 1 to {THREADS_MAX}, or 0 for one per core"
        )),
    }
}

/// Returns the number of threads asked for; `None` where the choice is left to the program.
pub fn chosen(threads: Option<usize>) -> Option<usize> {
    threads.filter(|threads| *threads > 0)
}

/// Returns the number of threads asked for, or one for each core.
pub fn threads_or_cores(threads: Option<usize>) -> usize {
    chosen(threads).unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
}

#[cfg(test)]
mod tests;
