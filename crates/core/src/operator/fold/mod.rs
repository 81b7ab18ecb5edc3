//! Sums, least and greatest values over records with equal keys.
//!
//! One record of a group is kept, and what is folded takes the place of its own fields: what comes
//! of some records is again a record, so that parts of a group can be folded in any grouping, early
//! in runs or at the end. To come to the same in all of them,
//!
//! - sums of decimals are exact, with as many digits behind the point as any of their terms has;
//! - of values that compare equal the first is taken;
//! - numbers of a machine are added with more bits than they have, and parts whose sum does not fit
//!   are left as they are until all are together: only that whole sum can overflow;
//! - cells that are empty take no part, and a group of nothing else keeps what it has.

mod cell_order;
mod decimal;
mod integer;
mod keyed;
mod machine;
mod packed;

use std::str::FromStr;

use super::place::{Columns, Layout, Place};
use crate::format::csv::{self, Dialect};
use crate::key::text::TextOrder;
use crate::manifest::{Bytes, ValueText};
use cell_order::CellOrder;
use decimal::Decimal;
use machine::Machine;

/// What is made of the values of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// All of them added.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// One thing to fold, as a person writes it: `PLACE[:TYPE]`, for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldSpec {
    /// What is made of the values.
    pub function: Function,
    place: Place,
    /// The name of a type, where one is given.
    type_name: Option<String>,
}

/// Names of the types of cells. Of all behind the second, least and greatest values can be found,
/// and no sums.
const CELL_TYPES: [&str; 15] = [
    "decimal",
    "int",
    "text",
    "bytes",
    "float",
    "size",
    "date",
    "time",
    "timestamp",
    "version",
    "natural",
    "ip",
    "uuid",
    "bool",
    "month",
];

impl Function {
    /// The option that asks for it.
    pub fn option(self) -> &'static str {
        match self {
            Self::Sum => "--sum",
            Self::Min => "--min",
            Self::Max => "--max",
        }
    }
}

impl FoldSpec {
    /// Returns whether its values are days or times.
    pub fn looks_at_days(&self) -> bool {
        matches!(self.type_name.as_deref(), Some("date" | "time" | "timestamp"))
    }

    /// Reads `PLACE[:TYPE]`; the type in any case.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn read(function: Function, text: &str) -> Result<Self, String> {
        let is_type = |name: &str| CELL_TYPES.contains(&name) || Machine::is_named(name);
        let (place, type_name) = match text.rsplit_once(':') {
            Some((place, name)) if is_type(&name.to_ascii_lowercase()) => {
                (place, Some(name.to_ascii_lowercase()))
            }
            _ => (text, None),
        };
        Ok(Self { function, place: Place::from_str(place)?, type_name })
    }
}

/// What is folded, with places found.
#[derive(Clone, Debug, Default)]
pub struct Folds(Vec<Fold>);

#[derive(Clone, Debug)]
struct Fold {
    function: Function,
    field: Field,
    layout: Layout,
    /// The order of a cell's values, where that is not by their bytes.
    order: Option<CellOrder>,
    /// What messages call the place.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// A cell with a number, perhaps a whole one.
    Number { column: usize, is_whole: bool },
    /// A cell, by its bytes or in an order of its own.
    Text { column: usize },
    /// Bytes.
    Machine(Machine),
}

/// A value of a record, or of several together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of empty cells.
    Nothing,
    /// A number as text.
    Number(Decimal),
    /// What a cell says.
    Text(Vec<u8>),
    /// A machine's number.
    Integer(i128),
}

impl Value {
    /// The value as a manifest has it.
    pub fn text(&self) -> ValueText {
        match self {
            Self::Nothing => ValueText::Nothing {},
            Self::Number(number) => {
                let mut digits = Vec::new();
                number.write(&mut digits);
                ValueText::Number(String::from_utf8_lossy(&digits).into_owned())
            }
            Self::Text(text) => ValueText::Text(Bytes(text.clone())),
            Self::Integer(number) => ValueText::Integer(number.to_string()),
        }
    }

    /// The value of a manifest, if it is one.
    pub fn of_text(text: &ValueText) -> Option<Self> {
        // More can be added to what is noted.
        let is_usual = |number: &i128| number.unsigned_abs() < 1 << 126;
        match text {
            ValueText::Nothing {} => Some(Self::Nothing),
            ValueText::Number(digits) => Decimal::read(digits.as_bytes()).map(Self::Number),
            ValueText::Text(text) => Some(Self::Text(text.0.clone())),
            ValueText::Integer(digits) => digits.parse().ok().filter(is_usual).map(Self::Integer),
        }
    }
}

impl Folds {
    /// Finds the places of `specs` in records of this layout.
    ///
    /// # Errors
    ///
    /// What is wrong with them, in words.
    pub fn new(
        specs: &[FoldSpec],
        layout: Layout,
        columns: Option<Columns<'_>>,
        order: Option<&TextOrder>,
    ) -> Result<Self, String> {
        let mut folds: Vec<Fold> = Vec::with_capacity(specs.len());
        for spec in specs {
            let option = spec.function.option();
            let field = field(spec, layout, columns).map_err(|e| format!("{option}: {e}"))?;
            if let Some(other) = folds.iter().find(|other| overlap(other.field, field)) {
                return Err(format!(
                    "{option} {} and {} {} have one place for two values; leave one out",
                    spec.place,
                    other.function.option(),
                    other.name
                ));
            }
            let name = spec.place.to_string();
            let order = match (field, &spec.type_name) {
                (Field::Text { .. }, Some(name)) => CellOrder::named(name, order)?,
                _ => None,
            };
            folds.push(Fold { function: spec.function, field, layout, order, name });
        }
        Ok(Self(folds))
    }

    /// Values that are folded of each record.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is folded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The options and places, for a message.
    pub fn names(&self) -> String {
        let name = |fold: &Fold| format!("{} {}", fold.function.option(), fold.name);
        self.0.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// The values of a record.
    ///
    /// # Errors
    ///
    /// Which is not one, in words.
    pub fn values(&self, record: &[u8]) -> Result<Vec<Value>, String> {
        self.0.iter().map(|fold| fold.value(record)).collect()
    }

    /// Adds to `values` those of records behind theirs.
    pub fn add(&self, values: &mut [Value], more: Vec<Value>) {
        for (fold, (value, more)) in self.0.iter().zip(values.iter_mut().zip(more)) {
            fold.add(value, more);
        }
    }

    /// Whether all values together could be written into a record.
    pub fn fit(&self, values: &[Value], more: &[Value]) -> bool {
        self.0.iter().zip(values.iter().zip(more)).all(|(fold, pair)| match (fold.field, pair) {
            (Field::Machine(number), (Value::Integer(a), Value::Integer(b))) => {
                fold.function != Function::Sum || number.holds(a + b)
            }
            _ => true,
        })
    }

    /// Appends `record` with question marks in place of what is folded, for a message: what stands
    /// there depends on how much was folded before.
    pub fn mask(&self, record: &[u8]) -> Vec<u8> {
        let mut masked = Vec::new();
        match self.0.first().and_then(|fold| fold.layout.dialect().zip(Some(fold.layout))) {
            Some(places) => {
                let values = vec![Value::Text(b"?".to_vec()); self.len()];
                self.write_cells(record, places, &values, &mut masked);
            }
            None => {
                masked.extend_from_slice(record);
                for fold in &self.0 {
                    let before = record.len() - fold.layout.body(record).len();
                    if let Field::Machine(number) = fold.field
                        && let Some(bytes) = masked[before..].get_mut(number.range())
                    {
                        bytes.fill(b'?');
                    }
                }
            }
        }
        masked
    }

    /// Writes `record` with these values in place of its own.
    ///
    /// # Errors
    ///
    /// Which does not fit, in words.
    pub fn write(&self, record: &[u8], values: &[Value], out: &mut Vec<u8>) -> Result<(), String> {
        out.clear();
        match self.0.first().and_then(|fold| fold.layout.dialect().zip(Some(fold.layout))) {
            Some(places) => self.write_cells(record, places, values, out),
            None => return self.write_numbers(record, values, out),
        }
        Ok(())
    }

    fn write_cells(
        &self,
        record: &[u8],
        (dialect, layout): (Dialect, Layout),
        values: &[Value],
        out: &mut Vec<u8>,
    ) {
        let body = layout.body(record);
        let column = |fold: &Fold| match (fold.field, fold.layout) {
            (Field::Number { column, .. } | Field::Text { column }, _) => column,
            (Field::Machine(_), _) => usize::MAX,
        };
        let value_of = |number: usize| {
            let mut pairs = self.0.iter().zip(values);
            pairs.find(|(fold, _)| column(fold) == number).map(|(_, value)| value)
        };
        let mut cells = 0;
        for (number, cell) in csv::Cells::new(dialect, body).enumerate() {
            if number > 0 {
                out.push(dialect.separator);
            }
            match value_of(number) {
                Some(Value::Number(value)) => value.write(out),
                Some(Value::Text(text)) => append_cell(dialect, text, out),
                _ => out.extend_from_slice(cell),
            }
            cells = number + 1;
        }
        // A row may be shorter than others of its group.
        let last = self.0.iter().zip(values).filter(|(_, value)| **value != Value::Nothing);
        for number in cells..last.map(|(fold, _)| column(fold) + 1).max().unwrap_or(0) {
            out.push(dialect.separator);
            match value_of(number) {
                Some(Value::Number(value)) => value.write(out),
                Some(Value::Text(text)) => append_cell(dialect, text, out),
                _ => {}
            }
        }
        out.extend_from_slice(&record[body.len()..]);
    }

    fn write_numbers(
        &self,
        record: &[u8],
        values: &[Value],
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        out.extend_from_slice(record);
        for (fold, value) in self.0.iter().zip(values) {
            let (Field::Machine(number), Value::Integer(value)) = (fold.field, value) else {
                continue;
            };
            if !number.holds(*value) {
                let (room, name) = (number.room(), &fold.name);
                return Err(format!(
                    "the sum {value} of bytes {name} does not fit in their {room}"
                ));
            }
            let before = record.len() - fold.layout.body(record).len();
            number.write(*value, &mut out[before..]);
        }
        Ok(())
    }
}

impl Fold {
    fn value(&self, record: &[u8]) -> Result<Value, String> {
        let cell = |column: usize| self.layout.cells(record).and_then(|mut c| c.nth(column));
        match self.field {
            Field::Machine(number) => {
                let (body, name) = (self.layout.body(record), &self.name);
                let Some(bytes) = body.get(number.range()) else {
                    let length = body.len();
                    return Err(format!("bytes {name} reach beyond its {length} bytes"));
                };
                number
                    .read(body)
                    .map(Value::Integer)
                    .ok_or_else(|| format!("bytes {name}, {bytes:02X?}, are not a packed decimal"))
            }
            Field::Text { column } => Ok(match cell(column).map(|cell| self.layout.text(cell)) {
                Some(text) if !text.is_empty() => {
                    self.order.as_ref().map_or(Ok(()), |order| order.check(&text, &self.name))?;
                    Value::Text(text.into_owned())
                }
                _ => Value::Nothing,
            }),
            Field::Number { column, is_whole } => {
                let Some(cell) = cell(column) else { return Ok(Value::Nothing) };
                let text = self.layout.text(cell);
                if text.is_empty() {
                    return Ok(Value::Nothing);
                }
                let number = Decimal::read(&text).filter(|n| !is_whole || n.is_whole());
                number.map(Value::Number).ok_or_else(|| {
                    let kind = if is_whole { "a whole number" } else { "a number" };
                    let text = String::from_utf8_lossy(&text);
                    format!("'{}' in column {} is not {kind}", text.escape_debug(), self.name)
                })
            }
        }
    }

    fn add(&self, value: &mut Value, more: Value) {
        let order = match (&mut *value, &more) {
            (_, Value::Nothing) => return,
            (Value::Number(sum), Value::Number(term)) if self.function == Function::Sum => {
                return sum.add(term);
            }
            (Value::Integer(sum), Value::Integer(term)) if self.function == Function::Sum => {
                *sum += term;
                return;
            }
            (Value::Number(a), Value::Number(b)) => b.compare(a),
            (Value::Text(a), Value::Text(b)) => match &self.order {
                Some(order) => order.compare(b, a),
                None => b.as_slice().cmp(a),
            },
            (Value::Integer(a), Value::Integer(b)) => b.cmp(a),
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

fn field(spec: &FoldSpec, layout: Layout, columns: Option<Columns<'_>>) -> Result<Field, String> {
    let (place, name) = (&spec.place, spec.type_name.as_deref());
    if matches!(layout, Layout::Fixed(_) | Layout::Prefixed(_)) {
        let number = Machine::at(name, layout.range(place)?, &place.to_string())?;
        return Ok(Field::Machine(number));
    }
    let column = layout.column(place, columns)?;
    match name {
        None | Some("decimal") => Ok(Field::Number { column, is_whole: false }),
        Some("int") => Ok(Field::Number { column, is_whole: true }),
        Some(name) if CELL_TYPES.contains(&name) => match spec.function {
            Function::Sum => Err(format!(
                "'{place}:{name}' has values that cannot be added; write int or decimal"
            )),
            Function::Min | Function::Max => Ok(Field::Text { column }),
        },
        Some(name) => Err(format!(
            "'{name}' is a type of machine numbers; cells have the types {}",
            CELL_TYPES.join(" ")
        )),
    }
}

/// Whether two fields share bytes.
fn overlap(a: Field, b: Field) -> bool {
    match (a, b) {
        (Field::Machine(a), Field::Machine(b)) => {
            let (a, b) = (a.range(), b.range());
            a.start < b.end && b.start < a.end
        }
        (
            Field::Number { column: a, .. } | Field::Text { column: a },
            Field::Number { column: b, .. } | Field::Text { column: b },
        ) => a == b,
        _ => false,
    }
}

/// Appends a cell that says `text`, in quotes where it needs them.
pub(super) fn append_cell(dialect: Dialect, text: &[u8], out: &mut Vec<u8>) {
    let Dialect { separator, quote, .. } = dialect;
    let is_plain =
        |byte: &u8| *byte != separator && Some(*byte) != quote && *byte != b'\n' && *byte != b'\r';
    match quote {
        Some(quote) if !text.iter().all(is_plain) => {
            out.push(quote);
            for byte in text {
                out.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == quote)));
            }
            out.push(quote);
        }
        _ => out.extend_from_slice(text),
    }
}

#[cfg(test)]
mod tests;
