//! Codes, places and messages of errors.

use super::*;

#[test]
fn places_are_those_of_the_errors() {
    let refused = std::io::Error::from_raw_os_error(5);
    let error = CallError::from(Error::io_at("read", Path::new("in"), 7, refused));
    assert_eq!((error.code(), error.offset(), error.record()), (4, Some(7), None));
    assert_eq!(error.file().map(CString::as_bytes), Some(&b"in"[..]));
    let error = CallError::from(Error::Interrupted);
    assert_eq!((error.code(), error.file()), (130, None));
}

#[test]
fn messages_are_one_line() {
    let line = |text: &str| CallError::usage(text).message().to_str().expect("UTF-8").to_owned();
    assert_eq!(line("a\0b\tc\nd é"), r"a\u{0}b\tc\nd é");
    let marked = "--include <EXPR>: expected a value, but found the end\n  1 >\n     ^";
    let expected = "--include <EXPR>: expected a value, but found the end, at character 4 of '1 >'";
    assert_eq!(line(marked), expected);
}
