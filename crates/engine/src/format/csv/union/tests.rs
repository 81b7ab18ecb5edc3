//! Columns that are found by their names, and rows that are moved, in any number of pieces.

use super::*;
use crate::format::csv::Rows;

const DIALECT: Dialect = Dialect::strict(b',', Some(b'"'));
const LENIENT: Dialect = Dialect { is_lenient: true, ..DIALECT };
const BARE: Dialect = Dialect { quote: None, ..DIALECT };

fn order(pairs: &[(u32, u32)]) -> ColumnOrder {
    ColumnOrder { pairs: pairs.into() }
}

/// Writes rows of a table under `header` as rows of a union of `columns`, `piece` bytes at a time.
fn moved(columns: &str, (header, ragged): (&str, Ragged), rows: &str, piece: usize) -> String {
    moved_in(DIALECT, columns, (header, ragged), rows, piece).unwrap()
}

/// Writes rows of a table as [`moved`] does, with these quotes.
fn moved_in(
    dialect: Dialect,
    columns: &str,
    (header, ragged): (&str, Ragged),
    rows: &str,
    piece: usize,
) -> Result<String, Message> {
    let mut union = Union::new(dialect);
    union.add(columns.as_bytes()).unwrap();
    let order = union.add(header.as_bytes()).unwrap();
    let table = UnionTable { dialect, order: &order, width: union.width(), ragged };
    let mut writer = RowWriter::default();
    let mut out = Vec::new();
    let mut all = Rows::new(dialect, rows.as_bytes()).noting(order.columns());
    while let Some(row) = all.next() {
        writer.begin(&table, &row, all.cell_ends())?;
        let mut is_over = false;
        while !is_over {
            let mut room = vec![0; piece];
            let (filled, is_whole) = writer.write(&table, row.bytes, &mut room);
            assert!(is_whole || filled == piece, "all room is used");
            out.extend_from_slice(&room[..filled]);
            is_over = is_whole;
        }
    }
    Ok(String::from_utf8(out).unwrap())
}

#[test]
fn columns_come_in_order_of_appearance() {
    let mut union = Union::new(DIALECT);
    let first = union.add(b"a,\"b\"\"c\",d").unwrap();
    assert_eq!(first, order(&[(0, 0), (1, 1), (2, 2)]));
    let second = union.add(b"e,d,\"a\",\r\n").unwrap();
    assert_eq!(second, order(&[(0, 2), (2, 1), (3, 0), (4, 3)]));
    assert_eq!(union.header(), b"a,\"b\"\"c\",d,e,");
    assert_eq!(union.add(b"\"b\"\"c\"").unwrap(), order(&[(1, 0)]));
    assert!(first.is_of_union(3) && !first.is_of_union(5) && !second.is_of_union(4));
    let all = union.add(union.header().to_vec().as_slice()).unwrap();
    assert!(all.is_of_union(union.width()) && union.width() == 5);
    let said = union.add(b"x,\"a\",y,a").unwrap_err().to_string();
    assert!(said.contains("column 'a' twice, again as column 4"), "{said}");
}

#[test]
fn names_are_the_bytes_between_quotes() {
    let mut union = Union::new(DIALECT);
    union.add(b"A, a,\"a \",\xff").unwrap();
    assert_eq!(union.add(b"a,\"\xff\",\"A\"").unwrap(), order(&[(0, 2), (3, 1), (4, 0)]));
    let mut bare = Union::new(Dialect { quote: None, ..DIALECT });
    bare.add(b"a,\"a\"").unwrap();
    assert_eq!(bare.width(), 2, "quotes are data");
}

#[test]
fn rows_are_moved_in_any_pieces() {
    let rows = "1,\"x,\n\"\"y\"\"\",3\r\n\n,,\n\"\",b,\"c\"\n";
    let expected = "3,,1,\"x,\n\"\"y\"\"\"\r\n\n,,,\n\"c\",,\"\",b\n";
    for piece in 1..40 {
        let table = ("a,b,c", Ragged::Refuse);
        assert_eq!(moved("c,d,a", table, rows, piece), expected, "{piece}");
    }
}

#[test]
fn rows_of_another_length_fit_nowhere() {
    let rows = "1\n1,2\n1,2,3\n1,2,3,4\n";
    for (ragged, expected) in [
        (Ragged::Refuse, "1\n2,1,\n1,2,3,\n1,2,3,4\n"),
        (Ragged::Drop, "1\n2,1,\n1,2,3,\n1,2,3,4\n"),
        (Ragged::Keep, ",1,\n2,1,\n2,1,,3\n2,1,,3,4\n"),
    ] {
        for piece in [1, 2, 100] {
            assert_eq!(moved("b,a,c", ("a,b", ragged), rows, piece), expected);
        }
    }
}

#[test]
fn stray_quotes_stay_where_they_are() {
    let rows = "3,\"4\"5\n6,7\n8,\"9\n";
    let expected = "3,\"4\"5\n7,6\n8,\"9\n";
    assert_eq!(moved("b,a", ("a,b", Ragged::Keep), rows, 3), expected);
}

/// A carriage return before a line feed would belong to the end of the row.
#[test]
fn last_cells_that_end_with_a_return_get_quotes() {
    let rows = "x\r,1\n\r,2\ny\rz,3\n\"q\r\",4\nx\r,5\r\n,6\nw\r,7";
    let expected = "1,\"x\r\"\n2,\"\r\"\n3,y\rz\n4,\"q\r\"\n5,x\r\r\n6,\n7,\"w\r\"";
    let cells = "a\"b\"\r,1\n\"q\"\r,2\n\"\r,\",3\nx\"\"\r,4\n";
    let quoted = "1,\"a\"\"b\"\"\r\"\n2,\"\"\"q\"\"\r\"\n3,\"\r,\"\n4,\"x\"\"\"\"\r\"\n";
    let table = ("b,a", Ragged::Refuse);
    for piece in 1..20 {
        assert_eq!(moved("a,b", table, rows, piece), expected, "{piece}");
        assert_eq!(moved_in(LENIENT, "a,b", table, rows, piece).unwrap(), expected);
        assert_eq!(moved_in(LENIENT, "a,b", table, cells, piece).unwrap(), quoted, "{piece}");
        // Cells that are not the last, and those after all columns, stay as they are.
        assert_eq!(moved("a,b,c", table, "x\r,1\n", piece), "1,x\r,\n");
        let kept = ("b,a", Ragged::Keep);
        assert_eq!(
            moved("a,b", kept, "x\r,1,2\nx\r\ny\r,1\n", piece),
            "1,x\r,2\n,x\r\n1,\"y\r\"\n"
        );
        let said = moved_in(BARE, "a,b", table, rows, piece).unwrap_err().to_string();
        assert!(said.contains("carriage return") && said.ends_with("with quote"), "{said}");
        assert_eq!(moved_in(BARE, "b,a", table, "x\r,1\n", piece).unwrap(), "x\r,1\n");
    }
    let mut union = Union::new(DIALECT);
    union.add(b"a").unwrap();
    union.add(b"b\r,a").unwrap();
    assert_eq!(union.header_row(b"\n").unwrap(), b"a,\"b\r\"\n");
    assert_eq!(union.header_row(b"\r\n").unwrap(), b"a,b\r\r\n");
    assert!(Union { dialect: BARE, ..union }.header_row(b"\n").is_err());
}

/// Many columns take time in proportion to their number, in any order.
#[test]
fn many_columns_in_reverse() {
    let names: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
    let mut union = Union::new(DIALECT);
    assert!(union.add(names.join(",").as_bytes()).unwrap().is_of_union(200_000));
    let back: Vec<&str> = names.iter().rev().map(String::as_str).collect();
    let order = union.add(back.join(",").as_bytes()).unwrap();
    assert_eq!((order.pairs[0], order.pairs[199_999]), ((0, 199_999), (199_999, 0)));
    assert!(union.bytes() > 200_000 * COLUMN_BYTES && order.bytes() == 1_600_000);
}
