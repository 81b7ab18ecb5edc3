//! Options for the record format and the order.

use std::borrow::Cow;
use std::sync::Arc;

use clap::Args;
use sortwell::unstable::key::text::DateFormat;
use sortwell::unstable::key::{OrderOptions, gnu_key, read_byte};
use sortwell::{Codec, ConfigErrorKind, Format, Input, Invalid, Key, KeyError};
use sortwell::{Error, Result};

use super::cells::CellOptions;
use super::{DETAILS, values};
use crate::failure::usage_error;
use crate::usage;

/// Values of `--invalid`.
const INVALID: [&str; 3] = ["error", "last", "first"];

/// Records and their order.
#[derive(Args, Clone, Debug)]
pub struct Order {
    /// Sort by KEY, as in 2:decimal:desc; repeatable; see `sortwell help keys`
    ///
    /// KEY is LOCATION[:TYPE][:MODIFIER]..., and the first KEY is the most significant. LOCATION is
    /// a field (2), a column of CSV by its name (amount), a value in JSON (user.id) or bytes
    /// (0..10). TYPE is bytes by default, or int, decimal, date, version, u32le, packed and many
    /// others. MODIFIER is desc, ci, trim and others. Records with equal keys keep the order of the
    /// input. Without any key, sort, merge and check compare whole records as bytes; an index needs
    /// a key. 'sortwell help keys' explains keys in full. Example: -k amount:decimal:desc -k name.
    #[arg(short, long = "key", value_name = "KEY")]
    keys: Vec<String>,

    /// Set the record format: lines, csv, tsv, jsonl, fixed:N, u16be, rdw and more
    ///
    /// Default: lines. If a key names a column and the names of all inputs end in .csv, that is the
    /// format. The same holds for .tsv and .jsonl, and for .csv.gz and the like; statistics and
    /// 'sortwell explain' report it. Upper and lower case are equal in the names of formats.
    ///
    /// lines: text, one record per line. A carriage return is data. A last line without a line end
    /// gets one. lines:BYTE ends records with another byte, given by its number (lines:0 for find
    /// -print0) or as itself (lines:;).
    ///
    /// lines:group=N, lines:BYTE,group=N: N lines per record, from 1 to 1000000, as in
    /// lines:group=4 for FASTQ. Each input begins with the first line of a record. An input that
    /// ends within a record is an error. A key names a line (2), or a field of a line (1.2).
    /// --select, --sum and the like take lines by their numbers, --header counts lines, and --count
    /// writes its number before the first line.
    ///
    /// csv, tsv: rows of cells as in RFC 4180, after a row that names the columns. Cells in quotes
    /// may hold separators, line ends and doubled quotes. Rows are written as they were read. They
    /// end with a line feed, or a carriage return and a line feed. A last row without a line end
    /// gets a line feed. An input whose rows end with a carriage return alone is refused, and so
    /// may be an input of one row with a carriage return outside quotes. A byte order mark at the
    /// start of an input is no part of its rows. The output begins with that of the first input
    /// that has a row. A header has at most 1 MiB.
    ///
    /// jsonl (or ndjson): lines of JSON, one value per line. A line that is not JSON is an error,
    /// and the message names the line. A blank line counts as a value without members. Lines are
    /// written as they were read.
    ///
    /// fixed:N: records of N bytes each, from 1 to 1048576 (1 MiB).
    ///
    /// u16le, u16be, u32le, u32be: each record begins with the number of bytes that follow. With
    /// :self, as in u16be:self, the number includes its own bytes. rdw: the record descriptor word
    /// of mainframes.
    ///
    /// keyed: each record holds the key that it is ordered by. It has two numbers of four bytes,
    /// little-endian: the bytes that follow the first number, and the bytes of the key. Then come
    /// the key and any other bytes. Without -k, records are ordered by the bytes of their keys.
    /// Ranges in -k and in conditions count within the stored key. Example: -F fixed:100.
    #[arg(short = 'F', long, value_name = "FORMAT", value_parser = values::parse::<Format>)]
    format: Option<Format>,

    /// Set the separator of fields or cells: one byte, or tab
    ///
    /// Default for csv: a comma; for tsv: a tab; for lines: blanks. Blanks are spaces, tabs, and
    /// line feeds that do not end lines. A field then begins at the first blank after the field
    /// before it, and its leading blanks belong to it. In lines:group=N the separator divides the
    /// fields of each line. Example: -t , for commas.
    #[arg(short = 't', long, value_name = "BYTE", value_parser = separator)]
    separator: Option<u8>,

    /// Reverse the order of every key
    ///
    /// Records with equal keys still keep the order of the input. Empty and invalid keys keep their
    /// places.
    #[arg(short, long)]
    reverse: bool,

    /// Choose what to do with records whose key is not a valid value of its type
    ///
    /// error: stop, and name the record. last, first: sort these records after all others, or
    /// before them. A record belongs there if any of its keys is invalid; with --unique-by, any of
    /// its KEYs. Among themselves, such records are in the order of their keys: an invalid key
    /// comes after (or before) an empty one, and equal keys keep the order of the input. sort and
    /// merge report their number and their keys on standard error.
    ///
    /// Default: error, but not for int, decimal, float, size and month in lines. These read as much
    /// of the text as they can, and text with no number is 0. A float is read as a whole, and text
    /// that is not a number comes before all numbers.
    ///
    /// sortwell warns if no record has a valid value for a key, although some values are not empty.
    /// The warning suggests a type that fits all values, if there is one. With --stats, these
    /// messages are part of the statistics. Example: --invalid last.
    #[arg(long, value_name = "PLACE", value_parser = values::one_of::<Invalid>(&INVALID),
          help_heading = DETAILS, hide_short_help = true)]
    invalid: Option<Invalid>,

    /// Read dates, times and timestamps by this pattern
    ///
    /// A pattern as of strptime: %d.%m.%Y, %m/%d/%y %I:%M %p, %s. A pattern of which a part would
    /// not count is refused, such as %C, %I without %p, the name of a time zone, or digits after
    /// %s. Default: the forms of ISO 8601 and RFC 3339, as in 2026-11-22, 13:45:06.789Z and
    /// 2026-11-22T13:45:06+01:00. Names of months (%b, %B) and days of the week (%a, %A) are
    /// English, full or short. An offset (%z) is +0100, +01:00, +01 or Z. Values with an offset
    /// are those in UTC, days too. The option is an error if no key or condition has type date,
    /// time or timestamp. Example: --date-format %d.%m.%Y.
    #[arg(long, value_name = "FORMAT", value_parser = DateFormat::new, help_heading = DETAILS,
          hide_short_help = true)]
    date_format: Option<DateFormat>,

    /// Choose the shuffle of keys of type random
    ///
    /// N is a whole number from 0 to 18446744073709551615. Default: 0. Each number gives
    /// one shuffle, which is the same on every machine and in every sort. The option is an error if
    /// no key has type random. Example: --random-seed 7.
    #[arg(long, value_name = "N", value_parser = shuffle_number, allow_negative_numbers = true,
          help_heading = DETAILS, hide_short_help = true)]
    random_seed: Option<u64>,

    /// Set the byte that replaces missing bytes of short records
    ///
    /// It applies to records with a length in front, as in rdw and u16be. Give it as a number (0,
    /// 64, 0x40) or as itself. Without it, such a record that ends before a key's range of bytes is
    /// an error, unless --invalid places it. Missing bytes of lines are empty. Blanks removed by
    /// trim are not missing bytes, so nothing replaces them. A key may have its own byte:
    /// 4..8:pad=0. Example: --pad 0.
    #[arg(long, value_name = "BYTE", value_parser = read_byte, help_heading = DETAILS,
          hide_short_help = true)]
    pad: Option<u8>,

    #[command(flatten)]
    cells: CellOptions,
}

/// Returns the byte that lies between fields: a character, or one of the names that shells make
/// hard to type.
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
    /// Returns the order by `keys` first, and by its own keys among records that are equal in them.
    pub fn behind(&self, keys: &[String]) -> Cow<'_, Self> {
        match keys {
            [] => Cow::Borrowed(self),
            _ => Cow::Owned(Self { keys: [keys, &self.keys].concat(), ..self.clone() }),
        }
    }

    /// Returns how `inputs` are cut into records.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for what means nothing in the format.
    pub fn format(&self, inputs: &[Input]) -> Result<Format> {
        let by_names = self.format_by_names(inputs).map(|(_, format)| format);
        let format = self.format.or(by_names).unwrap_or(Format::LINES);
        self.cells.apply(format, self.separator)
    }

    /// Returns the format, and what it is called, that the names of `inputs` say, where none is
    /// given and a key names a column: without names of columns it would mean nothing.
    pub fn format_by_names(&self, inputs: &[Input]) -> Option<(&'static str, Format)> {
        if self.format.is_some() || !self.keys.iter().any(|key| names_column(key)) {
            return None;
        }
        let mut formats = inputs.iter().map(format_by_name);
        let first = formats.next()??;
        formats.all(|other| other == Some(first)).then_some(first)
    }

    /// Returns the keys, most significant first, and the options of the order as a whole.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a key that cannot be read or means nothing in the format, and for an
    /// option that the format or the keys do not use. Conditions and groups may use a date format,
    /// as `has_days` says.
    pub fn keys(&self, format: Format, has_days: bool) -> Result<(Vec<Key>, OrderOptions)> {
        self.check_options(format)?;
        let mut keys = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            keys.push(self.key(key, format)?);
        }
        if self.date_format.is_some() && !has_days && !keys.iter().any(Key::is_day) {
            return Err(without_days());
        }
        if self.random_seed.is_some() && !keys.iter().any(Key::is_random) {
            return Err(without_shuffle());
        }
        if self.reverse {
            keys = if keys.is_empty() { vec![Key::default()] } else { keys };
            keys = keys.into_iter().map(Key::reversed).collect();
        }
        let options = OrderOptions {
            separator: self.separator,
            invalid: self.invalid,
            date_format: self.date_format.clone().map(Arc::new),
            seed: seed(self.random_seed.unwrap_or(0)),
            pad: self.pad,
            ..OrderOptions::default()
        };
        Ok((keys, options))
    }

    /// Reads a key and checks it, so that advice about keys of GNU sort can be given.
    fn key(&self, text: &str, format: Format) -> Result<Key> {
        let wrong = |error: KeyError| with_gnu_advice(&error.of_format(format), &self.keys);
        let key: Key = text.parse().map_err(wrong)?;
        key.check(format).map_err(wrong)?;
        Ok(key)
    }

    /// Refuses options that mean nothing in the format.
    fn check_options(&self, format: Format) -> Result<()> {
        let has_pad = self.pad.is_some() && !matches!(format, Format::Prefixed(_));
        let message = match format {
            _ if has_pad => "--pad applies only to records with a length in front; leave it out",
            _ if self.separator.is_none() => return Ok(()),
            Format::Fixed { .. } => {
                "--separator divides fields, and records of fixed length have none; leave it out, \
                 or give --format lines"
            }
            Format::JsonLines => "--separator does not apply to JSON; leave it out",
            Format::Prefixed(_) => {
                "--separator divides fields, and these records have none; leave it out"
            }
            _ => return Ok(()),
        };
        Err(usage_error(message))
    }
}

/// Returns whether a key names a column. One that is written as for GNU sort is a slip.
fn names_column(key: &str) -> bool {
    let key = key.parse::<Key>().ok();
    key.as_ref().and_then(Key::column).is_some_and(|name| gnu_key(name).is_none())
}

/// Returns the format that the name of an input ends in, compressed or not.
fn format_by_name(input: &Input) -> Option<(&'static str, Format)> {
    let (Input::File(path) | Input::Striped(path)) = input else { return None };
    let plain = Codec::of_path(path).map(|_| path.with_extension(""));
    let end = plain.as_ref().unwrap_or(path).extension()?;
    let json = ["jsonl", "ndjson"].map(|name| (name, Format::JsonLines));
    let formats = [("csv", Format::CSV), ("tsv", Format::TSV), json[0], json[1]];
    formats.into_iter().find(|(name, _)| end.eq_ignore_ascii_case(name))
}

/// Returns the error for a date format that no key or condition uses.
fn without_days() -> Error {
    let message = "--date-format is given, but no key or condition has type date, time or \
                   timestamp; write one, as in -k 2:date, or leave the option out";
    usage_error(message)
}

/// Returns the error for a seed that no key uses.
fn without_shuffle() -> Error {
    let message = "--random-seed is given, but no key has type random; write one, as in -k \
                   1:random, or leave the option out";
    usage_error(message)
}

/// Reads the number of a shuffle.
fn shuffle_number(text: &str) -> std::result::Result<u64, String> {
    let wrong = || format!("'{text}' is not a whole number from 0 to {}", u64::MAX);
    text.parse().map_err(|_| wrong())
}

/// Returns the seed of the shuffle with this number.
fn seed(number: u64) -> [u8; 16] {
    (u128::from(number) << u64::BITS).to_be_bytes()
}

/// Returns what is wrong with keys, with the command line of GNU sort where one is a key of its.
fn with_gnu_advice(error: &KeyError, keys: &[String]) -> Error {
    let advice = keys.iter().find_map(|key| usage::gnu::advice_for_key(key));
    let message = error.to_string() + &advice.unwrap_or_default();
    Error::config(ConfigErrorKind::InvalidKey, message)
}
