//! Groups below directories that only look like the kernel's.

use super::*;

#[test]
fn places_are_of_both_versions() {
    let groups = "4:memory,cpu:/box/1\n3:pids:/\n0::/user\n";
    let found = places(Path::new("/c"), groups);
    let paths: Vec<_> = found.iter().map(|(path, file)| (path.to_str().unwrap(), *file)).collect();
    assert_eq!(
        paths,
        [
            ("/c/memory/box/1", "memory.limit_in_bytes"),
            ("/c/memory", "memory.limit_in_bytes"),
            ("/c/user", "memory.max"),
            ("/c", "memory.max"),
        ]
    );
}

/// An ordinary directory has no limit in it: that is no confinement, and nothing is left there.
#[test]
fn what_is_no_group_confines_nothing() {
    let mount = tempfile::tempdir().unwrap();
    assert!(Confinement::below(mount.path(), "0::/\n", ByteSize::mib(64)).is_none());
    assert_eq!(fs::read_dir(mount.path()).unwrap().count(), 0);
}
