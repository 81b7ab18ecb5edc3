//! Streams that stand still: an error that is known by then is reported, and not when more comes.

use std::io::Write;
use std::process::Child;
use std::time::{Duration, Instant};

use crate::harness::{Folder, Said, ended};

/// Time within which an error has to be reported, on a busy machine too.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits for a command whose input stays open, and prints how long it took.
#[track_caller]
fn ended_while_open(mut child: Child, name: &str) -> Said {
    let held = child.stdin.take();
    let begun = Instant::now();
    let said = Said::from(ended(child, PATIENCE));
    println!("{name}: {:?}", begun.elapsed());
    drop(held);
    said
}

/// Starts a command, and feeds it `input`. The stream stays open.
fn fed(folder: &Folder, line: &str, input: &[u8]) -> Child {
    let mut child = folder.start(line);
    let pipe = child.stdin.as_mut().expect("a pipe");
    // A command that has failed takes no more.
    let _ = pipe.write_all(input);
    child
}

/// Rows of two cells, the one after `good` rows with three, and more rows.
fn rows(good: usize, after: usize) -> Vec<u8> {
    let row = |number: usize| format!("{number:08},{:020}\n", number * 7 % 1000);
    let good: String = (0..good).map(row).collect();
    let after: String = (0..after).map(row).collect();
    format!("id,value\n{good}1,2,3\n{after}").into_bytes()
}

/// A worker finds the row while another waits for more of the stream.
#[test]
fn a_malformed_row_before_many_others_is_reported() {
    for threads in [1, 2, 3] {
        let folder = Folder::new();
        let line = format!("sort -F csv -k id -M 64MiB -j {threads} -o out");
        let child = fed(&folder, &line, &rows(60_000, 20_000));
        let said = ended_while_open(child, &line);
        said.fails(3, &["row 60001", "3 cells"]);
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

/// Nothing comes after the record, which lies in a block that is not full.
#[test]
fn a_malformed_record_at_the_end_is_reported() {
    let prefixed = b"\0\0\0\x02ab\0\0\0\x02cd\0\0\0\0\0\0\0\x02ef";
    for (line, input, words) in [
        ("sort -F csv -k a", &b"a,b\n1,2\n1,2,3\n"[..], "3 cells"),
        ("sort -F csv --no-header -k 1", b"1,2\n1,2,3\n", "3 cells"),
        ("sort -F csv -k a", b"a,b\n1,2\n1,x\"\"\n", "quote"),
        ("sort -F jsonl -k a", b"{\"a\":1}\n{\"a\n", "JSON"),
        ("sort -k 1:int --invalid error", b"1\n2\nx\n", "not an int"),
        ("sort -F u32be -k 1..2", prefixed, "record 3"),
    ] {
        for threads in [1, 2] {
            let folder = Folder::new();
            let line = format!("{line} -j {threads} -o out");
            let said = ended_while_open(fed(&folder, &line, input), &line);
            said.fails(3, &[words]);
            assert!(folder.names().is_empty(), "{:?}", folder.names());
        }
    }
}
