//! The proof of order: a fault in the order of records, made on purpose, ends the job with status 5
//! and leaves no output. The feature `disorder` makes the faults.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Folder, Said, ended, random_records, signal};

/// Runs a command that makes a fault, unless `fault` is empty.
fn run(folder: &Folder, line: &str, fault: &str) -> Said {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut command = folder.command(&words);
    Said::from(command.env("SORTWELL_DISORDER", fault).output().expect("run"))
}

/// Holds a command with a fault against the same without one, and without the proof.
fn is_found(folder: &Folder, line: &str, fault: &str) {
    let clean = run(folder, &format!("{line} -o clean"), "");
    assert_eq!(clean.status, 0, "{line}: {clean:?}");
    let said = run(folder, &format!("{line} -o out"), fault);
    assert_eq!(said.status, 5, "{line}, {fault}: {said:?}");
    assert!(said.words.contains("order proof failed"), "{line}, {fault}: {said:?}");
    assert!(!folder.at("out").exists(), "no output is made");
    let unproven = run(folder, &format!("{line} --verify off -o out"), fault);
    assert_eq!(unproven.status, 0, "{line}, {fault}: {unproven:?}");
    let is_other = folder.read("out") != folder.read("clean");
    // Tasks that write to known places are in order whatever their numbers say.
    assert!(is_other || fault == "task-bound", "{line}, {fault}: the fault is one");
    std::fs::remove_file(folder.at("out")).expect("remove");
}

#[test]
fn neighbours_that_change_places_in_memory_are_found() {
    let folder = Folder::new();
    folder.write("long", random_records(30_000, 100));
    folder.write("short", random_records(30_000, 12));
    let line = |number: u64| format!("{},name {}\n", number * 7919 % 100_003, number % 91);
    let rows: String = (0..30_000).map(line).collect();
    folder.write("rows", format!("id,name\n{rows}"));
    folder.write("lines", rows);
    for line in [
        "sort -F fixed:100 -k 0..10 long",
        "sort -F fixed:100 -k 50..52 -k 20..99:desc long",
        "sort -F fixed:12 short",
        "sort -F fixed:12 -k 3..7:u32le:desc short",
        "sort -F fixed:100 -k 0..10 --algorithm quicksort long",
        "sort lines",
        "sort -t , -k 1:int lines",
        "sort -F csv -k name -k id:int:desc rows",
        "sort -F csv -k name:natural rows",
        "sort -t , -k 2 --run-size 200KB -M 64MiB lines",
    ] {
        is_found(&folder, line, "gather");
    }
}

#[test]
fn merges_that_take_the_wrong_record_are_found() {
    let folder = Folder::new();
    folder.write("records", random_records(200_000, 100));
    let line = |number: u64| format!("{},{}\n", number * 7919 % 1_000_003, number % 91);
    folder.write("lines", (0..600_000).map(line).collect::<String>());
    let spilled = "-M 64MiB --run-size 2MiB";
    for line in [
        format!("sort -F fixed:100 -k 0..10 {spilled} records"),
        format!("sort -F fixed:100 -k 0..10 --merge streams {spilled} records"),
        format!("sort -t , -k 2:int {spilled} lines"),
        format!("sort -t , -k 2 -k 1:decimal --skip 3 {spilled} lines"),
        format!("sort -t , -k 2 -k 1:decimal --merge streams --limit 300000 {spilled} lines"),
    ] {
        is_found(&folder, &line, "merge");
    }
    run(&folder, "sort -F fixed:100 -k 0..10 -o sorted records", "").quietly();
    run(&folder, "sort -F fixed:100 -k 0..10 --limit 60000 -o other records", "").quietly();
    is_found(&folder, "merge -F fixed:100 -k 0..10 sorted other", "merge");
}

#[test]
fn tasks_that_change_places_are_found() {
    let folder = Folder::new();
    folder.write("records", random_records(300_000, 100));
    for line in [
        "sort -F fixed:100 -k 0..10 records",
        "sort -F fixed:100 -k 0..10 --skip 1 records",
        "sort -F fixed:100 -k 0..10 --unique records",
        "sort -F fixed:100 --unique-by 0..1 -k 1..10 records",
        "sort -F fixed:100 --unique-by 0..1 -k 1..10 --count records",
    ] {
        is_found(&folder, line, "task-bound");
    }
}

/// The last record that was written is noted, and what a resumed merge writes is held against it.
#[test]
fn a_resumed_merge_that_begins_too_early_is_found() {
    let folder = Folder::new();
    folder.run("generate 1000000 in").quietly();
    let sort = "sort -F fixed:100 -k 0..10 -M 48MiB --resume=often -o out in";
    for _ in 0..50 {
        let words: Vec<&str> = sort.split(' ').collect();
        let mut command = folder.command(&words);
        let child = command.stderr(Stdio::null()).spawn().expect("start");
        let begun = Instant::now();
        while !merges(&folder) && begun.elapsed() < Duration::from_secs(20) {
            sleep(Duration::from_millis(2));
        }
        signal(&child, "KILL");
        ended(child, Duration::from_secs(20));
        if !merges(&folder) {
            folder.run("spill clean --all .").quietly();
            continue;
        }
        let said = run(&folder, sort, "resume");
        assert!(said.status == 5 && said.words.contains("order proof"), "{said:?}");
        return;
    }
    panic!("never killed while runs were merged");
}

/// Whether a manifest notes that a part of the output is written, and not that all is.
fn merges(folder: &Folder) -> bool {
    let manifests = folder.names().into_iter().filter(|name| name.contains("spill"));
    manifests.map(|name| folder.at(&name).join("manifest")).any(|path| {
        let noted = std::fs::read_to_string(path).unwrap_or_default();
        // A line that a killed sort left half written counts for nothing.
        let whole = noted.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.contains("\"slab\"") && !noted.contains("\"whole\":{}")
    })
}
