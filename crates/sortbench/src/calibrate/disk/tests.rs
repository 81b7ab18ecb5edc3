//! Figures of the disk that tests run on: of sense, whatever it is, and nothing is left there.

use super::*;

#[test]
fn a_disk_is_measured_alone_and_with_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let directories = ["one", "two"].map(|name| folder.path().join(name));
    for directory in &directories {
        std::fs::create_dir(directory).expect("a directory");
    }
    let time = Duration::from_secs(2);
    let found = disks(&directories, time, &Progress::new()).expect("measured");
    assert_eq!(found.disks.len(), 2);
    for (disk, directory) in found.disks.iter().zip(&directories) {
        assert_eq!(disk.directory, *directory);
        assert!(disk.read > 1e6 && disk.write > 1e6 && disk.both > 1e6, "{disk:?}");
        assert!(REQUESTS.contains(&(disk.request_bytes as usize)), "{disk:?}");
        assert!(DEPTHS.contains(&disk.queue_depth) && disk.read_factor >= 0.0, "{disk:?}");
        assert_eq!(std::fs::read_dir(directory).expect("read").count(), 0, "nothing is left");
    }
    let together = found.together.expect("two");
    assert!(together.read > 1e6 && together.write > 1e6, "{together:?}");
}

#[test]
fn what_cannot_be_measured_says_so() {
    let nowhere = [PathBuf::from("/nowhere at all")];
    let failed = disks(&nowhere, Duration::from_secs(1), &Progress::new());
    assert!(matches!(failed, Err(Error::Io { .. })), "{failed:?}");
    let progress = Progress::new();
    progress.request_stop();
    let folder = tempfile::tempdir().expect("a folder");
    let stopped = disks(&[folder.path().to_owned()], Duration::from_secs(60), &progress);
    assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0);
}
