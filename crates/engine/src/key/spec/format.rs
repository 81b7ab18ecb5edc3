//! A key in records of a format: the places and types that such records have.

use super::Key;
use super::fault::{FormatFault, KeyError, KeyFault, PlaceFault};
use super::gnu_key::{column_keys, gnu_key};
use super::location::{self, Location, RecordPart};
use crate::format::{Format, LineGroup, json};

impl Key {
    /// Checks that it means something in records of `format`.
    ///
    /// ```
    /// use sortwell_engine::format::Format;
    /// use sortwell_engine::key::Key;
    ///
    /// let key: Key = "8..12:u32le".parse()?;
    /// assert!(key.check(Format::Fixed { length: 100 }).is_ok());
    /// assert!(key.check(Format::Fixed { length: 10 }).is_err());
    /// assert!(key.check(Format::LINES).is_err());
    /// # Ok::<(), sortwell_engine::key::KeyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A place that such records do not have, or a type.
    pub fn check(&self, format: Format) -> Result<(), KeyError> {
        let fault = match format {
            _ if matches!(self.location.part, RecordPart::Fields { line: Some(_), .. })
                && !format.has_groups() =>
            {
                Err(location::not_a_place(&self.location.to_string()).into())
            }
            Format::LineGroups(group) => self.check_group(group),
            Format::Lines { .. } => self.check_line(),
            Format::Csv(csv) => self.check_row(csv.has_header),
            Format::JsonLines => self.check_member(),
            Format::Fixed { length } => self.check_range(Some(length as usize)),
            Format::Prefixed(_) => self.check_range(None),
        };
        fault.map_err(|fault| self.error(fault).of_format(format))
    }

    /// Returns the error of this key.
    pub(crate) fn error(&self, fault: impl Into<KeyFault>) -> KeyError {
        KeyError::new(&self.to_string(), fault)
    }

    fn check_line(&self) -> Result<(), KeyFault> {
        match &self.location.part {
            RecordPart::Column(name) => Err(match gnu_key(name) {
                Some(advice) => PlaceFault::OfGnuSort(advice).into(),
                None => FormatFault::NameInLines(name.clone()).into(),
            }),
            _ => self.check_is_text("lines"),
        }
    }

    fn check_row(&self, has_header: bool) -> Result<(), KeyFault> {
        match &self.location.part {
            RecordPart::Column(name) if !has_header => {
                Err(FormatFault::NoHeader(name.clone()).into())
            }
            RecordPart::Fields { first, last, .. } if *last != Some(*first) => {
                let place = self.location.to_string();
                let keys = self.keys_of_columns(*first, *last);
                Err(FormatFault::FieldsOfRows { keys, place }.into())
            }
            _ => self.check_is_text("rows"),
        }
    }

    /// Returns keys of the columns `first` to `last`, from 0, for this key of several fields. Bytes
    /// from some byte on are left out of the first alone; other ranges are those of no column.
    fn keys_of_columns(&self, first: usize, last: Option<usize>) -> String {
        if self.location.end.is_some() {
            return "a key for each column".to_owned();
        }
        column_keys(first + 1, last.map(|last| last + 1), |field| {
            let only = field - 1;
            let part = RecordPart::Fields { line: None, first: only, last: Some(only) };
            let start = if only == first { self.location.start } else { 0 };
            Self { location: Location { part, start, end: None }, ..self.clone() }.to_string()
        })
    }

    /// Checks a key of records of several lines.
    fn check_group(&self, LineGroup { lines, .. }: LineGroup) -> Result<(), KeyFault> {
        let last = match &self.location.part {
            RecordPart::Record => None,
            RecordPart::Fields { line, first, last } => Some(line.or(*last).unwrap_or(*first)),
            RecordPart::Exact(spec) => spec.0.line,
            RecordPart::Column(name) => {
                return Err(FormatFault::NameInGroups { name: name.clone(), lines }.into());
            }
        };
        match last {
            Some(last) if last >= lines as usize => {
                Err(FormatFault::NoSuchLine { line: last.saturating_add(1), lines }.into())
            }
            _ => self.check_is_text("lines"),
        }
    }

    fn check_member(&self) -> Result<(), KeyFault> {
        let has_range = (self.location.start, self.location.end) != (0, None);
        let fault = match &self.location.part {
            RecordPart::Column(name) if has_range => FormatFault::BytesOfMember(name.clone()),
            RecordPart::Column(name) => match json::Path::read(name) {
                Ok(_) => return self.check_is_text("lines of JSON"),
                Err(fault) => FormatFault::Path(fault),
            },
            RecordPart::Fields { first, last, .. } if *last == Some(*first) => {
                FormatFault::NumberOfMember(first + 1)
            }
            RecordPart::Fields { .. } => FormatFault::FieldsOfJson,
            RecordPart::Record | RecordPart::Exact(_) => {
                return self.check_is_text("lines of JSON");
            }
        };
        Err(fault.into())
    }

    fn check_is_text(&self, records: &'static str) -> Result<(), KeyFault> {
        if self.modifiers.pad.is_some() {
            return Err(FormatFault::Pad(records).into());
        }
        match self.named.traits().is_binary {
            true => {
                Err(FormatFault::BinaryType { name: self.named.word.to_string(), records }.into())
            }
            false => Ok(()),
        }
    }

    /// Checks a key of records that have no fields; of this length, where they all have one.
    fn check_range(&self, length: Option<usize>) -> Result<(), KeyFault> {
        let Location { part: RecordPart::Record, start, end } = self.location else {
            return Err(FormatFault::NoFields.into());
        };
        match (length, end) {
            (Some(length), Some(end)) if end > length => {
                Err(FormatFault::EndsAfter { end, length }.into())
            }
            (Some(length), None) if start >= length => {
                Err(FormatFault::BeginsAfter { start, length }.into())
            }
            _ => Ok(()),
        }
    }
}
