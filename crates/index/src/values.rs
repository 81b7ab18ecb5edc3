//! Keys of values that a user asks for.
//!
//! A value becomes a record of the format of the data, with the value in the place of the key and
//! nothing else of meaning. So its key is made by the code that makes the keys of records, whatever
//! its type, its translation and its direction.

mod binary;
mod exact;
mod record;

use std::fmt::Display;
use std::sync::OnceLock;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::format::{CsvFormat, Format, Ragged};
use sortwell_engine::job::RowKeys;
use sortwell_engine::key::text::{
    Body, End, Separator, TextKey, TextOrder, TextSpec, TextType, ValueKey,
};
use sortwell_engine::pipeline::Columns;
use sortwell_engine::{ByteSize, Error, Result};

/// Most bytes of a record in front of a value. They are made for every value that is looked for.
const FRONT_MAX: usize = 16 << 20;

/// Most steps of the path of a JSON key: a record of a value has as many levels.
const STEPS_MAX: usize = 128;

/// Makes keys of values.
#[derive(Clone, Debug)]
pub struct ValueKeys {
    format: Format,
    /// The order, its columns known by number.
    order: TextOrder,
    /// The keys as texts, for messages and for the types of numbers.
    names: Vec<String>,
    columns: Option<Columns>,
    /// The bytes that each key looks at in records of text.
    places: Option<TextKey>,
    /// Each key by itself.
    single: Vec<ValueKey>,
    /// The first keys alone, as they are asked for: one, two, and so on.
    compiled: Vec<OnceLock<RowKeys>>,
}

/// Refuses keys that look so far into records that every search would take much memory, or so deep
/// that it would take much stack.
///
/// # Errors
///
/// [`Error::Config`] for such a key.
pub fn check_places(format: Format, order: &TextOrder, names: &[impl Display]) -> Result<()> {
    let has_no_fields = Body::of(format).has_no_fields();
    for (spec, name) in order.specs.iter().zip(names) {
        if let Some(path) = spec.name.as_ref().filter(|_| order.separator == Separator::Members)
            && steps(path).count() > STEPS_MAX
        {
            return Err(unsupported(format!(
                "a key of an index has at most {STEPS_MAX} names or numbers in its path, and one \
                 has {}",
                steps(path).count()
            )));
        }
        let end = match spec.end {
            End::At(end) if has_no_fields => end.byte,
            _ => 0,
        };
        // A field has two bytes at least: one, and what separates it from the next.
        let fields = spec.start.field.saturating_mul(2);
        if fields.saturating_add(spec.start.byte).max(end) > FRONT_MAX {
            return Err(unsupported(format!(
                "the key {name} looks too far into records; an index needs keys within the first \
                 {} of records",
                ByteSize(FRONT_MAX as u64)
            )));
        }
    }
    Ok(())
}

/// Returns the steps of the path of a JSON key, as they are written.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    match path.strip_prefix('/') {
        Some(pointer) => pointer.split('/'),
        None => path.split('.'),
    }
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
    /// [`Error::Config`] for a column that there is not, and those of [`check_places`].
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
        check_places(format, &order, &names)?;
        let is_text = !Body::of(format).has_no_fields() && order.separator != Separator::Members;
        let places = is_text.then(|| TextKey::new(&order)).transpose()?;
        let single = order.specs.iter().map(|spec| ValueKey::new(spec, &order)).collect();
        // A record that is made of values has no cells after the last of them.
        let format = match format {
            Format::Csv(csv) => Format::Csv(CsvFormat { ragged: Ragged::Keep, ..csv }),
            format => format,
        };
        let compiled = vec![OnceLock::new(); order.specs.len()];
        let keys = Self { format, order, names, columns, places, single, compiled };
        keys.compiled(keys.count())?;
        Ok(keys)
    }

    /// Returns the first `count` keys alone, if there are so many.
    fn compiled(&self, count: usize) -> Result<Option<&RowKeys>> {
        let Some(kept) = count.checked_sub(1).and_then(|last| self.compiled.get(last)) else {
            return Ok(None);
        };
        if kept.get().is_none() {
            let columns = self.columns.as_ref();
            let keys = RowKeys::beginning(self.format, &self.order, columns, count)?;
            return Ok(Some(kept.get_or_init(|| keys)));
        }
        Ok(kept.get())
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

    /// Returns the beginning of the keys of records that have an invalid later key, for that of all
    /// others: `key`, of the first `count` values. `None` if it is already, or if there are none.
    pub fn with_invalid_later(&self, key: &[u8], count: usize) -> Option<Vec<u8>> {
        let mark = self.compiled.get(count.checked_sub(1)?)?.get()?.invalid_mark()?;
        let has_later = count < self.count() && key.first() != Some(&mark);
        has_later.then(|| [&[mark], key].concat())
    }

    fn key(&self, values: &[&[u8]]) -> Result<Vec<u8>> {
        let Some(keys) = self.compiled(values.len())? else {
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
            Ok(passed) if passed.shown == 1 => match self.key_without_value(&record, values) {
                Some(at) => Err(self.misplaced(values, at)),
                None => Ok(key),
            },
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
        let values: Vec<&[u8]> = values.iter().map(AsRef::as_ref).collect();
        let Some((last, others)) = values.split_last() else {
            return self.key(&values);
        };
        // Every text begins so, and a cell or member that is empty too.
        if last.is_empty() {
            return if others.is_empty() { Ok(Vec::new()) } else { self.key(others) };
        }
        let whole = self.key(&values)?;
        if self.fills(others.len(), last) {
            return Ok(whole);
        }
        let longer = |end: &[u8]| {
            let last = [last, end].concat();
            self.key(&[others, &[&last[..]]].concat())
        };
        // Bytes that are written as digits go on with digits.
        let is_digits = self.is_binary() && last.starts_with(b"0x");
        let ends: [&[u8]; 2] = if is_digits { [b"61", b"62"] } else { [b"a", b"b"] };
        let [Ok(mut one), Ok(other)] = ends.map(longer) else {
            return Err(self.no_key(&values, "the last key shares its place with another one"));
        };
        one.truncate(agreeing(&one, &other));
        Ok(one)
    }

    /// Returns whether records are bytes, so that values are written in other ways than in text.
    fn is_binary(&self) -> bool {
        Body::of(self.format).has_no_fields()
    }

    fn is_fixed(&self) -> bool {
        matches!(self.format, Format::Fixed { .. })
    }

    fn no_key(&self, values: &[&[u8]], why: &str) -> Error {
        let shown = |value: &&[u8]| format!("'{}'", String::from_utf8_lossy(value));
        let values: Vec<String> = values.iter().map(shown).collect();
        unsupported(format!(
            "{} cannot be {} {}: {why}",
            values.join(", "),
            if values.len() == 1 { "a value of the key" } else { "values of the keys" },
            self.names[..values.len()].join(", ")
        ))
    }

    /// Returns the error of values of which the key number `at` cannot have its own.
    fn misplaced(&self, values: &[&[u8]], at: usize) -> Error {
        let (value, name) = (String::from_utf8_lossy(values[at]), &self.names[at]);
        self.no_key(values, &format!("no record has '{value}' in the place of the key {name}"))
    }
}

#[cfg(test)]
mod tests;
