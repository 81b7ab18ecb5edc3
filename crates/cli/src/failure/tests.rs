//! Messages, exit statuses and the closed pipe.

use crate::failure::usage_error;
use std::path::Path;

use super::*;

fn io_error(kind: io::ErrorKind) -> Error {
    Error::io("write", Path::new("out"), io::Error::from(kind))
}

#[test]
fn message_is_the_error_and_its_causes() {
    let failure = Failure::from(io_error(io::ErrorKind::PermissionDenied));
    assert_eq!(failure.message(), "cannot write out: permission denied");
    assert_eq!(failure.status(), 4);
}

#[test]
fn status_follows_the_library_and_the_signal() {
    assert_eq!(Failure::from(usage_error("x")).status(), 2);
    assert_eq!(Failure::Signal { number: 2, error: Some(Error::Interrupted) }.status(), 130);
    assert_eq!(Failure::Signal { number: 15, error: None }.status(), 143);
    assert_eq!(Failure::from(io::Error::other("full")).status(), 4);
}

#[test]
fn a_report_that_cannot_be_written_is_no_loss_of_the_output() {
    let failure = Failure::Page(io_error(io::ErrorKind::StorageFull));
    let said = "cannot write out: no storage space; the output is complete, but has no report";
    assert_eq!((failure.message().as_str(), failure.status()), (said, 4));
}

#[test]
fn control_characters_of_names_are_escaped() {
    assert_eq!(escaped("a\x1b[2Jb\rc: ä\n  ^"), "a\\u{1b}[2Jb\\rc: ä\n  ^");
}

#[test]
fn a_closed_pipe_is_no_error() {
    assert!(Failure::from(io_error(io::ErrorKind::BrokenPipe)).is_closed_pipe());
    assert!(Failure::from(io::Error::from(io::ErrorKind::BrokenPipe)).is_closed_pipe());
    assert!(!Failure::from(io_error(io::ErrorKind::StorageFull)).is_closed_pipe());
    assert!(!Failure::from(usage_error("x")).is_closed_pipe());
}
