//! Tests of the sweeper: litter goes, all else stays, and living jobs are never robbed.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::io::{Direct, SpillDirectory, TempFile};

/// No process has this number: Linux stops at 2^22.
const DEAD: u32 = 2_000_000_000;

const DIGITS: &str = "0123456789abcdef";

fn dead_file(name: &str) -> String {
    format!(".{name}.sortwell-{DEAD}-{DIGITS}.tmp")
}

fn dead_directory() -> String {
    format!("sortwell-spill-{DEAD}-{DIGITS}")
}

#[test]
fn litter_of_dead_processes_is_removed_and_counted() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path();
    fs::write(path.join(dead_file("out")), "half").unwrap();
    fs::write(path.join(dead_file("out.sortwell-1-0.tmp")), "half").unwrap();
    fs::create_dir(path.join(dead_directory())).unwrap();
    fs::write(path.join(dead_directory()).join("lock"), "").unwrap();
    fs::write(path.join(dead_directory()).join("run-1"), "spilled").unwrap();
    let empty = format!("sortwell-spill-{DEAD}-{}", "0".repeat(RANDOM_DIGITS));
    fs::create_dir(path.join(empty)).unwrap();
    fs::write(path.join("bystander"), "kept").unwrap();
    assert_eq!(sweep(path).unwrap(), 4);
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
    assert_eq!(sweep(path).unwrap(), 0);
}

#[test]
fn what_would_be_removed_is_listed_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (file, directory) = (dead_file("out"), dead_directory());
    fs::write(folder.path().join(&file), b"half").unwrap();
    fs::create_dir(folder.path().join(&directory)).unwrap();
    fs::write(folder.path().join("other"), b"mine").unwrap();
    let listed = [folder.path().join(&file), folder.path().join(&directory)];
    assert_eq!(abandoned(folder.path()).unwrap(), listed);
    assert_eq!(sweep(folder.path()).unwrap(), 2);
    assert!(abandoned(folder.path()).unwrap().is_empty());
    assert!(abandoned(&folder.path().join("missing")).unwrap().is_empty());
}

#[test]
fn names_that_only_look_similar_are_never_touched() {
    let place = tempfile::tempdir().unwrap();
    let near = [
        format!("out.sortwell-{DEAD}-{DIGITS}.tmp"),
        format!("..sortwell-{DEAD}-{DIGITS}.tmp").replacen("..", ".", 1),
        format!(".out.sortwell-{DEAD}-{DIGITS}.tmp~"),
        format!(".out.sortwell-{DEAD}-{DIGITS}0.tmp"),
        format!(".out.sortwell-{DEAD}-{}.tmp", DIGITS.to_uppercase()),
        format!(".out.sortwell-0{DEAD}-{DIGITS}.tmp"),
        format!(".out.sortwell-+1-{DIGITS}.tmp"),
        format!(".out.sortwell--{DIGITS}.tmp"),
        format!(".out.sortwell-{DEAD}.tmp"),
        format!("sortwell-spill-{DEAD}-{DIGITS}.tmp"),
        format!("sortwell-spill-{DEAD}-0"),
        format!("my-sortwell-spill-{DEAD}-{DIGITS}"),
    ];
    for name in &near {
        fs::write(place.path().join(name), "kept").unwrap();
    }
    // The right name on the wrong kind of thing.
    fs::create_dir(place.path().join(dead_file("directory"))).unwrap();
    fs::write(place.path().join(dead_directory()), "a file").unwrap();
    let target = place.path().join("target");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("lock"), "").unwrap();
    let link = format!("sortwell-spill-{DEAD}-{}", "f".repeat(RANDOM_DIGITS));
    std::os::unix::fs::symlink(&target, place.path().join(link)).unwrap();
    std::os::unix::fs::symlink("target", place.path().join(dead_file("link"))).unwrap();
    assert_eq!(sweep(place.path()).unwrap(), 0);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), near.len() + 5);
    assert!(target.join("lock").exists());
}

#[test]
fn a_directory_of_the_right_name_with_files_but_no_lock_is_not_ours() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(dead_directory());
    fs::create_dir(&path).unwrap();
    fs::write(path.join("precious"), "kept").unwrap();
    assert_eq!(sweep(place.path()).unwrap(), 0);
    assert!(path.join("precious").exists());
}

#[test]
fn what_is_locked_stays_whatever_its_name_says_and_what_is_young_stays_while_its_process_lives() {
    let place = tempfile::tempdir().unwrap();
    let locked = fs::File::create(place.path().join(dead_file("locked"))).unwrap();
    flock(&locked, FlockOperation::LockExclusive).unwrap();
    let ours = std::process::id();
    let young = place.path().join(format!(".young.sortwell-{ours}-{DIGITS}.tmp"));
    let file = fs::File::create(&young).unwrap();
    assert_eq!(sweep(place.path()).unwrap(), 0);

    file.set_modified(SystemTime::now() - std::time::Duration::from_secs(60)).unwrap();
    drop(locked);
    assert_eq!(sweep(place.path()).unwrap(), 2);
}

#[test]
fn a_missing_directory_is_an_error_that_names_it() {
    let message = sweep(Path::new("/missing/place")).unwrap_err().to_string();
    assert!(message.contains("/missing/place"), "{message}");
}

/// Removes everything unlocked, as a sweeper would that takes every process for dead.
fn sweep_ruthlessly(directory: &Path) {
    let Ok(fd) = open_followed(directory) else { return };
    for entry in Dir::read_from(&fd).unwrap().flatten() {
        let name = entry.file_name().to_bytes();
        let remove = |dead: Option<Dead>| dead.map(|dead| dead.remove(fd.as_fd(), name));
        if pid_of_file(name).is_some() {
            let _ = Dead::file(fd.as_fd(), name, DEAD).map(&remove);
        } else if pid_of_directory(name).is_some() {
            let _ = Dead::directory(fd.as_fd(), name, DEAD).map(&remove);
        }
    }
}

#[test]
fn makers_that_race_with_sweepers_end_up_with_names_that_last() {
    let place = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    sweep_ruthlessly(place.path());
                }
            });
        }
        let target = place.path().join("out");
        for _ in 0..200 {
            let file = TempFile::create(&target, Direct::Off).unwrap();
            let spill = SpillDirectory::create(place.path()).unwrap();
            sweep_ruthlessly(place.path());
            assert!(spill.path().join(LOCK_NAME).exists());
            file.persist(&target, false).unwrap();
            assert!(target.exists());
        }
        is_over.store(true, Ordering::Relaxed);
    });
    sweep_ruthlessly(place.path());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

/// Names the directory in which [`a_job_to_be_killed`] works.
const PLACE_VARIABLE: &str = "SORTWELL_TEST_PLACE";

/// Not a test by itself: the process that the next one starts and kills.
#[test]
fn a_job_to_be_killed() {
    let Some(place) = std::env::var_os(PLACE_VARIABLE) else { return };
    let place = Path::new(&place);
    let _file = TempFile::create(&place.join("out"), Direct::Auto).unwrap();
    let spill = SpillDirectory::create(place).unwrap();
    fs::write(spill.path().join("run-1"), "spilled").unwrap();
    // Written past the test harness, which would hold it back.
    std::io::stderr().write_all(b"ready\n").unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn a_killed_job_is_swept_and_a_living_one_is_not() {
    let place = tempfile::tempdir().unwrap();
    let mut job = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "io::sweep::tests::a_job_to_be_killed"])
        .env(PLACE_VARIABLE, place.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let words = BufReader::new(job.stderr.take().unwrap());
    let is_ready = words.lines().any(|line| line.unwrap() == "ready");
    sweep_ruthlessly(place.path());
    let while_alive = fs::read_dir(place.path()).unwrap().count();
    job.kill().unwrap();
    job.wait().unwrap();
    assert!(is_ready);
    assert_eq!(while_alive, 2, "the lock alone protects a living job");
    assert_eq!(sweep(place.path()).unwrap(), 2);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}
