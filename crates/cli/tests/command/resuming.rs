//! `--resume`, `--in-place` and `spill`, as a user meets them: relative names, a kill in between,
//! words that say what is left.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Folder, ended, signal};

const SORT: &str = "sort -F fixed:100 -k 0..10 -M 48MiB -T spill --resume=often -o out in";
const IN_PLACE: &str = "sort -F fixed:100 -k 0..10 -M 48MiB -T spill --in-place in";

/// Starts a command and kills it while something is kept in `spill`.
fn kill_in_between(folder: &Folder, line: &str) {
    // How long it takes until something is kept depends on the machine.
    for wait in [150, 300, 50, 600, 20].repeat(10) {
        let words: Vec<&str> = line.split(' ').collect();
        let child = folder.command(&words).stderr(Stdio::null()).spawn().expect("start");
        let begun = Instant::now();
        // Listing does not wait for locks, so that it shows a job that runs.
        while begun.elapsed() < Duration::from_secs(10) {
            let listed = String::from_utf8(folder.run("spill list spill").out).expect("text");
            if listed.contains("running") {
                break;
            }
        }
        sleep(Duration::from_millis(wait));
        signal(&child, "KILL");
        ended(child, Duration::from_secs(20));
        let listed = String::from_utf8(folder.run("spill list spill").out).expect("text");
        if listed.contains("kept: ") && !listed.contains("kept: 0 runs") {
            return;
        }
        folder.run("spill clean --all spill").quietly();
    }
    panic!("never killed in between");
}

fn folder() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate 1000000 in").quietly();
    folder.run("sort -F fixed:100 -k 0..10 -o expected in").quietly();
    let expected = folder.read("expected");
    (folder, expected)
}

fn names(folder: &Folder) -> Vec<String> {
    let mut names = folder.names();
    names.retain(|name| name != "expected");
    names
}

#[test]
fn a_killed_sort_goes_on() {
    let (folder, expected) = folder();
    kill_in_between(&folder, SORT);
    let changed = SORT.replace("0..10", "0..9");
    folder.run(&changed).fails(2, &["another keys", "spill clean"]);
    folder.run(SORT).quietly();
    assert!(folder.read("out") == expected);
    assert_eq!(names(&folder), ["in", "out", "spill"]);
    assert!(folder.run("spill list spill").quietly().is_empty());
}

#[test]
fn a_killed_sort_does_not_go_on_with_another_list() {
    let (folder, _) = folder();
    folder.write("known", "A\nB\nC\n");
    let sort = format!("{SORT} --exclude 0..1:order=@known<='B'");
    kill_in_between(&folder, &sort);
    folder.write("known", "C\nB\nA\n");
    folder.run(&sort).fails(2, &["another content of named files", "spill clean"]);
    folder.write("known", "A\nB\nC\n");
    folder.run(&sort).quietly();
}

#[test]
fn a_killed_merge_does_not_go_on_with_another_list() {
    let (folder, _) = folder();
    for name in ["a", "b", "c", "d"] {
        let sort = format!("sort -F fixed:100 -k 0..10 --limit 200000 -o {name} in");
        folder.run(&sort).quietly();
    }
    folder.write("known", "A\nB\nC\n");
    let options = "-F fixed:100 -k 0..10 -T spill --resume=often --unique -o out";
    // Inputs are merged into runs first, which are kept.
    let merge = format!("merge --merge-width 2 {options} --having 0..1:order=@known>='B' a b c d");
    kill_in_between(&folder, &merge);
    folder.write("known", "C\nB\nA\n");
    folder.run(&merge).fails(2, &["another content of named files", "spill clean"]);
    folder.write("known", "A\nB\nC\n");
    folder.run(&merge).quietly();
}

/// Each run says how its blocks are stored, so the rest may be compressed in another way.
#[test]
fn a_killed_sort_with_compressed_runs_goes_on() {
    let (folder, expected) = folder();
    for (first, then) in [("lz4", "lz4"), ("zstd:1", "off"), ("off", "lz4")] {
        kill_in_between(&folder, &format!("{SORT} --compress-runs {first}"));
        folder.run(&format!("{SORT} --compress-runs {then}")).quietly();
        assert!(folder.read("out") == expected, "{first}, then {then}");
        assert!(folder.run("spill list spill").quietly().is_empty());
    }
}

#[test]
fn a_killed_sort_with_a_header_goes_on() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate --ascii 1000000 lines").quietly();
    let lines = folder.read("lines");
    folder.write("in", [b"#two\n#one\n", lines.as_slice()].concat());
    let sort = "sort --header # -M 48MiB -T spill --resume=often -o out in";
    kill_in_between(&folder, sort);
    for header in ["prefix:#t", "2"] {
        let changed = sort.replace("--header #", &format!("--header {header}"));
        folder.run(&changed).fails(2, &["another header", "spill clean"]);
    }
    folder.run(sort).quietly();
    folder.run("sort -o expected lines").quietly();
    assert!(folder.read("out") == [b"#two\n#one\n", folder.read("expected").as_slice()].concat());
}

#[test]
fn what_is_kept_can_be_removed() {
    let (folder, _) = folder();
    kill_in_between(&folder, SORT);
    let said = String::from_utf8(folder.run("spill clean spill").quietly()).expect("text");
    assert_eq!(said, "1 leftover removed from spill\n");
    assert_eq!(names(&folder), ["in", "spill"]);
    folder.run("spill list nowhere").fails(4, &["nowhere"]);
    folder.run("spill list in").fails(2, &["not a directory"]);
}

#[test]
fn a_file_being_sorted_in_place_is_not_removed_unasked() {
    let (folder, expected) = folder();
    kill_in_between(&folder, IN_PLACE);
    let said = String::from_utf8(folder.run("spill clean spill").quietly()).expect("text");
    assert!(said.contains("0 leftovers removed") && said.contains("--all"), "{said}");
    folder.run(IN_PLACE).quietly();
    assert!(folder.read("in") == expected);
    assert_eq!(names(&folder), ["in", "spill"]);
    let both = folder.run("sort --in-place in -o out");
    assert!(both.status == 2 && both.words.contains("--output"), "{both:?}");
    folder.run_with("sort --in-place", b"b\na\n").fails(2, &["--in-place needs"]);
}
