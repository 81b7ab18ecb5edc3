//! How rows of comma-separated values are read.

use clap::Args;
use sortwell::format::{CsvFormat, Format, Ragged};
use sortwell::{Error, Result};

use super::DETAILS;

/// What may be said of rows of cells.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = DETAILS)]
pub struct Cells {
    /// csv and tsv: the byte around cells in which separators and line ends are data, or none
    ///
    /// Within quotes it is written twice. With none, quotes are data, every line end ends a row
    /// and every separator a cell. The default is ".
    #[arg(long, value_name = "BYTE", value_parser = quote, hide_short_help = true)]
    quote: Option<Quote>,

    /// csv and tsv: the first row is a row like others, and not a header
    ///
    /// Columns then go by their numbers, from 1.
    #[arg(long, help_heading = None)]
    no_header: bool,

    /// csv and tsv: what to do with rows that have more or fewer cells than the header
    ///
    /// error: refuse the input, naming the row. keep: take them like others; cells that they lack
    /// are empty. drop: leave them out, and say on standard error how many there were, in all
    /// inputs. Conditions do not see such rows. Without a header, it is the first row that others
    /// are compared with. An empty row is a row of empty cells, and never one of these.
    /// Example: --ragged drop.
    #[arg(long, value_name = "error|keep|drop", value_parser = ["error", "keep", "drop"],
          hide_short_help = true)]
    ragged: Option<String>,
}

/// A quote, or that there is none.
#[derive(Clone, Copy, Debug)]
struct Quote(Option<u8>);

fn quote(text: &str) -> std::result::Result<Quote, String> {
    match text.as_bytes() {
        b"none" => Ok(Quote(None)),
        [byte] if !byte.is_ascii_alphanumeric() && !b"\r\n".contains(byte) => {
            Ok(Quote(Some(*byte)))
        }
        _ => Err(format!("'{text}' is not a quote; write one character, such as \\\", or none")),
    }
}

impl Cells {
    /// The format, with what was said of its cells.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] where it has none, or where the separator cannot be one.
    pub fn apply(&self, format: Format, separator: Option<u8>) -> Result<Format> {
        let Format::Csv(csv) = format else {
            let said = [
                ("--quote", self.quote.is_some()),
                ("--no-header", self.no_header),
                ("--ragged", self.ragged.is_some()),
            ];
            return match said.iter().find(|(_, is_said)| *is_said) {
                None => Ok(format),
                Some((option, _)) => Err(Error::Usage(format!(
                    "{option} is about cells in quotes, which only csv and tsv have; give --format \
                     csv, or leave it out"
                ))),
            };
        };
        let mut dialect = csv.dialect;
        dialect.separator = separator.unwrap_or(dialect.separator);
        dialect.quote = self.quote.map_or(dialect.quote, |Quote(quote)| quote);
        if b"\r\n".contains(&dialect.separator) || Some(dialect.separator) == dialect.quote {
            let message = "cells are separated by a byte that neither quotes nor ends a line; give \
                           another --separator";
            return Err(Error::Usage(message.to_owned()));
        }
        let ragged = match self.ragged.as_deref() {
            Some("keep") => Ragged::Keep,
            Some("drop") => Ragged::Drop,
            _ => Ragged::Refuse,
        };
        Ok(Format::Csv(CsvFormat { dialect, has_header: !self.no_header, ragged }))
    }
}

#[cfg(test)]
mod tests;
