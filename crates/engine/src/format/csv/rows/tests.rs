//! Rows against a reader that looks at one byte after the other.

use proptest::prelude::*;

use super::*;
use crate::format::csv::Cells;

const DIALECT: Dialect = Dialect::strict(b',', Some(b'"'));

/// Rows, one byte after the other: where each ends, its cells, and its first stray quote.
fn expected(bytes: &[u8]) -> Vec<(usize, usize, Option<usize>)> {
    let mut rows = Vec::new();
    let (mut start, mut cells, mut stray) = (0, 1, None);
    let (mut is_inside, mut opened) = (false, 0);
    for (at, &byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).filter(|before| *before >= start).map(|at| bytes[at]);
        let note = |stray: &mut Option<usize>, at: usize| *stray = stray.or(Some(at - start));
        match byte {
            b'"' if is_inside => {
                is_inside = false;
                match bytes[at + 1..] {
                    [] | [b',' | b'\n' | b'"', ..] | [b'\r', b'\n', ..] => {}
                    // What stands behind a closing quote is what is wrong.
                    _ => note(&mut stray, at + 1),
                }
            }
            b'"' => {
                let doubles = before == Some(b'"') && at - 1 != opened && opened < at;
                if !matches!(before, None | Some(b',')) && !doubles {
                    note(&mut stray, at);
                }
                (is_inside, opened) = (true, at);
            }
            b',' if !is_inside => cells += 1,
            b'\n' if !is_inside => {
                rows.push((at + 1, cells, stray));
                (start, cells, stray, opened) = (at + 1, 1, None, 0);
            }
            _ => {}
        }
    }
    if start < bytes.len() {
        let open = is_inside.then_some(opened - start.min(opened));
        rows.push((bytes.len(), cells, stray.or(open)));
    }
    rows
}

fn found(bytes: &[u8]) -> Vec<(usize, usize, Option<usize>)> {
    let mut end = 0;
    let rows = Rows::new(DIALECT, bytes).map(|row| {
        end += row.bytes.len();
        (end, row.cells, row.stray_quote)
    });
    rows.collect()
}

/// Where rows end, given that all quotes count.
fn assert_ends(bytes: &[u8]) {
    let (mut at, mut ends) = (0, Vec::new());
    while let Some(length) = first_end(b'"', &bytes[at..], false) {
        at += length;
        ends.push(at);
    }
    let rows = found(bytes);
    let whole = rows.iter().map(|row| row.0).filter(|end| ends.contains(end)).count();
    assert_eq!(whole, ends.len());
    let is_inside = super::super::masks::is_odd(bytes, b'"');
    assert_eq!(last_end(b'"', bytes, is_inside), ends.last().copied());
}

#[test]
fn well_formed_rows_are_told_apart() {
    let text = b"a,b\n\"x\ny\",\"say \"\"yes\"\"\"\r\n\n,,\n\"\"\"\"\"\",\"\"\nlast";
    let rows: Vec<_> = Rows::new(DIALECT, text).collect();
    let bytes: Vec<&[u8]> = rows.iter().map(|row| row.bytes).collect();
    let lines: [&[u8]; 6] = [
        b"a,b\n",
        b"\"x\ny\",\"say \"\"yes\"\"\"\r\n",
        b"\n",
        b",,\n",
        b"\"\"\"\"\"\",\"\"\n",
        b"last",
    ];
    assert_eq!(bytes, lines);
    assert_eq!(rows.iter().map(|row| row.cells).collect::<Vec<_>>(), [2, 2, 1, 3, 2, 1]);
    assert!(rows.iter().all(|row| row.stray_quote.is_none()));
}

/// That the ends noted of the first `wanted` cells of each row are those of its cells.
fn assert_cells(bytes: &[u8], wanted: usize) {
    let mut rows = Rows::new(DIALECT, bytes).noting(wanted);
    while let Some(row) = rows.next() {
        if row.stray_quote.is_some() {
            continue; // what is a cell of it is not said
        }
        let text = without_end(row.bytes);
        let mut behind = 0;
        let ends: Vec<u32> = Cells::new(DIALECT, text)
            .take(wanted)
            .map(|cell| {
                behind += cell.len() + 1;
                (behind - 1) as u32
            })
            .collect();
        assert_eq!(rows.cell_ends(), ends, "{:?}", String::from_utf8_lossy(row.bytes));
    }
}

#[test]
fn stray_quotes_are_told() {
    let stray = |row: &str| Rows::new(DIALECT, row.as_bytes()).next().unwrap().stray_quote;
    assert_eq!(stray("a\"b\",c\n"), Some(1));
    assert_eq!(stray("\"a\"b,c\n"), Some(3));
    assert_eq!(stray("\"a\"\r,c\n"), Some(3));
    assert_eq!(stray("a,\"b\n"), Some(2), "not closed");
    let padded = format!("{},\"a\"b\n", "x".repeat(59));
    assert_eq!(stray(&padded), Some(63));
    let padded = format!("{},\"a\"b\n", "x".repeat(60));
    assert_eq!(stray(&padded), Some(64), "the first byte of the next chunk");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_are_read_as_one_by_one(
        text in proptest::collection::vec(prop_oneof![
            4 => Just(b'"'), 3 => Just(b','), 3 => Just(b'\n'), 1 => Just(b'\r'), 5 => Just(b'x'),
        ], 0..200),
        ahead in 0..70_usize,
    ) {
        let text = [vec![b'y'; ahead], text].concat();
        prop_assert_eq!(found(&text), expected(&text), "{:?}", String::from_utf8_lossy(&text));
        assert_ends(&text);
        (0..5).for_each(|wanted| assert_cells(&text, wanted));
    }
}

#[test]
fn cells_between_zeros_are_counted_up_to_the_end() {
    let dialect = Dialect::strict(0, Some(b'"'));
    for length in 1..200 {
        let text = vec![b'x'; length];
        let rows = [&text[..], b"\0\n", &text, b"\0y"].concat();
        let cells: Vec<usize> = Rows::new(dialect, &rows).map(|row| row.cells).collect();
        assert_eq!(cells, [2, 2], "{length} bytes");
    }
}
