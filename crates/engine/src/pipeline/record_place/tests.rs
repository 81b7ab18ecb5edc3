//! Records counted in files of every framing.

use super::*;
use crate::format::csv::Quoting;
use crate::format::{LineGroup, Prefix};
use crate::io::Direct;

const PAIRS: Framing = Framing::Grouped(LineGroup { end: b'\n', lines: 2 });

/// A file of these bytes, which is gone with it.
fn file(bytes: &[u8]) -> Arc<File> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    std::fs::write(&path, bytes).unwrap();
    File::open_read(&path, Direct::Off).unwrap()
}

fn before(framing: Framing, start: u64, (bytes, offset): (&[u8], u64)) -> (Option<u64>, u64) {
    let file = file(bytes);
    let PrecedingCounts { records, lines, bytes } =
        count_before(&file, framing, start, offset).unwrap();
    assert_eq!(bytes, offset);
    (records, lines)
}

#[test]
fn files_are_counted_up_to_the_record() {
    let rows = b"h,i\n\"a\nb\",c\nd,e\nf\n";
    assert_eq!(
        before(Framing::Quoted(Quoting::Strict { quote: b'"' }), 4, (rows, 4)),
        (Some(0), 1)
    );
    assert_eq!(
        before(Framing::Quoted(Quoting::Strict { quote: b'"' }), 4, (rows, 12)),
        (Some(1), 3)
    );
    assert_eq!(before(Framing::Terminated(b'\n'), 0, (rows, 16)), (Some(4), 4));
    assert_eq!(before(Framing::Fixed(6), 0, (rows, 12)), (Some(2), 0));
    assert_eq!(before(PAIRS, 4, (rows, 12)), (Some(1), 3));
    let prefix = Framing::Prefixed(Prefix::named("u16be").unwrap());
    assert_eq!(before(prefix, 0, (b"\0\x01a\0\0\0\x02bc", 5)), (Some(2), 0));
}

#[test]
fn places_are_said_as_people_count() {
    let place = |framing, records| {
        let before = PrecedingCounts { records, lines: 4, bytes: 70 };
        RecordPlace { before, framing }.to_string()
    };
    assert_eq!(place(Framing::Quoted(Quoting::Strict { quote: b'"' }), Some(2)), "row 3, line 5");
    assert_eq!(place(Framing::Quoted(Quoting::Strict { quote: b'"' }), None), "line 5");
    assert_eq!(place(Framing::Terminated(b'\n'), Some(4)), "line 5");
    assert_eq!(place(Framing::Terminated(0), Some(4)), "record 5, at byte 70");
    assert_eq!(place(PAIRS, Some(2)), "record 3, line 5, at byte 70");
    assert_eq!(place(Framing::Fixed(10), None), "the record at byte 70");
}

#[test]
fn records_of_files_are_measured() {
    let length = |framing, bytes: &[u8], offset, most| {
        length_at(&file(bytes), framing, offset, most).unwrap()
    };
    let (lines, rows) =
        (Framing::Terminated(b'\n'), Framing::Quoted(Quoting::Strict { quote: b'"' }));
    assert_eq!(length(lines, b"a\nbcd\ne", 2, 100), Some(4));
    assert_eq!(length(lines, b"a\nbcd\ne", 6, 100), Some(2), "with the end that it lacks");
    assert_eq!(length(lines, b"a\nbcd\ne", 2, 3), None, "nobody looks any further");
    assert_eq!(length(PAIRS, b"a\nb\ncd\ne\n", 4, 100), Some(5));
    assert_eq!(length(PAIRS, b"a\nb\ncd\ne", 4, 100), Some(5), "with the end that it lacks");
    assert_eq!(length(rows, b"a\n\"b\n\",c\nd\n", 2, 100), Some(7));
    let prefix = Framing::Prefixed(Prefix::named("u32be").unwrap());
    assert_eq!(length(prefix, b"\xff\0\0\0abc", 0, 100), Some(0xff00_0004));
}
