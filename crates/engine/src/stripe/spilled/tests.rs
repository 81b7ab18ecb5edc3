//! Tests of files in several directories: whatever stands in a home, and members that are not as
//! they should be.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::stripe::{SpillPlace, SpillSet};

/// A set of two directories in a folder, with strides of one page and two.
fn set() -> (tempfile::TempDir, SpillSet) {
    let folder = tempfile::tempdir().expect("a folder");
    let definition = folder.path().join("set.str");
    let text = "sortwell-stripe 1\nbase 4096\nmember 1x - a/m\nmember 2x - b/m\n";
    fs::write(&definition, text).expect("write");
    ["a", "b"].iter().for_each(|name| fs::create_dir(folder.path().join(name)).expect("created"));
    let set = SpillSet::create(&SpillPlace::at(&definition).expect("a place")).expect("made");
    (folder, set)
}

#[test]
fn what_cannot_be_is_told() {
    let (folder, set) = set();
    let path = set.home().join(STRIPES_NAME);
    let good = fs::read_to_string(&path).expect("read");
    let name = set.home().file_name().expect("a name").to_str().expect("text").to_owned();
    let wrong = |text: &[u8], words: &str| {
        fs::write(&path, text).expect("write");
        for found in [
            open(&set.home().join("run"), Direct::Off).map(drop),
            create(&set.home().join("run"), Direct::Off).map(drop),
            remove(&set.home().join("run")),
        ] {
            match found {
                Err(Error::Corrupt { path: named, message, .. }) => {
                    assert!(named == path && message.to_string().contains(words), "{message}");
                }
                other => panic!("{words}: {other:?}"),
            }
        }
    };
    wrong(b"", "does not begin with");
    wrong(b"sortwell-stripe 1\n", "no members");
    wrong(&good.as_bytes()[..good.len() / 2], "");
    wrong(&vec![b'#'; 3 << 20], "longer than");
    wrong(good.replace(&name, "elsewhere").as_bytes(), "not a spill directory");
    wrong(good.replace("8192", "8191").as_bytes(), "stride");
    let other = name.replace(char::is_numeric, "1");
    wrong(good.replacen(&name, &other, 1).as_bytes(), "it belongs to");
    let named = format!("{}\nmember 4096 - {}\n", good, folder.path().join("a/m").display());
    wrong(named.as_bytes(), "not a spill directory");
    fs::remove_file(&path).expect("removed");
    let elsewhere = folder.path().join("elsewhere");
    fs::write(&elsewhere, good).expect("write");
    std::os::unix::fs::symlink(&elsewhere, &path).expect("a link");
    assert!(matches!(paths(&set.home().join("run")), Err(Error::Io { .. })), "links lead nowhere");
}

/// Whatever is there already is nobody's to open, and stays.
#[test]
fn what_is_taken_is_not_written_to() {
    let (_folder, set) = set();
    let path = set.home().join("run-000000");
    let files = paths(&path).expect("paths");
    fs::write(&files[1], "there").expect("write");
    assert!(matches!(create(&path, Direct::Off), Err(Error::Io { path, .. }) if path == files[1]));
    assert!(!files[0].exists());
    assert_eq!(fs::read(&files[1]).expect("read"), b"there");
    fs::remove_file(&files[1]).expect("removed");
    create(&path, Direct::Off).expect("created").preallocate(5000).expect("reserved");
    for (file, bytes) in files.iter().zip([4096, 904]) {
        let data = fs::metadata(file).expect("a member");
        assert_eq!((data.len(), data.permissions().mode() & 0o777), (bytes, 0o600));
    }
    assert_eq!(bytes(&path).expect("looked at"), Some(5000));
    remove(&path).expect("removed");
    assert_eq!(bytes(&path).expect("looked at"), None);
    assert!(remove(&path).is_err());
}

#[test]
fn a_member_that_does_not_fit_is_found() {
    let (_folder, set) = set();
    let path = set.home().join("run-000000");
    create(&path, Direct::Off).expect("created").set_len(30_000).expect("extended");
    let files = paths(&path).expect("paths");
    let open = || open(&path, Direct::Off);
    assert_eq!(open().expect("opened").misfit(30_000), None);
    let file = fs::OpenOptions::new().write(true).open(&files[1]).expect("open");
    file.set_len(100).expect("cut");
    let found = open().expect("opened");
    assert_eq!(found.misfit(30_000), Some((&*files[1], 100, 17_712)));
    fs::remove_file(&files[0]).expect("removed");
    assert!(matches!(open(), Err(Error::Io { path, .. }) if path == files[0]));
}

/// Room is given back of each member's part, and nothing else is touched.
#[test]
fn room_of_a_part_is_given_back() {
    let (_folder, set) = set();
    let path = set.home().join("run-000000");
    let content = vec![7; 20 * 4096];
    create(&path, Direct::Off).expect("created").write_at(&content, 0).expect("written");
    let file = reopen(&path, Direct::Off).expect("opened");
    if file.free(4096..8 * 4096).is_err() {
        return; // Not every file system can.
    }
    let mut read = vec![1; 20 * 4096];
    assert_eq!(file.read_at(&mut read, 0).expect("read"), read.len());
    let expected = [vec![7; 4096], vec![0; 7 * 4096], vec![7; 12 * 4096]].concat();
    assert!(read == expected);
}
