//! Cut rows against rows and cells that are found one after the other.

use proptest::prelude::*;

use super::*;
use crate::format::csv::CellEnds;
use crate::format::csv::masks::WIDTH;

const DIALECT: Dialect = Dialect::strict(b',', Some(b'"'));

/// Cuts all rows of `bytes` and compares each with those that are found without a cutter.
fn assert_cut(bytes: &[u8], wanted: usize) {
    let cutter = RowCutter::new(DIALECT, wanted).expect("strict quotes");
    let mut rest = bytes;
    while let Some(length) = super::super::rows::first_end(b'"', rest, false) {
        let (row, behind) = rest.split_at(length);
        let mut cells = RowCells::default();
        // The end is found only where two chunks are left; what else is found has to be right.
        if let Some(cut) = cutter.cut(rest, &mut cells) {
            assert_eq!(cut, length);
            let text = without_end(row);
            let ends: Vec<usize> = CellEnds::new(DIALECT, text, 0).take(wanted.min(8)).collect();
            let found: Vec<usize> = cells.ends().iter().map(|end| *end as usize).collect();
            assert_eq!(found, ends, "{:?}", String::from_utf8_lossy(row));
        } else {
            assert!(
                length + 2 * WIDTH > rest.len() || length > rest.len() / (2 * WIDTH) * 2 * WIDTH
            );
        }
        rest = behind;
    }
}

#[test]
fn rows_end_with_their_last_wanted_cell_or_before() {
    let filling = [b'x'; 4 * WIDTH];
    for rows in [&b"a,b,c\n"[..], b"a,b\r\n", b"\n", b",\r\n", b"\"a,\n\"\"b\",\"c\"\n"] {
        let bytes = [rows, &filling].concat();
        for wanted in 1..10 {
            assert_cut(&bytes, wanted);
        }
    }
    assert_eq!(RowCutter::new(DIALECT, 0), None);
    assert_eq!(RowCutter::new(Dialect::strict(b',', None), 1), None);
    assert_eq!(RowCutter::new(Dialect { is_lenient: true, ..DIALECT }, 1), None);
}

proptest! {
    #[test]
    fn well_formed_rows_are_cut_as_they_are_found(
        rows in proptest::collection::vec(
            proptest::collection::vec("([a-z]{0,40}|\"([a-z,\n]|\"\"){0,60}\")", 1..10),
            1..12,
        ),
        ends in proptest::collection::vec(any::<bool>(), 12),
        wanted in 1_usize..12,
    ) {
        let mut bytes = Vec::new();
        for (row, is_cr) in rows.iter().zip(ends) {
            bytes.extend_from_slice(row.join(",").as_bytes());
            bytes.extend_from_slice(if is_cr { b"\r\n" } else { b"\n" });
        }
        bytes.extend_from_slice(&[b'x'; 2 * WIDTH]);
        assert_cut(&bytes, wanted);
    }
}
