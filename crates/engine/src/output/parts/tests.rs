//! Tests of the names that parts get: where links lead, and what is refused before a file is lost.

use std::os::unix::fs::symlink;

use tempfile::{TempDir, tempdir, tempdir_in};

use super::*;

/// Makes parts of an output `out` in a folder, each with its name as content.
fn made(folder: &TempDir, names: &[&str]) -> OutputParts {
    let parts = OutputParts::new(&folder.path().join("out"), Direct::Off, false).unwrap();
    for name in names {
        let Sink::File(sink) = parts.open(name).unwrap() else { panic!("not a file") };
        sink.file().write_at(name.as_bytes(), 0).unwrap();
        parts.close(name.len() as u64);
    }
    parts
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn names(folder: &TempDir) -> Vec<OsString> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    names
}

/// Asserts that parts get no names, and that the file of the first stays.
fn refuses(folder: &TempDir, parts: OutputParts, words: &[&str]) {
    fs::write(folder.path().join("out-a"), "old").unwrap();
    let before = names(folder).len();
    let error = parts.finish(true).unwrap_err();
    assert_eq!(error.config_kind(), Some(ConfigErrorKind::InvalidPath), "{error}");
    let said = error.to_string();
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    drop(parts);
    assert_eq!(read(folder, "out-a"), "old");
    assert_eq!(names(folder).len(), before - 1, "the directory of the parts is left");
}

#[test]
fn parts_go_where_links_lead_and_all_directories_are_synced() {
    let (folder, other) = (tempdir().unwrap(), tempdir().unwrap());
    symlink(other.path().join("target"), folder.path().join("out-b")).unwrap();
    symlink("in-place", folder.path().join("out-c")).unwrap();
    let parts = made(&folder, &["a", "b", "c"]);
    {
        let made = parts.made.lock().unwrap();
        let directories = parts.directories(&made).unwrap();
        let paths: Vec<_> = directories.into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, [folder.path().join("out-a"), folder.path().join("out-b")]);
    }
    parts.finish(true).unwrap();
    drop(parts);
    assert_eq!((read(&folder, "out-a"), read(&other, "target")), ("a".into(), "b".into()));
    assert_eq!(read(&folder, "in-place"), "c");
    assert!(fs::symlink_metadata(folder.path().join("out-b")).unwrap().is_symlink());
    assert_eq!(names(&folder), ["in-place", "out-a", "out-b", "out-c"]);
}

#[test]
fn a_part_on_another_file_system_is_refused() {
    let (folder, Ok(other)) = (tempdir().unwrap(), tempdir_in("/dev/shm")) else { return };
    let device = |folder: &TempDir| fs::metadata(folder.path()).unwrap().dev();
    if device(&folder) == device(&other) {
        return;
    }
    symlink(other.path().join("target"), folder.path().join("out-b")).unwrap();
    refuses(&folder, made(&folder, &["a", "b"]), &["out-b", "another file system"]);
    assert_eq!(names(&other), [""; 0]);
}

#[test]
fn two_parts_with_one_target_are_refused() {
    let folder = tempdir().unwrap();
    symlink("out-a", folder.path().join("out-b")).unwrap();
    for name in ["out-c", "out-d"] {
        symlink("elsewhere", folder.path().join(name)).unwrap();
    }
    let words = ["out-a and ", "out-b lead to one file"];
    refuses(&folder, made(&folder, &["a", "b"]), &words);
    let words = ["out-c and ", "out-d lead to one file"];
    refuses(&folder, made(&folder, &["a", "c", "d"]), &words);
    assert!(!folder.path().join("elsewhere").exists());
}

#[test]
fn a_part_with_a_name_that_is_too_long_is_refused() {
    let folder = tempdir().unwrap();
    let parts = made(&folder, &["a"]);
    assert!(parts.open(&"x".repeat(255 - "out-".len())).is_ok());
    let name = "x".repeat(256 - "out-".len());
    let error = parts.open(&name).unwrap_err();
    let Error::Io { path, source, .. } = &error else { panic!("{error}") };
    assert_eq!(path.file_name().unwrap().len(), 256);
    assert_eq!(source.kind(), ErrorKind::InvalidFilename, "{source}");
}
