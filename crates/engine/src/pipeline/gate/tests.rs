//! Which rows pass, and what is said of those that must not be.

use super::*;
use crate::format::csv::Quoting;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, with_encoder};

fn passed(cells: Option<usize>, text: &str) -> Result<Vec<(usize, String)>, RecordFault> {
    let (rows, ragged) = passed_or_dropped((cells, false), text)?;
    assert_eq!(ragged, 0);
    Ok(rows)
}

/// Returns the rows that pass, each with its place, and the number of those that are left out.
fn passed_or_dropped(
    (cells, drops_ragged): (Option<usize>, bool),
    text: &str,
) -> Result<(Vec<(usize, String)>, u64), RecordFault> {
    let dialect = Dialect::strict(b',', Some(b'"'));
    let shape = Shape::Row(RowShape {
        dialect,
        cells,
        is_of_header: true,
        is_of_union: false,
        drops_ragged,
    });
    let gate = Gate { shape, ..Gate::default() };
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    let mut rows = Vec::new();
    let show = |row: CutRecord<'_>, at, _| {
        rows.push((at, String::from_utf8(row.bytes.to_vec()).unwrap()));
    };
    let framing = Framing::Quoted(Quoting::Strict { quote: b'"' });
    let count = with_encoder!(&key, |key| gate.each(key, framing, text.as_bytes(), show))?;
    assert_eq!(count.shown, rows.len() as u64);
    Ok((rows, count.ragged))
}

#[test]
fn well_formed_rows_pass() {
    let rows = passed(Some(2), "a,b\n\"\n,\",\r\n\n\r\n").unwrap();
    let places: Vec<usize> = rows.iter().map(|row| row.0).collect();
    assert_eq!(places, [0, 4, 11, 12]);
    assert_eq!(rows[1].1, "\"\n,\",\r\n");
}

#[test]
fn rows_of_another_length_are_told() {
    let fault = passed(Some(2), "a,b\nc\n").unwrap_err();
    assert_eq!(fault.at, 4);
    let said = fault.message.to_string();
    assert!(said.contains("has 1 cell, and the header has 2"), "{said}");
    assert_eq!(passed(None, "a,b\nc\n").unwrap().len(), 2);
}

#[test]
fn stray_quotes_are_told() {
    for text in ["a,b\nc,d\"\n", "a,b\nc,\"d\"e\n"] {
        let fault = passed(Some(2), text).unwrap_err();
        assert_eq!(fault.at, 4);
        assert_eq!(fault.message.references().last(), Some(&Setting::Quote.to("none")));
    }
}

#[test]
fn rows_of_another_length_are_left_out() {
    let (rows, ragged) =
        passed_or_dropped((Some(2), true), "x\na,b\nc\n\n\"x\ny\"\nd,e,f\ng,h").unwrap();
    let rows: Vec<(usize, &str)> = rows.iter().map(|(at, row)| (*at, &row[..])).collect();
    assert_eq!((rows, ragged), (vec![(2, "a,b\n"), (8, "\n"), (21, "g,h")], 4));
    let stray = passed_or_dropped((Some(2), true), "a,b\nx\nc\"\n").unwrap_err();
    assert_eq!(stray.at, 6, "a row whose cells cannot be counted is refused");
}
