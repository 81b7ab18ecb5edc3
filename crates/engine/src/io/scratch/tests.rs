//! Tests of temporary names: made, kept, renamed, and gone.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::io::sweep;

fn entries(directory: &Path) -> Vec<OsString> {
    let mut names = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect::<Vec<_>>();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_dropped_output_is_gone_and_what_had_its_name_stays() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("out");
    fs::write(&target, "old").unwrap();
    let made = TempFile::create(&target, Direct::Auto).unwrap();
    made.file().preallocate(1000).unwrap();
    assert_eq!(entries(directory.path()).len(), 2);
    drop(made);
    assert_eq!(entries(directory.path()), ["out"]);
    assert_eq!(fs::read(&target).unwrap(), b"old");
}

#[test]
fn a_persisted_output_has_its_name_and_its_predecessors_mode() {
    for sync in [false, true] {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("out");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        let made = TempFile::create(&target, Direct::Auto).unwrap();
        made.file().set_len(5).unwrap();
        made.persist(&target, sync).unwrap();
        assert_eq!(entries(directory.path()), ["out"]);
        assert_eq!(fs::read(&target).unwrap(), [0; 5]);
        assert_eq!(mode(&target), 0o640);
    }
}

#[test]
fn the_group_is_kept_where_the_owner_cannot_be() {
    let directory = tempfile::tempdir().unwrap();
    let new = stat(directory.path()).unwrap();
    let mut old = new;
    (old.st_uid, old.st_gid) = (new.st_uid + 1, new.st_gid + 1);
    for may_group in [false, true] {
        let chown = |user: Option<Uid>, group: Option<Gid>| {
            assert_eq!(group.map(Gid::as_raw), Some(old.st_gid));
            if user.is_none() && may_group { Ok(()) } else { Err(Errno::PERM) }
        };
        assert_eq!(take_owner(&new, &old, chown), may_group);
    }
    assert!(take_owner(&new, &old, |_, _| Ok(())));
    let refused = |_: Option<Uid>, _: Option<Gid>| Err(Errno::PERM);
    assert!(take_owner(&new, &new, refused), "nothing to change");
    old.st_gid = new.st_gid;
    assert!(take_owner(&new, &old, refused), "it has the group already");
}

#[test]
fn another_group_gets_no_more_than_all_users() {
    for (old, mode) in [
        (0o660, 0o600),
        (0o664, 0o644),
        (0o755, 0o755),
        (0o604, 0o604),
        (0o647, 0o647),
        (0o2770, 0o700),
        (0o6775, 0o755),
    ] {
        assert_eq!(mode_after(old, false), mode, "{old:o}");
        assert_eq!(mode_after(old, true), old & 0o777, "{old:o}");
    }
}

#[test]
fn a_renamed_output_names_the_directory_to_sync() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = here.path().join("link");
    std::os::unix::fs::symlink(there.path().join("target"), &link).unwrap();
    let directory = TempFile::create(&link, Direct::Off).unwrap().rename(&link, true).unwrap();
    assert_eq!(directory, there.path());
    assert_eq!(entries(there.path()), ["target"]);
}

#[test]
fn a_new_output_has_the_mode_of_any_new_file() {
    let directory = tempfile::tempdir().unwrap();
    let (target, plain) = (directory.path().join("out"), directory.path().join("plain"));
    fs::write(&plain, "").unwrap();
    TempFile::create(&target, Direct::Off).unwrap().persist(&target, true).unwrap();
    assert_eq!(mode(&target), mode(&plain));
}

#[test]
fn a_link_stays_and_its_target_is_replaced() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (link, target) = (here.path().join("link"), there.path().join("target"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let made = TempFile::create(&link, Direct::Auto).unwrap();
    assert_eq!(entries(here.path()), ["link"]);
    made.persist(&link, false).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&target).unwrap(), b"");
}

#[test]
fn final_paths_that_a_rename_would_destroy_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |path: &Path| TempFile::create(path, Direct::Auto).unwrap_err();
    assert!(matches!(refused(directory.path()), Error::Io { .. } | Error::NoSpace { .. }));
    assert!(matches!(refused(Path::new("/dev/null")), Error::Config(_)));
    assert!(matches!(refused(Path::new("/")), Error::Io { .. } | Error::NoSpace { .. }));
    assert!(matches!(refused(Path::new("")), Error::Config(_)));
    let missing = refused(&directory.path().join("missing/out")).to_string();
    assert!(missing.contains("missing/out") && !missing.contains("sortwell-"), "{missing}");
    assert!(entries(directory.path()).is_empty());
}

#[test]
fn the_longest_names_and_odd_bytes_work() {
    let directory = tempfile::tempdir().unwrap();
    for name in [vec![b'x'; 255], b"not \xff utf8".to_vec()] {
        let target = directory.path().join(OsStr::from_bytes(&name));
        TempFile::create(&target, Direct::Auto).unwrap().persist(&target, false).unwrap();
        assert!(target.exists());
    }
}

#[test]
fn a_failed_rename_leaves_nothing_behind() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("out");
    let made = TempFile::create(&target, Direct::Auto).unwrap();
    fs::create_dir(&target).unwrap();
    let error = made.persist(&target, false).unwrap_err();
    assert!(matches!(error, Error::Io { action: "replace", .. }), "{error}");
    assert_eq!(entries(directory.path()), ["out"]);
}

#[test]
fn a_spill_directory_goes_with_all_its_files() {
    let parent = tempfile::tempdir().unwrap();
    let spill = SpillDirectory::create(parent.path()).unwrap();
    let run = File::create(&spill.path().join("run-1"), Direct::Auto).unwrap();
    run.preallocate(4096).unwrap();
    assert_eq!(mode(spill.path()), 0o700);
    drop(spill);
    assert!(entries(parent.path()).is_empty());

    let missing = SpillDirectory::create(&parent.path().join("missing")).unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
}

/// A name that cannot be removed keeps the directory and its lock, and no other file.
#[test]
fn one_name_that_stays_keeps_no_file() {
    let parent = tempfile::tempdir().unwrap();
    let spill = SpillDirectory::create(parent.path()).unwrap();
    let path = spill.path().to_owned();
    fs::create_dir(path.join("run-000003")).unwrap();
    for number in 0..6 {
        fs::write(path.join(format!("run-00000{number}-of")), b"records").unwrap();
    }
    drop(spill);
    let mut left = entries(&path);
    left.sort();
    assert_eq!(left, [LOCK_NAME, "run-000003"]);
}

#[test]
fn names_are_what_the_sweeper_looks_for() {
    let directory = tempfile::tempdir().unwrap();
    let made = TempFile::create(&directory.path().join("out"), Direct::Auto).unwrap();
    let spill = SpillDirectory::create(directory.path()).unwrap();
    let ours = std::process::id();
    let names = entries(directory.path());
    assert_eq!(names.len(), 2);
    assert!(names[0].to_str().unwrap().starts_with(&format!(".out.sortwell-{ours}-")));
    assert!(names[1].to_str().unwrap().starts_with(&format!("sortwell-spill-{ours}-")));
    assert_eq!(sweep(directory.path()).unwrap(), 0);
    drop((made, spill));
}

/// A spill directory with a manifest, whose job was killed.
fn left_in(parent: &Path) -> PathBuf {
    let mut made = SpillDirectory::create(parent).unwrap();
    fs::write(made.path().join(KEPT_NAME), "").unwrap();
    fs::write(made.path().join("run-000000"), "x").unwrap();
    made.keep(true);
    made.path().to_owned()
}

#[test]
fn a_kept_directory_is_taken_over_by_one_and_removed_by_nobody_unasked() {
    let parent = tempfile::tempdir().unwrap();
    let left = left_in(parent.path());
    assert_eq!(sweep(parent.path()).unwrap(), 0);
    assert_eq!(crate::io::spill_directories(parent.path()).unwrap().first(), Some(&left));
    let adopted = SpillDirectory::adopt(&left).unwrap().expect("nobody has it");
    assert!(SpillDirectory::adopt(&left).unwrap().is_none(), "somebody has it");
    drop(adopted);
    let mut adopted = SpillDirectory::adopt(&left).unwrap().expect("it was let go");
    adopted.keep(false);
    drop(adopted);
    assert!(entries(parent.path()).is_empty());
}

#[test]
fn what_others_could_have_made_is_not_taken_over() {
    let parent = tempfile::tempdir().unwrap();
    let left = left_in(parent.path());
    fs::set_permissions(&left, fs::Permissions::from_mode(0o770)).unwrap();
    assert!(matches!(SpillDirectory::adopt(&left), Err(Error::Config(_))));
    fs::set_permissions(&left, fs::Permissions::from_mode(0o700)).unwrap();
    let link = parent.path().join("link");
    std::os::unix::fs::symlink(&left, &link).unwrap();
    assert!(SpillDirectory::adopt(&link).is_err(), "a link is not followed");
}

#[test]
fn an_output_on_its_way_is_for_its_user_alone() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("out");
    let part = TempFile::part_path(&target).unwrap();
    assert!(is_part(&part) && !is_part(&target));
    let made = TempFile::part(&part, true, Direct::Auto).unwrap();
    assert_eq!(mode(&part), 0o600);
    drop(made);
    let made = TempFile::part(&part, false, Direct::Auto).expect("it was kept");
    made.persist(&target, false).unwrap();
    assert_eq!(mode(&target), 0o666 & !limits::umask());
    let mut other = TempFile::part(&part, true, Direct::Auto).unwrap();
    other.keep(false);
    drop(other);
    assert_eq!(entries(directory.path()), ["out"]);
}
