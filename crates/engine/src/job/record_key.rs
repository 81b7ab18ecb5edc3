//! Keys of single records outside of a job, for programs that push records.

use std::path::Path;

use super::row_keys::RowKeys;
use crate::error::{ConfigErrorKind, Error, Message, Result, Setting, config};
use crate::format::{CsvFormat, Format};
use crate::key::text::Invalid;
use crate::key::{Key, ListMemory, OrderOptions};

/// Name of a record in messages.
const RECORD: &str = "a record of the program";

/// The keys of records by the words of the command, as bytes that compare as the records sort.
#[derive(Clone, Debug)]
pub struct RecordKey {
    format: Format,
    keys: Vec<Key>,
    options: OrderOptions,
    rows: RowKeys,
}

impl RecordKey {
    /// Returns the keys of records of this format, the most significant first. Without keys, the
    /// whole record is the key.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a key that means nothing in such records, such as the name of a
    /// column, as a row alone has no header. Records of several lines are not supported.
    pub fn new(format: Format, keys: &[Key]) -> Result<Self> {
        let format = match format {
            Format::Csv(csv) => Format::Csv(CsvFormat { has_header: false, ..csv }),
            Format::LineGroups(_) => {
                return Err(config!(
                    ConfigErrorKind::Unsupported,
                    "records of several lines have no key outside of a job; use one line a record",
                ));
            }
            other => other,
        };
        Self::bound(format, keys.to_vec(), OrderOptions::default())
    }

    /// Sets the byte between the fields of lines. Default: blanks.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] if records are not lines.
    pub fn separator(self, separator: u8) -> Result<Self> {
        if !matches!(self.format, Format::Lines { .. }) {
            return Err(config!(
                ConfigErrorKind::NotApplicable(Setting::Separator),
                "the separator of fields is for lines; other records have it in their format",
            ));
        }
        let options = OrderOptions { separator: Some(separator), ..self.options };
        Self::bound(self.format, self.keys, options)
    }

    /// Sets the treatment of records whose key is not a value of its type. Default: an error, and
    /// in lines, whatever can be read.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    pub fn invalid(self, invalid: Invalid) -> Result<Self> {
        let options = OrderOptions { invalid: Some(invalid), ..self.options };
        Self::bound(self.format, self.keys, options)
    }

    fn bound(format: Format, keys: Vec<Key>, options: OrderOptions) -> Result<Self> {
        let order = options.bind(&keys, format, ListMemory::UNBOUNDED)?;
        let rows = RowKeys::new(format, &order, None)?;
        Ok(Self { format, keys, options, rows })
    }

    /// Appends the key of a record to `out`. The record may have what ends it, or lack it.
    ///
    /// Keys compare as unsigned bytes; a key that is the beginning of another one is less.
    ///
    /// # Errors
    ///
    /// [`Error::Malformed`] for a record that is not one record of the format, or has no key.
    /// Nothing is appended then.
    pub fn append_to(&self, record: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let malformed = |message: Message| Error::malformed(Path::new(RECORD), message);
        self.check_bounds(record).map_err(malformed)?;
        let end = [self.rows.framing().terminator().unwrap_or_default()];
        let record = if record.is_empty() { &end[..] } else { record };
        let passed = self.rows.each(record, |row| row.append_key(out));
        passed.map(|_| ()).map_err(|fault| malformed(fault.message))
    }

    /// Checks that bytes are one record.
    fn check_bounds(&self, record: &[u8]) -> std::result::Result<(), Message> {
        let framing = self.rows.framing();
        if framing.terminator().is_some() {
            return match framing.records(record).nth(1) {
                None => Ok(()),
                Some(_) => Err("more than one record; the end of a record is in its middle".into()),
            };
        }
        if let Some(fault) = framing.fault(record) {
            return Err(fault.into());
        }
        match framing.whole_length(record) {
            Some(length) if length == record.len() => Ok(()),
            _ => Err(format!("{} bytes, which are not one record", record.len()).into()),
        }
    }
}
