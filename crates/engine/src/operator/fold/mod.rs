//! Sums, least and greatest values over records with equal keys.
//!
//! One record of a group is kept, and what is folded takes the place of its own fields: what comes
//! of some records is again a record, so that parts of a group can be folded in any grouping, early
//! in runs or at the end. To come to the same in all of them,
//!
//! - sums of decimals are exact, with as many digits after the point as any of their terms has;
//! - of values that compare equal the first is taken;
//! - numbers of a machine are added with more bits than they have, and parts whose sum does not fit
//!   are left as they are until all are together: only that whole sum can overflow;
//! - cells that are empty take no part, and a group of nothing else keeps what it has.

mod cell_order;
mod decimal;
mod keyed;
mod spec;

use std::borrow::Cow;
use std::ops::Range;

use super::place::{BadPlace, RecordForm};
use crate::error::{Message, Setting, message};
use crate::format::csv::{self, Dialect};
use crate::key::text::{FixedNumber, NumberStyle};
use crate::manifest::ValueText;
use cell_order::CellOrder;
use decimal::Decimal;
pub use spec::{FoldInput, FoldSpec};

/// Function of the values of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// All of them added.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

impl Function {
    /// Returns the setting that asks for it.
    pub const fn setting(self) -> Setting {
        match self {
            Self::Sum => Setting::Sum,
            Self::Min => Setting::Min,
            Self::Max => Setting::Max,
        }
    }
}

/// Folds whose places have been found.
#[derive(Clone, Debug, Default)]
pub struct Folds(Vec<Fold>);

#[derive(Clone, Debug)]
struct Fold {
    function: Function,
    field: Field,
    layout: RecordForm,
    /// The order of a cell's values, where that is not by their bytes.
    order: Option<CellOrder>,
    /// Name of the place in messages.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// A cell with a number to be added, perhaps a whole one, perhaps in a style of people.
    Number { column: usize, is_whole: bool, style: Option<NumberStyle> },
    /// A cell, by its bytes or in an order of its own.
    Text { column: usize },
    /// Bytes: a number to be added, or in their order or one of their own.
    Range { start: usize, end: usize, number: Option<FixedNumber> },
}

impl Field {
    /// Returns the bytes of a record that it is; `None` for cells.
    fn range(self) -> Option<Range<usize>> {
        match self {
            Self::Range { start, end, .. } => Some(start..end),
            Self::Number { .. } | Self::Text { .. } => None,
        }
    }

    /// Returns the number of the cell that it is; `None` for bytes.
    fn column(self) -> Option<usize> {
        match self {
            Self::Number { column, .. } | Self::Text { column } => Some(column),
            Self::Range { .. } => None,
        }
    }
}

/// A value of a record, or of several together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Datum {
    /// The value of empty cells.
    Nothing,
    /// A number as text.
    Number(Decimal),
    /// Text of a cell.
    Text(Vec<u8>),
    /// A machine's number.
    Integer(i128),
}

/// Returns the sum of two integers. One that is too large for 128 bits is too large for every
/// field, with whatever is added later.
fn sum_of(a: i128, b: i128) -> i128 {
    const TOO_LARGE: i128 = i128::MAX;
    let is_known = a != TOO_LARGE && b != TOO_LARGE;
    a.checked_add(b).filter(|_| is_known).unwrap_or(TOO_LARGE)
}

impl Datum {
    /// Returns the bytes of memory that it takes, and those that writing it takes in addition.
    pub fn memory_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.capacity(),
            Self::Number(number) => 2 * number.digits(),
            Self::Nothing | Self::Integer(_) => 0,
        }
    }

    /// Returns the value as a manifest has it.
    pub fn text(&self) -> ValueText {
        match self {
            Self::Nothing => ValueText::Nothing {},
            Self::Number(number) => {
                let mut digits = Vec::new();
                number.write(&mut digits);
                ValueText::Number(String::from_utf8_lossy(&digits).into_owned())
            }
            Self::Text(text) => ValueText::Text(text.clone()),
            Self::Integer(number) => ValueText::Integer(number.to_string()),
        }
    }

    /// Returns the value of a manifest, if it is one.
    pub fn of_text(text: &ValueText) -> Option<Self> {
        match text {
            ValueText::Nothing {} => Some(Self::Nothing),
            ValueText::Number(digits) => Decimal::read(digits.as_bytes()).map(Self::Number),
            ValueText::Text(text) => Some(Self::Text(text.clone())),
            ValueText::Integer(digits) => digits.parse().ok().map(Self::Integer),
        }
    }
}

impl Folds {
    /// Finds the places of `specs` in such records.
    ///
    /// # Errors
    ///
    /// The fault in them, in words.
    pub fn new(specs: &[FoldSpec], of: FoldInput<'_>) -> Result<Self, BadPlace> {
        let mut folds: Vec<Fold> = Vec::with_capacity(specs.len());
        for spec in specs {
            let setting = spec.function.setting();
            let (field, order) = spec.field(of).map_err(|fault| fault.of(setting))?;
            if let Some(other) = folds.iter().find(|other| overlap(other.field, field)) {
                return Err(message!(
                    "{} and {} write two values to one place; leave one out",
                    setting.to(&spec.place),
                    other.function.setting().to(&other.name)
                )
                .into());
            }
            let name = spec.place.to_string();
            folds.push(Fold { function: spec.function, field, layout: of.layout, order, name });
        }
        Ok(Self(folds))
    }

    /// Values that are folded of each record.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether nothing is folded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of bytes of memory that comparing the values of a long record takes in
    /// proportion to it.
    pub fn scratch_bytes(&self, record: &[u8]) -> usize {
        let bytes_of = |fold: &Fold| match (&fold.order, fold.field) {
            (Some(order), Field::Text { column }) => {
                let cell = fold.layout.cells(record).and_then(|mut cells| cells.nth(column));
                cell.map_or(0, |cell| cell.len() + order.scratch_bytes(cell))
            }
            (Some(order), Field::Range { start, end, .. }) => {
                let bytes = fold.layout.body(record).get(start..end);
                bytes.map_or(0, |bytes| order.scratch_bytes(bytes))
            }
            _ => 0,
        };
        self.0.iter().map(bytes_of).max().unwrap_or(0)
    }

    /// Returns the bytes of a record that its values take.
    pub fn value_bytes(&self, record: &[u8]) -> usize {
        let bytes_of = |fold: &Fold| match fold.field {
            Field::Range { start, end, .. } => end - start,
            Field::Number { column, .. } | Field::Text { column } => {
                let cell = fold.layout.cells(record).and_then(|mut cells| cells.nth(column));
                cell.map_or(0, <[u8]>::len)
            }
        };
        self.0.iter().map(bytes_of).sum()
    }

    /// Returns the number of bytes of memory that lists of values take.
    pub fn list_bytes(&self) -> usize {
        self.0.iter().filter_map(|fold| fold.order.as_ref()).map(CellOrder::list_bytes).sum()
    }

    /// Returns the settings that ask for folds, with their places, for a message.
    pub fn names(&self) -> Message {
        let name = |fold: &Fold| fold.function.setting().to(&fold.name);
        let mut names = self.0.iter().map(name);
        let first = names.next().map_or_else(Message::default, |first| message!("{}", first));
        names.fold(first, |names, next| message!("{}, {}", names, next))
    }

    /// Returns the values of a record.
    ///
    /// # Errors
    ///
    /// Which is not one, in words.
    pub fn values(&self, record: &[u8]) -> Result<Vec<Datum>, String> {
        self.0.iter().map(|fold| fold.value(record)).collect()
    }

    /// Adds the values of later records to `values`.
    pub fn add(&self, values: &mut [Datum], more: Vec<Datum>) {
        for (fold, (value, more)) in self.0.iter().zip(values.iter_mut().zip(more)) {
            fold.add(value, more);
        }
    }

    /// Returns whether all values together could be written into a record, whatever it is.
    pub fn fit(&self, values: &[Datum], more: &[Datum]) -> bool {
        self.0.iter().zip(values.iter().zip(more)).all(|(fold, pair)| match (fold.field, pair) {
            (
                Field::Range { start, end, number: Some(number) },
                (Datum::Integer(a), Datum::Integer(b)),
            ) => fold.function != Function::Sum || number.holds(sum_of(*a, *b), end - start),
            (_, (a, b)) => ![a, b].into_iter().any(|value| fold.may_be_cut(value)),
        })
    }

    /// Appends `record` with question marks in place of what is folded, for a message: what stands
    /// there depends on how much was folded before.
    pub fn mask(&self, record: &[u8]) -> Vec<u8> {
        let question = |fold: &Fold| {
            let width = fold.field.range().map_or(1, |range| range.len());
            Datum::Text(vec![b'?'; width])
        };
        let mut masked = Vec::new();
        let values: Vec<Datum> = self.0.iter().map(question).collect();
        // Question marks fit wherever there is room.
        let _ = self.write(record, &values, &mut masked);
        masked
    }

    /// Writes `record` with these values in place of its own.
    ///
    /// # Errors
    ///
    /// Which does not fit, in words.
    pub fn write(&self, record: &[u8], values: &[Datum], out: &mut Vec<u8>) -> Result<(), Message> {
        out.clear();
        match self.0.first().and_then(|fold| fold.layout.dialect().zip(Some(fold.layout))) {
            Some((dialect, layout)) => self.write_cells(record, dialect, layout, values, out),
            None => self.write_numbers(record, values, out).map_err(Message::from),
        }
    }

    fn write_cells(
        &self,
        record: &[u8],
        dialect: Dialect,
        layout: RecordForm,
        values: &[Datum],
        out: &mut Vec<u8>,
    ) -> Result<(), Message> {
        let body = layout.body(record);
        let column = |fold: &Fold| fold.field.column().unwrap_or(usize::MAX);
        let pair_of = |number: usize| {
            let mut pairs = self.0.iter().zip(values);
            pairs.find(|(fold, _)| column(fold) == number)
        };
        let append = |(fold, value): (&Fold, &Datum), out: &mut Vec<u8>| match value {
            Datum::Number(value) => csv::append_cell(dialect, &fold.written(value), out),
            Datum::Text(text) => csv::append_cell(dialect, text, out),
            Datum::Nothing | Datum::Integer(_) => {}
        };
        let mut cells = 0;
        for (number, cell) in csv::Cells::new(dialect, body).enumerate() {
            if number > 0 {
                out.push(dialect.separator);
            }
            match pair_of(number).filter(|(_, value)| **value != Datum::Nothing) {
                Some(pair) => append(pair, out),
                None => out.extend_from_slice(cell),
            }
            cells = number + 1;
        }
        // A row may be shorter than others of its group.
        let last = self.0.iter().zip(values).filter(|(_, value)| **value != Datum::Nothing);
        for number in cells..last.map(|(fold, _)| column(fold) + 1).max().unwrap_or(0) {
            out.push(dialect.separator);
            pair_of(number).into_iter().for_each(|pair| append(pair, out));
        }
        let end = &record[body.len()..];
        if has_no_quotes(layout) && csv::is_cut_by_end(out, end) {
            return Err(csv::bare_return());
        }
        out.extend_from_slice(end);
        Ok(())
    }

    fn write_numbers(
        &self,
        record: &[u8],
        values: &[Datum],
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.extend_from_slice(record);
        for (fold, value) in self.0.iter().zip(values) {
            let before = record.len() - fold.layout.body(record).len();
            let Field::Range { start, end, number } = fold.field else { continue };
            let Some(bytes) = out[before..].get_mut(start..end) else { continue };
            let width = end - start;
            match (number, value) {
                (Some(number), Datum::Integer(value)) if number.holds(*value, width) => {
                    number.write(*value, bytes);
                }
                (Some(number), Datum::Integer(value)) => {
                    let (room, name) = (number.room(width), &fold.name);
                    return Err(format!(
                        "the sum {value} of bytes {name} does not fit in their {room}"
                    ));
                }
                (_, Datum::Text(text)) if text.len() == width => bytes.copy_from_slice(text),
                _ => {}
            }
        }
        Ok(())
    }
}

impl Fold {
    fn value(&self, record: &[u8]) -> Result<Datum, String> {
        let cell = |column: usize| self.layout.cells(record).and_then(|mut c| c.nth(column));
        match self.field {
            Field::Range { start, end, number } => {
                let (body, name) = (self.layout.body(record), &self.name);
                let Some(bytes) = body.get(start..end) else {
                    let length = body.len();
                    return Err(format!("bytes {name} reach beyond its {length} bytes"));
                };
                let fault = |kind: &str| format!("bytes {name}, {bytes:02X?}, are not {kind}");
                match number {
                    None => {
                        let fault = |_: &[u8], words: &str| fault(&format!("of type {words}"));
                        self.ordered(bytes.into(), fault)
                    }
                    Some(number) => {
                        let value = number.read(bytes).map(Datum::Integer);
                        value.ok_or_else(|| fault(number.kind()))
                    }
                }
            }
            Field::Text { column } => {
                let text = cell(column).map(|cell| self.layout.text(cell)).unwrap_or_default();
                self.ordered(text, |text, words| {
                    let (shown, name) = (String::from_utf8_lossy(text), &self.name);
                    format!("'{}' in column {name} is not of type {words}", shown.escape_debug())
                })
            }
            Field::Number { column, is_whole, style } => {
                let Some(cell) = cell(column) else { return Ok(Datum::Nothing) };
                let text = self.layout.text(cell);
                if text.is_empty() {
                    return Ok(Datum::Nothing);
                }
                let number = match style {
                    None => Decimal::read(&text),
                    Some(style) => style.plain(&text).and_then(|plain| Decimal::read(&plain)),
                };
                let number = number.filter(|n| !is_whole || n.is_whole());
                number.map(Datum::Number).ok_or_else(|| {
                    let kind = if is_whole { "a whole number" } else { "a number" };
                    let text = String::from_utf8_lossy(&text);
                    format!("'{}' in column {} is not {kind}", text.escape_debug(), self.name)
                })
            }
        }
    }

    /// Returns a value that compares in the order of its type, or as bytes; `fault` names the type
    /// that it does not have.
    fn ordered(
        &self,
        text: Cow<'_, [u8]>,
        fault: impl FnOnce(&[u8], &str) -> String,
    ) -> Result<Datum, String> {
        match &self.order {
            _ if text.is_empty() => Ok(Datum::Nothing),
            Some(order) if !order.is_there(&text) => Ok(Datum::Nothing),
            Some(order) if !order.holds(&text) => Err(fault(&text, order.words())),
            _ => Ok(Datum::Text(text.into_owned())),
        }
    }

    /// Returns whether a value could not be the last of some row, whose end would take its last
    /// byte.
    fn may_be_cut(&self, value: &Datum) -> bool {
        matches!(value, Datum::Text(text) if csv::is_cut_by_end(text, b""))
            && has_no_quotes(self.layout)
    }

    /// Returns a number as its column has numbers, without separators of thousands.
    fn written(&self, number: &Decimal) -> Vec<u8> {
        let mut digits = Vec::new();
        number.write(&mut digits);
        if let Field::Number { style: Some(style), .. } = self.field {
            let point = digits.iter_mut().filter(|byte| **byte == b'.');
            point.for_each(|byte| *byte = style.radix);
        }
        digits
    }

    fn add(&self, value: &mut Datum, more: Datum) {
        let order = match (&mut *value, &more) {
            (_, Datum::Nothing) => return,
            (Datum::Number(sum), Datum::Number(term)) if self.function == Function::Sum => {
                return sum.add(term);
            }
            (Datum::Integer(sum), Datum::Integer(term)) if self.function == Function::Sum => {
                *sum = sum_of(*sum, *term);
                return;
            }
            (Datum::Text(a), Datum::Text(b)) => match &self.order {
                Some(order) => order.compare(b, a),
                None => b.as_slice().cmp(a),
            },
            (Datum::Integer(a), Datum::Integer(b)) => b.cmp(a),
            _ => {
                *value = more;
                return;
            }
        };
        let is_better = match self.function {
            Function::Min => order.is_lt(),
            Function::Max | Function::Sum => order.is_gt(),
        };
        if is_better {
            *value = more;
        }
    }
}

/// Returns whether records are rows whose cells cannot be written in quotes.
fn has_no_quotes(layout: RecordForm) -> bool {
    matches!(layout, RecordForm::Cells(Dialect { quote: None, .. }))
}

/// Returns whether two fields share bytes.
fn overlap(a: Field, b: Field) -> bool {
    match (a.range(), b.range()) {
        (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
        _ => a.column().is_some() && a.column() == b.column(),
    }
}

#[cfg(test)]
mod tests;
