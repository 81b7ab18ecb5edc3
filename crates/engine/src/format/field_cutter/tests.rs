//! Cut rows and lines against those, and fields, that are found one after the other.

use proptest::prelude::*;

use super::*;
use crate::format::csv::{CellEnds, Gap, Quoting};

/// Bytes that are looked at together.
const PAIR: usize = 128;

const DIALECT: Dialect = Dialect::strict(b',', Some(b'"'));

/// Cuts all rows of `bytes` and compares each with those that are found without a cutter.
fn assert_cut(bytes: &[u8], wanted: usize) {
    let cutter = FieldCutter::of_rows(DIALECT, wanted).expect("strict quotes");
    let mut rest = bytes;
    let quoting = Quoting::Strict { quote: b'"' };
    while let Some(length) = quoting.first_end(rest, Gap::Start) {
        let (row, behind) = rest.split_at(length);
        let mut cells = FieldEnds::default();
        // The end is found only where two chunks are left; what else is found has to be right.
        if let Some(cut) = cutter.cut(rest, &mut cells) {
            assert_eq!(cut, length);
            let text = without_end(row);
            let ends: Vec<usize> = CellEnds::new(DIALECT, text, 0).take(wanted.min(8)).collect();
            let found: Vec<usize> = cells.ends().iter().map(|end| *end as usize).collect();
            assert_eq!(found, ends, "{:?}", String::from_utf8_lossy(row));
        } else {
            assert!(length + PAIR > rest.len() || length > rest.len() / PAIR * PAIR);
        }
        rest = behind;
    }
}

/// Returns the ends of the fields of a line.
fn ends_of_fields(line: &[u8], separator: Option<u8>) -> Vec<usize> {
    let is_blank = |at: usize| b" \t\n".contains(&line[at]);
    let is_end = |at: &usize| match separator {
        Some(separator) => line[*at] == separator,
        None => is_blank(*at) && *at > 0 && !is_blank(*at - 1),
    };
    (0..line.len()).filter(is_end).chain([line.len()]).collect()
}

/// Cuts all lines of `bytes` and compares the ends of their first fields with the model's.
fn assert_lines_cut(bytes: &[u8], line_end: u8, separator: Option<u8>, wanted: usize) {
    let cutter = FieldCutter::of_lines(line_end, separator, wanted).expect("fields are wanted");
    let mut rest = bytes;
    while let Some(length) = rest.iter().position(|byte| *byte == line_end).map(|at| at + 1) {
        let mut fields = FieldEnds::default();
        match cutter.cut(rest, &mut fields) {
            Some(cut) => {
                assert_eq!(cut, length);
                let mut ends = ends_of_fields(&rest[..length - 1], separator);
                ends.truncate(wanted.min(8));
                let found: Vec<usize> = fields.ends().iter().map(|end| *end as usize).collect();
                assert_eq!(found, ends, "{:?}", String::from_utf8_lossy(&rest[..length]));
            }
            None => assert!(length > rest.len() / PAIR * PAIR),
        }
        rest = &rest[length..];
    }
}

#[test]
fn rows_end_with_their_last_wanted_cell_or_before() {
    let filling = [b'x'; 2 * PAIR];
    for rows in [&b"a,b,c\n"[..], b"a,b\r\n", b"\n", b",\r\n", b"\"a,\n\"\"b\",\"c\"\n"] {
        let bytes = [rows, &filling].concat();
        for wanted in 1..10 {
            assert_cut(&bytes, wanted);
        }
    }
    assert_eq!(FieldCutter::of_rows(DIALECT, 0), None);
    assert_eq!(FieldCutter::of_rows(Dialect::strict(b',', None), 1), None);
    assert_eq!(FieldCutter::of_lines(b'\n', None, 0), None);
    assert_eq!(FieldCutter::of_rows(Dialect { is_lenient: true, ..DIALECT }, 1), None);
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
        bytes.extend_from_slice(&[b'x'; PAIR]);
        assert_cut(&bytes, wanted);
    }

    #[test]
    fn lines_are_cut_as_they_are_found(
        lines in proptest::collection::vec("[a-c\t\n :]{0,200}", 1..30),
        is_nul in any::<bool>(),
        separator in proptest::option::of(proptest::sample::select(b": \ta\n".to_vec())),
        wanted in 1_usize..12,
    ) {
        let line_end = if is_nul { 0 } else { b'\n' };
        let mut bytes = Vec::new();
        for line in lines {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(line_end);
        }
        bytes.extend_from_slice(&[b'x'; PAIR]);
        assert_lines_cut(&bytes, line_end, separator, wanted);
    }
}
