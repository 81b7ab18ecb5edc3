//! Cells by hand.

use super::*;

const DIALECT: Dialect = Dialect::strict(b',', Some(b'"'));

fn values(row: &str) -> Vec<String> {
    let text = |cell: &[u8]| String::from_utf8(value(DIALECT, cell).into_owned()).unwrap();
    Cells::new(DIALECT, row.as_bytes()).map(text).collect()
}

#[test]
fn cells_are_what_they_say() {
    let rows: [(&str, &[&str]); 8] = [
        ("", &[""]),
        ("a,b", &["a", "b"]),
        (",", &["", ""]),
        ("\"a,b\",c", &["a,b", "c"]),
        ("\"\"", &[""]),
        ("\"\"\"\",x", &["\"", "x"]),
        ("\"say \"\"yes\"\"\",\"\n\"", &["say \"yes\"", "\n"]),
        ("\"open,", &["\"open,"]),
    ];
    for (row, expected) in rows {
        assert_eq!(values(row), expected, "{row}");
    }
}

#[test]
fn without_quotes_every_separator_counts() {
    let dialect = Dialect::strict(b'\t', None);
    let cells: Vec<&[u8]> = Cells::new(dialect, b"\"a\tb\"\t").collect();
    assert_eq!(cells, [&b"\"a"[..], b"b\"", b""]);
    assert_eq!(value(dialect, b"\"a\""), &b"\"a\""[..]);
}

/// Rows of many lengths, so that chunks begin and end everywhere, from the start of each cell.
#[test]
fn ends_are_found_from_every_cell() {
    for quote in [Some(b'"'), None] {
        let dialect = Dialect { quote, ..DIALECT };
        for seed in 0_u64..400 {
            let (mut row, mut ends) = (Vec::new(), Vec::new());
            for cell in 0..1 + seed % 7 {
                let random = (seed * 31 + cell).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
                let length = if random.is_multiple_of(11) { 1000 } else { 90 };
                let text = "x".repeat((random % length) as usize);
                match quote.filter(|_| random.is_multiple_of(3)) {
                    Some(_) => row.extend_from_slice(format!("\"{text},\"\",\"").as_bytes()),
                    None => row.extend_from_slice(text.as_bytes()),
                }
                ends.push(row.len());
                row.push(b',');
            }
            row.pop();
            let starts = std::iter::once(0).chain(ends.iter().map(|end| end + 1));
            for (cell, start) in starts.take(ends.len()).enumerate() {
                let found: Vec<usize> = CellEnds::new(dialect, &row, start).collect();
                assert_eq!(found, ends[cell..], "{row:?} from {start}");
            }
        }
    }
}

/// What lies behind a short row is zeros, and none of the row's separators.
#[test]
fn cells_may_lie_between_zeros() {
    let dialect = Dialect::strict(0, None);
    for length in 0..200 {
        let row: Vec<u8> = (0..length).map(|at| if at % 3 == 2 { 0 } else { b'x' }).collect();
        let expected: Vec<&[u8]> = row.split(|byte| *byte == 0).collect();
        assert_eq!(Cells::new(dialect, &row).collect::<Vec<_>>(), expected, "{length} bytes");
    }
}
