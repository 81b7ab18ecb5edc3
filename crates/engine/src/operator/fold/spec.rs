//! Notation of a fold, and the field that it means in records of some layout.

use std::str::FromStr;

use super::cell_order::CellOrder;
use super::{Field, Function};
use crate::key::text::{FixedNumber, TextOrder, TextSpec};
use crate::key::{Key, ListMemory};
use crate::operator::place::{BadPlace, Place, RecordForm, RowColumns};

/// One thing to fold, as a person writes it: `PLACE[:TYPE][:MODIFIER]...`, for a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldSpec {
    /// The result that the values are folded to.
    pub function: Function,
    pub(super) place: Place,
    /// The type and its modifiers, where they are given.
    words: Option<String>,
}

/// Facts about the records whose values are folded.
#[derive(Clone, Copy, Debug)]
pub struct FoldInput<'a> {
    /// Their layout.
    pub layout: RecordForm,
    /// Their columns, where they have some.
    pub columns: Option<RowColumns<'a>>,
    /// The order and format of values.
    pub order: Option<&'a TextOrder>,
    /// The memory that lists of values may take.
    pub memory: ListMemory,
}

impl FoldInput<'_> {
    /// Returns records of a layout, whose columns have no names.
    pub fn of(layout: RecordForm) -> Self {
        Self { layout, columns: None, order: None, memory: ListMemory::UNBOUNDED }
    }
}

impl FoldSpec {
    /// Reads `PLACE[:TYPE][:MODIFIER]...`; the type in any case.
    ///
    /// # Errors
    ///
    /// The fault of the text, in words.
    pub fn read(function: Function, text: &str) -> Result<Self, String> {
        let (place, words) = Key::split_place(text);
        let place = Place::from_str(place).map_err(|error| error.to_string())?;
        Ok(Self { function, place, words: words.map(str::to_owned) })
    }

    /// Returns the path of the file that the type names.
    pub(crate) fn file(&self) -> Option<String> {
        let key: Key = format!("1:{}", self.words.as_deref()?).parse().ok()?;
        key.file().map(str::to_owned)
    }

    /// Returns whether its values are days or times.
    pub fn looks_at_days(&self) -> bool {
        self.words.as_deref().is_some_and(Key::names_day)
    }

    /// Returns whether comparing its values may take memory in proportion to them.
    pub fn may_take_memory(&self) -> bool {
        let words = self.words.as_deref().unwrap_or_default().to_ascii_lowercase();
        words.contains("locale=") || words.split(':').any(|word| word == "ci")
    }

    /// Finds the field in records, and the order of its values where that is not by their bytes.
    ///
    /// # Errors
    ///
    /// The fault of the text, in words.
    pub(super) fn field(&self, of: FoldInput<'_>) -> Result<(Field, Option<CellOrder>), BadPlace> {
        match of.layout {
            RecordForm::Fixed(_) | RecordForm::Prefixed(_) => self.range(of),
            _ => self.cell(of),
        }
    }

    /// Finds a range of bytes.
    fn range(&self, of: FoldInput<'_>) -> Result<(Field, Option<CellOrder>), BadPlace> {
        let (start, end) = of.layout.range(&self.place)?;
        let place = self.place.to_string();
        let name = self.words.as_deref().map(str::to_ascii_lowercase);
        let number = name.as_deref().and_then(FixedNumber::named);
        if self.function == Function::Sum || matches!(number, Some(FixedNumber::Integer(_))) {
            let Some(number) = number else {
                let names = FixedNumber::names();
                return Err(format!("'{place}' needs a type of machine numbers: {names}").into());
            };
            let end = number.end(start, end, &place)?;
            return Ok((Field::Range { start, end, number: Some(number) }, None));
        }
        let (Some(words), Some(end)) = (&self.words, end) else {
            let lack = if end.is_none() { "an end" } else { "a type" };
            return Err(format!("'{place}' needs {lack}, as in 0..8:bytes").into());
        };
        let (words, location) = (words.as_str(), format!("0..{}", end - start));
        let (_, spec) = self.spec(&location, words, of)?;
        Ok((Field::Range { start, end, number: None }, CellOrder::new(words, &spec, of.order)))
    }

    /// Finds a column or field.
    fn cell(&self, of: FoldInput<'_>) -> Result<(Field, Option<CellOrder>), BadPlace> {
        let (place, words) = (&self.place, self.words.as_deref().unwrap_or("decimal"));
        let column = of.layout.column(place, of.columns)?;
        if Key::names_bytes(words) {
            return Err(format!(
                "'{words}' is a type of binary records; cells have the types {}",
                Key::types_of_text()
            )
            .into());
        }
        let (key, spec) = self.spec("..", words, of)?;
        let style = spec.text_type.number_style();
        let is_whole = key.type_name() == "int";
        let is_number = is_whole || key.type_name() == "decimal";
        match self.function {
            Function::Sum if is_number => Ok((Field::Number { column, is_whole, style }, None)),
            Function::Sum => Err(format!(
                "'{place}:{words}' has values that cannot be added; write int or decimal"
            )
            .into()),
            _ => Ok((Field::Text { column }, CellOrder::new(words, &spec, of.order))),
        }
    }

    /// Returns what its words mean, as those of a key at `location`.
    fn spec(
        &self,
        location: &str,
        words: &str,
        of: FoldInput<'_>,
    ) -> Result<(Key, TextSpec), BadPlace> {
        let key = format!("{location}:{words}").parse::<Key>()?;
        if key.has_place_modifiers() {
            return Err(format!(
                "'{}:{words}' has modifiers that are for keys only; leave out desc, nulls-first, \
                 nulls-last and pad",
                self.place
            )
            .into());
        }
        if key.is_random() {
            return Err(format!("'{}:{words}' has no minimum or maximum", self.place).into());
        }
        let spec = key.spec(of.memory).map_err(|error| error.message())?;
        Ok((key, spec))
    }
}
