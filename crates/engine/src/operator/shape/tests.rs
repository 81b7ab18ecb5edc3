//! Records in other shapes.

use super::*;
use crate::format::{Format, csv};

fn shape(places: &str, counts: bool, format: Format) -> Result<RecordShape, String> {
    let places = places.split_terminator(',').map(|place| place.parse().unwrap());
    let places: Vec<Place> = places.collect();
    let names: Vec<Vec<u8>> = ["id", "name", "note"].map(|name| name.as_bytes().into()).into();
    let columns = RowColumns { cells: &names, are_named: true };
    let columns = matches!(format, Format::Csv(_)).then_some(columns);
    let shape = RecordShape::new(&places, counts, RecordForm::of(format, Some(b':')), columns);
    shape.map_err(|fault| fault.to_string())
}

fn shaped(places: &str, counts: bool, format: Format, record: &[u8]) -> Vec<u8> {
    let mut out = b"left over".to_vec();
    shape(places, counts, format).unwrap().write(record, 12, &mut out).unwrap();
    out
}

#[test]
fn rows_of_some_cells_and_counts() {
    let row = b"1,\"a, \"\"b\"\"\",\"two\nlines\"\r\n";
    let some = |places, counts| shaped(places, counts, Format::CSV, row);
    assert_eq!(some("note,1", false), b"\"two\nlines\",1\r\n");
    assert_eq!(some("2,2", false), b"\"a, \"\"b\"\"\",\"a, \"\"b\"\"\"\r\n");
    assert_eq!(some("", true), b"1,\"a, \"\"b\"\"\",\"two\nlines\",12\r\n");
    assert_eq!(some("id", true), b"1,12\r\n");
    assert_eq!(shaped("3", false, Format::CSV, b"1,2,\n"), b"\"\"\n");
    assert_eq!(shaped("3,1", false, Format::CSV, b"1\n"), b",1\n");
    assert_eq!(shaped("3", false, Format::TSV, b"1\t2\t3\n"), b"3\n");
    assert!(shape("", false, Format::CSV).unwrap().is_whole());
    let said = shape("nope", false, Format::CSV).unwrap_err();
    assert!(
        said.starts_with("selected fields: ") && said.contains("'id', 'name', 'note'"),
        "{said}"
    );
}

/// A count stands in a column of its own, whatever cells a row lacks.
#[test]
fn counts_of_short_rows_stand_in_their_column() {
    let counted = |row: &str| shaped("", true, Format::CSV, row.as_bytes());
    assert_eq!(counted("\n"), b",,,12\n");
    assert_eq!(counted("1\r\n"), b"1,,,12\r\n");
    assert_eq!(counted("1,\"2,3\""), b"1,\"2,3\",,12");
    let counts = shape("", true, Format::CSV).unwrap();
    let said = counts.write(b"1,2,3,4\n", 1, &mut Vec::new()).unwrap_err().to_string();
    assert!(said.contains("the row has 4 cells, and the table 3"), "{said}");
    // Selected cells are as many in each row.
    assert_eq!(shaped("3,1", true, Format::CSV, b"1,2,3,4\n"), b"3,1,12\n");
}

#[test]
fn headers_go_with_their_rows() {
    let shape = shape("note,id", true, Format::CSV).unwrap();
    let header: &[u8] = b"id,name,note\r\n";
    let found = shape.header([header].into_iter()).unwrap();
    assert_eq!(found, b"note,id,count\r\n");
    let marked = [BYTE_ORDER_MARK, header].concat();
    let found = shape.header([&marked[..]].into_iter()).unwrap();
    assert_eq!(found, [BYTE_ORDER_MARK, b"note,id,count\r\n"].concat());
}

/// A carriage return before a line feed would belong to the end of the row.
#[test]
fn a_last_cell_that_ends_with_a_return_gets_quotes() {
    let csv = |places, row: &str| shaped(places, false, Format::CSV, row.as_bytes());
    assert_eq!(csv("id", "1\r,2,3\n"), b"\"1\r\"\n");
    assert_eq!(csv("note,id", "1\r,2,3\n"), b"3,\"1\r\"\n");
    assert_eq!(csv("id,id", "1\r,2,3\n"), b"1\r,\"1\r\"\n");
    assert_eq!(csv("id", "\r,2,3"), b"\"\r\"");
    assert_eq!(csv("id", "1\r,2,3\r\n"), b"1\r\r\n");
    assert_eq!(csv("id", "\"1\r\",2,3\n"), b"\"1\r\"\n");
    assert_eq!(shaped("id", true, Format::CSV, b"1\r,2,3\n"), b"1\r,12\n");
    let format = |change: fn(&mut csv::Dialect)| {
        let Format::Csv(mut format) = Format::CSV else { unreachable!("rows") };
        change(&mut format.dialect);
        Format::Csv(format)
    };
    let lenient = format(|dialect| dialect.is_lenient = true);
    assert_eq!(shaped("id", false, lenient, b"a\"b\r,2,3\n"), b"\"a\"\"b\r\"\n");
    let bare = format(|dialect| dialect.quote = None);
    let out = &mut Vec::new();
    let said = shape("id", false, bare).unwrap().write(b"1\r,2,3\n", 1, out).unwrap_err();
    assert!(said.to_string().contains("carriage return"), "{said}");
    let said = shape("id", false, bare).unwrap().header([&b"id\r,name\n"[..]].into_iter());
    assert!(said.is_err());
}

#[test]
fn fields_of_lines_and_ranges_of_bytes() {
    assert_eq!(shaped("3,1", true, Format::LINES, b"a:\"b:c\"\r\n"), b"c\"\r:a\n");
    let fixed = Format::Fixed { length: 6 };
    assert_eq!(shaped("4..,0..2", false, fixed, b"abcdef"), b"efab");
    let prefixed = |name: &str| name.parse::<Format>().unwrap();
    assert_eq!(shaped("3..,0..1", false, prefixed("u16be"), b"\0\x05abcde"), b"\0\x03dea");
    assert_eq!(shaped("9..", false, prefixed("u32le:self"), b"\x06\0\0\0ab"), b"\x04\0\0\0");
    assert_eq!(shaped("1..2", false, prefixed("rdw"), b"\0\x06\0\0ab"), b"\0\x05\0\0b");
    let twice = shape("0..,0..", false, prefixed("u16le")).unwrap();
    let long = [&40_000_u16.to_le_bytes()[..], &[b'x'; 40_000]].concat();
    let said = twice.write(&long, 1, &mut Vec::new()).unwrap_err().to_string();
    assert!(said.contains("80000 bytes") && said.contains("16 bits"), "{said}");
}

#[test]
fn records_of_bytes_end_with_their_count() {
    let fixed = |length| Format::Fixed { length };
    assert_eq!(shaped("", true, fixed(3), b"abc"), b"abc\0\0\0\0\0\0\0\x0c");
    assert_eq!(shaped("1..2", true, fixed(3), b"abc"), b"b\0\0\0\0\0\0\0\x0c");
    let prefixed = |name: &str| name.parse::<Format>().unwrap();
    assert_eq!(
        shaped("", true, prefixed("rdw"), b"\0\x06\0\0ab"),
        b"\0\x0e\0\0ab\0\0\0\0\0\0\0\x0c"
    );
    assert_eq!(
        shaped("..1", true, prefixed("u32le"), b"\x02\0\0\0ab"),
        b"\x09\0\0\0a\0\0\0\0\0\0\0\x0c"
    );
    let whole = shape("", true, prefixed("u16be")).unwrap();
    for (length, fits) in [(65_527_u16, true), (65_528, false)] {
        let record = [&length.to_be_bytes()[..], &vec![b'x'; length.into()]].concat();
        let said = whole.write(&record, 1, &mut Vec::new());
        assert_eq!(said.is_ok(), fits, "{said:?}");
    }
    shape("", true, fixed((1 << 20) - 8)).unwrap();
    let said = shape("", true, fixed((1 << 20) - 7)).unwrap_err();
    assert!(said.starts_with("count makes") && said.contains("1048577 bytes"), "{said}");
    shape("0..8", true, fixed(1 << 20)).unwrap();
}
