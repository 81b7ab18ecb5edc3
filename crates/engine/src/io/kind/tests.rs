//! Which inputs are read in order, by what the system says of them.

use std::fs;

use super::*;

fn kind(path: &Path) -> InputKind {
    InputKind::of(path, &Progress::new()).unwrap()
}

#[test]
fn files_have_offsets_with_and_without_bytes_or_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for length in [0, 1, 4096, 1 << 20] {
        File::create(&path).unwrap().set_len(length).unwrap();
        assert!(matches!(kind(&path), InputKind::Offsets), "a hole of {length} bytes");
    }
    fs::write(&path, "text").unwrap();
    assert!(matches!(kind(&path), InputKind::Offsets));
    assert!(matches!(kind(folder.path()), InputKind::Offsets), "opening says what is wrong");
    assert!(matches!(kind(&folder.path().join("missing")), InputKind::Offsets));
}

#[test]
fn devices_and_files_without_a_length_are_read_in_order() {
    assert!(matches!(kind(Path::new("/dev/null")), InputKind::Order));
    let InputKind::Begun(status) = kind(Path::new("/proc/self/status")) else {
        panic!("a file of /proc tells no length");
    };
    let mut buffer = vec![0; 1 << 16];
    let filled = PipeReader::supplied(status).fill(&mut buffer, &Progress::new()).unwrap();
    assert!(buffer[..filled].starts_with(b"Name:\t"));
}

/// They tell a page, and hold less.
#[test]
fn files_of_sys_are_read_in_order() {
    let path = Path::new("/sys/kernel/mm/transparent_hugepage/enabled");
    if path.exists() {
        assert!(matches!(kind(path), InputKind::Order));
    }
}
