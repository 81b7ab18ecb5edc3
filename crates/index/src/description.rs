//! Description of an index: readable entries of the database `meta`.
//!
//! ```text
//!   version        1
//!   program        sortwell 0.1.0
//!   format         csv            header, separator, quote, ragged: further lines
//!   key.1          city           the grammar of the command's option --key
//!   entries        10000000
//!   unique         no
//!   data.1.path    /data/orders.csv
//!   data.1.bytes   412345678      also top, modified, inode, first and last: XXH3 of a MiB
//! ```

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::csv::Dialect;
use sortwell_engine::format::{CsvFormat, Format, HeaderLines, Ragged};
use sortwell_engine::key::text::{DateFormat, Invalid, InvalidPlace};
use sortwell_engine::key::{Key, OrderOptions};
use sortwell_engine::operator::Unique;
use sortwell_engine::pipeline::{Columns, Heading};
use sortwell_engine::{Error, Result};

use crate::include::Include;
use crate::record_file::RecordFile;
use crate::source::{DataFile, allow_open_files};

/// The version of indexes that this program writes, and the only one that it reads.
pub const VERSION: u32 = 1;

/// The name of the database of descriptions.
pub const META: &str = "meta";

/// Most bytes of names and values of a description, which is held in memory.
pub const META_MAX: usize = 64 << 20;

/// Prefix of a description of header lines by their beginning.
const PREFIX: &[u8] = b"prefix:";

/// The name of the database of entries.
pub const ENTRIES: &str = "entries";

/// Data, order and size of an index.
#[derive(Clone, Debug)]
pub struct Description {
    /// The format of the records.
    pub format: Format,
    /// The keys, most significant first.
    pub keys: Vec<Key>,
    /// Options of the order that apply to all keys.
    pub order: OrderOptions,
    /// Treatment of records with equal keys; `None` if all have entries.
    pub unique: Option<Unique>,
    /// Parts of the records that entries hold.
    pub include: Vec<Include>,
    /// Lines at the top of each file that are no records, unless records are rows.
    pub header: HeaderLines,
    /// The names of the columns, if the data has a header.
    pub columns: Option<Vec<Vec<u8>>>,
    /// The data files.
    pub data: Vec<DataFile>,
    /// Number of entries.
    pub entries: u64,
}

/// Entries by their names.
pub type Lines = BTreeMap<String, Vec<u8>>;

impl Description {
    /// Opens the data files for reading records. They are those that were indexed, unless they
    /// `may_differ`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], [`Error::Malformed`] for a file that has changed, and [`Error::Config`] for
    /// more files than may be open.
    pub fn open_data(&self, may_differ: bool) -> Result<Vec<RecordFile>> {
        allow_open_files(self.data.len())?;
        let opened = self.data.iter().zip(1..).map(|(data, number)| match may_differ {
            true => RecordFile::of(data, data.reopen_stale()?),
            false => RecordFile::checked(data, number == self.data.len()),
        });
        opened.collect()
    }

    /// Returns the columns by their names; without names, those that the first row of `data` shows,
    /// some of the data files. `None` if records are no rows, if there is no row, or if the first
    /// row is too long to be held.
    ///
    /// # Errors
    ///
    /// [`Error::Io`], and [`Error::Malformed`] for a first row that is none.
    pub fn columns_in(&self, data: &[DataFile]) -> Result<Option<Columns>> {
        if let Some(cells) = self.columns.clone() {
            return Ok(Some(Columns { cells, are_named: true }));
        }
        let heading = Heading::of(self.format, &self.header)?;
        for file in data.iter().filter(|_| matches!(heading, Heading::Row(_))) {
            let (top, _) = file.read_top(&file.path, 0, file.reopen_stale()?, &heading)?;
            if !top.is_nothing(&heading) {
                return Ok(top.columns(&heading));
            }
        }
        Ok(None)
    }

    /// Returns the entries that say all this.
    pub fn lines(&self) -> Lines {
        let mut lines = Lines::new();
        let mut say = |name: &str, value: &dyn Display| {
            lines.insert(name.to_owned(), value.to_string().into_bytes());
        };
        say("version", &VERSION);
        say("program", &concat!("sortwell ", env!("CARGO_PKG_VERSION")));
        say("format", &format_text(self.format));
        if let Format::Csv(csv) = self.format {
            say("header", &yes(csv.has_header));
            say("separator", &byte_text(csv.dialect.separator));
            let quote = csv.dialect.quote.map_or("none".to_owned(), byte_text);
            say("quote", &quote);
            say("lenient", &yes(csv.dialect.is_lenient));
            say("ragged", &ragged_text(csv.ragged));
        } else if let Some(separator) = self.order.separator {
            say("separator", &byte_text(separator));
        }
        for (number, key) in (1..).zip(&self.keys) {
            say(&format!("key.{number}"), key);
        }
        if let Some(invalid) = self.order.invalid {
            say("invalid", &invalid_text(invalid));
        }
        if let Some(format) = &self.order.date_format {
            say("date-format", &format.pattern());
        }
        if let Some(pad) = self.order.pad {
            say("pad", &byte_text(pad));
        }
        if self.order.seed != [0; 16] {
            say("seed", &u128::from_be_bytes(self.order.seed));
        }
        say("unique", &unique_text(self.unique));
        for (number, part) in (1..).zip(&self.include) {
            say(&format!("include.{number}"), part);
        }
        say("entries", &self.entries);
        for (number, file) in (1..).zip(&self.data) {
            file.lines(number, &mut lines);
        }
        if self.header != HeaderLines::NONE {
            let header = match &self.header {
                HeaderLines::Count(count) => count.to_string().into_bytes(),
                HeaderLines::Prefix(prefix) => [PREFIX, prefix].concat(),
            };
            lines.insert("header-lines".to_owned(), header);
        }
        for (number, name) in (1..).zip(self.columns.iter().flatten()) {
            lines.insert(format!("column.{number}"), name.clone());
        }
        lines
    }

    /// Reads the entries of the index at `path`.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for an index of another version, and for entries that say nothing.
    pub fn read(path: &Path, lines: &Lines) -> Result<Self> {
        let lines = Reader { path, lines };
        let version: u32 = lines.number("version")?;
        if version != VERSION {
            return Err(lines.malformed(&format!(
                "the index has version {version}, and this program reads version {VERSION}; build \
                 the index again, or use the program that built it"
            )));
        }
        let keys: Result<Vec<Key>> = lines.numbered("key").map(|text| lines.key(text?)).collect();
        let part = |text: Result<&str>| text.map(Include::from_text);
        let include: Result<Vec<Include>> = lines.numbered("include").map(part).collect();
        let columns: Vec<Vec<u8>> = (1..)
            .map_while(|number| lines.lines.get(&format!("column.{number}")).cloned())
            .collect();
        let data: Result<Vec<DataFile>> = (1..)
            .take_while(|number| lines.lines.contains_key(&format!("data.{number}.path")))
            .map(|number| DataFile::read(number, &lines))
            .collect();
        let order = OrderOptions {
            invalid: lines.optional("invalid", |text| match text {
                "error" => Some(Invalid::Error),
                text => text.parse().ok(),
            })?,
            date_format: lines
                .optional("date-format", |text| DateFormat::new(text).ok())?
                .map(Arc::new),
            pad: lines.optional("pad", byte_of)?,
            seed: lines
                .optional("seed", |text| text.parse().ok().map(u128::to_be_bytes))?
                .unwrap_or_default(),
            ..OrderOptions::default()
        };
        let (format, separator) = lines.format()?;
        let order = OrderOptions { separator, ..order };
        let keys = keys?;
        check_supported(format, &keys)?;
        Ok(Self {
            format,
            keys,
            order,
            unique: lines.unique()?,
            header: lines.header()?,
            include: include?,
            columns: (!columns.is_empty()).then_some(columns),
            data: data?,
            entries: lines.number("entries")?,
        })
    }
}

/// Reads entries by their names.
pub struct Reader<'a> {
    path: &'a Path,
    lines: &'a Lines,
}

impl<'a> Reader<'a> {
    fn malformed(&self, message: &str) -> Error {
        Error::Malformed { path: self.path.to_owned(), message: message.to_owned().into() }
    }

    /// Returns the error of an entry that says nothing.
    pub fn wrong(&self, name: &str) -> Error {
        self.malformed(&format!("the entry '{name}' of its database '{META}' is missing or wrong"))
    }

    /// Returns the bytes of an entry.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if there is none.
    pub fn bytes(&self, name: &str) -> Result<&'a [u8]> {
        self.lines.get(name).map(Vec::as_slice).ok_or_else(|| self.wrong(name))
    }

    fn text(&self, name: &str) -> Result<&'a str> {
        std::str::from_utf8(self.bytes(name)?).map_err(|_| self.wrong(name))
    }

    /// Returns an entry as a number.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] if there is none.
    pub fn number<N: FromStr>(&self, name: &str) -> Result<N> {
        self.text(name)?.parse().map_err(|_| self.wrong(name))
    }

    fn flag(&self, name: &str) -> Result<bool> {
        match self.text(name)? {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(self.wrong(name)),
        }
    }

    fn unique(&self) -> Result<Option<Unique>> {
        match self.text("unique")? {
            "no" => Ok(None),
            text => text.parse().map(Some).map_err(|_| self.wrong("unique")),
        }
    }

    fn optional<T>(&self, name: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        if !self.lines.contains_key(name) {
            return Ok(None);
        }
        read(self.text(name)?).map(Some).ok_or_else(|| self.wrong(name))
    }

    /// Returns the texts of entries with a number in their names.
    fn numbered(&self, name: &'a str) -> impl Iterator<Item = Result<&'a str>> {
        (1..)
            .map(move |number| format!("{name}.{number}"))
            .take_while(|name| self.lines.contains_key(name))
            .map(|name| self.text(&name))
    }

    fn header(&self) -> Result<HeaderLines> {
        const NAME: &str = "header-lines";
        let Some(bytes) = self.lines.get(NAME) else { return Ok(HeaderLines::NONE) };
        match bytes.strip_prefix(PREFIX) {
            Some(prefix) if !prefix.is_empty() => Ok(HeaderLines::Prefix(prefix.to_vec())),
            _ => self.number(NAME).map(HeaderLines::Count),
        }
    }

    fn key(&self, text: &str) -> Result<Key> {
        text.parse().map_err(|_| self.malformed(&format!("'{text}' is no key")))
    }

    /// Returns the format, and the separator of lines.
    fn format(&self) -> Result<(Format, Option<u8>)> {
        let text = self.text("format")?;
        let format: Format = text.parse().map_err(|_| self.wrong("format"))?;
        let separator = self.optional("separator", byte_of)?;
        let Format::Csv(csv) = format else { return Ok((format, separator)) };
        let dialect = Dialect {
            separator: separator.ok_or_else(|| self.wrong("separator"))?,
            quote: self
                .optional("quote", |text| match text {
                    "none" => Some(None),
                    text => byte_of(text).map(Some),
                })?
                .flatten(),
            is_lenient: self.flag("lenient")?,
        };
        let ragged = match self.text("ragged")? {
            "refuse" => Ragged::Refuse,
            "keep" => Ragged::Keep,
            "drop" => Ragged::Drop,
            _ => return Err(self.wrong("ragged")),
        };
        Ok((
            Format::Csv(CsvFormat { dialect, has_header: self.flag("header")?, ragged, ..csv }),
            None,
        ))
    }
}

const fn yes(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// Returns a byte as a number, which any byte can be.
fn byte_text(byte: u8) -> String {
    match byte {
        b'!'..=b'/' | b':'..=b'~' => char::from(byte).to_string(),
        _ => byte.to_string(),
    }
}

fn byte_of(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [byte] if !byte.is_ascii_digit() => Some(*byte),
        _ => text.parse().ok(),
    }
}

/// Returns the name of a format, as the command reads it.
fn format_text(format: Format) -> String {
    match format {
        Format::Fixed { length } => format!("fixed:{length}"),
        Format::Lines { terminator: b'\n' } => "lines".to_owned(),
        Format::Lines { terminator } => format!("lines:{terminator}"),
        Format::Csv(_) => "csv".to_owned(),
        Format::Prefixed(prefix) => prefix.to_string(),
        Format::LineGroups(group) if group.end == b'\n' => format!("lines:group={}", group.lines),
        Format::LineGroups(group) => format!("lines:{},group={}", group.end, group.lines),
        Format::JsonLines => "jsonl".to_owned(),
        _ => "unknown".to_owned(),
    }
}

const fn unique_text(unique: Option<Unique>) -> &'static str {
    match unique {
        None => "no",
        Some(Unique::Error) => "error",
        Some(Unique::First) => "first",
        Some(Unique::Last) => "last",
    }
}

const fn ragged_text(ragged: Ragged) -> &'static str {
    match ragged {
        Ragged::Refuse => "refuse",
        Ragged::Keep => "keep",
        Ragged::Drop => "drop",
    }
}

const fn invalid_text(invalid: Invalid) -> &'static str {
    match invalid {
        Invalid::Error => "error",
        Invalid::Placed(InvalidPlace::First) => "first",
        Invalid::Placed(InvalidPlace::Last) => "last",
    }
}

/// Checks the bytes of names and values in the description of the index at `path`.
///
/// # Errors
///
/// [`Error::Malformed`] for more than [`META_MAX`].
pub fn check_size(path: &Path, bytes: usize) -> Result<()> {
    if bytes <= META_MAX {
        return Ok(());
    }
    let message = format!(
        "the description of an index, with the names of its files and columns, has at most \
         {META_MAX} bytes; this one has more"
    );
    Err(Error::Malformed { path: path.to_owned(), message: message.into() })
}

/// Refuses formats and orders that indexes do not support.
///
/// # Errors
///
/// [`Error::Config`] for no key, for columns that are found by name in several inputs, and for
/// lists of values and collating sequences, which may be in files that change.
pub fn check_supported(format: Format, keys: &[Key]) -> Result<()> {
    let message = match format {
        _ if keys.is_empty() => {
            let message = "an index needs a key; give one, such as 2 for the second field, or the \
                           name of a column";
            return Err(Error::config(ConfigErrorKind::InvalidKey, message));
        }
        Format::Csv(CsvFormat { union_by_name: true, .. }) => {
            "an index needs data files with the same columns in the same order"
        }
        _ if keys.iter().any(|key| key.has_list() || key.file().is_some()) => {
            "an index cannot have a key with a list of values or a collating sequence; use another \
             type"
        }
        _ => return Ok(()),
    };
    Err(Error::config(ConfigErrorKind::Unsupported, message))
}
