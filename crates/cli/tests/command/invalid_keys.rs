//! Reports of keys that are no values of their types: how many records, by which keys, and
//! where no record has a value. The same for any plan, and for merges.

use crate::harness::{Folder, some};

/// Lines of which every fifth has an invalid first key, and every seventh an invalid second one.
fn lines(count: usize) -> String {
    let plain = |number: usize| (number * 37 % 1009).to_string();
    let line = |number: usize| {
        let first = if number.is_multiple_of(5) { "x".to_owned() } else { plain(number) };
        let second = if number.is_multiple_of(7) { "?" } else { "2026-11-22" };
        format!("{first},{second},{number:060}\n")
    };
    (0..count).map(line).collect()
}

const KEYS: &str = "-t , -k 1:int -k 2:date --invalid last";

fn words(records: usize, of: usize, first: usize, second: usize) -> String {
    format!(
        "sortwell: {records} of {of} records have an invalid key, and come last: field 1 is not \
         an int ({first} records); field 2 is not a date, as in 2026-11-22 ({second} records)\n"
    )
}

#[test]
fn invalid_keys_are_counted_in_any_plan() {
    let (folder, input) = (Folder::new(), lines(350_000));
    folder.write("in", &input);
    // Of 35 lines 7 and 5, of which one is in both.
    let expected = words(110_000, 350_000, 70_000, 50_000);
    let first = folder.run(&format!("sort {KEYS} in")).saying(&expected);
    let plans = [
        "-j 1",
        "-j 4 -M 32MiB",
        "-j 2 -M 24MiB --overlap sync",
        "-M 48MiB --algorithm replacement-selection",
        "-M 32MiB --resume -o out",
        "--verify off",
    ];
    for plan in some(&plans) {
        let out = folder.run(&format!("sort {KEYS} {plan} in")).saying(&expected);
        let out = if plan.ends_with("-o out") { folder.read("out") } else { out };
        assert!(out == first, "{plan}");
    }
    let piped = folder.run_with(&format!("sort {KEYS} -M 32MiB"), input.as_bytes());
    assert!(piped.saying(&expected) == first);
    // All that take part are counted, also those that are not written.
    let said = folder.run(&format!("sort {KEYS} --limit 1 in")).saying(&expected);
    assert_eq!(said.iter().filter(|byte| **byte == b'\n').count(), 1);
    let taken = input.lines().filter(|line| line.starts_with("7,"));
    let (all, invalid) = (taken.clone().count(), taken.filter(|line| line.contains("?")).count());
    let said = folder.run(&format!("sort {KEYS} --include 1:int==7 --limit 1 in"));
    said.saying(&format!(
        "sortwell: {invalid} of {all} records have an invalid key, and come last: field 2 is not \
         a date, as in 2026-11-22\n"
    ));
}

#[test]
fn merges_count_the_records_of_their_inputs() {
    let folder = Folder::new();
    for (name, first) in [("a", 0), ("b", 35), ("c", 70)] {
        let part: Vec<String> = lines(105).split_inclusive('\n').map(str::to_owned).collect();
        folder.write("part", part[first..first + 35].concat());
        folder.run(&format!("sort {KEYS} -o {name} part")).saying(&words(11, 35, 7, 5));
    }
    let merged = words(33, 105, 21, 15);
    folder.run(&format!("merge {KEYS} -o m a b c")).saying(&merged);
    folder.run(&format!("merge {KEYS} --resume -o m a b c")).saying(&merged);
    folder.run(&format!("merge {KEYS} --unique -o m a a b c")).saying(&words(44, 140, 28, 20));
    folder.run(&format!("check {KEYS} m")).quietly();
}

#[test]
fn records_that_end_before_a_key_are_counted() {
    let folder = Folder::new();
    folder.write("short", b"\x00\x01a\x00\x05abcde");
    for key in ["4..5", "4..5:natural"] {
        folder.run(&format!("sort -F u16be -k {key} --invalid first short -o out")).saying(
            "sortwell: 1 of 2 records has an invalid key, and comes first: bytes 4..5 is not in \
             the record\n",
        );
    }
}

#[test]
fn statistics_have_the_words() {
    let folder = Folder::new();
    folder.write("in.csv", "id,price\n1,5\n2,x\n3,y\n");
    let said = folder.run("sort -k price:int --invalid first --stats text in.csv -o out");
    let line = "keys     2 of 3 records have an invalid key, and come first: column 'price' is \
                not an int\n";
    assert!(said.words.contains(line) && !said.words.contains("sortwell: "), "{}", said.words);
    let said = folder.run("sort -k price:date --invalid first --stats json in.csv -o out");
    let found: serde_json::Value = serde_json::from_str(&said.words).expect("JSON alone");
    let key = "column 'price'";
    let expected = serde_json::json!({
        "invalid": {
            "records": 3, "of_records": 3, "place": "first",
            "keys": [{"key": key, "expected": "a date, as in 2026-11-22", "records": 3}],
        },
        "unmatched": [{"key": key, "expected": "a date, as in 2026-11-22", "suggestion": null}],
    });
    assert_eq!(found["keys"], expected);
    folder.write("r.json", &said.words);
    folder.run("report r.json -o r.html").quietly();
}

#[test]
fn a_type_that_no_record_has_is_warned_of() {
    let warning = "sortwell: warning: field 2 has no valid value in any record: it is not an int; \
                   all values fit type size\n";
    let folder = Folder::new();
    let sizes = b"a 4K\nb 2.5M\nc\n";
    assert_eq!(folder.run_with("sort -k 2:int", sizes).saying(warning).len(), sizes.len());
    folder.run_with("sort -k 2:size", sizes).quietly();
    folder.run_with("sort -k 2:int", b"a 4K\nb 2\n").quietly();
    folder.run_with("sort -k 2:int", b"a\nb\n").quietly();
    folder.run_with("sort -k 2:int", b"").quietly();
    folder.run_with("gnu -k 2n", sizes).quietly();
    // In every load, and in lines between blocks.
    let many = "x 4K\n".repeat(1_000_000);
    let told = folder.run_with("sort -k 2:int -M 24MiB --count", many.as_bytes());
    assert_eq!(told.saying(warning), b"1000000 x 4K\n");
    let one = format!("{many}y 7\n");
    folder.run_with("sort -k 2:int -M 24MiB --limit 1", one.as_bytes()).quietly();
    let written = folder.run_with("sort -F csv -k 1:decimal --invalid last", b"p\n\"1,5\"\n");
    let warning = "warning: column 'p' has no valid value in any record: it is not a decimal; all";
    assert!(written.words.contains(warning), "{}", written.words);
    assert!(written.words.ends_with(" fit type decimal=,\n"), "{}", written.words);
}

#[test]
fn an_empty_text_is_a_value_beside_records_without_the_key() {
    let folder = Folder::new();
    folder.write("in", b"\0\0\0\x09nov  \0\0\0\x04");
    let counted = "sortwell: 1 of 2 records has an invalid key, and comes last: bytes 4..5 is not \
                   in the record\n";
    let command = "sort -F u32be:self --invalid last in -o";
    folder.run(&format!("{command} texts -k 4..5:trim")).saying(counted);
    let said = folder.run(&format!("{command} nulls -k 4..5:trim:nulls-last"));
    let warning = "sortwell: warning: bytes 4..5 has no valid value in any record: it is not in \
                   the record\n";
    said.saying(&format!("{counted}{warning}"));
}
