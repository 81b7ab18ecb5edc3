//! Which paths are files and which are streams, and small files written whole.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sortwell::Progress;

use super::{GeneratorDestination, OpenedSource, ValidatorSource};

#[test]
fn a_dash_is_a_standard_stream() {
    assert_eq!(ValidatorSource::named("-".into()), ValidatorSource::Stdin);
    assert_eq!(GeneratorDestination::named("-".into()), GeneratorDestination::Stdout);
    let path = PathBuf::from("./-");
    assert_eq!(ValidatorSource::named(path.clone()), ValidatorSource::File(path.clone()));
    assert_eq!(GeneratorDestination::named(path.clone()), GeneratorDestination::File(path));
}

#[test]
fn devices_are_streams() {
    let null = PathBuf::from("/dev/null");
    let opened = ValidatorSource::File(null.clone());
    assert!(matches!(opened.open(&Progress::new()).unwrap(), OpenedSource::Stream(_)));
    assert_eq!(GeneratorDestination::File(null).replaceable().unwrap(), None);
    assert_eq!(GeneratorDestination::Stdout.replaceable().unwrap(), None);
}

#[test]
fn new_names_and_files_can_be_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let to = GeneratorDestination::File(path.clone());
    assert_eq!(to.replaceable().unwrap(), Some(&*path));
    fs::write(&path, b"old").unwrap();
    assert_eq!(to.replaceable().unwrap(), Some(&*path));
    let from = ValidatorSource::File(path.clone());
    let opened = from.open(&Progress::new()).unwrap();
    assert!(matches!(opened, OpenedSource::File(named) if named == path));
}

#[test]
fn whole_files_replace_behind_links_and_leave_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("file"), directory.path().join("link"));
    fs::write(&file, b"old").unwrap();
    symlink(&file, &link).unwrap();
    GeneratorDestination::File(link.clone()).write_whole(b"new", &Progress::new()).unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert!(link.is_symlink());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    GeneratorDestination::File("/dev/null".into()).write_whole(b"gone", &Progress::new()).unwrap();
    assert!(!Path::new("/dev/null").is_file());
}
