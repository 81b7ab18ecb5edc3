//! Disks under devices of all kinds, in a copy of what `/sys` has of them.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::makedev;

use super::*;

/// Two disks: one with two partitions, one with a mapping over it and a partition of the first; and
/// a file of the second as a device.
fn system() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["block", "sda/sda1", "sda/sda2", "sdb", "dm-0/slaves", "sda/slaves", "loop0/loop"]
    {
        fs::create_dir_all(at(name)).expect("a directory");
    }
    for name in ["sda/sda1", "sda/sda2"] {
        fs::write(at(name).join("partition"), "1\n").expect("write");
    }
    for (name, below) in [("sda2", "sda/sda2"), ("sdb", "sdb")] {
        symlink(at(below), at("dm-0/slaves").join(name)).expect("a link");
    }
    let devices = [("8:1", "sda/sda1"), ("8:16", "sdb"), ("253:0", "dm-0"), ("7:0", "loop0")];
    for (numbers, name) in devices {
        symlink(at(name), at("block").join(numbers)).expect("a link");
    }
    folder
}

fn disks(folder: &tempfile::TempDir, (major, minor): (u32, u32)) -> Vec<String> {
    let mut found = BTreeSet::new();
    add_device(&folder.path().join("block"), makedev(major, minor), DEPTH_MAX, &mut found);
    found.into_iter().collect()
}

#[test]
fn partitions_and_mappings_lie_on_disks() {
    let folder = system();
    assert_eq!(disks(&folder, (8, 1)), ["sda"]);
    assert_eq!(disks(&folder, (8, 16)), ["sdb"]);
    assert_eq!(disks(&folder, (253, 0)), ["sda", "sdb"]);
    assert_eq!(disks(&folder, (0, 42)), ["0:42"], "no block device");
}

#[test]
fn a_file_as_a_device_lies_on_the_disk_of_the_file() {
    let folder = system();
    assert_eq!(disks(&folder, (7, 0)), ["loop0"], "no file is known");
    let file = folder.path().join("image");
    fs::write(&file, "").expect("write");
    fs::write(folder.path().join("loop0/loop/backing_file"), format!("{}\n", file.display()))
        .expect("write");
    let number = stat(&file).expect("a file").st_dev;
    let numbers = format!("{}:{}", major(number), minor(number));
    assert_eq!(disks(&folder, (7, 0)), [numbers.as_str()]);
    symlink(folder.path().join("sdb"), folder.path().join("block").join(&numbers)).expect("a link");
    assert_eq!(disks(&folder, (7, 0)), ["sdb"]);
}

/// A mapping over itself, which cannot be, is no endless way.
#[test]
fn devices_that_lie_on_themselves_end() {
    let folder = system();
    symlink(folder.path().join("dm-0"), folder.path().join("dm-0/slaves/dm-0")).expect("a link");
    assert_eq!(disks(&folder, (253, 0)), ["dm-0", "sda", "sdb"]);
}

#[test]
fn directories_of_one_file_system_are_on_the_same_disks() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("d")).expect("a directory");
    let found = disks_of(folder.path()).expect("disks");
    assert!(!found.is_empty());
    assert_eq!(disks_of(&folder.path().join("d")).expect("disks"), found);
    assert!(disks_of(Path::new("/nowhere at all")).is_err());
}
