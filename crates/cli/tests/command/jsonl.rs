//! `sort` over lines of JSON: keys by path, values with escapes, and lines that are no JSON.

use std::fmt::Write as _;

use crate::harness::{Folder, Random};

const LINES: &str = r#"{"user": {"id": 30, "name": "Zo\u00eb"}, "ts": "2026-11-24T10:00:00Z"}
{"user": {"id": 7, "name": "ann", "v": "1.10"}, "ts": "2026-11-23T10:00:00+02:00", "t": ["b"]}
{"ts": null, "user": {"id": -5, "v": "1\u002e9"}}

{"user": {"name": "Bob \"x\""}, "t": ["", {"a.b": 4.50}]}
"#;

/// The lines of [`LINES`] by their numbers, from 1, as they come out by a key.
#[track_caller]
fn numbers(options: &str) -> Vec<usize> {
    let out = Folder::new().run_with(&format!("sort -F jsonl {options}"), LINES.as_bytes());
    let out = String::from_utf8(out.quietly()).expect("text");
    let number = |line| LINES.lines().position(|other| other == line).expect("a line") + 1;
    out.lines().map(number).collect()
}

#[test]
fn members_by_path() {
    assert_eq!(numbers("-k user.id:int"), [3, 2, 1, 4, 5]);
    assert_eq!(numbers("-k user.id:int:desc:nulls-first"), [4, 5, 1, 2, 3]);
    assert_eq!(numbers("-k user.name"), [5, 1, 2, 3, 4]);
    assert_eq!(numbers("-k user.name:ci:desc"), [1, 5, 2, 3, 4]);
    assert_eq!(numbers("-k ts:timestamp"), [2, 1, 3, 4, 5]);
    assert_eq!(numbers("-k t.0"), [2, 1, 3, 4, 5], "an empty string has no value");
    assert_eq!(numbers("-k /t/1/a.b:decimal"), [5, 1, 2, 3, 4]);
    assert_eq!(numbers("-k user.v:version"), [3, 2, 1, 4, 5]);
    assert_eq!(numbers("-k user.v:natural -k missing.x"), [3, 2, 1, 4, 5]);
    assert_eq!(numbers("-k user.name:locale=de"), [2, 5, 1, 3, 4]);
    assert_eq!(numbers("-k 0..7 -k user.id:int"), [4, 3, 2, 1, 5]);
    assert_eq!(numbers(""), [4, 3, 1, 2, 5], "whole lines without a key");
    assert_eq!(numbers("-k user.name --invalid first --limit 2"), [5, 1]);
}

#[test]
fn conditions_take_paths() {
    let folder = Folder::new();
    folder.write("in", LINES);
    let kept = |condition: &str| {
        let words = ["sort", "-F", "jsonl", "--include", condition, "in"];
        let out = folder.command(&words).output().expect("run").stdout;
        String::from_utf8(out).expect("text").lines().count()
    };
    assert_eq!(kept("user.id:int > 0"), 2);
    assert_eq!(kept("user.name == \"Zo\u{eb}\""), 1);
    assert_eq!(kept("user.name contains '\"x'"), 1);
    assert_eq!(kept("ts is empty"), 3);
}

#[test]
fn lines_that_are_no_json_are_named() {
    let sort = |input: &[u8]| Folder::new().run_with("sort -F jsonl -k a", input);
    sort(b"{}\n{\"a\": 1\n").fails(3, &["standard input: line 2: not JSON: EOF"]);
    sort(b"{\"a\": \"\xff\"}\n").fails(3, &["line 1: not JSON: byte 7 is not UTF-8"]);
    sort(b"{} {}").fails(3, &["line 1: not JSON: trailing characters at byte 4"]);
    Folder::new().run_with("sort -F ndjson", b"a\n").fails(3, &["line 1: not JSON"]);
    let typed = Folder::new().run_with("sort -F jsonl -k a:int", b"{\"a\": 1.5}");
    let marked = Folder::new().run_with("sort -F jsonl -k a", "\u{feff}{}".as_bytes());
    marked.fails(3, &["line 1: not JSON: it begins with a byte order mark"]);
    typed.fails(3, &["line 1: 'a': '1.5' is not an int", "--invalid last"]);
}

#[test]
fn keys_that_mean_nothing_are_refused() {
    let cases = [
        ("-k 2", "the number of a field, and JSON values have names"),
        ("-k a[0..2]", "asks for bytes of the JSON value 'a'"),
        ("-k a..b", "'a..b'"),
        ("-k a.b.", "an empty name between dots"),
        ("-k a -t ,", "--separator does not apply to JSON"),
        ("-k a --header 1", "a header consists of lines"),
        ("-k a --sum b", "--sum: 'b' is a value of JSON, which only keys and conditions"),
        ("-k a --select b", "--select: 'b' is a value of JSON"),
        ("-k a --split-by a -o out", "--split-by: 'a' is a value of JSON"),
        ("-k a --no-header", "--no-header applies to csv"),
    ];
    for (options, part) in cases {
        Folder::new().run_with(&format!("sort -F jsonl {options}"), b"{}").fails(2, &[part]);
    }
}

/// The same bytes in one pass, in many runs, and by a merge; in the order that numbers have.
#[test]
fn many_lines_in_every_way() {
    let mut random = Random::fixed();
    let mut text = String::new();
    for number in 0..60_000 {
        let id = random.next() % 20_000;
        let name = "x\\u00e9".repeat((random.next() % 6) as usize);
        let _ = writeln!(text, r#"{{"n": "{name}", "deep": {{"id": {id}}}, "at": {number}}}"#);
    }
    let id = |line: &str| -> u64 {
        let rest = line.split("\"id\": ").nth(1).expect("an id");
        rest.split('}').next().expect("an end").parse().expect("a number")
    };
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_by_key(|line| id(line));
    let expected = lines.join("\n") + "\n";
    let folder = Folder::new();
    folder.write("in", &text);
    let small = ["-M 24MiB --run-size 1MiB", "-M 24MiB --algorithm replacement-selection"];
    for options in ["", "-j 1", small[0], small[1]] {
        folder.run(&format!("sort -F jsonl -k deep.id:int {options} -o out in")).quietly();
        assert!(folder.read("out") == expected.as_bytes(), "{options}");
        folder.run("check -F jsonl -k deep.id:int out").quietly();
    }
    folder.run("sort -F jsonl -k n -k deep.id:int -o by-name in").quietly();
    folder.run("merge -F jsonl -k n -k deep.id:int -o merged by-name by-name").quietly();
    folder.run("check -F jsonl -k n -k deep.id:int merged").quietly();
}
