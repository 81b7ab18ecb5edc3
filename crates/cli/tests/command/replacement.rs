//! `--algorithm`, as a user meets it.

use crate::harness::{Folder, sorted_by};

const SORT: &str = "sort -F fixed:100 -k 0..10 -M 32MiB -T .";

/// Records of 100 bytes, each some thousand places from where it belongs at most.
fn nearly_sorted(records: u64) -> Vec<u8> {
    let record = |place: u64| {
        let key = place + place * 7919 % 5000;
        format!("{key:010}{place:090}").into_bytes()
    };
    (0..records).flat_map(record).collect()
}

#[test]
fn a_nearly_sorted_file_is_one_run() {
    let folder = Folder::new();
    let records = nearly_sorted(400_000);
    folder.write("in", &records);
    let expected = sorted_by(&records, 100, |record| record[..10].to_vec());
    for (algorithm, runs) in [
        ("auto", " runs by radix, "),
        ("quicksort", " runs by quicksort, "),
        ("mergesort", " runs by mergesort, "),
        ("alphasort", " runs by alphasort, "),
        ("replacement-selection", " 1 run by replacement-selection, "),
    ] {
        let line = format!("{SORT} --algorithm {algorithm} --stats text -o out in");
        let said = folder.run(&line).words;
        assert!(said.contains("2 passes") && said.contains(runs), "{said}");
        assert!(folder.read("out") == expected, "{algorithm}");
    }
    let line = format!("{SORT} --algorithm replacement-selection --stats json -o out in");
    let said = folder.run(&line).words;
    assert!(said.contains("\"algorithm\":\"replacement-selection\""), "{said}");
    assert_eq!(folder.names(), ["in", "out"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new();
    folder.write("in", nearly_sorted(1000));
    for other in ["--resume -o out in", "--in-place in"] {
        let line = format!("{SORT} --algorithm replacement-selection {other}");
        folder.run(&line).fails(2, &["--algorithm radix"]);
    }
    let said = folder.run(&format!("{SORT} --algorithm quick in"));
    let known = "auto, radix, quicksort, mergesort, alphasort, replacement-selection";
    assert!(said.status == 2 && said.words.contains(known), "{}", said.words);
}
