//! Guesses at records that are known.

use super::*;
use crate::format::Prefix;
use crate::format::csv::Quoting;

#[test]
fn rows_are_found_from_within_quotes_and_without() {
    let row = b"one,\"two\nlines, and more\",\"say \"\"yes\"\"\"\r\n";
    let bytes = row.repeat(20);
    let framing = Framing::Quoted(Quoting::Strict { quote: b'"' });
    for from in 0..row.len() {
        let start = framing.likely_start(&bytes[from..]);
        assert_eq!((from + start) % row.len(), 0, "from {from}");
    }
}

#[test]
fn prefixes_are_found_among_text() {
    let record = [&[0, 40][..], &[b'x'; 40]].concat();
    let bytes = record.repeat(50);
    let framing = Framing::Prefixed(Prefix::named("u16be").unwrap());
    for from in 0..record.len() {
        let start = framing.likely_start(&bytes[from..]);
        assert_eq!((from + start) % record.len(), 0, "from {from}");
    }
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let framing = Framing::Prefixed(Prefix::named("u32be").unwrap());
    assert_eq!(framing.likely_start(&[b'x'; 100]), 100);
    assert_eq!(Framing::Quoted(Quoting::Strict { quote: b'"' }).likely_start(b"no end"), 6);
    assert_eq!(Framing::Terminated(b'\n').likely_start(b"a\nb"), 2);
}

/// Whatever byte one begins at, the first line of a record is known by what lines look like.
#[test]
fn a_guide_knows_the_first_line_of_a_record() {
    let records: Vec<String> =
        (0..50).map(|at| format!("@read.{at} {at}\nACGTTGCA\n+\nIIII#I{at}\n")).collect();
    let bytes = records.concat().into_bytes();
    let starts: Vec<usize> =
        bytes.windows(2).enumerate().filter(|(_, two)| two == b"@r").map(|(at, _)| at).collect();
    let framing = Framing::Grouped(LineGroup { end: b'\n', lines: 4 });
    let guide = Guide::new(framing, &bytes[..300]);
    for from in 1..starts[starts.len() - 4] {
        let start = from + guide.likely_start(&bytes[from..]);
        assert!(starts.contains(&start), "from {from}: {start}");
    }
    let unaware = Guide::new(framing, b"");
    assert!(unaware.likely_start(&bytes[1..]) > 0);
    assert_eq!(guide.likely_start(b"no end"), 6);
    let many = Framing::Grouped(LineGroup { end: b'\n', lines: 1000 });
    assert_eq!(Guide::new(many, &bytes).likely_start(b"a\nb\n"), 2);
}
