//! Command lines that cannot be carried out: exit status 2, and words that say what to write.

use crate::harness::Folder;

#[track_caller]
fn refused(line: &str, parts: &[&str]) {
    let folder = Folder::new();
    folder.write("in", [0; 100]);
    let said = folder.run(line);
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.words.starts_with("sortwell: "), "one style of message: {}", said.words);
    assert!(said.out.is_empty(), "words go to standard error");
    for part in parts {
        assert!(said.words.contains(part), "'{part}' is missing: {}", said.words);
    }
    assert_eq!(folder.names(), ["in"], "nothing was made");
}

#[test]
fn unknown_words() {
    refused("join a b", &["join"]);
    refused("sort -F fixed:10 --uniq-ish in", &["--uniq-ish"]);
    refused("sort -F fixed:10 --header 1 in", &["header"]);
    refused("sort -F fixed:10 -t , in", &["--separator"]);
    refused("sort -F fixed:10 --io fast in", &["fast", "uring", "threads", "mmap", "sync"]);
    refused("sort -F fixed:10 --direct maybe in", &["maybe", "auto", "on", "off"]);
    refused("sort -F fixed:10 --verify yes in", &["yes", "on", "off"]);
    refused("sort -F fixed:10 --stats xml in", &["xml", "text", "json"]);
}

#[test]
fn formats() {
    refused("sort -F xml in", &["'xml'", "lines", "fixed:100"]);
    refused("sort -F lines:300 in", &["'300'", "lines:0"]);
    refused("sort -F fixed in", &["fixed:100"]);
    refused("sort -F fixed:0 in", &["1 to 1048576"]);
    refused("sort -F fixed:1048577 in", &["1 to 1048576"]);
    refused("sort -F fixed:ten in", &["'ten'"]);
}

#[test]
fn keys() {
    refused("sort -F fixed:100 -k 10..2 in", &["10..2"]);
    refused("sort -F fixed:100 -k 0..4:u64le in", &["0..4:u64le"]);
    refused("sort -F fixed:100 -k 0..4:number in", &["number", "decimal"]);
    refused("sort -F fixed:100 -k price in", &["price"]);
}

#[test]
fn amounts() {
    refused("sort -F fixed:10 -M lots in", &["lots", "512MiB"]);
    refused("sort -F fixed:10 -M 0% in", &["0%"]);
    refused("sort -F fixed:10 -j 1025 in", &["1 to 1024"]);
    refused("generate many file", &["many"]);
    refused("generate -t1025 10 file", &["1 to 1024"]);
    refused("generate 10", &["FILE"]);
    refused("generate sales 5 out --start 18446744073709551615", &["--start", "last row"]);
    refused("generate 5 x y", &["unexpected argument 'y'"]);
    refused("sort --compress-runs foo in", &["lz4, zstd, zstd:LEVEL, auto or off"]);
    refused("validate", &["FILE"]);
}

#[test]
fn one_stream_twice() {
    let folder = Folder::new();
    folder.write("plain", "2\n1\n");
    let made = std::process::Command::new("mkfifo").arg(folder.at("pipe")).status().expect("run");
    assert!(made.success());
    std::os::unix::fs::symlink("pipe", folder.at("link")).expect("a link");
    for verb in ["sort", "merge", "check", "explain"] {
        folder.run(&format!("{verb} - -")).fails(2, &["'-' is given twice"]);
        folder.run(&format!("{verb} plain - /dev/stdin")).fails(2, &["'-' and '/dev/stdin' are"]);
        folder.run(&format!("{verb} pipe plain ./pipe")).fails(2, &["'pipe' and './pipe' are"]);
        folder.run(&format!("{verb} pipe link")).fails(2, &["are one stream"]);
    }
    // A descriptor of a file is opened again by its name.
    let sorted = folder.script("$sortwell sort - /dev/stdin < plain").quietly();
    assert_eq!(sorted, b"1\n1\n2\n2\n");
    folder
        .script("(read first; $sortwell sort - /dev/stdin) < plain")
        .fails(2, &["are one stream"]);
    // A file may be given twice, and so may a device without content.
    let sorted = folder.run("sort plain plain /dev/null /dev/null").quietly();
    assert_eq!(sorted, b"1\n1\n2\n2\n");
}

#[test]
fn numbers_of_shuffles_have_bounds() {
    let most = u64::MAX;
    for number in ["-1", "99999999999999999999999", "x", ""] {
        let line = format!("sort --random-seed={number} -k 1:random");
        let words = format!("'{number}' is not a whole number from 0 to {most}");
        Folder::new().run_with(&line, b"a\n").fails(2, &[&words]);
    }
    let apart = Folder::new().run_with("sort --random-seed -1 -k 1:random", b"a\n");
    apart.fails(2, &["'-1' is not a whole number from 0 to"]);
    let limit = Folder::new().run_with("sort --limit 99999999999999999999999", b"a\n");
    limit.fails(2, &["--limit <N>: the number '99999999999999999999999' is too large"]);
    let last = format!("sort --random-seed {most} -k 1:random");
    assert_eq!(Folder::new().run_with(&last, b"a\n").quietly(), b"a\n");
}
