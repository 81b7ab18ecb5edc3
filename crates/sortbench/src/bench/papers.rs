//! Figures that papers printed, from the one data file that holds them.
//!
//! `papers.toml` names for each table the paper, the page and the text that the figures were read
//! from. Figures stay the text that they were in print: nothing is computed of them, and none finds
//! its way into a table of ours.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use super::finding::{Cell, FigureSource, FigureTable};

/// Tables and papers by their names in the data file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    paper: BTreeMap<String, Paper>,
    table: BTreeMap<String, Printed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Paper {
    /// Short name of the paper, shown beside its tables.
    called: String,
    title: String,
    authors: String,
    r#where: String,
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Printed {
    paper: String,
    place: String,
    title: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
    note: String,
}

static LIBRARY: LazyLock<Result<Library, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("papers.toml")));

/// Returns the tables of these names, as they were printed. A name that the data file lacks gives
/// none; a test holds every bench to names that are there.
pub fn tables(names: &[&str]) -> Vec<FigureTable> {
    let Ok(library) = LIBRARY.as_ref() else { return Vec::new() };
    names.iter().filter_map(|name| library.table(name)).collect()
}

/// Returns the papers that these tables are of, each with what it is called in them.
pub fn references(names: &[&str]) -> Vec<String> {
    let Ok(library) = LIBRARY.as_ref() else { return Vec::new() };
    let papers: BTreeSet<&str> =
        names.iter().filter_map(|name| Some(library.table.get(*name)?.paper.as_str())).collect();
    let words = |name: &str| {
        let Paper { called, title, authors, r#where, text } = library.paper.get(name)?;
        Some(format!("{called}: {authors}: {title}. {where}. Figures are from {text}."))
    };
    papers.into_iter().filter_map(words).collect()
}

impl Library {
    fn table(&self, name: &str) -> Option<FigureTable> {
        let Printed { paper, place, title, columns, rows, note } = self.table.get(name)?;
        let Paper { called, .. } = self.paper.get(paper)?;
        let cells = |row: &Vec<String>| row.iter().map(|cell| cell.as_str().into()).collect();
        Some(FigureTable {
            title: title.clone(),
            source: FigureSource::Printed(format!("{called}, {place}")),
            columns: columns.clone(),
            rows: rows.iter().map(cells).collect::<Vec<Vec<Cell>>>(),
            note: note.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
