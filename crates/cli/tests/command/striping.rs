//! Striped files through the command: made, filled, sorted, read as one file, looked at, removed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Folder, ended, random_records, signal, sorted_by};

#[test]
fn a_striped_file_from_first_to_last() {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    let data = random_records(30_000, 100);
    folder.write("in", &data);
    folder.run("stripe create set.str a b c/third --strides 2x,3x,64KiB --base 4096").quietly();
    folder.run("stripe create set.str a").fails(2, &["set.str already exists", "remove"]);
    folder.run("stripe cat set.str").fails(3, &["set.str", "empty"]);
    folder.run("stripe copy in set.str").quietly();
    let said = folder.run("stripe info set.str").quietly();
    let said = String::from_utf8(said).expect("text");
    assert!(said.contains("3000000 bytes, 3 members"), "{said}");
    assert!(said.contains("stride 12 KiB"), "{said}");
    assert_eq!(folder.run("stripe cat set.str").quietly(), data);
    folder.run("sort -F fixed:100 -k 0..10 set.str -o set.str").quietly();
    let expected = sorted_by(&data, 100, |record| record[..10].to_vec());
    assert_eq!(folder.run("stripe cat set.str").quietly(), expected);
    folder.run("check -F fixed:100 -k 0..10 set.str").quietly();
    folder.run("merge -F fixed:100 -k 0..10 set.str set.str -o twice").quietly();
    assert_eq!(folder.read("twice").len(), 2 * expected.len());
    let said = folder.run("stripe check set.str").quietly();
    assert!(String::from_utf8_lossy(&said).contains("3 members"));
    folder.run("stripe copy set.str plain").quietly();
    assert_eq!(folder.read("plain"), expected);
    assert_eq!(folder.run("stripe copy plain -").quietly(), expected);
    folder.run("stripe create odd.str a --base 5000").fails(2, &["--base: 5000 bytes are not"]);
    let said = ["'x' is not a stride", "256KiB", "3x"];
    folder.run("stripe create odd.str a --strides x").fails(2, &said);
    let third = folder.at("c").read_dir().expect("read").next().expect("a member").expect("read");
    std::fs::write(third.path(), "short").expect("write");
    folder.run("stripe check set.str").fails(3, &["third~", "should have", "it has 5"]);
    folder.run("sort set.str -o out").fails(3, &["third~", "should have"]);
    folder.run("stripe remove set.str").quietly();
    let left = |name: &str| folder.at(name).read_dir().expect("read").count();
    assert_eq!((left("a"), left("b"), left("c")), (0, 0, 0));
    assert_eq!(folder.names(), ["a", "b", "c", "in", "plain", "twice"]);
}

/// A set of three members, and records that are spilled to it.
fn spilling() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    for name in ["a", "b", "c"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    let data = random_records(400_000, 100);
    folder.write("in", &data);
    folder.run("stripe create set.str a b c --strides 2x,3x,16KiB --base 8192").quietly();
    (folder, sorted_by(&data, 100, |record| record[..10].to_vec()))
}

/// Bytes below a directory.
fn bytes_in(path: &Path) -> u64 {
    let entries =
        std::fs::read_dir(path).expect("read").map(|entry| entry.expect("an entry").path());
    let bytes = |path: PathBuf| match path.is_dir() {
        true => bytes_in(&path),
        false => path.metadata().expect("a file").len(),
    };
    entries.map(bytes).sum()
}

const SPILLING: &str = "sort -F fixed:100 -k 0..10 -M 40MiB -j 2 -T set.str -o out";

#[test]
fn runs_lie_striped_over_a_set() {
    let (folder, expected) = spilling();
    let said = folder.run(&format!("{SPILLING} --stats json in"));
    let statistics: serde_json::Value = serde_json::from_str(&said.words).expect("JSON");
    let spilled = |name: &str| statistics["streams"][name].as_u64().expect("a number");
    assert!(spilled("spill_written") >= 40_000_000 && spilled("spill_read") >= 40_000_000);
    assert!(
        statistics["runs"].as_u64() > Some(1) && folder.read("out") == expected,
        "{statistics}"
    );
    assert_eq!(
        ["a", "b", "c"].map(|name| folder.at(name).read_dir().expect("read").count()),
        [0; 3]
    );
    folder.run(&format!("{SPILLING} --temp-limit 1MB in")).fails(4, &["--temp-limit"]);
    folder.run("stripe info set.str").quietly();
    assert_eq!(folder.names(), ["a", "b", "c", "in", "out", "set.str"]);
}

/// Each run is as many files as there are members: no more of them are opened than may be.
#[test]
fn few_files_of_striped_runs_are_open_at_once() {
    let (folder, expected) = spilling();
    for member in 0..12 {
        std::fs::create_dir(folder.at(&format!("m{member}"))).expect("a directory");
    }
    let members: Vec<String> = (0..12).map(|member| format!("m{member}")).collect();
    folder.run(&format!("stripe create many.str {} --base 8192", members.join(" "))).quietly();
    let program = env!("CARGO_BIN_EXE_sortwell");
    let line = SPILLING.replace("set.str", "many.str").replace("40MiB", "30MiB");
    let levers = "--direct spill=on --overlap pipelined";
    let script = format!("ulimit -n 180 && '{program}' {line} {levers} --stats json in");
    let mut command = std::process::Command::new("sh");
    let ran = command.args(["-c", &script]).current_dir(folder.path()).output().expect("run");
    let words = String::from_utf8_lossy(&ran.stderr);
    if words.contains("does not support direct requests") {
        return;
    }
    assert!(ran.status.success(), "{words}");
    let statistics: serde_json::Value = serde_json::from_str(&words).expect("JSON");
    assert!(statistics["passes"].as_u64() > Some(2), "{statistics}");
    assert!(statistics["merge_width"].as_u64() >= Some(2), "{statistics}");
    assert!(folder.read("out") == expected);
}

/// Killed with something kept, it is listed, and goes on from all directories.
#[test]
fn striped_runs_are_kept_together() {
    let (folder, expected) = spilling();
    let line = format!("{SPILLING} --resume=often in");
    let list = || String::from_utf8(folder.run("spill list set.str").quietly()).expect("text");
    let words: Vec<&str> = line.split(' ').collect();
    let is_kept = (0..50).any(|round| {
        let child = folder.command(&words).stderr(Stdio::null()).spawn().expect("start");
        sleep(Duration::from_millis(50 + 40 * round));
        signal(&child, "KILL");
        ended(child, Duration::from_secs(20));
        let listed = list();
        let has_runs = listed.contains("kept: ") && !listed.contains("kept: 0 runs");
        let is_kept = has_runs && bytes_in(&folder.at("a")) > 8_000_000;
        if !is_kept {
            folder.run("spill clean set.str").quietly();
        }
        is_kept
    });
    assert!(is_kept, "never killed in between");
    let listed = list();
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert!(listed.contains(folder.at("a").to_str().expect("text")), "{listed}");
    // By their strides: 16, 24 and 16 KiB by turns.
    let [a, b, c] = ["a", "b", "c"].map(|name| bytes_in(&folder.at(name)) as f64);
    // What was being written has not come to all of them.
    let is_about = |found: f64, expected: f64| (found - expected).abs() < 0.1 * expected + 2.5e6;
    assert!(is_about(b, 1.5 * a) && is_about(c, a), "{a} {b} {c}: {listed}");
    folder.run(&line).quietly();
    assert!(folder.read("out") == expected && list().is_empty());
    assert_eq!(["a", "b", "c"].map(|name| bytes_in(&folder.at(name))), [0; 3]);
}

#[test]
fn what_runs_cannot_be_striped_over_is_refused() {
    let (folder, _) = spilling();
    folder.write("bad.str", "sortwell-stripe 1\nmember 5 - a/m\n");
    folder.run("sort in -T bad.str -o out").fails(3, &["bad.str", "multiple of 4096"]);
    folder.write("text.str", "lines\n");
    folder.run("sort in -T text.str -o out").fails(4, &["spill to text.str"]);
    folder.run("stripe create gone.str a nowhere/m").quietly();
    folder.run("sort in -T gone.str -o out").fails(4, &["spill to", "nowhere"]);
    folder.run("spill list gone.str").fails(4, &["nowhere"]);
    assert!(!folder.at("out").exists());
}

#[test]
fn what_cannot_be_striped_is_refused() {
    let folder = Folder::new();
    folder.run("stripe create x.str m n --strides 1x,2x,3x").fails(2, &["3 values for 2 members"]);
    folder.run("stripe create x.str m --strides 5000").fails(2, &["multiple of 4096"]);
    folder.run("stripe create x m").fails(2, &["must end in .str"]);
    folder.run("stripe create x.str m m").fails(2, &["twice"]);
    let said = folder.run("stripe create x.str m --strides wide");
    assert!(said.status == 2 && said.words.contains("'wide'"), "{said:?}");
    folder.run("stripe info nowhere.str").fails(4, &["nowhere.str"]);
    folder.write("text", "lines\n");
    folder.run("stripe cat text").fails(3, &["text", "not a stripe file"]);
    let later = "sortwell-stripe 2\nbase 1048576\nlength 0\nset d57e8684\nmember 1x - m\n";
    folder.write("later.str", later);
    folder.run("sort -o later.str later.str").fails(3, &["later.str", "'sortwell-stripe 2'"]);
    assert_eq!(folder.read("later.str"), later.as_bytes(), "it stays");
    std::fs::remove_file(folder.at("later.str")).expect("removed");
    folder.run("stripe create x.str nowhere/m").quietly();
    folder.run("stripe copy text x.str").fails(4, &["nowhere"]);
    std::fs::remove_file(folder.at("x.str")).expect("removed");
    folder.run("stripe create x.str m n").quietly();
    folder.run("sort text --compress zstd -o x.str").fails(2, &["x.str", "cannot be compressed"]);
    folder.run("sort text --split 2 -o x.str").fails(2, &["x.str", "split"]);
    folder.run("sort text --resume -o x.str").fails(2, &["--resume", "one file"]);
    folder.run("sort x.str --in-place").fails(3, &["x.str", "empty"]);
    folder.run("stripe copy text x.str").quietly();
    folder.run("sort x.str --in-place").fails(2, &["--in-place"]);
    assert_eq!(folder.run("stripe cat x.str").quietly(), b"lines\n");
    folder.run("stripe remove x.str").quietly();
    assert_eq!(folder.names(), ["text"]);
}

/// A definition as AlphaSort has it: files of any program, dealt out by blocks of 4 KiB.
#[test]
fn definitions_of_two_columns_are_read() {
    let folder = Folder::new();
    for name in ["disk-a", "disk-b"] {
        std::fs::create_dir(folder.at(name)).expect("a directory");
    }
    let data = random_records(5000, 100);
    let mut members = [Vec::new(), Vec::new()];
    for (number, block) in data.chunks(4096).enumerate() {
        members[usize::from(number % 3 == 2)].extend_from_slice(block);
    }
    folder.write("disk-a/data", &members[0]);
    folder.write("disk-b/data", &members[1]);
    let text = "# two disks\ndisk-a/data 2\n\ndisk-b/data\t1\n";
    folder.write("set.str", text);
    let shown = String::from_utf8(folder.run("stripe info set.str").quietly()).expect("text");
    assert!(shown.contains("set.str: 500000 bytes, 2 members"), "{shown}");
    assert!(shown.contains("disk-a/data, stride 8 KiB: 335872 bytes"), "{shown}");
    assert_eq!(folder.run("stripe cat set.str").quietly(), data);
    folder.run("stripe check set.str").quietly();
    let expected = sorted_by(&data, 100, |record| record[..10].to_vec());
    folder.run("sort -F fixed:100 -k 0..10 set.str -o out").quietly();
    assert!(folder.read("out") == expected);
    folder.run("stripe remove set.str").fails(2, &["set.str", "has not written"]);
    assert_eq!(folder.read("set.str"), text.as_bytes());

    folder.write("set.str", format!("{text}\ndisk-c/data one\n"));
    folder.run("stripe info set.str").fails(3, &["set.str", "line 6: 'disk-c/data one' is not"]);
    folder.write("set.str", format!("{text}disk-c/data 1\n"));
    folder.run("sort set.str -o out").fails(4, &["disk-c/data"]);
    assert!(folder.read("out") == expected);

    // An output makes our own form of it, and leaves the files that are named.
    folder.write("set.str", text);
    folder.run("sort -F fixed:100 -k 0..10 set.str -o set.str").quietly();
    assert!(folder.run("stripe cat set.str").quietly() == expected);
    assert!(folder.read("set.str").starts_with(b"sortwell-stripe 1\nbase 4096\n"));
    folder.run("stripe remove set.str").quietly();
    assert!(folder.read("disk-a/data") == members[0] && folder.read("disk-b/data") == members[1]);

    // Words and numbers are text, whatever their name.
    folder.write("words.str", "pear 4\napple 3\n");
    assert_eq!(folder.run("sort words.str").quietly(), b"apple 3\npear 4\n");
    folder.run("sort words.str -o words.str").quietly();
    assert_eq!(folder.read("words.str"), b"apple 3\npear 4\n");
}
