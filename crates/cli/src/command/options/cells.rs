//! How rows of comma-separated values are read.

use crate::failure::usage_error;
use clap::Args;
use sortwell::Result;
use sortwell::{CsvFormat, Format, Ragged};

use super::DETAILS;

/// What may be said of rows of cells.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = DETAILS)]
pub struct Cells {
    /// csv and tsv: the byte around cells in which separators and line ends are data, or none
    ///
    /// Within quotes it is written twice; a quote anywhere else is an error. The default is ".
    /// lenient, or lenient:BYTE: a quote has its meaning only at the start of a cell, and until the
    /// next one that is not doubled. Anywhere else it is data, as in 40° 26' 46" N. A cell that
    /// continues after its closing quote is taken as it is written, quotes and all.
    /// none: quotes are data, every line end ends a row and every separator a cell.
    #[arg(long, value_name = "BYTE|lenient|none", value_parser = quote, hide_short_help = true)]
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

    /// csv and tsv: find the columns of several inputs by their names, in any order
    ///
    /// Rows are rewritten to the columns of the first input, followed by those that only later
    /// inputs have, in the order in which they come up; cells of columns that an input lacks are
    /// empty. Names are compared as they are without their quotes, byte by byte; one that stands
    /// twice in a header is an error. Cells keep their bytes, quotes included. All inputs have the
    /// same separator and quote. Without this option, all have to name the same columns in the same
    /// order. Inputs that have all columns in this order are read as they are. If one has not, all
    /// are read one after the other, and --resume is refused; a row that is moved takes up to an
    /// eighth of the memory. The headers of all inputs are read first, of pipes too. With --ragged
    /// keep, cells beyond the header of an input come after all columns.
    /// Example: --union-by-name jan.csv feb.csv.
    #[arg(long, hide_short_help = true)]
    union_by_name: bool,
}

/// A quote, if there is one, and whether it is data within cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quote {
    byte: Option<u8>,
    is_lenient: bool,
}

fn quote(text: &str) -> std::result::Result<Quote, String> {
    let (byte, is_lenient) = match text.strip_prefix("lenient") {
        Some("") => ("\"", true),
        Some(rest) => (rest.strip_prefix(':').unwrap_or(text), true),
        None => (text, false),
    };
    match byte.as_bytes() {
        b"none" if !is_lenient => Ok(Quote { byte: None, is_lenient }),
        [byte] if !byte.is_ascii_alphanumeric() && !b"\r\n".contains(byte) => {
            Ok(Quote { byte: Some(*byte), is_lenient })
        }
        _ => Err(format!(
            "'{text}' is not a quote; write one character, such as \\\", or lenient, \
             lenient:BYTE or none"
        )),
    }
}

impl Cells {
    /// The format, with what was said of its cells.
    ///
    /// # Errors
    ///
    /// [`Error::Config`](sortwell::Error::Config) where it has none, or where the separator
    /// cannot be one.
    pub fn apply(&self, format: Format, separator: Option<u8>) -> Result<Format> {
        let Format::Csv(csv) = format else {
            let said = [
                ("--quote", self.quote.is_some()),
                ("--no-header", self.no_header),
                ("--ragged", self.ragged.is_some()),
                ("--union-by-name", self.union_by_name),
            ];
            return match said.iter().find(|(_, is_said)| *is_said) {
                None => Ok(format),
                Some((option, _)) => Err(usage_error(format!(
                    "{option} is about cells in quotes, which only csv and tsv have; give --format \
                     csv, or leave it out"
                ))),
            };
        };
        let mut dialect = csv.dialect;
        dialect.separator = separator.unwrap_or(dialect.separator);
        if let Some(Quote { byte, is_lenient }) = self.quote {
            (dialect.quote, dialect.is_lenient) = (byte, is_lenient);
        }
        if b"\r\n".contains(&dialect.separator) || Some(dialect.separator) == dialect.quote {
            let message = "cells are separated by a byte that neither quotes nor ends a line; give \
                           another --separator";
            return Err(usage_error(message));
        }
        let ragged = match self.ragged.as_deref() {
            Some("keep") => Ragged::Keep,
            Some("drop") => Ragged::Drop,
            _ => Ragged::Refuse,
        };
        let (has_header, union_by_name) = (!self.no_header, self.union_by_name);
        Ok(Format::Csv(CsvFormat { dialect, has_header, ragged, union_by_name }))
    }
}

#[cfg(test)]
mod tests;
