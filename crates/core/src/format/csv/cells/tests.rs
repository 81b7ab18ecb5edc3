//! Cells by hand.

use super::*;

const DIALECT: Dialect = Dialect { separator: b',', quote: Some(b'"') };

fn values(row: &str) -> Vec<String> {
    let text = |cell: &[u8]| String::from_utf8(value(DIALECT.quote, cell).into_owned()).unwrap();
    Cells::new(DIALECT, row.as_bytes()).map(text).collect()
}

#[test]
fn cells_are_what_they_say() {
    let rows: [(&str, &[&str]); 9] = [
        ("", &[""]),
        ("a,b", &["a", "b"]),
        (",", &["", ""]),
        ("\"a,b\",c", &["a,b", "c"]),
        ("\"\"", &[""]),
        ("\"\"\"\",x", &["\"", "x"]),
        ("\"say \"\"yes\"\"\",\"\n\"", &["say \"yes\"", "\n"]),
        ("a\"b,c", &["a\"b", "c"]),
        ("\"open,", &["\"open,"]),
    ];
    for (row, expected) in rows {
        assert_eq!(values(row), expected, "{row}");
    }
}

#[test]
fn without_quotes_every_separator_counts() {
    let dialect = Dialect { separator: b'\t', quote: None };
    let cells: Vec<&[u8]> = Cells::new(dialect, b"\"a\tb\"\t").collect();
    assert_eq!(cells, [&b"\"a"[..], b"b\"", b""]);
    assert_eq!(value(None, b"\"a\""), &b"\"a\""[..]);
}
