//! SIGINT and SIGTERM in every phase: reading, writing runs, merging, writing out, with files and
//! with pipes that are slow or stand still. The job ends within a second, dies of the signal, and
//! leaves nothing behind; or says what it keeps, and the same command continues with that.

use std::fs;
use std::io::{Read, Write};
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::harness::{
    DIED_OF_INT, DIED_OF_TERM, Folder, Said, ended, random_records, signal, sorted_by,
};

const LENGTH: usize = 100;

/// 18 MB, which are spilled.
const COUNT: usize = 180_000;
const SORT: &str = "sort -F fixed:100 -k 0..10 -M 30MiB -j 2 -T spill";

const SIGNALS: [(&str, i32); 2] = [("INT", DIED_OF_INT), ("TERM", DIED_OF_TERM)];

/// So soon a job has to end.
const SOON: Duration = Duration::from_secs(1);

fn folder() -> Folder {
    let folder = Folder::new();
    fs::create_dir(folder.at("spill")).expect("folder");
    folder.write("in", random_records(COUNT, LENGTH));
    folder
}

fn expected(folder: &Folder) -> Vec<u8> {
    sorted_by(&folder.read("in"), LENGTH, |record| record[..10].to_vec())
}

/// Sends a signal and waits for the end, which comes soon. A job whose writes are under way waits
/// for the disk, which other tests use too: that may take as long as one byte that is made durable.
fn stop(folder: &Folder, child: Child, name: &str, words: &str) -> Said {
    let has_ended = AtomicBool::new(false);
    let (output, took, disk) = thread::scope(|scope| {
        let disk = scope.spawn(|| longest_sync(folder, &has_ended));
        let asked = Instant::now();
        signal(&child, name);
        let output = ended(child, Duration::from_secs(20));
        let took = asked.elapsed();
        has_ended.store(true, Ordering::Relaxed);
        (output, took, disk.join().expect("a disk"))
    });
    assert!(took < SOON + disk, "{words}, SIG{name}: {took:?}; a byte was written in {disk:?}");
    Said::from(output)
}

/// Makes bytes durable, one by one, until a job has ended. Returns the longest time of one.
fn longest_sync(folder: &Folder, has_ended: &AtomicBool) -> Duration {
    let mut file = tempfile::tempfile_in(folder.path()).expect("file");
    let (first, mut longest) = (Instant::now(), Duration::ZERO);
    // A job that hangs has failed by then.
    while !has_ended.load(Ordering::Relaxed) && first.elapsed() < Duration::from_secs(30) {
        let begun = Instant::now();
        file.write_all(b"x").expect("write");
        file.sync_data().expect("sync");
        longest = longest.max(begun.elapsed());
    }
    longest
}

fn in_spill(folder: &Folder) -> usize {
    fs::read_dir(folder.at("spill")).expect("folder").count()
}

/// Starts a command again and again and stops it at another moment each time, all along its way;
/// `judge` looks at what is left. How often it was stopped before it was done.
fn along(folder: &Folder, line: &str, mut judge: impl FnMut(&Said)) -> usize {
    let begun = Instant::now();
    folder.run(line).quietly();
    let usual = begun.elapsed();
    let moments = (0..12).map(|moment| usual.mul_f64(f64::from(moment) / 12.0));
    let stopped = moments.zip(SIGNALS.into_iter().cycle()).filter(|(moment, (name, status))| {
        let child = folder.start(line);
        sleep(*moment);
        let said = stop(folder, child, name, line);
        judge(&said);
        // Before anything is listened for it dies at once, and says nothing.
        if said.status != 0 {
            let is_said = said.words.is_empty() || said.words.contains("interrupted");
            assert!(is_said && said.status == *status, "{line}: {said:?}");
        }
        said.status != 0
    });
    let stopped = stopped.count();
    println!("{line}: stopped {stopped} times within {usual:?}");
    stopped
}

#[test]
fn files_to_files_all_along() {
    let folder = folder();
    let expected = expected(&folder);
    let one_pass = "sort -F fixed:100 -k 0..10 -o out in";
    let spilling = format!("{SORT} -o out in");
    let merging = "merge -F fixed:100 -k 0..10 -o out sorted";
    folder.write("sorted", &expected);
    for line in [one_pass, &spilling, merging] {
        let stopped = along(&folder, line, |said| {
            assert_eq!(folder.names(), ["in", "out", "sorted", "spill"], "{line}: {said:?}");
            assert_eq!(in_spill(&folder), 0, "{line}: {said:?}");
            assert!(folder.read("out") == expected, "{line}: {said:?}");
        });
        assert!(stopped > 2, "{line}: {stopped}");
    }
}

#[test]
fn several_and_compressed_outputs_all_along() {
    for options in ["--split 3 -o out", "--compress gzip -o out"] {
        let folder = folder();
        let line = format!("{SORT} {options} in");
        folder.run(&line).quietly();
        let names = folder.names();
        let contents: Vec<Vec<u8>> =
            names.iter().filter(|name| *name != "spill").map(|name| folder.read(name)).collect();
        along(&folder, &line, |said| {
            assert_eq!((folder.names(), in_spill(&folder)), (names.clone(), 0), "{line}: {said:?}");
            let now = names.iter().filter(|name| *name != "spill").map(|name| folder.read(name));
            assert!(now.eq(contents.iter().cloned()), "{line}: {said:?}");
        });
    }
}

/// What is kept is said, and gone on with.
#[test]
fn jobs_that_keep_what_is_done_all_along() {
    let folder = folder();
    let expected = expected(&folder);
    let line = format!("{SORT} --resume=often -o out in");
    let mut kept = 0;
    along(&folder, &line, |said| {
        let is_kept = said.words.contains("the same command continues");
        assert_eq!(in_spill(&folder) > 0, is_kept && said.status != 0, "{said:?}");
        kept += usize::from(is_kept);
        folder.run(&line).quietly();
        assert!(folder.read("out") == expected);
        assert_eq!((folder.names().len(), in_spill(&folder)), (3, 0));
    });
    println!("{kept} times something was kept");
    let line = format!("{SORT} --in-place file");
    folder.write("file", folder.read("in"));
    along(&folder, &line, |said| {
        let is_kept = said.words.contains("the same command continues");
        let is_whole = [folder.read("in"), expected.clone()].contains(&folder.read("file"));
        assert!(is_kept || is_whole, "{said:?}");
        folder.run(&line).quietly();
        assert!(folder.read("file") == expected);
        assert_eq!((folder.names().len(), in_spill(&folder)), (4, 0));
        folder.write("file", folder.read("in"));
    });
}

/// Starts a command whose input stops coming after so many bytes, and stays open.
fn with_stalled_input(folder: &Folder, line: &str, bytes: &[u8]) -> Child {
    let mut child = folder.start(line);
    let mut pipe = child.stdin.take().expect("a pipe");
    let bytes = bytes.to_owned();
    thread::spawn(move || {
        let _ = pipe.write_all(&bytes);
        sleep(Duration::from_secs(20));
    });
    sleep(Duration::from_millis(400));
    child
}

#[test]
fn inputs_that_stand_still() {
    let folder = folder();
    folder.write("sorted", expected(&folder));
    let (all, names) = (folder.read("in"), folder.names());
    let spilling = format!("{SORT} -o out");
    let unique = "sort -M 30MiB -T spill --unique -o out";
    for (line, bytes) in [
        ("sort -F fixed:100 -o out", 5_000_000),
        (&spilling, 15_000_000), // Runs have been written by then.
        (unique, 15_000_000),
        ("sort -F csv -o out", 1),
        ("sort --decompress gzip -o out", 0),
        ("merge -F fixed:100 -k 0..10 -o out sorted -", 0),
        ("check -F fixed:100 -k 0..10", 100),
        ("gnu -S 1M -o out", 15_000_000),
    ] {
        for (name, status) in SIGNALS {
            let child = with_stalled_input(&folder, line, &all[..bytes]);
            let said = stop(&folder, child, name, line);
            assert_eq!((folder.names(), in_spill(&folder)), (names.clone(), 0), "{line}");
            // As GNU sort, the one that is called so dies of the signal itself, and says nothing.
            let is_silent = line.starts_with("gnu") && said.words.is_empty();
            if !is_silent {
                said.fails(status, &["interrupted"]);
            }
        }
    }
}

#[test]
fn outputs_that_are_taken_slowly_or_not_at_all() {
    let folder = folder();
    folder.write("sorted", expected(&folder));
    let names = folder.names();
    let spilling = format!("{SORT} in");
    let packed = "sort -F fixed:100 -k 0..10 -M 44MiB -j 2 -T spill --compress zstd in";
    for line in [
        "sort -F fixed:100 in",
        &spilling,
        packed,
        "merge -F fixed:100 -k 0..10 sorted sorted",
        "sort -F fixed:100 -k 0..10 --unique in",
    ] {
        for (is_slow, (name, status)) in [false, true].into_iter().zip(SIGNALS) {
            let mut child = folder.start(line);
            let pipe = child.stdout.take().expect("a pipe");
            let (slow, held) = if is_slow { (Some(pipe), None) } else { (None, Some(pipe)) };
            let reader = slow.map(|mut pipe| {
                let take = move || {
                    while pipe.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {
                        sleep(Duration::from_millis(5));
                    }
                };
                thread::spawn(take)
            });
            sleep(Duration::from_millis(400));
            let said = stop(&folder, child, name, line);
            assert_eq!((folder.names(), in_spill(&folder)), (names.clone(), 0), "{line}");
            said.fails(status, &["interrupted"]);
            if let Some(reader) = reader {
                reader.join().expect("the reader");
            }
            drop(held);
        }
    }
}
