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
fn a_zero_byte_does_not_end_a_message() {
    let error = CallError::usage("a\0b");
    assert_eq!(error.message().to_bytes(), b"ab");
}
