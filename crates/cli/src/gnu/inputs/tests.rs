//! Lists of names, and files that are not there.

use std::fs;

use sortwell::unstable::locale::Locale;

use super::*;

fn said(complaint: &Complaint) -> String {
    String::from_utf8(complaint.text(b"sort")).expect("UTF-8")
}

#[test]
fn lists_hold_names_between_nuls() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("list");
    let c = Locale::c();
    let read = |content: &str| {
        fs::write(&path, content).expect("write");
        listed(path.as_os_str(), Quoter::new(&c)).map_err(|complaint| said(&complaint))
    };
    assert_eq!(read("a\0b b\0").expect("good"), ["a", "b b"]);
    assert_eq!(read("a\0b").expect("good"), ["a", "b"]);
    assert_eq!(read("a\nb").expect("good"), ["a\nb"]);
    let shown = path.display();
    assert_eq!(read("").expect_err("empty"), format!("sort: no input from '{shown}'\n"));
    let zero = |line: u8| format!("sort: {shown}:{line}: invalid zero-length file name\n");
    assert_eq!(read("\0").expect_err("no name"), zero(1));
    assert_eq!(read("a\0\0b\0").expect_err("no name"), zero(2));
    let stdin = "sort: when reading file names from stdin, no file name of '-' allowed\n";
    assert_eq!(read("-\0").expect_err("stdin"), stdin);
}

#[test]
fn missing_files_are_named() {
    let c = Locale::c();
    let quoting = Quoter::new(&c);
    let files = ["-".into(), ".".into(), "no such".into()];
    let complaint = check_readable(&files, "cannot read", quoting).expect_err("missing");
    assert_eq!(said(&complaint), "sort: cannot read: 'no such': No such file or directory\n");
    let complaint = check_writable(OsStr::new("nowhere/x"), quoting).expect_err("missing");
    assert_eq!(said(&complaint), "sort: open failed: nowhere/x: No such file or directory\n");
    let complaint = check_writable(OsStr::new("."), quoting).expect_err("a folder");
    assert_eq!(said(&complaint), "sort: open failed: .: Is a directory\n");
    assert_eq!(check_writable(OsStr::new("not-yet-there"), quoting), Ok(()));
}
