//! How the input is cut into records, and what these are ordered by.

use std::str::FromStr;

use clap::Args;
use sortwell::format::Format;
use sortwell::key::KeySpec;
use sortwell::key::text::{Separator, TextKeySpec, TextOrder, TextSpec, collation};
use sortwell::{Error, Result};

use super::cells::Cells;
use super::values;

/// Records and their order.
#[derive(Args, Debug)]
pub struct Order {
    /// How the input is cut into records: lines, csv, tsv, fixed:N, u16be, rdw and more
    ///
    /// lines: text, one record a line. A carriage return is data, and a last line without its end
    /// gets one. lines:BYTE ends records with another byte, given by its number (lines:0 for find
    /// -print0) or as itself (lines:;).
    ///
    /// csv, tsv: rows of cells as RFC 4180 has them, under a row that names the columns. Cells in
    /// quotes may hold separators, line ends and doubled quotes. Rows are written as they were
    /// read.
    ///
    /// fixed:N: every record N bytes long, from 1 to 1048576 (1 MiB).
    ///
    /// u16le, u16be, u32le, u32be: every record begins with the number of bytes that follow, or
    /// with :self (u16be:self) with its own length. rdw: the record descriptor word of mainframes.
    #[arg(short = 'F', long, value_name = "FORMAT", default_value = "lines",
          value_parser = values::parse::<Format>)]
    format: Format,

    #[command(flatten)]
    cells: Cells,

    /// What to sort by; repeat for further keys, most significant first
    ///
    /// Without any key, the whole record as bytes. A key is LOCATION[:TYPE][:MODIFIER]... Records
    /// with equal keys keep the order of the input.
    ///
    /// Lines: LOCATION is a field counted from 1 (2), bytes of a field counted from 0, the end not
    /// included (2[0..4]), or bytes of the line (0..10). TYPE is bytes (the default), text, int,
    /// decimal (any number of digits, exact), float, size (1K, 2.5Gi), month, version, natural
    /// (digits in text by their value) or random (a shuffle that keeps equal fields together).
    /// Modifiers: desc (largest first), ci (case does not count), trim (blanks at the ends do not
    /// count), locale=NAME (a language's order of text, the same on every machine: locale=de).
    ///
    /// fixed:N: LOCATION is a range of the record's bytes: 0..10 is the first ten, 4.. all but the
    /// first four. TYPE is bytes, an unsigned integer u8 u16le u16be u32le u32be u64le u64be, a
    /// signed one i8 i16le ... i64be, or a floating-point number f32le f32be f64le f64be, ordered
    /// -NaN, -inf, negative, -0, +0, positive, inf, NaN. Modifier: desc.
    #[arg(short, long = "key", value_name = "KEY")]
    keys: Vec<String>,

    /// What lies between the fields of a line or the cells of a row: one byte, or tab
    ///
    /// Without it, fields are divided by blanks: each begins at the first blank behind the one
    /// before, and has its leading blanks.
    #[arg(short = 't', long, value_name = "BYTE", value_parser = separator)]
    separator: Option<u8>,

    /// Turn the order of every key around
    ///
    /// Records with equal keys still keep the order of the input.
    #[arg(short, long)]
    reverse: bool,
}

/// The byte that lies between fields: a character, or one of the names that shells make hard to
/// type.
fn separator(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        "\\0" => Ok(0),
        _ => match text.as_bytes() {
            [byte] => Ok(*byte),
            _ => Err(format!("'{text}' is not one byte; write a character, tab, or \\0")),
        },
    }
}

impl Order {
    /// How the input is cut into records.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for what means nothing in the format.
    pub fn format(&self) -> Result<Format> {
        self.cells.apply(self.format, self.separator)
    }

    /// The keys of records of fixed length, and the order of lines; one of them says nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a key that cannot be read, or that means nothing in the format.
    pub fn keys(&self) -> Result<(Vec<KeySpec>, Option<TextOrder>)> {
        let format = self.format()?;
        if format.framing().fixed_length().is_none() {
            return Ok((Vec::new(), Some(self.text_order(format)?)));
        }
        if self.separator.is_some() {
            let message = "--separator divides lines, and records of fixed length have no fields; \
                           leave it out, or give --format lines";
            return Err(Error::Usage(message.to_owned()));
        }
        let keys: Vec<KeySpec> = read_all(&self.keys)?;
        Ok((if self.reverse { values::reversed(&keys)? } else { keys }, None))
    }

    fn text_order(&self, format: Format) -> Result<TextOrder> {
        let keys: Vec<TextKeySpec> = read_all(&self.keys)?;
        let spec = |key: &TextKeySpec| Ok(key.spec(key.locale().map(collation).transpose()?));
        let mut specs: Vec<TextSpec> = keys.iter().map(spec).collect::<Result<_>>()?;
        if specs.is_empty() && self.reverse {
            specs.push(TextSpec::default());
        }
        for spec in specs.iter_mut().filter(|_| self.reverse) {
            spec.is_descending = !spec.is_descending;
        }
        let order = TextOrder::of(format);
        let separator = match (format, self.separator) {
            (Format::Lines { .. }, Some(byte)) => Separator::Byte(byte),
            (Format::Prefixed(_), Some(_)) => {
                let message = "--separator divides lines and rows, and these records have no \
                               fields; leave it out";
                return Err(Error::Usage(message.to_owned()));
            }
            _ => order.separator,
        };
        Ok(TextOrder { separator, specs, ..order })
    }
}

fn read_all<T: FromStr<Err = String>>(keys: &[String]) -> Result<Vec<T>> {
    keys.iter().map(|key| key.parse().map_err(Error::Usage)).collect()
}
