//! Tests of outputs that cannot be finished.

use std::fs;

use super::*;

#[test]
fn a_redirected_output_whose_last_steps_fail_is_emptied() {
    let directory = tempfile::tempdir().unwrap();
    let (path, progress) = (directory.path().join("out"), Progress::new());
    fs::write(&path, "").unwrap();
    let mut output = OpenOutput::redirected(File::open_empty(&path, Direct::Off).unwrap());
    output.write_all(b"records", &progress).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"records");
    // No file can have this length.
    let error = output.finish(u64::MAX, true, &progress).unwrap_err();
    assert!(matches!(error, Error::Io { action: "set the length of", .. }), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"");
}
