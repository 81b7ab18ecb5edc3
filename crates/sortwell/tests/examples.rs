//! The example programs, called as functions.

#![expect(dead_code, reason = "tests do not call the main functions of the programs")]

#[path = "../examples/collector.rs"]
mod collector;
#[path = "../examples/csv_by_name.rs"]
mod csv_by_name;
#[path = "../examples/fixed_records.rs"]
mod fixed_records;
#[path = "../examples/group_by.rs"]
mod group_by;
#[path = "../examples/lines.rs"]
mod lines;
#[path = "../examples/merge.rs"]
mod merge;
#[path = "../examples/progress_and_cancel.rs"]
mod progress_and_cancel;
#[path = "../examples/pushed_records.rs"]
mod pushed_records;
#[path = "../examples/unique_lines.rs"]
mod unique_lines;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use sortwell::{ByteSize, Error};
use tempfile::TempDir;

/// A folder of its own for a test, and the paths of two files in it.
fn folder(input: &[u8]) -> io::Result<(TempDir, PathBuf, PathBuf)> {
    let folder = TempDir::new()?;
    let (from, to) = (folder.path().join("in"), folder.path().join("out"));
    fs::write(&from, input)?;
    Ok((folder, from, to))
}

#[test]
fn fixed_records_are_in_order() {
    let records: Vec<[u8; 100]> = [7_u8, 3, 9, 3].map(|first| [first; 100]).to_vec();
    let (_folder, input, output) = folder(&records.concat()).expect("a folder");
    let statistics = fixed_records::sort_records(&input, &output).expect("a sort");
    assert_eq!(statistics.records, 4);
    let mut sorted = records;
    sorted.sort_unstable();
    assert_eq!(fs::read(&output).expect("an output"), sorted.concat());
}

#[test]
fn words_are_counted_in_order() {
    let text = b"the cat and the dog\n\n  and THE  end\n";
    let mut counts = Vec::new();
    pushed_records::count_words(&text[..], &mut counts).expect("a sort");
    let counts = String::from_utf8(counts).expect("text");
    assert_eq!(counts, "1 THE\n2 and\n1 cat\n1 dog\n1 end\n2 the\n");
}

#[test]
fn pairs_come_back_in_the_order_of_keys() {
    let mut collector = collector::Collector::new(ByteSize::mib(32));
    for (key, value) in [(300, "c"), (2, "a"), (300, "d"), (7, "b")] {
        collector.insert(key, value.as_bytes()).expect("room");
    }
    let pairs: sortwell::Result<Vec<_>> = collector.iter().expect("a sort").collect();
    let values: Vec<_> = pairs.expect("pairs").into_iter().flat_map(|(_, value)| value).collect();
    assert_eq!(values, b"abcd");
}

#[test]
fn groups_are_added_up() {
    let mut sums = Vec::new();
    group_by::sums(&b"Rome,12\nBern,1\nRome,-2\n"[..], &mut sums).expect("a sort");
    assert_eq!(String::from_utf8(sums).expect("text"), "Bern,1\nRome,10\n");
    assert!(group_by::sums(&b"Rome\n"[..], Vec::new()).is_err());
}

#[test]
fn unique_lines_keep_their_places() {
    let mut lines = Vec::new();
    unique_lines::unique_lines(&b"b\na\nb\n\nc\na\n\n"[..], &mut lines).expect("a sort");
    assert_eq!(lines, b"b\na\n\nc\n");
}

#[test]
fn lines_are_in_descending_order_and_unique() {
    let (_folder, input, output) = folder(b"a,1\nb,10\nc,1\nd,2\n").expect("a folder");
    let statistics = lines::sort_lines(&input, &output).expect("a sort");
    assert_eq!((statistics.records, statistics.records_selected), (4, Some(3)));
    assert_eq!(fs::read(&output).expect("an output"), b"b,10\nd,2\na,1\n");
}

#[test]
fn rows_are_selected_and_ordered_by_names() {
    let rows = b"city,day,amount\nParis,2026-02-01,5\nRome,2026-01-01,1\nParis,?,8\n\
                 Paris,2026-01-09,5\nParis,2026-01-09,70\n";
    let (_folder, input, output) = folder(rows).expect("a folder");
    csv_by_name::sort_sales(&input, &output).expect("a sort");
    let expected = "city,day,amount\nParis,2026-01-09,70\nParis,2026-01-09,5\nParis,2026-02-01,5\n\
                    Paris,?,8\n";
    assert_eq!(fs::read_to_string(&output).expect("an output"), expected);
}

#[test]
fn logs_are_merged_and_checked() {
    let (folder, first, output) =
        folder(b"2026-01-01T00:00:00Z a\n2026-01-03T00:00:00Z c\n").expect("a folder");
    let second = folder.path().join("second");
    fs::write(&second, "2026-01-02T00:00:00Z b\n").expect("an input");
    merge::merge_logs(&[first.clone(), second.clone()], &output).expect("a merge");
    let merged = fs::read_to_string(&output).expect("an output");
    let order: String = merged.lines().filter_map(|line| line.chars().last()).collect();
    assert_eq!(order, "abc");
    fs::write(&second, "2026-01-02T00:00:00Z b\n2026-01-01T00:00:00Z x\n").expect("an input");
    let error = merge::merge_logs(&[first, second], &output).expect_err("out of order");
    assert!(matches!(error, Error::Malformed { .. }), "{error}");
    assert_eq!(fs::read_to_string(&output).expect("the old output"), merged);
}

#[test]
fn sorts_are_watched_and_stopped() {
    let (_folder, input, output) = folder(b"b\na\n").expect("a folder");
    let mut shown = 0;
    let minute = Duration::from_secs(60);
    progress_and_cancel::sort_within(&input, &output, minute, |_| shown += 1).expect("a sort");
    assert_eq!(fs::read(&output).expect("an output"), b"a\nb\n");
    assert!(shown > 0);
    fs::remove_file(&output).expect("no output");
    let lines: String =
        (0..3_000_000_u64).map(|line| format!("{}\n", line * 7919 % 3_000_017)).collect();
    fs::write(&input, lines).expect("an input");
    let result = progress_and_cancel::sort_within(&input, &output, Duration::ZERO, |_| {});
    assert!(matches!(result, Err(Error::Interrupted)), "{result:?}");
    assert!(!output.exists());
}
