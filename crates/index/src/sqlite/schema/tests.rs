//! Names of columns.

use sortwell_engine::format::Format;
use sortwell_engine::key::{Key, ListMemory, OrderOptions};
use sortwell_engine::pipeline::Columns;

use super::*;
use crate::include::Include;

#[test]
fn columns_have_names_of_their_own() {
    let cells = ["Offset", "a \"b\"", "OFFSET_2", "z\0"].map(|cell| cell.as_bytes().to_vec());
    let columns = Columns { cells: cells.to_vec(), are_named: true };
    let keys: Vec<Key> = ["1:int:desc", "2:ci", "2[0..1]", "3:decimal"]
        .iter()
        .map(|key| key.parse().expect("a key"))
        .collect();
    let order = OrderOptions::default().bind(&keys, Format::CSV, ListMemory::UNBOUNDED);
    let include = ["2", "4", "0..8"].map(Include::from_text);
    let columns =
        TypedColumn::all(&order.expect("an order"), &include, Format::CSV, Some(&columns));
    let schema = Schema::new(&columns.expect("columns"));
    let expected = "CREATE TABLE entries (number INTEGER PRIMARY KEY, \"Offset_2\" INTEGER, \
                    \"a \"\"b\"\"\" TEXT COLLATE NOCASE, \"key3\" TEXT, \"OFFSET_2_2\" NUMERIC, \
                    \"a \"\"b\"\"_2\" TEXT, \"z\u{fffd}\" TEXT, \"bytes0_8\" TEXT, \
                    file INTEGER NOT NULL, offset INTEGER NOT NULL, length INTEGER NOT NULL);\n\
                    CREATE INDEX entries_by_key ON entries (\"Offset_2\" DESC, \"a \"\"b\"\"\", \
                    \"key3\", \"OFFSET_2_2\");";
    assert_eq!(schema.create, format!("{expected}{OTHERS}"));
    assert_eq!(schema.insert.matches('?').count(), 11);
}
