//! `sort` from end to end on small files: every way in and out, and the account at the end.

use std::cmp::Reverse;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Stdio;
use std::time::Duration;

use crate::harness::{Folder, Said, random_records, sorted_by};

#[test]
fn a_file_by_its_whole_record() {
    let folder = Folder::new();
    let records = random_records(5000, 24);
    folder.write("in", &records);
    folder.run("sort -F fixed:24 -o out in").quietly();
    assert!(folder.read("out") == sorted_by(&records, 24, <[u8]>::to_vec));
    assert!(folder.read("in") == records, "the input is only read");
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn by_several_keys_stably() {
    let folder = Folder::new();
    let records = random_records(5000, 24);
    folder.write("in", &records);
    folder.run("sort -F fixed:24 -k 5..6 -k 0..1:i8:desc -o out in").quietly();
    let key = |record: &[u8]| (record[5], Reverse(record[0].cast_signed()));
    assert!(folder.read("out") == sorted_by(&records, 24, key));
}

#[test]
fn turned_around_stably() {
    let folder = Folder::new();
    let records = random_records(5000, 24);
    folder.write("in", &records);
    folder.run("sort -F fixed:24 -r -k 3..4 -o out in").quietly();
    assert!(folder.read("out") == sorted_by(&records, 24, |record| Reverse(record[3])));
}

#[test]
fn from_and_to_pipes() {
    let records = random_records(3000, 100);
    let sorted = sorted_by(&records, 100, |record| record[..10].to_vec());
    let folder = Folder::new();
    assert!(folder.run_with("sort -F fixed:100 -k 0..10", &records).quietly() == sorted);
    assert!(folder.run_with("sort -F fixed:100 -k 0..10 -o - -", &records).quietly() == sorted);
    folder.run_with("sort -F fixed:100 -k 0..10 -o out", &records).quietly();
    assert!(folder.read("out") == sorted);
    folder.write("in", &records);
    assert!(folder.run("sort -F fixed:100 -k 0..10 in").quietly() == sorted);
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn from_and_to_redirections() {
    let folder = Folder::new();
    let records = random_records(1000, 100);
    folder.write("in", &records);
    let expected = sorted_by(&records, 100, |record| record[..10].to_vec());
    let run = |script: &str| {
        let script = script.replace("SORT", "\"$1\" sort -F fixed:100 -k 0..10");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_sortwell")]);
        shell.current_dir(folder.path()).status().unwrap().success()
    };
    assert!(run("SORT < in > out"));
    assert_eq!(folder.read("out"), expected);
    assert!(run("(SORT < in; echo more) > out"), "what follows is behind the records");
    assert_eq!(folder.read("out"), [&expected[..], b"more\n"].concat());
    assert!(run("echo first > out; SORT < in >> out"), "appending appends");
    assert_eq!(folder.read("out"), [b"first\n", &expected[..]].concat());
    assert!(run("(dd bs=100 count=1 of=first status=none; SORT) < in > out"), "reading goes on");
    assert_eq!(folder.read("out"), sorted_by(&records[100..], 100, |r| r[..10].to_vec()));
    assert!(!run("SORT -M 1MiB < in > out"), "a failure");
    assert_eq!(folder.read("out"), b"", "leaves nothing");
}

/// Jobs that a shell starts together have one standard output, and each finds it empty.
#[test]
fn jobs_that_share_a_redirected_output_lose_nothing() {
    let folder = Folder::new();
    let records = random_records(60_000, 16);
    let (a, b) = records.split_at(records.len() / 2);
    folder.write("a", a);
    folder.write("b", b);
    let key = |record: &[u8]| record[..2].to_vec();
    let [a, b] = [a, b].map(|part| sorted_by(part, 16, key));
    folder.write("little", "2\n1\n");
    for _ in 0..4 {
        let script = "($sortwell sort -F fixed:16 -k 0..2 a & $sortwell gnu little & wait) > all";
        folder.script(script).quietly();
        let all = folder.read("all");
        assert!(all == [&a[..], b"1\n2\n"].concat() || all == [b"1\n2\n", &a[..]].concat());
        let sort = "$sortwell sort -F fixed:16 -k 0..2";
        folder.script(&format!("({sort} a & {sort} b & wait) > all")).quietly();
        let all = folder.read("all");
        assert!(all == [&a[..], &b].concat() || all == [&b[..], &a].concat());
        let script = format!("($sortwell sort -F jsonl -k a b 2> err & {sort} a & wait) > all");
        folder.script(&script).quietly();
        assert!(folder.read("all") == a, "a failure removes nothing of others");
    }
    // A lock of the user is another one.
    let script = "(flock 1; $sortwell sort -F fixed:16 -k 0..2 a) > all";
    folder.script(script).quietly();
    assert!(folder.read("all") == a);
}

/// Other programs do not wait. What they write would be lost.
#[test]
fn a_redirected_output_that_others_write_to_is_an_error() {
    let folder = Folder::new();
    let mut shared = std::fs::File::create(folder.at("out")).expect("a file");
    let mut command = folder.command(&["sort", "-F", "fixed:1", "-k", "0.."]);
    command.stdin(Stdio::piped()).stdout(shared.try_clone().expect("cloned"));
    let mut child = command.stderr(Stdio::piped()).spawn().expect("started");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"321").expect("written");
    let inode = format!(":{} ", shared.metadata().expect("its inode").ino());
    let is_lock = |line: &str| line.contains("OFDLCK") && line.contains(&inode);
    let locks = || std::fs::read_to_string("/proc/locks").expect("locks");
    let is_open = || locks().lines().any(is_lock);
    for _ in 0..1000 {
        if is_open() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(is_open(), "the output is locked");
    shared.write_all(b"x").expect("written");
    drop(input);
    Said::from(child.wait_with_output().expect("ended")).fails(4, &["another process has written"]);
}

#[test]
fn several_inputs_are_one() {
    let folder = Folder::new();
    let records = random_records(3000, 16);
    folder.write("a", &records[..16_000]);
    folder.write("c", &records[32_000..]);
    folder.run_with("sort -F fixed:16 -k 0..2 -o out a - c", &records[16_000..32_000]).quietly();
    assert!(folder.read("out") == sorted_by(&records, 16, |record| record[..2].to_vec()));
}

#[test]
fn in_place_and_through_a_link() {
    let folder = Folder::new();
    let records = random_records(3000, 16);
    let sorted = sorted_by(&records, 16, <[u8]>::to_vec);
    folder.write("file", &records);
    folder.run("sort -F fixed:16 -o file file").quietly();
    assert!(folder.read("file") == sorted);
    folder.write("file", &records);
    symlink("file", folder.at("link")).expect("link");
    folder.run("sort -F fixed:16 -o file link").quietly();
    assert!(folder.read("file") == sorted);
    assert_eq!(folder.names(), ["file", "link"]);
}

#[test]
fn every_engine_every_setting_the_same_bytes() {
    let folder = Folder::new();
    let records = random_records(20_000, 100);
    let sorted = sorted_by(&records, 100, |record| record[..2].to_vec());
    folder.write("in", &records);
    let settings = [
        "--io threads",
        "--io mmap",
        "--io sync",
        "--direct off",
        "--verify off",
        "--sync off",
        "-j 1",
        "-j 3",
        "-M 64MiB",
        "-M 20%",
        "-T .",
        "--progress never",
    ];
    for setting in settings {
        folder.run(&format!("sort -F fixed:100 -k 0..2 {setting} -o out in")).quietly();
        assert!(folder.read("out") == sorted, "{setting}");
    }
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn record_lengths_from_one_byte_to_one_mebibyte() {
    for (length, count) in [(1, 70_000), (2, 5000), (7, 3000), (4097, 50), (1 << 20, 9)] {
        let folder = Folder::new();
        let records = random_records(count, length);
        folder.write("in", &records);
        folder.run(&format!("sort -F fixed:{length} -o out in")).quietly();
        assert!(folder.read("out") == sorted_by(&records, length, <[u8]>::to_vec), "{length}");
    }
}

#[test]
fn no_records_and_one_record() {
    let folder = Folder::new();
    folder.write("none", "");
    folder.write("one", "0123456789");
    for name in ["none", "one"] {
        folder.run(&format!("sort -F fixed:10 -k 2..4 -o {name}.out {name}")).quietly();
        assert_eq!(folder.read(&format!("{name}.out")), folder.read(name));
    }
    assert_eq!(folder.run_with("sort -F fixed:10", b"").quietly(), b"");
    assert_eq!(folder.names(), ["none", "none.out", "one", "one.out"]);
}

#[test]
fn statistics_for_people() {
    let folder = Folder::new();
    folder.write("in", random_records(1000, 100));
    let said = folder.run("sort -F fixed:100 --stats text -o out in");
    assert_eq!(said.status, 0, "{said:?}");
    for topic in ["sorted   1000 records", "plan     1 pass", "cpu ", "memory ", "proof    1000 "] {
        assert!(said.words.contains(topic), "'{topic}' is missing:\n{}", said.words);
    }
    assert!(said.out.is_empty());
}

#[test]
fn statistics_for_programs_beside_data() {
    let folder = Folder::new();
    let records = random_records(1000, 100);
    folder.write("in", &records);
    let said = folder.run("sort -F fixed:100 --stats json --verify off in");
    assert_eq!((said.status, said.out.len()), (0, records.len()), "{}", said.words);
    let account: serde_json::Value = serde_json::from_str(&said.words).expect("JSON");
    assert_eq!(account["records"], 1000);
    assert_eq!(account["passes"], 1);
    assert!(account["proof"].is_null());
}

#[test]
fn what_was_sorted_validates() {
    let folder = Folder::new();
    let generated = folder.run("generate -c -s 20000 in");
    folder.run("sort -F fixed:100 -k 0..10 -o out in").quietly();
    let said = folder.run("validate out");
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.words.contains(&format!("Checksum: {}", generated.words)), "{}", said.words);
}
