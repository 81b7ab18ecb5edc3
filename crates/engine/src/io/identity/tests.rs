//! Spellings of one name, and names that are not one.

use std::fs;
use std::os::unix::fs::symlink;

use super::{DirectoryIdentity, NameIdentity, distinct};

#[test]
fn spellings_of_one_name_are_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("d")).expect("a directory");
    symlink("d", at("link")).expect("a link");
    symlink("../d/e", at("d/to-e")).expect("a link");
    for path in ["./d/e", "d/../d/e", "link/e", "d//e"] {
        assert_eq!(NameIdentity::of(&at(path)), NameIdentity::of(&at("d/e")), "{path}");
    }
    let is_behind = |path: &str| {
        NameIdentity::behind_links(&at(path)) == NameIdentity::behind_links(&at("d/e"))
    };
    assert!(is_behind("link/e") && is_behind("d/to-e"), "the file that would be created");
    fs::write(at("d/e"), "there").expect("write");
    assert!(is_behind("d/to-e") && is_behind("link/to-e"));
    assert_ne!(NameIdentity::of(&at("d/to-e")), NameIdentity::of(&at("d/e")));
    assert_ne!(NameIdentity::of(&at("d/f")), NameIdentity::of(&at("d/e")));
    assert_ne!(NameIdentity::of(&at("e")), NameIdentity::of(&at("d/e")));
    assert_eq!(NameIdentity::of(&at("no/e")), NameIdentity::of(&at("./no/e")));
    let directories = ["d", "./d", "link", "no", "./no", "."].map(at);
    let left = distinct(directories, |path| DirectoryIdentity::of(path));
    assert_eq!(left, ["d", "no", "."].map(at));
}
