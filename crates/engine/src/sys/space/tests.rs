//! Tests of the question how much room is left.

use super::*;

#[test]
fn a_directory_has_room_and_a_missing_one_is_named() {
    let directory = tempfile::tempdir().unwrap();
    assert!(free(directory.path()).unwrap() > ByteSize::mib(1));
    let missing = directory.path().join("missing");
    let message = free(&missing).unwrap_err().to_string();
    assert!(message.contains("missing"), "{message}");
}
