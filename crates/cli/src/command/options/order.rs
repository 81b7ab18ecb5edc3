//! How the input is cut into records, and what these are ordered by.

use std::str::FromStr;
use std::sync::Arc;

use clap::Args;
use sortwell::format::Format;
use sortwell::key::text::{
    DateFormat, Invalid, Separator, TextKeySpec, TextOrder, TextSpec, TextType, collation,
    read_byte,
};
use sortwell::key::{KeySpec, NumberType};
use sortwell::{Error, Result};

use super::cells::Cells;
use super::values;

/// What may become of invalid keys.
const INVALID: [&str; 3] = ["error", "last", "first"];

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
    /// LOCATION in lines and CSV: a field counted from 1 (2), bytes of a field counted from 0, the
    /// end not included (2[0..4]), or bytes of the record (0..10). In CSV also a column's name
    /// (amount), in double quotes where it might be misread ("2024", "a:b"). In fixed:N and records
    /// with a length in front: bytes of the record (0..10, 4..), counted behind the length.
    ///
    /// TYPE in all formats: bytes (the default), text, int, decimal (any number of digits, exact),
    /// float, size (1K, 2.5Gi), month, version, natural (digits in text by their value), random (a
    /// shuffle that keeps equal keys together), date (2026-11-22), time (13:45:06.789), timestamp
    /// (2026-11-22T13:45:06+01:00; without an offset UTC), ip (version 4 before 6), uuid, bool (yes
    /// true on 1 y t, and their opposites, which come first), order=low|mid|high (values in this
    /// order; order=@FILE has one a line).
    ///
    /// TYPE in records of bytes: an unsigned integer u8 u16le u16be u32le u32be u64le u64be, a
    /// signed one i8 i16le ... i64be, or a floating-point number f32le f32be f64le f64be, ordered
    /// -NaN, -inf, negative, -0, +0, positive, inf, NaN. Of mainframes: packed (COMP-3), zoned and
    /// zoned=ebcdic (the sign over the last digit; zoned-leading, zoned-separate,
    /// zoned-leading-separate), ebcdic (text in code page 037, as the characters it stands for;
    /// ebcdic=500, ebcdic=1047), sequence=FILE (a collating sequence: 256 bytes, what each byte
    /// sorts as).
    ///
    /// Modifiers: desc (largest first), ci (case does not count), trim (blanks at the ends do not
    /// count), nulls-first and nulls-last (where empty keys go; last in CSV, whichever direction),
    /// locale=NAME (a language's order of text, the same on every machine: locale=de).
    #[arg(short, long = "key", value_name = "KEY")]
    keys: Vec<String>,

    /// What lies between the fields of a line or the cells of a row: one byte, or tab
    ///
    /// Without it, fields are divided by blanks: each begins at the first blank behind the one
    /// before, and has its leading blanks.
    #[arg(short = 't', long, value_name = "BYTE", value_parser = separator)]
    separator: Option<u8>,

    /// What becomes of a record with a key that is no value of its type
    ///
    /// error: the sort ends, and says which record it is. last and first: such records come behind
    /// all others or before them, in the order of the input. Without it, that is an error, but for
    /// int, decimal, float, size and month in lines: there, what can be read of the text is taken,
    /// and nothing is 0.
    #[arg(long, value_name = "PLACE", value_parser = values::one_of::<Invalid>(&INVALID))]
    invalid: Option<Invalid>,

    /// How days and times are written, for keys of type date, time and timestamp
    ///
    /// A pattern as of strptime: %d.%m.%Y, %m/%d/%y %I:%M %p, %s. Without it, they are read as ISO
    /// 8601 and RFC 3339 have them: 2026-11-22, 13:45:06.789, 2026-11-22T13:45:06+01:00.
    #[arg(long, value_name = "FORMAT", value_parser = DateFormat::new)]
    date_format: Option<DateFormat>,

    /// The byte that stands for those a record is too short to have
    ///
    /// As a number (0, 64, 0x40) or as itself. Without it, a record of varying length that ends
    /// before a key's range of bytes is an error. A key may say its own: 4..8:pad=0.
    #[arg(long, value_name = "BYTE", value_parser = read_byte)]
    pad: Option<u8>,

    /// Turn the order of every key around
    ///
    /// Records with equal keys still keep the order of the input, and nulls and invalid keys their
    /// places.
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

    /// The keys of records of fixed length that machine numbers and bytes are enough for, and the
    /// order of all others; one of them says nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] for a key that cannot be read, or that means nothing in the format.
    pub fn keys(&self) -> Result<(Vec<KeySpec>, Option<TextOrder>)> {
        let format = self.format()?;
        if self.pad.is_some() && !matches!(format, Format::Prefixed(_)) {
            let message = "--pad is for records with their length in front, of which some are \
                           shorter than others; leave it out";
            return Err(Error::Usage(message.to_owned()));
        }
        let Format::Fixed { .. } = format else {
            return Ok((Vec::new(), Some(self.text_order(format)?)));
        };
        if self.separator.is_some() {
            let message = "--separator divides lines, and records of fixed length have no fields; \
                           leave it out, or give --format lines";
            return Err(Error::Usage(message.to_owned()));
        }
        match read_all(&self.keys) {
            Ok(_) if self.date_format.is_some() => Err(without_days()),
            Ok(keys) => Ok((if self.reverse { values::reversed(&keys)? } else { keys }, None)),
            Err(fault) => match self.text_order(format) {
                Ok(order) => Ok((Vec::new(), Some(order))),
                // Of a key of bytes or machine numbers, the other reader says what is wrong.
                Err(_) if self.keys.iter().all(|key| is_of_bytes(key)) => Err(fault),
                Err(fault) => Err(fault),
            },
        }
    }

    /// The order of records by whatever keys there are.
    fn text_order(&self, format: Format) -> Result<TextOrder> {
        let keys: Vec<TextKeySpec> = read_all(&self.keys)?;
        let spec = |key: &TextKeySpec| {
            key.check(format).map_err(Error::Usage)?;
            key.spec(key.locale().map(collation).transpose()?)
        };
        let mut specs: Vec<TextSpec> = keys.iter().map(spec).collect::<Result<_>>()?;
        let is_day = |spec: &TextSpec| {
            matches!(spec.text_type, TextType::Date | TextType::Time | TextType::Timestamp)
        };
        if self.date_format.is_some() && !specs.iter().any(is_day) {
            return Err(without_days());
        }
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
        Ok(TextOrder {
            separator,
            specs,
            invalid: self.invalid,
            date_format: self.date_format.clone().map(Arc::new),
            pad: self.pad,
            ..order
        })
    }
}

fn read_all<T: FromStr<Err = String>>(keys: &[String]) -> Result<Vec<T>> {
    keys.iter().map(|key| key.parse().map_err(Error::Usage)).collect()
}

/// That a date format is given, and no key that it is for.
fn without_days() -> Error {
    let message = "--date-format says how days and times are written, but no key is a date, a time \
                   or a timestamp; write one, as in -k 2:date, or leave it out";
    Error::Usage(message.to_owned())
}

/// Whether a key names bytes or a machine number, or no type.
fn is_of_bytes(key: &str) -> bool {
    let word = key.split(':').nth(1).unwrap_or("bytes");
    matches!(word, "bytes" | "asc" | "desc") || NumberType::named(word).is_some()
}
