//! Records that have given values as their keys.
//!
//! A value is written to the place that its key looks at, after filler. Keys may share bytes, and a
//! value may be too long for its place. So [`ValueKeys::key_without_value`] looks at the record.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sortwell_engine::Result;
use sortwell_engine::format::csv::Dialect;
use sortwell_engine::format::{Format, Prefix};
use sortwell_engine::key::text::{End, Position, Separator, TextSpec};

use super::binary::{bytes_of, length_field};
use super::{ValueKeys, steps, unsupported};

/// Stands in fields without a value, where a field cannot be empty.
const FILLER: u8 = b'x';

/// Bytes of some fields of a record, or of one of its lines, by their numbers.
#[derive(Debug, Default)]
struct ValueFields(BTreeMap<usize, Vec<u8>>);

impl ValueFields {
    /// Returns the bytes of a field, which are none at first.
    fn field(&mut self, number: usize) -> &mut Vec<u8> {
        self.0.entry(number).or_default()
    }

    /// Returns the fields up to the last one, but at least `least`.
    fn all(mut self, least: usize) -> impl Iterator<Item = Option<Vec<u8>>> {
        let count = self.0.last_key_value().map_or(0, |(last, _)| last + 1);
        (0..count.max(least)).map(move |number| self.0.remove(&number))
    }
}

/// Writes a value into bytes from `at` on, over what is there, and after filler. Before no bytes,
/// there is no filler.
fn place(bytes: &mut Vec<u8>, at: usize, value: &[u8], filler: u8) {
    if value.is_empty() {
        return;
    }
    let end = at + value.len();
    if bytes.len() < end {
        bytes.resize(end, filler);
    }
    bytes[at..end].copy_from_slice(value);
}

/// Returns whether a byte divides fields that are not divided by a certain byte.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n')
}

/// Returns a value as it stands in the field of its key, and from which byte on. A field after
/// blanks begins with them.
fn in_field<'v>(spec: &TextSpec, value: &'v [u8], separator: Separator) -> (usize, Cow<'v, [u8]>) {
    let Position { field, byte, skips_blanks } = spec.start;
    let begins_with_blank = separator == Separator::Blanks && field > 0 && !value.is_empty();
    match byte {
        0 if begins_with_blank && !is_blank(value[0]) => (0, [b" ", value].concat().into()),
        _ if begins_with_blank && skips_blanks => (byte + 1, value.into()),
        _ => (byte, value.into()),
    }
}

/// Returns a line of fields, without its end.
fn line_of(fields: ValueFields, separator: Separator) -> Vec<u8> {
    let mut line = Vec::new();
    let last = fields.0.iter().rfind(|(_, field)| !field.is_empty()).map_or(0, |(last, _)| *last);
    for (number, field) in fields.all(0).enumerate() {
        match (separator, field) {
            (Separator::Byte(byte), field) => {
                line.extend((number > 0).then_some(byte));
                line.extend(field.unwrap_or_default());
            }
            _ if number > last => break,
            (_, None) => {
                line.extend((number > 0).then_some(b' '));
                line.push(FILLER);
            }
            (_, Some(mut field)) => {
                // What is in front of a value begins with a blank as well.
                if let Some(first) = field.first_mut().filter(|first| !is_blank(**first))
                    && number > 0
                {
                    *first = b' ';
                }
                // Blanks alone would belong to the next field.
                if number < last && field.iter().all(|byte| is_blank(*byte)) {
                    field.extend((number > 0 && field.is_empty()).then_some(b' '));
                    field.push(FILLER);
                }
                line.extend(field);
            }
        }
    }
    line
}

/// Returns whether a key of rows looks at bytes of the row, not of a cell.
fn is_of_row(spec: &TextSpec) -> bool {
    matches!(spec.end, End::At(_) | End::Record)
}

/// Returns text without blanks at its ends, if they do not count in a key.
fn trimmed<'t>(spec: &TextSpec, text: &'t [u8]) -> &'t [u8] {
    let is_inside = |byte: &u8| !is_blank(*byte);
    let Some(first) = text.iter().position(is_inside).filter(|_| spec.trims) else {
        return if spec.trims { b"" } else { text };
    };
    let last = text.iter().rposition(is_inside).unwrap_or(first);
    &text[first..=last]
}

/// Returns the text of a cell, in which pairs of quotes stand for one.
fn without_pairs(quote: u8, cell: &[u8]) -> Vec<u8> {
    let mut is_first = false;
    let mut text = cell.to_vec();
    text.retain(|byte| {
        is_first = *byte == quote && !is_first;
        is_first || *byte != quote
    });
    text
}

impl ValueKeys {
    /// Returns a record that has these values, unless they do not fit their places.
    pub(super) fn record(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        match self.format {
            Format::Csv(csv) => self.row(csv.dialect, specs, values),
            Format::JsonLines => self.json(specs, values),
            Format::Lines { terminator } => {
                let mut lines = self.lines(specs, values, terminator);
                lines.push(terminator);
                Ok(lines)
            }
            Format::LineGroups(group) => {
                let mut lines = self.lines(specs, values, group.end);
                let ended = lines.iter().filter(|byte| **byte == group.end).count();
                let missing = (group.lines as usize).saturating_sub(ended);
                lines.resize(lines.len() + missing, group.end);
                Ok(lines)
            }
            Format::Fixed { length } => {
                let mut record = self.body(specs, values)?;
                record.resize(length as usize, 0);
                Ok(record)
            }
            Format::Prefixed(Prefix::KEYED) => {
                let key = self.body(specs, values)?;
                let follows = (key.len() as u32 + 4).to_le_bytes();
                Ok([&follows[..], &(key.len() as u32).to_le_bytes(), &key].concat())
            }
            Format::Prefixed(prefix) => {
                let body = self.body(specs, values)?;
                let counted = body.len() + if prefix.counts_itself { prefix.bytes() } else { 0 };
                let mut record = length_field(prefix, counted as u32);
                record.extend_from_slice(&body);
                Ok(record)
            }
            _ => Err(unsupported("records of this format have no values to look for".to_owned())),
        }
    }

    /// Returns whether a value takes all bytes that its key can look at.
    pub(super) fn fills(&self, at: usize, value: &[u8]) -> bool {
        let spec = &self.order.specs[at];
        let (End::At(end) | End::Within(end, _)) = spec.end else { return false };
        let width = end.byte.saturating_sub(spec.start.byte);
        match self.single.get(at) {
            Some(key) => {
                bytes_of(key, &self.names[at], value, None).is_none_or(|bytes| bytes.len() >= width)
            }
            None => value.len() >= width,
        }
    }

    /// Returns the first key whose place in a record of text does not hold its value, whole.
    pub(super) fn key_without_value(&self, record: &[u8], values: &[&[u8]]) -> Option<usize> {
        let places = self.places.as_ref()?;
        let separator = self.separator();
        (0..values.len()).find(|at| {
            let (spec, value) = (&self.order.specs[*at], values[*at]);
            let found = places.located(record, *at).unwrap_or_default();
            let (found, value) = match self.format {
                Format::Csv(csv) => {
                    let quote = csv.dialect.quote.filter(|_| !is_of_row(spec));
                    let text = quote.map(|quote| without_pairs(quote, found));
                    (text.map_or(found.into(), Cow::Owned), value.into())
                }
                Format::LineGroups(_) if spec.line.is_none() => (found.into(), value.into()),
                _ => (Cow::Borrowed(found), in_field(spec, value, separator).1),
            };
            trimmed(spec, &found) != trimmed(spec, &value)
        })
    }

    /// Returns what divides the fields of a line.
    const fn separator(&self) -> Separator {
        match self.order.separator {
            Separator::Lines { within: Some(byte), .. } => Separator::Byte(byte),
            Separator::Lines { within: None, .. } => Separator::Blanks,
            separator => separator,
        }
    }

    /// Returns a row of cells.
    fn row(&self, dialect: Dialect, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let mut fields = ValueFields::default();
        for (spec, value) in specs.iter().zip(values) {
            place(fields.field(spec.start.field), spec.start.byte, value, FILLER);
        }
        let mut row = Vec::new();
        let columns = self.columns.as_ref().map_or(0, |columns| columns.cells.len());
        if specs.iter().all(is_of_row) {
            row = fields.all(0).flatten().next().unwrap_or_default();
        } else {
            for (number, cell) in fields.all(columns).map(Option::unwrap_or_default).enumerate() {
                row.extend((number > 0).then_some(dialect.separator));
                let is_plain = |byte: &u8| {
                    *byte != dialect.separator
                        && Some(*byte) != dialect.quote
                        && !b"\r\n".contains(byte)
                };
                match dialect.quote {
                    _ if cell.iter().all(is_plain) => row.extend_from_slice(&cell),
                    Some(quote) => {
                        row.push(quote);
                        for byte in cell {
                            row.extend(std::iter::repeat_n(byte, 1 + usize::from(byte == quote)));
                        }
                        row.push(quote);
                    }
                    None => return Err(self.no_key(values, "no cell can hold it")),
                }
            }
        }
        row.push(b'\n');
        Ok(row)
    }

    /// Returns the lines of a record up to the last that a key looks at, without its end.
    fn lines(&self, specs: &[TextSpec], values: &[&[u8]], end: u8) -> Vec<u8> {
        let separator = self.separator();
        let has_groups = matches!(self.format, Format::LineGroups(_));
        let mut divided: BTreeMap<usize, ValueFields> = BTreeMap::new();
        let mut lines = ValueFields::default();
        let pairs = || specs.iter().zip(values);
        for (spec, value) in pairs().filter(|(spec, _)| spec.line.is_some() || !has_groups) {
            let (at, value) = in_field(spec, value, separator);
            let fields = divided.entry(spec.line.unwrap_or(0)).or_default();
            // After blanks, a value may begin with one.
            let is_blank = separator == Separator::Blanks && !spec.start.skips_blanks;
            let filler = if is_blank { b' ' } else { FILLER };
            place(fields.field(spec.start.field), at, &value, filler);
        }
        for (number, fields) in divided {
            *lines.field(number) = line_of(fields, separator);
        }
        // The fields of a record of several lines are its lines.
        for (spec, value) in pairs().filter(|(spec, _)| spec.line.is_none() && has_groups) {
            place(lines.field(spec.start.field), spec.start.byte, value, FILLER);
        }
        let lines: Vec<Vec<u8>> = lines.all(1).map(Option::unwrap_or_default).collect();
        lines.join(&end)
    }

    /// Returns a line of JSON with the values as strings.
    fn json(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let nothing = || serde_json::Value::Object(serde_json::Map::new());
        let mut line = nothing();
        for (at, (spec, value)) in specs.iter().zip(values).enumerate() {
            let Some(path) = &spec.name else {
                return Err(self.no_key(values, "the key is no member of the line"));
            };
            let text = std::str::from_utf8(value);
            let text = text.map_err(|_| self.no_key(values, "it is not UTF-8"))?;
            let is_pointer = path.starts_with('/');
            let mut member = &mut line;
            for step in steps(path) {
                let step = match is_pointer {
                    true => step.replace("~1", "/").replace("~0", "~"),
                    false => step.to_owned(),
                };
                member = member
                    .as_object_mut()
                    .ok_or_else(|| self.no_key(values, "a key lies within another one"))?
                    .entry(step)
                    .or_insert_with(nothing);
            }
            let text = serde_json::Value::String(text.to_owned());
            if *member != nothing() && *member != text {
                return Err(self.misplaced(values, at));
            }
            *member = text;
        }
        Ok([line.to_string().as_bytes(), b"\n"].concat())
    }

    /// Returns the number of bytes that a key of records without fields looks at; `None` if it
    /// looks at all to the end of a record.
    pub(super) const fn width(&self, spec: &TextSpec) -> Option<usize> {
        match (spec.end, self.format) {
            (End::At(end), _) => Some(end.byte.saturating_sub(spec.start.byte)),
            (_, Format::Fixed { length }) => {
                Some((length as usize).saturating_sub(spec.start.byte))
            }
            _ => None,
        }
    }

    /// Returns the bytes of a record without fields, up to the last that a key looks at.
    fn body(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        let mut placed = Vec::new();
        let keys = self.single.iter().zip(&self.names);
        for ((spec, value), (key, name)) in specs.iter().zip(values).zip(keys) {
            let start = spec.start.byte;
            let bytes = bytes_of(key, name, value, self.width(spec))
                .ok_or_else(|| self.no_key(values, &format!("it is no value of {name}")))?;
            if body.len() < start + bytes.len() {
                body.resize(start + bytes.len(), 0);
            }
            body[start..start + bytes.len()].copy_from_slice(&bytes);
            placed.push((spec, bytes));
        }
        let differs = |(spec, bytes): &(&TextSpec, Vec<u8>)| {
            let rest = &body[spec.start.byte..];
            !rest.starts_with(bytes) || spec.end == End::Record && rest != bytes
        };
        match placed.iter().position(differs) {
            Some(at) => Err(self.misplaced(values, at)),
            None => Ok(body),
        }
    }
}
