//! Records of several lines: keys, operators, several inputs, and what is said of those that do not
//! come out even.

use crate::harness::Folder;

const READS: &str = "@r.3 30 x\nGG\n+\n!!\n@r.1 9 y\nAC\n+\n!#\n@r.2 100 x\nAA\n+\n!$\n";

/// What comes out for some reads.
#[track_caller]
fn names(words: &str) -> Vec<u8> {
    let out = Folder::new().run_with(&format!("sort -F lines:group=4 {words}"), READS.as_bytes());
    let out = out.quietly();
    assert_eq!(out.len(), READS.len());
    let lines = out.split(|byte| *byte == b'\n').step_by(4);
    lines.filter(|line| !line.is_empty()).map(|name| name[3]).collect()
}

#[test]
fn keys_name_lines_and_fields_of_lines() {
    for (words, order) in [
        ("", b"123"),
        ("-k 1", b"123"),
        ("-k 2", b"213"),
        ("-k 2:desc", b"312"),
        ("-k 2[1..2] -k 1", b"213"),
        ("-k 4", b"312"),
        ("-k 3-4 -r", b"213"),
        ("-k 2-", b"213"),
        ("-k 1.2:int", b"132"),
        ("-k 1.2", b"231"),
        ("-k 1.3 -k 2", b"231"),
        ("-k 1.3- -k 1.2:int:desc", b"231"),
        ("-t . -k 1.2[0..1]:desc", b"321"),
        ("-k 0..4:desc", b"321"),
        ("-k 1.9 -k 1.1", b"123"),
        ("-k 1:natural", b"123"),
    ] {
        assert_eq!(names(words), order, "{words}");
    }
}

#[test]
fn operators_take_lines() {
    let folder = Folder::new();
    folder.write("in", "b\n5\na\n6\na\n-7");
    let out = |words: &str| {
        let out = folder.run(&format!("sort -F lines:group=2 -k 1 {words} in")).quietly();
        String::from_utf8(out).expect("text")
    };
    assert_eq!(out(""), "a\n6\na\n-7\nb\n5\n", "the last line gets its end");
    assert_eq!(out("--sum 2"), "a\n-1\nb\n5\n");
    assert_eq!(out("--min 2:int -r"), "b\n5\na\n-7\n");
    assert_eq!(out("--count"), "      2 a\n6\n      1 b\n5\n");
    assert_eq!(out("-u"), "a\n6\nb\n5\n");
    assert_eq!(out("--unique=last"), "a\n-7\nb\n5\n");
    assert_eq!(out("--limit 2 --select 2"), "6\n-7\n");
    assert_eq!(out("--select 2,1,2 --skip 2"), "5\nb\n5\n");
    assert_eq!(out("--header 2 -k 2"), "b\n5\na\n-7\na\n6\n");
    let script = r#"pairs() { "$sortwell" sort -F lines:group=2 "$@" in; }
        pairs --include '2:int > -7 and 2.1:int != 6'
        pairs --unique-by 1 -k 2:int
        pairs -k 1 --sum 2 --having '2:int < 0'"#;
    assert_eq!(folder.script(script).quietly(), b"b\n5\na\n-7\nb\n5\na\n-1\n");
    folder.run("sort -F lines:group=2 -k 1 --split-by 1 -o out.txt in").quietly();
    assert_eq!(folder.read("out-a.txt"), b"a\n6\na\n-7\n");
    assert_eq!(folder.read("out-b.txt"), b"b\n5\n");
    folder.run("sort -F lines:group=2 --split 2 -o half.txt in").quietly();
    assert_eq!(folder.read("half-1.txt"), b"a\n-7\na\n6\n");
    for (words, part) in [
        ("--sum 3", "'3' is not the number of a line; records have lines 1 to 2"),
        ("--select 1.1", "'1.1' is not the number of a line"),
        ("-k 3", "key '3' names line 3, and a record has 2"),
        ("-k name", "is not a place in a record of 2 lines"),
    ] {
        folder.run(&format!("sort -F lines:group=2 -k 1 {words} in")).fails(2, &[part]);
    }
}

#[test]
fn each_input_begins_with_a_record() {
    let folder = Folder::new();
    folder.write("one", "#\nc\n1\nb");
    folder.write("two", "#\na\n2\n");
    folder.write("none", "");
    folder.write("cut", "#\nx\n9\ny\n8\nz");
    let sort = "sort -F lines:group=2 --header #";
    folder.run(&format!("{sort} one two")).fails(
        3,
        &["one: record 2, line 4, at byte 6: the last record is incomplete: it has 1 of 2 lines"],
    );
    folder.write("one", "#\nc\n1\nb\n");
    folder.write("three", "#\nb\n");
    let pair = "one: record 2, line 4, at byte 6";
    folder.run(&format!("{sort} one three")).fails(3, &[pair, "it has 1 of 2 lines"]);
    assert_eq!(folder.run(&format!("{sort} two none")).quietly(), b"#\na\n2\n");
    assert!(folder.run("sort -F lines:group=2 none none").quietly().is_empty());
    folder.run(&format!("{sort} two cut")).fails(3, &["cut: record 3, line 6, at byte 10"]);
    let cut = "record 3, line 6, at byte 10: the last record is incomplete: it has 1 of 2 lines";
    folder.run_with(sort, &folder.read("cut")).fails(3, &["standard input", cut]);
    folder.run("check -F lines:group=2 --header 1 -k 2:int:desc cut").fails(3, &[cut]);
    folder.run("merge -F lines:group=2 --header 1 -k 2:int:desc cut two").fails(3, &[cut]);
    folder
        .run("sort -F lines:group=2 --header 1 -k 2:ip two")
        .fails(3, &["two: record 1, line 2, at byte 2: line 2: '2' is not an IP address"]);
}

#[test]
fn sorted_records_are_merged_and_checked() {
    let folder = Folder::new();
    let ended = |text: &str| text.replace('|', "\0").into_bytes();
    folder.write("one", ended("b|1|d|0"));
    folder.write("two", ended("a|2|c|3|"));
    let out = folder.run("merge -F lines:0,group=2 -k 1 one two").quietly();
    assert_eq!(out, ended("a|2|b|1|c|3|d|0|"));
    assert!(folder.run("check -F lines:0,group=2 -k 1 two").quietly().is_empty());
    folder.run("check -F lines:0,group=2 -k 1.1:desc two").fails(1, &["record 2 at offset 4"]);
    folder.run("sort -F lines:0,group=3 two").fails(3, &["two: record 2, line 4, at byte 6"]);
}

/// More than memory holds, so that records lie across blocks, loads and runs.
#[test]
fn large_inputs_come_out_the_same_for_any_budget_and_threads() {
    let folder = Folder::new();
    let mut expected: Vec<String> = (0..60_000_u64)
        .map(|number| {
            let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let length = (random % 300) as usize;
            format!("@{random} {number}\n{}\n\n{}\n", "A".repeat(length), "@".repeat(length))
        })
        .collect();
    folder.write("in", expected.concat());
    expected.sort_by_key(|record| record.split(' ').next().map(|name| name[1..].to_owned()));
    let expected = expected.concat().into_bytes();
    for words in ["-M 24MiB -j 1", "-M 26MiB -j 3", "-j 2", "-M 22MiB -j 2 --io sync"] {
        let line = format!("sort -F lines:group=4 -k 1.1 {words} --sync off -o out in");
        folder.run(&line).quietly();
        assert!(folder.read("out") == expected, "{words}");
    }
    let out = folder.run_with("sort -F lines:group=4 -k 1.1 -M 22MiB -j 2", &folder.read("in"));
    assert!(out.quietly() == expected, "a pipe");
}
