//! Tests of names that no file can have, and of links to them.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;

/// Names in a directory that a file can have, then those that it cannot, with a word of the error.
const GOOD: [&str; 4] = ["new", "file", "link", "./new"];
const BAD: [(&str, &str); 7] = [
    ("new/", "does not name a file"),
    ("new/.", "does not name a file"),
    ("new//", "does not name a file"),
    ("slash", "does not name a file"),
    ("file/", "cannot write"),
    ("file/new", "cannot write"),
    ("circle", "cannot write"),
];

fn directory() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("file"), "old").unwrap();
    for (target, name) in [("new", "link"), ("new/", "slash"), ("circle", "circle")] {
        symlink(target, directory.path().join(name)).unwrap();
    }
    directory
}

#[test]
fn names_that_no_file_can_have_are_refused() {
    let directory = directory();
    let long = |bytes: usize| directory.path().join("x".repeat(bytes));
    let good = GOOD.map(|name| directory.path().join(name));
    for path in good.iter().chain([&long(255), &directory.path().to_owned()]) {
        check_name(path).unwrap();
        check_replaceable(path).unwrap();
    }
    let bad = BAD.map(|(name, words)| (directory.path().join(name), words));
    for (path, words) in bad.iter().chain([&(long(256), "cannot write")]) {
        let errors = [
            check_name(path).unwrap_err(),
            check_replaceable(path).unwrap_err(),
            checked_target(path).unwrap_err(),
        ];
        for error in errors {
            let said = error.to_string();
            assert!(said.contains(words) && said.contains(path.to_str().unwrap()), "{said}");
        }
    }
}

#[test]
fn a_directory_that_is_missing_is_refused() {
    let directory = directory();
    let path = directory.path().join("missing/new");
    let error = check_name(&path).unwrap_err();
    assert!(matches!(error, Error::Io { action: "write", .. }), "{error}");
}
