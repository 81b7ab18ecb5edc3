//! Names of groups of lines, and what counting tells of them.

use super::super::Format;
use super::*;

#[test]
fn names_say_how_many_lines_and_which_byte_ends_them() {
    for (written, end, lines) in [
        ("lines:group=4", b'\n', 4),
        ("Lines:0,GROUP=2", 0, 2),
        ("lines:;,group=1", b';', 1),
        ("lines:,,group=1000000", b',', GROUP_LINES_MAX),
    ] {
        let expected = Format::LineGroups(LineGroup { end, lines });
        assert_eq!(written.parse(), Ok(expected), "{written}");
    }
    assert_eq!("lines:g".parse(), Ok(Format::Lines { terminator: b'g' }));
    for (written, said) in [
        ("lines:group=0", "'0' is not a number of lines; a record has 1 to 1000000"),
        ("lines:group=", "'' is not a number of lines"),
        ("lines:group=1000001", "'1000001' is not"),
        ("lines:group=4294967297", "is not a number of lines"),
        ("lines:ab,group=2", "'ab' is not a byte"),
        ("lines:0group=2", "'0group=2' is not a byte"),
    ] {
        let error = written.parse::<Format>().unwrap_err().to_string();
        assert!(error.contains(said), "{written}: {error}");
    }
}

#[test]
fn lines_are_counted_from_both_ends() {
    let group = LineGroup { end: b'\n', lines: 2 };
    let bytes = b"a\n\nbc\nd";
    assert_eq!(group.count_lines(bytes), 3);
    assert_eq!(group.record_length(bytes), Some(3));
    assert_eq!(group.record_length(&bytes[3..]), None, "it lacks a line");
    assert_eq!([0, 1, 2, 3].map(|behind| group.last_end(bytes, behind)), [6, 3, 2, 0]);
}
