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
