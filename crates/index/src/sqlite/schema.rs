//! The tables of a database, as statements of SQL.

use std::fmt::Write as _;

use sortwell_engine::key::text::ValueType;

use crate::typed::TypedColumn;

/// Columns that every table of entries has, before and after those of the data.
const NUMBER: &str = "number";
const PLACE: [&str; 3] = ["file", "offset", "length"];

/// Tables of any data.
const OTHERS: &str = "
CREATE TABLE files (file INTEGER PRIMARY KEY, path TEXT NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// Statements that make a database, and the one that inserts a row of entries.
#[derive(Debug)]
pub struct Schema {
    /// Makes the tables.
    pub create: String,
    /// Inserts a row, with a parameter for each column.
    pub insert: String,
}

impl Schema {
    /// Returns the schema of a table with these columns, and the number and the place.
    pub fn new(columns: &[TypedColumn]) -> Self {
        let names = names(columns);
        let mut table = format!("CREATE TABLE entries ({NUMBER} INTEGER PRIMARY KEY");
        for (name, column) in names.iter().zip(columns) {
            let value_type = match column.value_type {
                ValueType::Whole => "INTEGER",
                ValueType::Number => "NUMERIC",
                ValueType::Real => "REAL",
                ValueType::Text if column.folds_case => "TEXT COLLATE NOCASE",
                ValueType::Text => "TEXT",
            };
            let _ = write!(table, ", {} {value_type}", quoted(name));
        }
        PLACE.iter().for_each(|name| table.extend([", ", name, " INTEGER NOT NULL"]));
        let keys = names.iter().zip(columns).filter_map(|(name, column)| {
            let direction = if column.is_descending? { " DESC" } else { "" };
            Some(quoted(name) + direction)
        });
        let keys = keys.collect::<Vec<_>>().join(", ");
        let index = format!("CREATE INDEX entries_by_key ON entries ({keys})");
        let marks = vec!["?"; 1 + names.len() + PLACE.len()].join(", ");
        Self {
            create: format!("{table});\n{index};{OTHERS}"),
            insert: format!("INSERT INTO entries VALUES ({marks})"),
        }
    }
}

/// Returns names for the columns, each of which no other column has. Letters of either case are
/// alike, as in SQLite.
fn names(columns: &[TypedColumn]) -> Vec<String> {
    let mut taken: Vec<String> = [NUMBER].iter().chain(&PLACE).map(|name| (*name).into()).collect();
    let mut names = Vec::new();
    for column in columns {
        // A statement ends with the byte 0.
        let wanted = column.name.replace('\0', "\u{fffd}");
        let later = (2..).map(|count| format!("{wanted}_{count}"));
        let is_free = |name: &String| !taken.iter().any(|other| other.eq_ignore_ascii_case(name));
        let name = [wanted.clone()].into_iter().chain(later).find(is_free).unwrap_or_default();
        taken.push(name.clone());
        names.push(name);
    }
    names
}

/// Returns a name as SQL has it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests;
