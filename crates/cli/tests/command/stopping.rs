//! Signals and closed pipes: the job ends soon, by itself, and leaves nothing behind.

use std::io::{Read, Write};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::harness::{Folder, Said, ended, random_records, signal};

/// A sort that has taken some records and waits for more: more than a pipe holds, so that it is
/// certainly under way.
fn waiting_sort(folder: &Folder, line: &str) -> Child {
    let mut child = folder.start(line);
    let pipe = child.stdin.as_mut().expect("a pipe");
    pipe.write_all(&random_records(20_000, 100)).expect("feed");
    child
}

#[test]
fn interrupt_and_terminate_name_themselves() {
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let folder = Folder::new();
        let child = waiting_sort(&folder, "sort -F fixed:100 -o out");
        signal(&child, name);
        Said::from(ended(child, Duration::from_secs(5))).fails(status, &["interrupted"]);
        assert!(folder.names().is_empty(), "{name} left {:?}", folder.names());
    }
}

/// Whatever a job waits for at the other end of a pipe, it does not wait when told to stop.
#[test]
fn signals_are_heeded_while_pipes_block() {
    let folder = Folder::new();
    folder.write("in", random_records(50_000, 100));
    let made = Command::new("mkfifo").arg(folder.at("fifo")).status().expect("mkfifo");
    assert!(made.success());
    let lines = [
        "sort -F fixed:100 -o out",      // nothing comes in
        "sort -F fixed:100 in",          // nothing is taken: 5 MB are more than a pipe holds
        "sort -F fixed:100 -o out fifo", // nobody opens the other end
        "sort -F fixed:100 -o fifo in",
        "generate 1000000 -",
        "generate 1000000 fifo",
        "validate -",
        "validate -s -",
        "validate fifo",
    ];
    for line in lines {
        let child = folder.start(line);
        sleep(Duration::from_millis(200));
        let asked = Instant::now();
        signal(&child, "INT");
        let said = Said::from(ended(child, Duration::from_secs(5)));
        println!("{line}: {:?}", asked.elapsed());
        assert!(asked.elapsed() < Duration::from_secs(1), "{line}: {:?}", asked.elapsed());
        said.fails(130, &["interrupted"]);
        assert_eq!(folder.names(), ["fifo", "in"], "{line}");
    }
}

#[test]
fn a_spilling_sort_cleans_up_when_terminated() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("spill")).expect("folder");
    folder.run("generate 3000000 in").quietly();
    let child = folder.start("sort -F fixed:100 -M 64MiB -T spill -o out in");
    let spill = || std::fs::read_dir(folder.at("spill")).expect("folder").count();
    let deadline = Instant::now() + Duration::from_secs(20);
    while spill() == 0 && Instant::now() < deadline {
        sleep(Duration::from_millis(2));
    }
    assert!(spill() > 0, "it does not spill");
    signal(&child, "TERM");
    Said::from(ended(child, Duration::from_secs(5))).fails(143, &["interrupted"]);
    assert_eq!(spill(), 0);
    assert_eq!(folder.names(), ["in", "spill"]);
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    let script = "trap '' INT; \"$sortwell\" sort -F fixed:100 -o out < fifo & \
                  exec 3> fifo; kill -INT $!; sleep 0.2; cat in >&3; exec 3>&-; wait $!";
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("mkfifo fifo && {script}")]).current_dir(folder.path());
    let output = shell.env("sortwell", env!("CARGO_BIN_EXE_sortwell")).output().expect("sh");
    Said::from(output).quietly();
    assert_eq!(folder.read("out").len(), 100_000);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("in", random_records(50_000, 100));
    for line in ["sort -F fixed:100 in", "sort -F fixed:100 -j 7 in", "generate 1000000 -"] {
        let mut child = folder.start(line);
        let mut pipe = child.stdout.take().expect("a pipe");
        pipe.read_exact(&mut [0; 100]).expect("one record");
        drop(pipe);
        let said = Said::from(ended(child, Duration::from_secs(20)));
        assert_eq!((said.status, said.words.as_str()), (0, ""), "{line}");
    }
}
