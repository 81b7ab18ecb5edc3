//! Finding of a bench: tables, charts, samples, and the reasons why a comparison is unfair.
//!
//! Every bench ends in a [`Finding`], and every way to show one (words, JSON, a page) shows them
//! all. What was measured and what a paper printed never share a table or a line of a chart: each
//! says its [`FigureSource`].

use std::fmt;

use serde::{Serialize, Serializer};

use crate::MachineProperties;
use crate::samples::Spread;

/// All that a bench found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The bench's name on the command line.
    pub bench: &'static str,
    /// Title, in a few words.
    pub title: &'static str,
    /// Description of the measurement and its question, in a few sentences.
    pub about: String,
    /// The answer, in a sentence or two.
    pub answer: String,
    /// Tables of what was measured, and of what papers printed.
    pub tables: Vec<FigureTable>,
    /// Charts of figures that are clearer as lines.
    pub charts: Vec<Chart>,
    /// Reasons why the compared numbers are not of the same kind.
    pub unfair: Vec<String>,
    /// The papers whose tables it has, each whole.
    pub references: Vec<String>,
    /// Setting of the measurement.
    pub setting: FindingSetting,
    /// Every measurement, in the order they were taken.
    pub samples: Vec<Samples>,
}

/// Setting of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FindingSetting {
    /// The machine, and when.
    pub machine: MachineProperties,
    /// The file system of the files: its kind, its device, and its free space.
    pub disk: String,
    /// Statement on whether inputs were in the page cache.
    pub cold: &'static str,
    /// Command line of the bench.
    pub command: String,
}

/// Source of figures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FigureSource {
    /// This bench, here and now.
    Measured,
    /// Somebody else, in print: which paper, and where in it.
    Printed(String),
}

impl fmt::Display for FigureSource {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measured => to.write_str("measured"),
            Self::Printed(place) => write!(to, "printed: {place}"),
        }
    }
}

/// Rows of figures under a heading, all of one source.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureTable {
    /// Title.
    pub title: String,
    /// Source of the figures.
    pub source: FigureSource,
    /// Heading of each column, with its unit.
    pub columns: Vec<String>,
    /// The rows, each as long as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Note for the reader; may be empty.
    pub note: String,
}

impl FigureTable {
    /// Returns a table of what was measured.
    pub fn measured<C: Into<String>>(
        title: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
        rows: impl IntoIterator<Item = Vec<Cell>>,
    ) -> Self {
        Self {
            title: title.into(),
            source: FigureSource::Measured,
            columns: columns.into_iter().map(Into::into).collect(),
            rows: rows.into_iter().collect(),
            note: String::new(),
        }
    }

    /// Adds a note for the reader.
    #[must_use]
    pub fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }
}

/// A place in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name, or words.
    Text(String),
    /// One figure.
    Number(f64),
    /// The middle of several figures, and how far they lay apart.
    Spread(Spread),
    /// An empty cell.
    Empty,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(words) => to.serialize_str(words),
            Self::Number(number) => to.serialize_f64(*number),
            Self::Spread(spread) => spread.serialize(to),
            Self::Empty => to.serialize_none(),
        }
    }
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Text(words.to_owned())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Text(words)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<Spread> for Cell {
    fn from(spread: Spread) -> Self {
        Self::Spread(spread)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Self {
        cell.map_or(Self::Empty, Into::into)
    }
}

/// Lines over a common axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x: String,
    /// Label of the vertical axis, with its unit.
    pub y: String,
    /// True if both axes grow by factors rather than by steps.
    pub logarithmic: bool,
    /// The lines.
    pub lines: Vec<ChartLine>,
}

/// One line of a chart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChartLine {
    /// Name of the line.
    pub name: String,
    /// Source of the figures.
    pub source: FigureSource,
    /// Points, from left to right.
    pub points: Vec<[f64; 2]>,
}

/// Every measurement of one thing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Samples {
    /// Subject of the measurement.
    pub of: String,
    /// Unit of the values.
    pub unit: &'static str,
    /// Values in the order they were measured.
    pub values: Vec<f64>,
}
