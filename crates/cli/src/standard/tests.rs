//! Words that cannot be said, and errors of the system within those of the library.

use crate::failure::usage_error;
use std::path::Path;

use super::*;

#[test]
fn the_reason_is_that_of_the_system() {
    let full = Error::io("write", Path::new("out"), io::ErrorKind::StorageFull);
    assert_eq!(reason(full).kind(), io::ErrorKind::StorageFull);
    assert_eq!(reason(usage_error("what to do")).to_string(), "what to do");
}

#[test]
fn a_text_is_read_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text");
    std::fs::write(&path, "a text\n".repeat(10_000)).expect("write");
    let mut text = String::new();
    Text::open(&path).expect("open").read_to_string(&mut text).expect("read");
    assert_eq!(text.len(), 70_000);
}
