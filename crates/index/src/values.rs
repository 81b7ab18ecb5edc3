//! Keys of values that a user asks for.
//!
//! A value becomes a record of the format of the data, with the value in the place of the key and
//! nothing else of meaning. So its key is made by the code that makes the keys of records, whatever
//! its type, its translation and its direction.

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::csv::Dialect;
use sortwell_engine::format::{Format, Prefix, PrefixWidth};
use sortwell_engine::job::RowKeys;
use sortwell_engine::key::text::{End, Separator, TextOrder, TextSpec, TextType};
use sortwell_engine::pipeline::Columns;
use sortwell_engine::{Error, Result};

/// Stands in fields without a value, where a field cannot be empty.
const FILLER: u8 = b'x';

/// Makes keys of values.
#[derive(Clone, Debug)]
pub struct ValueKeys {
    format: Format,
    /// The order, its columns known by number.
    order: TextOrder,
    /// The keys as texts, for messages and for the types of numbers.
    names: Vec<String>,
    columns: Option<Columns>,
    /// The keys of the first columns alone: of one, of two, and so on.
    compiled: Vec<RowKeys>,
}

/// Bytes of the fields of a record, or of one of its lines.
#[derive(Debug, Default)]
struct ValueFields(Vec<Option<Vec<u8>>>);

impl ValueFields {
    /// Writes a value into a field, from byte `at` on.
    fn place(&mut self, field: usize, at: usize, value: &[u8]) -> Option<()> {
        if self.0.len() <= field {
            self.0.resize(field + 1, None);
        }
        place(self.0[field].get_or_insert_default(), at, value)
    }
}

/// Writes a value into bytes from `at` on; `None` if another value is there.
fn place(bytes: &mut Vec<u8>, at: usize, value: &[u8]) -> Option<()> {
    if bytes.len() > at {
        return (bytes.get(at..at + value.len())? == value).then_some(());
    }
    bytes.resize(at, FILLER);
    bytes.extend_from_slice(value);
    Some(())
}

fn unsupported(message: String) -> Error {
    Error::config(ConfigErrorKind::InvalidValue, message)
}

/// Returns the bytes in which two keys agree.
fn agreeing(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

impl ValueKeys {
    /// Returns the keys of records of a format in an order.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a column that there is not.
    pub fn new(
        format: Format,
        order: &TextOrder,
        names: Vec<String>,
        columns: Option<Columns>,
    ) -> Result<Self> {
        let order = match &columns {
            Some(columns) => columns.resolved(order)?,
            None => order.clone(),
        };
        let of_first = |count: usize| {
            let specs = order.specs[..count].to_vec();
            RowKeys::ended(format, &TextOrder { specs, ..order.clone() }, columns.as_ref())
        };
        let compiled = (1..=order.specs.len()).map(of_first).collect::<Result<_>>()?;
        Ok(Self { format, order, names, columns, compiled })
    }

    /// Returns the number of keys.
    pub fn count(&self) -> usize {
        self.order.specs.len()
    }

    /// Returns the beginning of the keys of all records whose first keys have these values.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a value that its key cannot have.
    pub fn of<V: AsRef<[u8]>>(&self, values: &[V]) -> Result<Vec<u8>> {
        let values: Vec<&[u8]> = values.iter().map(AsRef::as_ref).collect();
        self.key(&values)
    }

    fn key(&self, values: &[&[u8]]) -> Result<Vec<u8>> {
        let keys = values.len().checked_sub(1).and_then(|last| self.compiled.get(last));
        let Some(keys) = keys else {
            return Err(unsupported(format!(
                "{} values are given, and the index has {} key{}: {}",
                values.len(),
                self.count(),
                if self.count() == 1 { "" } else { "s" },
                self.names.join(", ")
            )));
        };
        let record = self.record(&self.order.specs[..values.len()], values)?;
        let mut key = Vec::new();
        let passed = keys.each(&record, |row| row.append_key(&mut key));
        match passed {
            Ok(passed) if passed.shown == 1 => Ok(key),
            Ok(_) => Err(self.no_key(values, "it is not one record")),
            Err(fault) => {
                // The rest is advice about records.
                let message = fault.message.to_string();
                Err(self.no_key(values, message.split(';').next().unwrap_or_default()))
            }
        }
    }

    /// Returns the beginning of the keys of all records whose first keys have these values, but for
    /// the last, which begins with its value.
    ///
    /// # Errors
    ///
    /// Those of [`of`](Self::of), and for a last key whose values have no beginnings.
    pub fn of_prefix<V: AsRef<[u8]>>(&self, values: &[V]) -> Result<Vec<u8>> {
        let spec = values.len().checked_sub(1).and_then(|last| self.order.specs.get(last));
        let has_beginnings = |spec: &TextSpec| {
            spec.text_type == TextType::BYTES && spec.collation.is_none() && !self.is_fixed()
        };
        if let (Some(spec), Some(name)) = (spec, self.names.get(values.len().wrapping_sub(1)))
            && !has_beginnings(spec)
        {
            return Err(unsupported(format!(
                "the key {name} has no beginnings to look for; only text without a locale has"
            )));
        }
        let longer = |end: u8| {
            let (last, others) = values.split_last()?;
            let last = [last.as_ref(), &[end]].concat();
            let others = others.iter().map(AsRef::as_ref);
            Some(self.key(&others.chain([&last[..]]).collect::<Vec<_>>()))
        };
        let (Some(one), Some(other)) = (longer(b'a'), longer(b'b')) else {
            return self.key(&[]);
        };
        let (mut one, other) = (one?, other?);
        one.truncate(agreeing(&one, &other));
        Ok(one)
    }

    fn is_fixed(&self) -> bool {
        matches!(self.format, Format::Fixed { .. })
    }

    fn no_key(&self, values: &[&[u8]], why: &str) -> Error {
        let shown = |value: &&[u8]| format!("'{}'", String::from_utf8_lossy(value));
        let values: Vec<String> = values.iter().map(shown).collect();
        unsupported(format!(
            "{} cannot be values of the key{} {}: {why}",
            values.join(", "),
            if values.len() == 1 { "" } else { "s" },
            self.names[..values.len()].join(", ")
        ))
    }

    /// Returns a record that has these values.
    fn record(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let two = |at: usize| {
            let name = &self.names[at];
            unsupported(format!(
                "the key {name} shares its place with another one, of another value"
            ))
        };
        match self.format {
            Format::Csv(csv) => {
                let mut cells = ValueFields::default();
                let columns = self.columns.as_ref().map_or(0, |columns| columns.cells.len());
                cells.0.resize(columns, None);
                for (at, (spec, value)) in specs.iter().zip(values).enumerate() {
                    let placed = cells.place(spec.start.field, spec.start.byte, value);
                    placed.ok_or_else(|| two(at))?;
                }
                self.row(csv.dialect, cells, values)
            }
            Format::JsonLines => self.json(specs, values),
            Format::Lines { terminator } => {
                let line = self.lines(specs, values, self.order.separator)?;
                Ok([line.concat(), vec![terminator]].concat())
            }
            Format::LineGroups(group) => {
                let within = match self.order.separator {
                    Separator::Lines { within: Some(byte), .. } => Separator::Byte(byte),
                    _ => Separator::Blanks,
                };
                let mut lines = self.lines(specs, values, within)?;
                lines.resize(group.lines as usize, Vec::new());
                let ended = lines.into_iter().map(|line| [line, vec![group.end]].concat());
                Ok(ended.collect::<Vec<_>>().concat())
            }
            Format::Fixed { length } => {
                let mut record = vec![0; length as usize];
                self.bytes(specs, values, |start, value| {
                    let place = record.get_mut(start..start + value.len())?;
                    place.copy_from_slice(value);
                    Some(())
                })?;
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

    /// Returns a row of cells.
    fn row(&self, dialect: Dialect, cells: ValueFields, values: &[&[u8]]) -> Result<Vec<u8>> {
        let mut row = Vec::new();
        for (number, cell) in cells.0.into_iter().map(Option::unwrap_or_default).enumerate() {
            if number > 0 {
                row.push(dialect.separator);
            }
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
        row.push(b'\n');
        Ok(row)
    }

    /// Returns the lines of a record, without what ends them.
    fn lines(
        &self,
        specs: &[TextSpec],
        values: &[&[u8]],
        separator: Separator,
    ) -> Result<Vec<Vec<u8>>> {
        let mut lines: Vec<ValueFields> = Vec::new();
        for (at, (spec, value)) in specs.iter().zip(values).enumerate() {
            let line = spec.line.unwrap_or(0);
            if lines.len() <= line {
                lines.resize_with(line + 1, ValueFields::default);
            }
            let is_blank = |byte: &u8| b" \t".contains(byte);
            let is_behind_blank = separator == Separator::Blanks && spec.start.field > 0;
            let (start, value) = match (is_behind_blank, spec.start.byte) {
                (true, 0) if !value.first().is_some_and(is_blank) => (0, [b" ", *value].concat()),
                (true, byte) if spec.start.skips_blanks => (byte + 1, value.to_vec()),
                (_, byte) => (byte, value.to_vec()),
            };
            let ends_field = !matches!(spec.end, End::Record) && separator != Separator::Blanks;
            if ends_field && matches!(separator, Separator::Byte(byte) if value.contains(&byte)) {
                return Err(self.no_key(values, "no field can hold it"));
            }
            lines[line].place(spec.start.field, start, &value).ok_or_else(|| {
                let name = &self.names[at];
                unsupported(format!("the key {name} shares its place with another one"))
            })?;
        }
        let joined = |fields: ValueFields| {
            let mut line = Vec::new();
            for (number, field) in fields.0.into_iter().enumerate() {
                match separator {
                    Separator::Byte(byte) if number > 0 => line.push(byte),
                    Separator::Blanks if number > 0 && field.is_none() => {
                        line.extend_from_slice(&[b' ', FILLER]);
                    }
                    Separator::Blanks if field.is_none() => line.push(FILLER),
                    _ => {}
                }
                line.extend(field.unwrap_or_default());
            }
            line
        };
        Ok(lines.into_iter().map(joined).collect())
    }

    /// Returns a line of JSON with the values as strings.
    fn json(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let mut line = serde_json::Value::Object(serde_json::Map::new());
        for (spec, value) in specs.iter().zip(values) {
            let Some(path) = &spec.name else {
                return Err(self.no_key(values, "the key is no member of the line"));
            };
            let text = std::str::from_utf8(value);
            let text = text.map_err(|_| self.no_key(values, "it is not UTF-8"))?;
            let steps: Vec<String> = match path.strip_prefix('/') {
                Some(pointer) => {
                    let steps = pointer.split('/');
                    steps.map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
                }
                None => path.split('.').map(str::to_owned).collect(),
            };
            let mut place = &mut line;
            for step in steps {
                place = place
                    .as_object_mut()
                    .ok_or_else(|| self.no_key(values, "a key lies within another one"))?
                    .entry(step)
                    .or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()));
            }
            *place = serde_json::Value::String(text.to_owned());
        }
        let mut line = serde_json::to_vec(&line)
            .map_err(|error| Error::config(ConfigErrorKind::InvalidValue, error.to_string()))?;
        line.push(b'\n');
        Ok(line)
    }

    /// Returns the body of a record with a length in front.
    fn body(&self, specs: &[TextSpec], values: &[&[u8]]) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        self.bytes(specs, values, |start, value| {
            if body.len() < start + value.len() {
                body.resize(start + value.len(), 0);
            }
            body[start..start + value.len()].copy_from_slice(value);
            Some(())
        })?;
        Ok(body)
    }

    /// Writes values to the ranges of bytes that keys look at.
    fn bytes(
        &self,
        specs: &[TextSpec],
        values: &[&[u8]],
        mut write: impl FnMut(usize, &[u8]) -> Option<()>,
    ) -> Result<()> {
        for ((spec, value), name) in specs.iter().zip(values).zip(&self.names) {
            let start = spec.start.byte;
            let width = match spec.end {
                End::At(end) => Some(end.byte.saturating_sub(start)),
                _ => None,
            };
            let bytes = bytes_of(name, value, width)
                .ok_or_else(|| self.no_key(values, &format!("it is no value of {name}")))?;
            write(start, &bytes)
                .ok_or_else(|| self.no_key(values, &format!("it has no room in {name}")))?;
        }
        Ok(())
    }
}

/// Returns the length field of a record.
fn length_field(prefix: Prefix, counted: u32) -> Vec<u8> {
    let number = counted.to_be_bytes();
    let mut field = match prefix.width {
        PrefixWidth::U32 | PrefixWidth::Keyed => number.to_vec(),
        PrefixWidth::U16 | PrefixWidth::Rdw => number[2..].to_vec(),
    };
    if prefix.is_little_endian {
        field.reverse();
    }
    field.resize(prefix.bytes(), 0);
    field
}

/// Returns the bytes of a value of binary data: those after `0x` as hexadecimal digits, a number of
/// the type that the key names, or text, filled with zeros up to `width`.
fn bytes_of(key: &str, value: &[u8], width: Option<usize>) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let mut bytes = match text.strip_prefix("0x") {
        Some(digits) if digits.len().is_multiple_of(2) => {
            let pairs = (0..digits.len()).step_by(2);
            pairs
                .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
                .collect::<Option<_>>()?
        }
        _ => {
            let word = key.split(':').nth(1).unwrap_or_default();
            match number_bytes(word, text) {
                Some(number) => number?,
                None => value.to_vec(),
            }
        }
    };
    match width {
        Some(width) if bytes.len() > width => None,
        Some(width) => {
            bytes.resize(width, 0);
            Some(bytes)
        }
        None => Some(bytes),
    }
}

/// Returns the bytes of a number of a type; `None` if the word names no type of numbers, and
/// `Some(None)` if the text is no such number.
fn number_bytes(word: &str, text: &str) -> Option<Option<Vec<u8>>> {
    let (name, is_little) = match word.strip_suffix("le") {
        Some(name) => (name, true),
        None => (word.strip_suffix("be").unwrap_or(word), false),
    };
    let (class, bits) = name.split_at_checked(1)?;
    let bits: usize = bits.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
    let number: Option<Vec<u8>> = match class {
        "u" => text.parse::<u64>().ok().map(|number| number.to_be_bytes().to_vec()),
        "i" => text.parse::<i64>().ok().map(|number| number.to_be_bytes().to_vec()),
        "f" if bits == 32 => text.parse::<f32>().ok().map(|number| number.to_be_bytes().to_vec()),
        "f" if bits == 64 => text.parse::<f64>().ok().map(|number| number.to_be_bytes().to_vec()),
        _ => return None,
    };
    let number = number.and_then(|number| {
        let (above, mut kept) = (number[..number.len() - bits / 8].to_vec(), number);
        kept.drain(..above.len());
        let sign = if class == "i" && kept[0] & 0x80 != 0 { 0xff } else { 0 };
        if is_little {
            kept.reverse();
        }
        above.iter().all(|byte| *byte == sign).then_some(kept)
    });
    Some(number)
}

#[cfg(test)]
mod tests;
