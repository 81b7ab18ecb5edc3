//! Figures that papers printed, from the one data file that holds them.
//!
//! `papers.toml` names for each table the paper and the place in it. Figures stay the text that
//! they are in print: nothing is computed from them, and no table of ours has one. Tables of
//! publications other than the five documents say so. `scripts/check_papers.py` compares each cell
//! with the text of its document; the tests here compare the tables with the checksums that it
//! wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IgnoredAny;

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
    /// File name of its text; `None` for a publication other than the five documents.
    document: Option<String>,
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
    /// Place of the table in the text of its document. Only the script reads it.
    #[serde(default, rename = "found")]
    _found: IgnoredAny,
}

static LIBRARY: LazyLock<Result<Library, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("papers.toml")));

/// Returns the tables of these names, as they were printed. A name that the data file lacks is left
/// out; a test compares the names of all benches with the data file.
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
        let paper = library.paper.get(name)?;
        let Paper { title, authors, r#where, .. } = paper;
        Some(format!("{}: {authors}: {title}. {where}.", paper.label()))
    };
    papers.into_iter().filter_map(words).collect()
}

impl Paper {
    /// Returns the short name, which says whether this is a publication other than the documents.
    fn label(&self) -> String {
        match self.document {
            Some(_) => self.called.clone(),
            None => format!("{} (another publication)", self.called),
        }
    }
}

impl Library {
    fn table(&self, name: &str) -> Option<FigureTable> {
        let Printed { paper, place, title, columns, rows, note, .. } = self.table.get(name)?;
        let paper = self.paper.get(paper)?.label();
        let cells = |row: &Vec<String>| row.iter().map(|cell| cell.as_str().into()).collect();
        Some(FigureTable {
            title: title.clone(),
            source: FigureSource::Printed(format!("{paper}, {place}")),
            columns: columns.clone(),
            rows: rows.iter().map(cells).collect::<Vec<Vec<Cell>>>(),
            note: note.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
