//! A ceiling of memory that is higher than memory ever reaches: said, and not believed, as the
//! system would kill what uses it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::{Folder, Said, left_out, random_records, sorted_by};

const LENGTH: usize = 100;

/// A folder with 60 MB to sort.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in", random_records(600_000, LENGTH));
    folder
}

/// Runs a shell script in the folder; `$sortwell` is the command.
fn run(folder: &Folder, script: &str) -> Said {
    let mut shell = Command::new("sh");
    shell.args(["-c", script]).current_dir(folder.path());
    Said::from(shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output().expect("sh"))
}

/// Asserts that all was sorted, and that it was said what became of the ceiling.
fn assert_told(folder: &Folder, said: &Said, parts: &[&str]) {
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(said.words.lines().count(), 1, "{said:?}");
    for part in parts {
        assert!(said.words.contains(part), "'{part}' is missing: {}", said.words);
    }
    let expected = sorted_by(&folder.read("in"), LENGTH, <[u8]>::to_vec);
    assert!(folder.read("out") == expected);
}

#[test]
fn more_than_a_process_may_have() {
    let folder = folder();
    let script = "ulimit -v 300000; $sortwell sort -F fixed:100 -M 1GiB -o out in";
    let said = run(&folder, script);
    assert_told(&folder, &said, &["--memory 1 GiB is more than the 293.0 MiB", "without --memory"]);
    for line in ["check -F fixed:100 -M 8PiB out", "merge -F fixed:100 -M 8PiB -o all out"] {
        let said = folder.run(line);
        assert_eq!(said.status, 0, "{said:?}");
        assert!(said.words.contains("--memory 8 PiB is more than the "), "{said:?}");
    }
    // GNU sort says nothing of it.
    folder.run("gnu -S 8P -o gnu in").quietly();
}

/// A control group of version 1 or 2, removed when dropped.
struct Group(PathBuf);

impl Group {
    /// One that has so many bytes, below our own; `None` where that is forbidden.
    fn new(bytes: u64) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let places = [
            (":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            ("0::", "/sys/fs/cgroup", "memory.max"),
        ];
        places.into_iter().find_map(|(mark, mount, file)| {
            let own = groups.lines().find_map(|line| line.split_once(mark))?.1;
            let name = format!("sortwell-test-{}", std::process::id());
            // The group of a container may have another name inside.
            [own.trim_start_matches('/'), ""].into_iter().find_map(|own| {
                let group = Self(Path::new(mount).join(own).join(&name));
                fs::create_dir(&group.0).ok()?;
                fs::write(group.0.join(file), bytes.to_string()).ok()?;
                Some(group)
            })
        })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// A job that took what it was told would be killed by the system, without a word.
#[test]
fn more_than_a_control_group_has() {
    let Some(group) = Group::new(100 << 20) else {
        return left_out("this user may not make a control group");
    };
    let folder = folder();
    let enter = format!("echo $$ > {}/cgroup.procs", group.0.display());
    let sort = "exec $sortwell sort -F fixed:100 -M 1GiB -o out in";
    let said = run(&folder, &format!("{enter} || exit 99; {sort}"));
    if said.status == 99 {
        return left_out("this user may not enter a control group");
    }
    assert_told(&folder, &said, &["--memory 1 GiB is more than the 100 MiB"]);
}
