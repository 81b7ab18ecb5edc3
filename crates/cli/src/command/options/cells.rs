//! Options for reading rows of comma-separated values.

use crate::failure::usage_error;
use clap::Args;
use sortwell::Result;
use sortwell::{CsvFormat, Format, Ragged};

use super::DETAILS;

/// Options of rows of cells.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = DETAILS)]
pub struct CellOptions {
    /// Set the quote character of csv and tsv cells: BYTE, lenient or none
    ///
    /// Default: ". Within quotes, separators and line ends are data, and a doubled quote stands for
    /// one. A quote in any other place is an error.
    ///
    /// lenient, lenient:BYTE: a quote has a meaning only at the start of a cell. The quoted part
    /// ends at the next quote that is not doubled. Any other quote is data, as in 40° 26' 46" N. A
    /// cell that continues after its closing quote is written as it was read, quotes included.
    ///
    /// none: quotes are data. Every line end ends a row, and every separator ends a cell. Example:
    /// --quote lenient.
    #[arg(long, value_name = "BYTE|lenient|none", value_parser = quote, hide_short_help = true)]
    quote: Option<Quote>,

    /// Treat the first row of csv and tsv as data, not as a header
    ///
    /// Keys then name columns by number, from 1. With more than 1 MiB, the first row does not set
    /// the number of cells for --ragged and --count. Example: --no-header -k 2:int.
    #[arg(long, help_heading = None)]
    no_header: bool,

    /// Choose what to do with csv and tsv rows that have too many or too few cells
    ///
    /// Default: error. A row is ragged if it has more or fewer cells than the header, or than the
    /// first row if there is no header. An empty row counts as a row of empty cells and is never
    /// ragged. If the header or first row is empty, or one empty cell, no row is ragged.
    ///
    /// error: stop, and name the row. keep: sort the row like any other; missing cells are empty.
    /// drop: leave the row out. sortwell reports the number of dropped rows of all inputs on
    /// standard error. --include and --exclude do not see dropped rows. Example: --ragged drop.
    #[arg(long, value_name = "error|keep|drop", value_parser = ["error", "keep", "drop"],
          hide_short_help = true)]
    ragged: Option<String>,

    /// Match the csv and tsv columns of several inputs by name, in any order
    ///
    /// Without this option, all inputs must name the same columns in the same order. With it,
    /// sortwell rewrites each row to the columns of the first input. Columns that only later inputs
    /// have follow, in their order of appearance. Cells of columns that an input lacks are empty.
    /// With --ragged keep, cells beyond the header of an input come after all columns.
    ///
    /// sortwell compares names byte by byte, without their quotes. A name that occurs twice in a
    /// header is an error. Cells keep their bytes, quotes included. A cell that ends with a
    /// carriage return gets quotes if it becomes the last of a row that ends with a line feed
    /// alone. With --quote none, it is an error. All inputs must use the same separator and quote.
    ///
    /// sortwell first reads the headers of all inputs, also of pipes. If all inputs have all
    /// columns in this order, their rows stay as they are. Otherwise, sortwell reads the inputs one
    /// after the other and refuses --resume. A rewritten row may then take up to an eighth of the
    /// memory. Example: --union-by-name jan.csv feb.csv.
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

impl CellOptions {
    /// Returns the format with the cell options applied.
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
                    "{option} applies to csv and tsv only; give --format csv, or leave it out"
                ))),
            };
        };
        let mut dialect = csv.dialect;
        dialect.separator = separator.unwrap_or(dialect.separator);
        if let Some(Quote { byte, is_lenient }) = self.quote {
            (dialect.quote, dialect.is_lenient) = (byte, is_lenient);
        }
        if b"\r\n".contains(&dialect.separator) || Some(dialect.separator) == dialect.quote {
            let message = "the separator of cells must not be the quote or a line end; give \
                           another --separator";
            return Err(usage_error(message));
        }
        let ragged = match self.ragged.as_deref() {
            Some("keep") => Ragged::Keep,
            Some("drop") => Ragged::Drop,
            _ => Ragged::Refuse,
        };
        let (has_header, union_by_name) = (!self.no_header, self.union_by_name);
        Ok(Format::Csv(CsvFormat { dialect, has_header, ragged, union_by_name, ..csv }))
    }
}

#[cfg(test)]
mod tests;
