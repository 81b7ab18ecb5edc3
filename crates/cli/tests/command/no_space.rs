//! A disk that is full: refused before, found out during, nothing left behind.
//!
//! A small file system is mounted in a namespace of its own, which needs no rights on most systems.
//! Where it is forbidden those cases say so and are left out; the device that is always full exists
//! everywhere.

use std::fs;
use std::process::{Command, Stdio};

use crate::harness::{Folder, Said, left_out, random_records};

/// Runs a shell script in a folder `small` that holds so many KiB, or `None` where mounts are
/// forbidden. `$sortwell` is the command.
pub fn in_small_folder(folder: &Folder, kib: u32, script: &str) -> Option<Said> {
    fs::create_dir_all(folder.at("small")).expect("folder");
    let mount = format!("mount -t tmpfs -o size={kib}k none small");
    let within = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command.current_dir(folder.path()).stdin(Stdio::null());
        command.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output()
    };
    if !within(&mount).is_ok_and(|output| output.status.success()) {
        left_out("this system forbids a mount of one's own");
        return None;
    }
    let whole = format!("{mount} && {{ {script}; status=$?; ls -A small; exit $status; }}");
    Some(Said::from(within(&whole).expect("run")))
}

#[test]
fn a_pipe_to_a_full_device() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the full device");
    let mut command = folder.command(&["sort", "-F", "fixed:100", "in"]);
    let said = Said::from(command.stdout(full).output().expect("run"));
    said.fails(4, &["standard output", "No space left"]);
    assert_eq!(folder.names(), ["in"]);
}

#[test]
fn an_output_that_does_not_fit() {
    let folder = Folder::new();
    folder.write("in", random_records(30_000, 100));
    let script = "$sortwell sort -F fixed:100 -o small/out in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left behind: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "space"]);
}

/// A job that leaves records out needs no room for all of them.
#[test]
fn an_output_of_a_few_records_needs_little_room() {
    let folder = Folder::new();
    let rows: String = (0..300_000).map(|number| format!("{number:08}\n")).collect();
    folder.write("in", rows);
    for words in [
        "sort --limit 3 in",
        "sort --include '1:int < 3' in",
        "sort --include '1:int < 3' -M 24MiB --run-size 1MiB -T . in",
        "merge --limit 3 in in",
        "merge --count --limit 3 in in",
    ] {
        let script = format!("$sortwell {words} -o small/out");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!((said.status, said.words.as_str(), &said.out[..]), (0, "", &b"out\n"[..]));
    }
}

/// An output that is a link is made where its target is, and that file system needs the room.
#[test]
fn links_to_another_file_system_are_generated_where_they_point() {
    let folder = Folder::new();
    for line in ["generate 30000", "generate sales 60000"] {
        let script = format!("ln -sf small/out link; $sortwell {line} link");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert!(said.out.is_empty(), "files remain: {}", String::from_utf8_lossy(&said.out));
        said.fails(4, &["not enough space in ", "small: ", "1 MiB free"]);
        let script = format!("ln -s ../out small/link; $sortwell {line} small/link");
        let Some(said) = in_small_folder(&folder, 1024, &script) else { return };
        assert_eq!((said.status, said.words.as_str(), &said.out[..]), (0, "", &b"link\n"[..]));
        assert!(folder.read("out").len() > 1 << 20, "{line}");
        fs::remove_file(folder.at("out")).expect("removed");
    }
}

/// What a compressed output will have is not known before.
#[test]
fn a_compressed_output_that_does_not_fit() {
    let folder = Folder::new();
    folder.write("in", random_records(30_000, 100));
    let script = "$sortwell sort -F fixed:100 --compress gzip -o small/out.gz in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left behind: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["cannot write small/out.gz", "No space left"]);
}

#[test]
fn spilled_runs_that_do_not_fit_are_refused_with_numbers() {
    let folder = Folder::new();
    folder.run("generate 1000000 in").quietly();
    let script = "$sortwell sort -F fixed:100 -M 64MiB -T small -o out in";
    let Some(said) = in_small_folder(&folder, 1024, script) else { return };
    assert!(said.out.is_empty(), "left behind: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "1 MiB free", "--temp"]);
    assert_eq!(folder.names(), ["in", "small"]);
}

/// Refused beforehand where the size is known, ended on the way where it is not.
#[test]
fn more_temporary_files_than_are_allowed() {
    let folder = Folder::new();
    folder.run("generate 400000 in").quietly();
    fs::create_dir(folder.at("spill")).expect("folder");
    let sort = "sort -F fixed:100 -k 0..10 -M 32MiB -T spill --temp-limit 20MiB -o out";
    let parts = ["more than the 20 MiB that --temp-limit allows", "raise the limit", "--memory"];
    folder.run(&format!("{sort} in")).fails(4, &[&parts[..], &["take up to 39"]].concat());
    let input = folder.read("in");
    folder.run_with(sort, &input).fails(4, &[&parts[..], &["take more than"]].concat());
    assert_eq!(folder.names(), ["in", "spill"]);
    assert_eq!(fs::read_dir(folder.at("spill")).expect("folder").count(), 0, "left behind");
    folder.run(&format!("{} in", sort.replace("20MiB", "40MiB"))).quietly();
    assert_eq!(folder.read("out").len(), input.len());
}

/// Compressed runs need less room than records, and how much turns out as they are written.
#[test]
fn compressed_runs_that_fit_and_that_do_not() {
    let folder = Folder::new();
    folder.run("generate --ascii 400000 in").quietly();
    folder.run("sort -o expected in").quietly();
    fs::create_dir(folder.at("spill")).expect("folder");
    let sort = "sort -M 32MiB -T spill -o out in --temp-limit 25MiB";
    folder.run(sort).fails(4, &["take up to"]);
    folder.run(&format!("{sort} --compress-runs zstd")).quietly();
    assert!(folder.read("out") == folder.read("expected"));
    let little = format!("{} --compress-runs zstd", sort.replace("25", "2"));
    folder.run(&little).fails(4, &["take more than the 2 MiB that --temp-limit allows"]);
    assert_eq!(fs::read_dir(folder.at("spill")).expect("folder").count(), 0, "left behind");

    let sort = "$sortwell sort -M 32MiB -T small --compress-runs zstd -o out in";
    let Some(said) = in_small_folder(&folder, 25 << 10, sort) else { return };
    assert!(said.status == 0 && said.out.is_empty(), "{said:?}");
    let Some(said) = in_small_folder(&folder, 2 << 10, sort) else { return };
    assert!(said.out.is_empty(), "left behind: {}", String::from_utf8_lossy(&said.out));
    said.fails(4, &["small", "No space left"]);
}
