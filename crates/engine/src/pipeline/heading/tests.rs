//! Tops of inputs, by hand.

use super::*;

fn read(heading: &Heading, bytes: &[u8]) -> Result<(Top, Vec<u8>)> {
    let mut rest = bytes;
    heading.read(Path::new("input"), |buffer| {
        let length = buffer.len().min(rest.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        rest = &rest[length..];
        Ok(length)
    })
}

fn row(has_header: bool) -> Heading {
    Heading::Row(CsvFormat { has_header, ..CsvFormat::separated_by(b',') })
}

#[test]
fn lines_are_counted() {
    let lines = |count| Heading::Lines { header: HeaderLines::Count(count), end: b'\n' };
    let (top, rest) = read(&lines(2), b"a\nb\nc\n").unwrap();
    assert_eq!(
        (top.bytes.as_slice(), top.size.bytes, rest.as_slice()),
        (&b"a\nb\n"[..], 4, &b"c\n"[..])
    );
    let (top, rest) = read(&lines(3), b"a\nb").unwrap();
    assert_eq!((top.bytes.as_slice(), top.size.bytes, rest.len()), (&b"a\nb\n"[..], 3, 0));
    assert_eq!(read(&lines(1), b"").unwrap().0.bytes, b"");
    let long = vec![b'x'; 2 * TOP_MAX];
    assert!(matches!(read(&lines(1), &long), Err(Error::Malformed { .. })));
}

#[test]
fn lines_with_a_prefix_are_looked_for() {
    let heading = Heading::Lines { header: HeaderLines::Prefix(b"#".to_vec()), end: b'\n' };
    let (top, rest) = read(&heading, b"#a\n#b\nc\n#d\n").unwrap();
    assert_eq!(top.bytes, b"#a\n#b\n");
    assert_eq!((top.size, rest.as_slice()), (TopSize { bytes: 6, lines: 2 }, &b"c\n#d\n"[..]));
    let (top, rest) = read(&heading, b"#a\n#b").unwrap();
    assert_eq!((top.bytes.as_slice(), top.size.bytes, rest.len()), (&b"#a\n#b\n"[..], 5, 0));
    let long = [b"#x\n".repeat(TOP_MAX / 3 + 1), b"y\n".to_vec()].concat();
    assert!(matches!(read(&heading, &long), Err(Error::Malformed { .. })));
    let longest = [b"#x\n".repeat(TOP_MAX / 3), b"y\n".to_vec()].concat();
    assert_eq!(read(&heading, &longest).unwrap().0.size.lines, TOP_MAX as u64 / 3);
}

#[test]
fn a_row_may_hold_lines_and_a_mark_before_it() {
    let (top, rest) = read(&row(true), b"\xef\xbb\xbf\"a\nb\",c\r\n1,2\n").unwrap();
    assert_eq!(top.bytes, b"\xef\xbb\xbf\"a\nb\",c\r\n");
    assert_eq!(rest, b"1,2\n");
    let columns = top.columns(&row(true)).unwrap();
    assert_eq!(columns.cells, [b"a\nb".to_vec(), b"c".to_vec()]);
    let (top, rest) = read(&row(false), b"\xef\xbb\xbf1,2\n").unwrap();
    assert_eq!((top.bytes.as_slice(), top.size.bytes), (BYTE_ORDER_MARK, 3));
    assert_eq!(rest, b"1,2\n");
    assert_eq!(top.first_row, b"1,2\n");
    let (top, _) = read(&row(true), b"a,b").unwrap();
    assert_eq!((top.bytes.as_slice(), top.size.bytes), (&b"a,b\n"[..], 3));
    assert!(matches!(read(&row(true), b"a,\"b\n"), Err(Error::Malformed { .. })), "unclosed");
}

#[test]
fn a_first_row_that_shows_nothing() {
    for (text, cells) in
        [("\n1,2\n", None), ("\"\"\n1,2\n", None), ("x\n", Some(1)), (",\n", Some(2))]
    {
        let (top, _) = read(&row(false), text.as_bytes()).unwrap();
        assert_eq!(top.columns(&row(false)).map(|found| found.cells.len()), cells, "{text:?}");
    }
    let (top, _) = read(&row(true), b"\n1\n").unwrap();
    assert_eq!(top.columns(&row(true)).unwrap().cells, [b""]);
}

#[test]
fn a_first_row_that_stands_elsewhere() {
    for (known, cells) in [(Some(3), Some(3)), (Some(1), Some(1)), (Some(0), None), (None, Some(2))]
    {
        let csv = CsvFormat { has_header: false, ..CsvFormat::separated_by(b',') };
        let heading = Heading::Row(CsvFormat { first_row_cells: known, ..csv });
        let (top, rest) = read(&heading, b"1,2\n").unwrap();
        let columns = top.columns(&heading);
        assert_eq!(
            (columns.map(|found| found.cells.len()), rest.as_slice()),
            (cells, &b"1,2\n"[..])
        );
    }
}

/// A long first row is sorted like any other; it does not say how many cells others have.
#[test]
fn first_rows_that_are_not_headers_may_be_long() {
    let bare = row(false);
    for bytes in [TOP_MAX - 1, TOP_MAX, TOP_MAX + 1, 2 * TOP_MAX - 3, 2 * TOP_MAX, 5 * TOP_MAX] {
        for (end, more) in [("\n", "1,2\n"), ("", "")] {
            let first = "x,".repeat(bytes / 2) + &"x".repeat(bytes % 2) + end;
            let is_long = first.len() + BYTE_ORDER_MARK.len() > TOP_MAX;
            let text = [BYTE_ORDER_MARK, first.as_bytes(), more.as_bytes()].concat();
            let (top, rest) = read(&bare, &text).unwrap();
            assert_eq!(top.bytes, BYTE_ORDER_MARK);
            assert_eq!((top.size.bytes, top.has_long_row), (3, is_long), "{bytes}");
            assert!(text[3..].starts_with(&rest) && !top.is_nothing(&bare));
            let cells = top.columns(&bare).map(|columns| columns.cells.len());
            assert_eq!(cells, (!is_long).then_some(bytes / 2 + 1), "{bytes}");
            assert_eq!(read(&row(true), &text).is_err(), is_long, "{bytes}");
        }
    }
    let old = b"a,b\r".repeat(TOP_MAX);
    let said = read(&bare, &old).unwrap_err().to_string();
    assert!(said.contains("carriage return alone, the first at byte 3"), "{said}");
}

#[test]
fn headers_have_to_agree() {
    let heading = row(true);
    let top = |bytes: &[u8]| read(&heading, bytes).unwrap().0;
    let first = top(b"a,\"b\"\n");
    first.check_same(&top(b"\"a\",b\r\n"), &heading).unwrap();
    first.check_same(&top(b""), &heading).unwrap();
    let differs = |bytes: &[u8]| first.check_same(&top(bytes), &heading).unwrap_err().to_string();
    assert!(differs(b"a,c\n").contains("column 2 is 'c' here and 'b' there"));
    assert!(differs(b"a,b,c\n").contains("3 columns here and 2 there"));
}

#[test]
fn lines_of_a_header_are_not_for_every_format() {
    let fixed = Format::Fixed { length: 10 };
    assert!(Heading::of(Format::CSV, &HeaderLines::Count(1)).is_err());
    assert!(Heading::of(fixed, &HeaderLines::Prefix(b"#".to_vec())).is_err());
    assert_eq!(Heading::of(fixed, &HeaderLines::NONE).unwrap(), Heading::Nothing);
}
