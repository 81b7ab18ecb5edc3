//! Which names mean descriptors, and which do not.

use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;

use super::*;

#[test]
fn names_of_descriptors_are_known_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    symlink("second", &first).unwrap();
    symlink("/dev/stdout", &second).unwrap();
    for (path, number) in [
        (Path::new("/dev/stdin"), STDIN),
        (Path::new("/dev/fd/1"), STDOUT),
        (Path::new("/proc/self/fd/2"), STDERR),
        (Path::new("/proc/thread-self/fd/0"), STDIN),
        (&first, STDOUT),
    ] {
        assert_eq!(named_by(path), Some(number), "{}", path.display());
        assert!(matches!(look(path), Ok(Err(found)) if found == number), "{}", path.display());
    }
}

#[test]
fn other_names_mean_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "seven b").unwrap();
    fs::create_dir(at("fd")).unwrap();
    symlink("../file", at("fd/1")).unwrap();
    symlink("circle", at("circle")).unwrap();
    for name in ["file", "fd/1"] {
        assert_eq!(named_by(&at(name)), None, "{name}");
        assert!(matches!(look(&at(name)), Ok(Ok(data)) if data.len() == 7), "{name}");
    }
    for name in ["missing", "circle"] {
        assert_eq!(named_by(&at(name)), None, "{name}");
        assert!(look(&at(name)).is_err(), "{name}");
    }
    assert_eq!(named_by(Path::new("/proc/self/cwd")), None);
    assert_eq!(named_by(Path::new("/dev/fd/9999999")), None);
}

#[test]
fn a_duplicate_shares_the_place() {
    use io::{Read, Seek};
    let mut file = tempfile::tempfile().unwrap();
    io::Write::write_all(&mut file, b"abc").unwrap();
    file.seek(io::SeekFrom::Start(1)).unwrap();
    let mut own = fs::File::from(duplicate(file.as_raw_fd()).unwrap());
    let mut read = [0];
    own.read_exact(&mut read).unwrap();
    assert_eq!((read, file.stream_position().unwrap()), (*b"b", 2));
    assert_eq!(duplicate(9_999_999).unwrap_err(), Errno::BADF);
    assert_eq!(duplicate(-1).unwrap_err(), Errno::BADF);
}
