//! The order of records, its keys bound to their format: the model that both command lines are
//! mapped onto.
//!
//! Only what is meant stands here; finding the bytes of a key is left to `field`, their order to
//! the encoders. Everything counts from 0, and every end is excluded.

mod planning;

use std::cmp::Ordering;
use std::fmt::Debug;
use std::str::FromStr;
use std::sync::Arc;

use super::columns;
use super::encode::list::ValueList;
use super::fault;
use super::text_type::{Day, TextType};
use crate::error::{ConfigErrorKind, Error, Message, ParseError, Result, message};
use crate::format::{Format, Prefix, csv, csv::Dialect, json};
use crate::key::OrderOptions;
use crate::locale::ByteClasses;

/// The division of a record into fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A field begins at the first blank after a non-blank, and its leading blanks belong to it
    /// (POSIX). Blanks are space, tab and newline; the last is data where records end otherwise.
    #[default]
    Blanks,
    /// Fields lie between these bytes and do not hold them.
    Byte(u8),
    /// Fields are the cells of a row, without the quotes around them.
    Cells(Dialect),
    /// Fields are members of a JSON value, by their names.
    Members,
    /// Fields are lines, and these have fields of their own.
    Lines {
        /// The byte that ends a line.
        end: u8,
        /// The byte between the fields of a line; blanks without it.
        within: Option<u8>,
    },
}

/// The part of a record that its keys look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// All but this byte at its end.
    Terminated(u8),
    /// All but a line feed at its end, or a carriage return and a line feed.
    Row,
    /// All after this number of bytes.
    Behind(usize),
    /// The key that a keyed record holds.
    StoredKey,
    /// All of it, which is this many bytes.
    Fixed(usize),
    /// All of it.
    Whole,
}

impl Body {
    /// Returns the body of records of a format.
    pub fn of(format: Format) -> Self {
        match format {
            Format::Fixed { length } => Self::Fixed(length as usize),
            Format::Lines { terminator } => Self::Terminated(terminator),
            Format::LineGroups(group) => Self::Terminated(group.end),
            Format::JsonLines => Self::Terminated(b'\n'),
            Format::Csv(_) => Self::Row,
            Format::Prefixed(Prefix::KEYED) => Self::StoredKey,
            Format::Prefixed(prefix) => Self::Behind(prefix.bytes()),
        }
    }

    /// Returns whether keys look at bytes of it alone, as it has no fields.
    pub fn has_no_fields(self) -> bool {
        matches!(self, Self::Behind(_) | Self::StoredKey | Self::Fixed(_) | Self::Whole)
    }

    /// Returns the byte that ends records; the end of a line for those that do without.
    pub fn terminator(self) -> u8 {
        if let Self::Terminated(end) = self { end } else { b'\n' }
    }

    /// Returns the bytes of `record` that belong to it.
    #[inline]
    pub fn of_record(self, record: &[u8]) -> &[u8] {
        match self {
            Self::Terminated(end) => match record.split_last() {
                Some((&last, text)) if last == end => text,
                // The last of an input may lack it.
                _ => record,
            },
            Self::Row => csv::without_end(record),
            Self::Behind(bytes) => record.get(bytes..).unwrap_or_default(),
            Self::StoredKey => Prefix::stored_key(record),
            Self::Fixed(_) | Self::Whole => record,
        }
    }
}

/// A place in a record, counted from the beginning of one of its fields.
///
/// It may be after that field's end, as in POSIX: byte 9 of a field of two is in a later field. A
/// place after the record's end is its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Number of the field, from 0.
    pub field: usize,
    /// Bytes from the beginning of the field.
    pub byte: usize,
    /// True if `byte` counts from the first byte of the field that is not a blank.
    pub skips_blanks: bool,
}

/// End of a key. The key is empty if its end lies before its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The end of the record.
    #[default]
    Record,
    /// The end of the field of this number, from 0.
    Field(usize),
    /// The place before the byte at this position.
    At(Position),
    /// The place before the byte at this position, and not after the end of the field of this
    /// number.
    Within(Position, usize),
}

/// A change of the bytes of a key before they are looked at as their type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// Lower-case letters become upper-case.
    pub folds_case: bool,
    /// Only blanks, letters and digits remain.
    pub only_dictionary: bool,
    /// Only printable bytes remain. Nothing more than `only_dictionary` where both are set.
    pub only_printing: bool,
}

impl Translation {
    /// Returns whether nothing changes.
    pub fn is_identity(self) -> bool {
        self == Self::default()
    }
}

/// An order of text other than by its bytes, such as a language's.
pub trait Collation: Send + Sync + Debug {
    /// Appends at least the first `limit` bytes of a key to `out`; the rest may be left out. Texts
    /// are ordered as their keys are by memcmp, a beginning of another before it. The byte 0 may
    /// appear in a key only in front of a byte that is not 0: the pair 0 0 ends a key that another
    /// follows.
    fn append_key(&self, text: &[u8], limit: usize, out: &mut Vec<u8>);

    /// Shows the key piece by piece to `show`, until that says that it wants no more.
    fn show_key(&self, text: &[u8], show: &mut dyn FnMut(&[u8]) -> bool) {
        let mut key = Vec::new();
        self.append_key(text, usize::MAX, &mut key);
        show(&key);
    }

    /// Returns the number of bytes of memory that making the key of a long text takes for `piece`,
    /// a piece of the text that may begin and end anywhere.
    fn piece_bytes(&self, piece: &[u8]) -> usize;

    /// Compares two short texts as their keys are, where that is faster than making them. `None`
    /// where it is not.
    fn compare(&self, a: &[u8], b: &[u8]) -> Option<Ordering> {
        let _ = (a, b);
        None
    }

    /// Returns the name, as a person writes it.
    fn describe(&self) -> String;
}

/// One key: which bytes of the record, what they mean, and in which direction they sort.
#[derive(Clone, Debug, Default)]
pub struct TextSpec {
    /// The line of a record of several that it looks into, from 0; fields and bytes are then those
    /// of that line.
    pub line: Option<usize>,
    /// The first byte.
    pub start: Position,
    /// The place after the last byte.
    pub end: End,
    /// The type of the bytes.
    pub text_type: TextType,
    /// The change of them before that.
    pub translation: Translation,
    /// The order of text; for [`TextType::BYTES`], and for [`TextType::RANDOM`] what counts as
    /// equal. Other types do without.
    pub collation: Option<Arc<dyn Collation>>,
    /// True if the largest comes first.
    pub is_descending: bool,
    /// True if blanks at both ends do not count.
    pub trims: bool,
    /// Place of empty text, if the user gave one.
    pub nulls: Option<InvalidPlace>,
    /// The byte for those that a record is too short to have; that of the order without it.
    pub pad: Option<u8>,
    /// The name of its column.
    pub name: Option<String>,
    /// True if its field is that of `name` and not known yet: [`TextOrder::resolve`] finds it.
    pub is_by_name: bool,
}

impl TextSpec {
    /// Returns the number of bytes of memory that its list of values takes.
    pub fn list_bytes(&self) -> usize {
        self.text_type.list().map_or(0, ValueList::bytes)
    }

    /// Finds the column that it names among those that there are, or the name of its column.
    ///
    /// # Errors
    ///
    /// A name that no column has or several have, or a number that is too large, in words.
    pub(crate) fn resolve(&mut self, columns: &[Vec<u8>]) -> std::result::Result<(), Message> {
        let (End::Field(field) | End::Within(_, field)) = &mut self.end else { return Ok(()) };
        if *field != self.start.field {
            return Ok(());
        }
        if !std::mem::take(&mut self.is_by_name) {
            self.name = Some(columns::name(*field, columns)?);
            return Ok(());
        }
        *field = columns::find(self.name.as_deref().unwrap_or_default(), columns)?;
        self.start.field = *field;
        if let End::Within(position, field) = &mut self.end {
            position.field = *field;
        }
        Ok(())
    }

    /// Returns the place of the key, in words.
    pub(in crate::key) fn place_in_words(&self) -> String {
        fault::place(self, Separator::default())
    }

    /// Returns the range of bytes of the record that it looks at, without an end for all that
    /// follow; `None` where it counts from a field or a blank.
    pub(in crate::key) fn byte_range(&self) -> Option<(usize, Option<usize>)> {
        let byte = |position: Position| {
            (position.field == 0 && !position.skips_blanks).then_some(position.byte)
        };
        let end = match self.end {
            End::Record => None,
            End::At(position) => Some(byte(position)?),
            End::Field(_) | End::Within(..) => return None,
        };
        byte(self.start).filter(|_| self.line.is_none()).zip(Some(end))
    }

    /// Returns whether it looks at a cell of a row, or a part of one.
    pub(super) fn is_cell(&self, separator: Separator) -> bool {
        let has_cells = matches!(separator, Separator::Cells(_) | Separator::Members);
        has_cells && matches!(self.end, End::Field(_) | End::Within(..))
    }

    /// Returns whether it orders by the bytes it looks at as they are.
    pub(super) fn is_plain(&self) -> bool {
        self.text_type == TextType::BYTES
            && self.translation.is_identity()
            && self.collation.is_none()
    }
}

/// The place of records without a valid key, for either direction of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidPlace {
    /// The place before all values.
    First,
    /// The place after all values.
    Last,
}

/// The fate of records with a key that is not a value of its type.
///
/// Without this setting, an invalid value is an error for the types of tables (dates, addresses,
/// packed decimals), and for all types in the cells of a row. Numbers in lines are read as far as
/// possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// Such a record is an error.
    Error,
    /// They come before or after all other records. Among themselves they are in the order of their
    /// keys, in which all invalid keys are equal, and beyond values and empty keys.
    Placed(InvalidPlace),
}

impl FromStr for Invalid {
    type Err = ParseError;

    fn from_str(word: &str) -> std::result::Result<Self, ParseError> {
        match word {
            "error" => Ok(Self::Error),
            "first" => Ok(Self::Placed(InvalidPlace::First)),
            "last" => Ok(Self::Placed(InvalidPlace::Last)),
            _ => {
                let message = message!(
                    "'{}' is not a treatment of invalid keys; write error, first or last",
                    word
                );
                Err(ParseError::new("place of invalid keys", word, message))
            }
        }
    }
}

/// The order of records that are equal in every spec.
#[derive(Clone, Debug, Default)]
pub struct LastResort {
    /// True if the largest comes first.
    pub is_descending: bool,
    /// The order of the whole records, which may find some equal that differ; by their bytes
    /// without one.
    pub collation: Option<Arc<dyn Collation>>,
}

/// The form of decimal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberFormat {
    /// Stands between a number and its fraction.
    pub radix: u8,
    /// May stand between the digits of a whole number.
    pub thousands: Option<u8>,
}

impl Default for NumberFormat {
    fn default() -> Self {
        Self { radix: b'.', thousands: None }
    }
}

/// The names of the months.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Months {
    /// January first; upper-case and without blanks.
    names: [Vec<u8>; 12],
    /// Each byte's upper case.
    upper: [u8; 256],
}

impl Months {
    /// Months of these names, January first. Blanks in them do not count, nor does case, as far as
    /// bytes are letters in `classes`.
    pub fn new(names: &[Vec<u8>; 12], classes: &ByteClasses) -> Self {
        let plain = |name: &Vec<u8>| -> Vec<u8> {
            let letters = name.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n'));
            letters.map(|&byte| classes.upper[usize::from(byte)]).collect()
        };
        Self { names: names.each_ref().map(plain), upper: classes.upper }
    }

    /// Returns the month whose name `text` begins with, from 0, and the bytes of that name; the
    /// longest name that fits counts.
    pub fn beginning(&self, text: &[u8]) -> Option<(usize, usize)> {
        let is_letter = |(byte, letter): (&u8, &u8)| self.upper[usize::from(*byte)] == *letter;
        let begins = |name: &[u8]| {
            let start = text.get(..name.len());
            start.is_some_and(|start| start.iter().zip(name).all(is_letter))
        };
        let named = self.names.iter().enumerate();
        let fitting = named.filter(|(_, name)| !name.is_empty() && begins(name));
        fitting.map(|(month, name)| (month, name.len())).max_by_key(|(_, length)| *length)
    }
}

impl Default for Months {
    /// Returns the English ones of the C locale, three letters each.
    fn default() -> Self {
        let names =
            ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
        Self::new(&names.map(|name| name.as_bytes().to_vec()), &ByteClasses::c())
    }
}

/// Everything that decides the order of records: keys bound to their format. Made by
/// [`OrderOptions::bind`](crate::key::OrderOptions::bind).
#[derive(Clone, Debug)]
pub struct TextOrder {
    /// The division of records into fields.
    pub separator: Separator,
    /// The part of a record that can be in a key.
    pub body: Body,
    /// The keys, most significant first. Without keys, and without an order of whole records, the
    /// whole record is the key.
    pub specs: Vec<TextSpec>,
    /// The number of first keys that place a record in which one of them is invalid. An invalid
    /// later key counts only among records that are equal in the keys before it.
    pub placing_keys: usize,
    /// Everything that is not said key by key.
    pub options: OrderOptions,
}

impl TextOrder {
    /// Returns the orders of languages that keys ask for, as a person writes them; each once.
    pub fn collations(&self) -> Vec<String> {
        let last = self.options.then_whole.iter().filter_map(|last| last.collation.as_ref());
        let all = self.specs.iter().filter_map(|spec| spec.collation.as_ref()).chain(last);
        let mut names: Vec<String> = all.map(|collation| collation.describe()).collect();
        names.dedup();
        names
    }

    /// Returns the way to the value that a key looks at, in lines of JSON; `None` for keys that
    /// look at bytes of the line.
    pub(super) fn path(&self, spec: &TextSpec) -> Option<json::Path> {
        let name = spec.name.as_ref().filter(|_| self.separator == Separator::Members)?;
        json::Path::read(name).ok()
    }

    /// Returns what keeps a spec from being a key of this order, if anything does: `written` names
    /// a column that is not known, or needs a day or time that the date format lacks.
    pub(crate) fn fault_of(&self, spec: &TextSpec, written: &str) -> Option<String> {
        if spec.is_by_name && self.separator != Separator::Members {
            let name = spec.name.as_deref().unwrap_or_default();
            return Some(format!(
                "{written} names the column '{name}', but the input has no names of columns, as it \
                 is empty or has no header; give the number of the column"
            ));
        }
        let format = self.options.date_format.as_ref()?;
        let lacking = match spec.text_type.traits().day? {
            Day { has_date: true, .. } if !format.has_date => "day",
            Day { has_date: false, .. } if !format.has_time => "time of day",
            _ => return None,
        };
        let pattern = format.pattern();
        Some(format!("the date format '{pattern}' has no {lacking}, which a key needs"))
    }

    /// Returns the number of bytes of memory that its lists of values take.
    pub fn list_bytes(&self) -> usize {
        self.specs.iter().map(TextSpec::list_bytes).sum()
    }

    /// Returns the order with other options.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut OrderOptions)) -> Self {
        change(&mut self.options);
        self
    }

    /// Finds the columns that keys name among those that there are, and tells the others their
    /// names.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for a name that no column has or several have.
    pub fn resolve(&mut self, columns: &[Vec<u8>]) -> Result<()> {
        let unknown = |message| Error::config(ConfigErrorKind::UnknownColumn, message);
        self.specs.iter_mut().try_for_each(|spec| spec.resolve(columns)).map_err(unknown)
    }

    /// Returns the order by the bytes of whole lines that end with `terminator`.
    pub fn by_bytes(terminator: u8) -> Self {
        Self::of(Format::Lines { terminator })
    }

    /// Returns the order by the bytes of whole records of a format, whose fields are its own.
    pub fn of(format: Format) -> Self {
        let separator = match format {
            Format::Csv(format) => Separator::Cells(format.dialect),
            Format::JsonLines => Separator::Members,
            Format::LineGroups(group) => Separator::Lines { end: group.end, within: None },
            _ => Separator::default(),
        };
        Self {
            separator,
            body: Body::of(format),
            specs: Vec::new(),
            placing_keys: usize::MAX,
            options: OrderOptions::default(),
        }
    }
}
