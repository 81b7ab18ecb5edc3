//! `sort` over lines, as it is used at a shell: pipes, keys, selections, and what is said to words
//! that mean nothing for lines.

use std::io::{BufRead, BufReader, Read};
use std::process::Command;
use std::time::Duration;

use crate::harness::{Folder, Said, ended};

/// Runs a line of shell in the folder, with `SORT` for the command; output, words and status.
fn shell(folder: &Folder, script: &str) -> (Vec<u8>, String, i32) {
    let script = script.replace("SORT", "\"$1\" sort");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_sortwell")]);
    let output = shell.current_dir(folder.path()).output().expect("sh");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.stdout, words, output.status.code().unwrap_or(-1))
}

/// Returns the output for `input` with some options.
#[track_caller]
fn sorted(options: &str, input: &[u8]) -> String {
    let out = Folder::new().run_with(&format!("sort {options}"), input).quietly();
    String::from_utf8(out).expect("text")
}

#[test]
fn lines_are_what_is_sorted_unless_told_otherwise() {
    assert_eq!(sorted("", b"b\n\na b\nB\n10\n9\n"), "\n10\n9\nB\na b\nb\n");
    assert_eq!(sorted("-", b""), "");
    assert_eq!(sorted("-F lines", b"\n"), "\n");
    assert_eq!(sorted("", b"b\na"), "a\nb\n", "the last line gets its end");
    assert_eq!(sorted("", b"b\r\na\r\n"), "a\r\nb\r\n");
}

#[test]
fn any_byte_passes_through() {
    let folder = Folder::new();
    let input = b"\xff\xfe\n\0b\n\0\na\0\na\xc3\n\xc3\xa9\n";
    let out = folder.run_with("sort", input).quietly();
    assert_eq!(out, b"\0\n\0b\na\0\na\xc3\n\xc3\xa9\n\xff\xfe\n");
    let out = folder.run_with("sort -k 1:natural:ci -r", input).quietly();
    assert_eq!(out.len(), input.len());
}

#[test]
fn other_ends_of_lines() {
    assert_eq!(sorted("-F lines:0", b"b\nc\0a\nz\0a\n\0"), "a\n\0a\nz\0b\nc\0");
    assert_eq!(sorted("-F lines:; -r", b"a;c;b"), "c;b;a;");
    for (format, part) in [("lines:300", "from 0 to 255"), ("lines:ab", "lines:0")] {
        let said = Folder::new().run_with(&format!("sort -F {format}"), b"");
        assert!(said.status == 2 && said.words.contains(part), "{said:?}");
    }
}

#[test]
fn keys_of_every_form() {
    let table: &[u8] = b"x,10,b\ny,9,a\nx,9,c\n";
    assert_eq!(sorted("-t , -k 2:decimal", table), "y,9,a\nx,9,c\nx,10,b\n");
    assert_eq!(sorted("-t , -k 2", table), "x,10,b\ny,9,a\nx,9,c\n");
    assert_eq!(sorted("-t , -k 1 -k 2:int:desc", table), "x,10,b\nx,9,c\ny,9,a\n");
    assert_eq!(sorted("-t , -k 1[0..1]:desc -k 3", table), "y,9,a\nx,10,b\nx,9,c\n");
    assert_eq!(sorted("-k 2..4", table), "x,10,b\ny,9,a\nx,9,c\n");
    assert_eq!(sorted("-t , -k 2:decimal -r", table), "x,10,b\ny,9,a\nx,9,c\n");
    assert_eq!(sorted("-r", b"a\nc\nb\n"), "c\nb\na\n");
    assert_eq!(sorted("-k ..:ci", b"b\nB\nA\na\n"), "A\na\nb\nB\n");
    assert_eq!(sorted("-t tab -k 2", b"1\tb\n2\ta\n"), "2\ta\n1\tb\n");
    assert_eq!(sorted("-k 1:size", b"2Ki\n2K\n1.5M\n"), "2K\n2Ki\n1.5M\n");
    assert_eq!(sorted("-k 1:version", b"a-1.10\na-1.9\n"), "a-1.9\na-1.10\n");
}

#[test]
fn selections_and_headers() {
    let input: &[u8] = b"b 1\na 2\nb 3\nc 4\na 5\n";
    let key = "-t @ -k 1[0..1]";
    assert_eq!(sorted(&format!("{key} --unique"), input), "a 2\nb 1\nc 4\n");
    assert_eq!(sorted(&format!("{key} --unique=last"), input), "a 5\nb 3\nc 4\n");
    assert_eq!(sorted("--unique=error", input), "a 2\na 5\nb 1\nb 3\nc 4\n");
    assert_eq!(sorted(&format!("{key} -u --skip 1"), input), "b 1\nc 4\n");
    assert_eq!(sorted("--skip 1 --limit 2", input), "a 5\nb 1\n");
    assert_eq!(sorted(&format!("{key} --count"), input), "      2 a 2\n      2 b 1\n      1 c 4\n");
    assert_eq!(sorted(&format!("{key} --limit 3"), input), "a 2\na 5\nb 1\n");
    assert_eq!(sorted(&format!("{key} -u --limit 1 -r"), input), "c 4\n");
    assert_eq!(sorted("--limit 0", input), "");
    assert_eq!(sorted("--header 2", input), "b 1\na 2\na 5\nb 3\nc 4\n");
    assert_eq!(sorted("--header 9", b"b\na"), "b\na\n");
    let folder = Folder::new();
    folder.write("one", "name\nz\nb");
    folder.write("two", "name\na\n");
    let out = folder.run("sort --header 1 one two").quietly();
    assert_eq!(out, b"name\na\nb\nz\n");
}

#[test]
fn lines_that_start_with_the_prefix_of_the_header_stay_on_top() {
    let vcf: &[u8] = b"##fileformat=VCFv4.3\n#CHROM\tPOS\n2\t10\n1\t30\n#1\t5\n1\t4\n";
    let in_order = "##fileformat=VCFv4.3\n#CHROM\tPOS\n#1\t5\n1\t4\n1\t30\n2\t10\n";
    let keys = "-t tab -k 1 -k 2:int";
    assert_eq!(sorted(&format!("{keys} --header #"), vcf), in_order);
    assert_eq!(sorted("--header prefix:1", b"1\n10\nb\na\n1\n"), "1\n10\n1\na\nb\n");
    assert_eq!(sorted("--header --", b"--b\n--a\nd\nc\n"), "--b\n--a\nc\nd\n");
    assert_eq!(sorted("--header #", b"#b"), "#b\n", "nothing but a header, without its end");
    assert_eq!(sorted("--header #", b""), "");
    assert_eq!(sorted("--header # -F lines:0", b"#b\0b\0a"), "#b\0a\0b\0");
    let folder = Folder::new();
    folder.write("vcf", vcf);
    folder.write("none", "3\t1\n");
    folder.write("other", "##other\n#CHROM\tPOS\n0\t1\n");
    let all = in_order.replace("#1\t5\n", "#1\t5\n0\t1\n") + "3\t1\n";
    let out = folder.run(&format!("sort {keys} --header # none vcf other")).quietly();
    assert_eq!(String::from_utf8(out).expect("text"), all);
    folder.run(&format!("sort {keys} --header # vcf --compress gzip -o vcf.gz")).quietly();
    let out = folder.run(&format!("sort {keys} --header # none vcf.gz other")).quietly();
    assert_eq!(String::from_utf8(out).expect("text"), all);
}

#[test]
fn header_lines_with_a_prefix_are_not_cut() {
    let table: &[u8] = b"##f=x\n#a,b\n2,x\n1,y\n";
    assert_eq!(sorted("-t , -k 1 --select 2 --header #", table), "##f=x\n#a,b\ny\nx\n");
    assert_eq!(sorted("-t , -k 1 --select 2 --header 1", b"a,b\n2,x\n1,y\n"), "b\ny\nx\n");
    let folder = Folder::new();
    folder.write("in", table);
    let merged = "merge -t , -k 1:int:desc --select 2 --header # in";
    assert_eq!(folder.run(merged).quietly(), b"##f=x\n#a,b\nx\ny\n");
}

#[test]
fn merge_and_check_leave_headers_alone() {
    let folder = Folder::new();
    folder.write("one", "#z\n#a\nb\nd\n");
    folder.write("two", "#y\na\nc");
    folder.write("bad", "#z\n#a\nb\na\n");
    assert_eq!(folder.run("merge --header # one two").quietly(), b"#z\n#a\na\nb\nc\nd\n");
    let piped = folder.script("cat two | \"$sortwell\" merge --header '#' one -");
    assert_eq!(piped.quietly(), b"#z\n#a\na\nb\nc\nd\n");
    assert_eq!(folder.run("merge --header 1 -o out two one").quietly(), b"");
    assert_eq!(folder.read("out"), b"#y\n#a\na\nb\nc\nd\n");
    folder.run("check --header # one two").quietly();
    folder.run("check one").fails(1, &["record 2"]);
    folder.run("check --header # bad").fails(1, &["record 2 at offset 8"]);
    folder.run("sort --header # --split 2 -o part.txt one two").quietly();
    assert_eq!(folder.read("part-1.txt"), b"#z\n#a\na\nb\n");
    assert_eq!(folder.read("part-2.txt"), b"#z\n#a\nc\nd\n");
}

#[test]
fn a_header_is_bounded_and_its_prefix_has_a_character() {
    let folder = Folder::new();
    folder.write("in", [b"#x\n".repeat(400_000), b"a\n".to_vec()].concat());
    for command in ["sort", "check", "merge"] {
        let said = folder.run(&format!("{command} --header # in"));
        said.fails(3, &["in: the header has more than 1048576 bytes"]);
        let said = folder.run(&format!("{command} --header prefix: in"));
        assert!(said.status == 2 && said.words.contains("is empty"), "{said:?}");
        folder.run(&format!("{command} -F fixed:3 --header # in")).fails(2, &["header"]);
        folder.run(&format!("{command} -F csv --header # in")).fails(2, &["leave out --header"]);
    }
}

#[test]
fn a_duplicate_is_refused_by_its_number() {
    let folder = Folder::new();
    folder.write("in", "c\na\nb\na\n");
    let said = folder.run("sort --unique=error -o out in");
    assert_eq!((said.status, said.out.len()), (3, 0), "{said:?}");
    assert!(said.words.contains("in: record 2 of the sorted order"), "{said:?}");
    assert!(said.words.contains("'a'"), "{said:?}");
}

#[test]
fn words_that_mean_nothing_for_the_format() {
    let folder = Folder::new();
    folder.write("in", "b\na\n");
    for (line, part) in [
        ("sort -k 1:u32le in", "u32le"),
        ("sort -k 1:apples in", "apples"),
        ("sort -k x in", "2[0..4]"),
        ("sort -k 1:int:ci in", "leave it out"),
        ("sort -F fixed:2 --header 1 in", "header"),
        ("sort -F fixed:2 -t , in", "--separator"),
        ("sort -F fixed:2 -k 1:decimal in", "decimal"),
    ] {
        let said = folder.run(line);
        assert_eq!((said.status, said.out.len()), (2, 0), "{line}: {said:?}");
        assert!(said.words.contains(part), "{line}: {said:?}");
    }
}

#[test]
fn several_inputs_and_an_output_that_is_one() {
    let folder = Folder::new();
    folder.write("a", "d\nb");
    folder.write("c", "c\n");
    folder.run_with("sort -o a a - c", b"a\ne").quietly();
    assert_eq!(folder.read("a"), b"a\nb\nc\nd\ne\n");
    assert_eq!(folder.names(), ["a", "c"]);
}

#[test]
fn a_reader_with_enough_ends_it_quietly() {
    let folder = Folder::new();
    let lines: String = (0..400_000).map(|number| format!("{}\n", number % 7919)).collect();
    folder.write("in", &lines);
    for options in ["", "-j 3", "-M 30MiB -T .", "-u", "--stats text"] {
        let script = format!("{{ SORT {options} in; echo $? > status; }} | head -n 1");
        let (out, words, status) = shell(&folder, &script);
        assert_eq!((out.as_slice(), status), (&b"0\n"[..], 0), "{options}");
        assert!(words.is_empty() || options.contains("stats"), "{options}: {words}");
        assert_eq!(folder.read("status"), b"0\n", "{options}");
    }
    assert_eq!(folder.names(), ["in", "status"]);
}

#[test]
fn pipes_on_both_sides() {
    let folder = Folder::new();
    let lines: String = (0..300_000).rev().map(|number| format!("{number:07}\n")).collect();
    folder.write("in", &lines);
    let expected: String = (0..300_000).map(|number| format!("{number:07}\n")).collect();
    for options in ["", "-M 28MiB -j 1 -T .", "-k 1:int"] {
        let (out, words, status) = shell(&folder, &format!("cat in | SORT {options} | cat"));
        assert_eq!((words.as_str(), status), ("", 0), "{options}");
        assert!(out == expected.as_bytes(), "{options}");
    }
    assert_eq!(folder.names(), ["in"]);
}

/// The first lines are there before anybody has read the rest.
#[test]
fn a_slow_reader_is_waited_for() {
    let folder = Folder::new();
    let lines: String = (0..300_000).rev().map(|number| format!("{number:07}\n")).collect();
    folder.write("in", lines);
    let mut child = folder.start("sort in");
    let mut reader = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut first = String::new();
    reader.read_line(&mut first).expect("a line");
    assert_eq!(first, "0000000\n");
    let mut rest = Vec::new();
    reader.read_to_end(&mut rest).expect("the rest");
    assert_eq!(rest.len(), 299_999 * 8);
    assert!(ended(child, Duration::from_secs(60)).status.success());
}

#[test]
fn statistics_count_lines() {
    let folder = Folder::new();
    folder.write("in", "b\na\nb");
    let said = folder.run("sort --stats json -o out in");
    let account: serde_json::Value = serde_json::from_str(&said.words).expect("JSON");
    for (field, value) in [("records", 3), ("bytes", 6), ("passes", 1), ("runs", 0)] {
        assert_eq!(account[field], value, "{field}: {account}");
    }
    assert_eq!(account["proof"]["records"], 3);
}

#[test]
fn statistics_name_whose_order_of_text_it_was() {
    let folder = Folder::new();
    folder.write("in", "a\nB\n\u{e4}\n");
    for line in ["sort -k ..:text:locale=de", "merge --verify off -k ..:text:locale=de"] {
        let said = folder.run(&format!("{line} --stats text -o out in"));
        assert!(said.words.contains("\norder    icu de (CLDR "), "{}", said.words);
        let done = if line.starts_with("merge") { "merged " } else { "sorted " };
        assert!(said.words.starts_with(done), "{}", said.words);
    }
}

#[test]
fn a_name_in_the_message_of_a_check_is_escaped() {
    let folder = Folder::new();
    folder.write("a\u{1b}[31m", "b\na\n");
    let said = Said::from(folder.command(&["check", "a\u{1b}[31m"]).output().expect("run"));
    said.fails(1, &["a\\u{1b}[31m: record 2"]);
}
