//! Tests of the ways past the page cache.

use super::*;

#[test]
fn choices_are_read_back_from_their_names() {
    for direct in Direct::ALL {
        let name = direct.name();
        assert_eq!(name.parse(), Ok(direct));
        assert_eq!(direct.to_string(), name);
    }
    assert!("maybe".parse::<Direct>().unwrap_err().to_string().contains("auto, on or off"));
}

#[test]
fn file_systems_in_memory_are_refused() {
    let Ok(directory) = tempfile::tempdir_in("/dev/shm") else { return };
    let path = directory.path().join("file");
    std::fs::write(&path, [0; 4096]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let refused = DirectDescriptor::open(&path, &file, OFlags::RDONLY);
    assert_eq!(refused.err(), Some(Errno::INVAL));
}

#[test]
fn a_name_that_means_another_file_by_now_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, [0; 4096]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, [1; 4096]).unwrap();
    assert!(DirectDescriptor::open(&path, &file, OFlags::RDONLY).is_err());
}

#[test]
fn alignments_larger_than_a_buffer_are_refused() {
    for bytes in [1, 512, 4096, ALIGNMENT_MAX] {
        assert!(is_usable(bytes), "{bytes}");
    }
    for bytes in [0, 3, 6144, 2 * ALIGNMENT_MAX, 1 << 20] {
        assert!(!is_usable(bytes), "{bytes}");
    }
}

#[test]
fn alignments_are_powers_of_two_and_blocks_are_at_least_pages() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, [0; 8192]).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    let Ok(direct) = DirectDescriptor::open(&path, &file, OFlags::RDONLY) else { return };
    assert!(direct.memory_alignment.is_power_of_two());
    assert!(direct.block_bytes.is_power_of_two());
    assert!(direct.block_bytes >= rustix::param::page_size());
    assert!(direct.block_bytes.max(direct.memory_alignment) <= ALIGNMENT_MAX);
    assert!(direct.suits(0, 0) && direct.suits(1 << 20, direct.block_bytes as u64));
    assert!(!direct.suits(0, 1) && !direct.suits(0, direct.block_bytes as u64 / 2));
    direct.try_read().unwrap();
}
