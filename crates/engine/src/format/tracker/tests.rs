//! Trackers, fed with every cut of some records.

use super::*;
use crate::format::csv::Quoting;

/// What a tracker says of `bytes` in pieces cut at `cuts`, as places in the whole.
fn ends(framing: Framing, bytes: &[u8], cuts: &[usize]) -> Vec<usize> {
    let mut tracker = Tracker::new(framing);
    let (mut at, mut found) = (0, Vec::new());
    for &cut in cuts.iter().chain([&bytes.len()]) {
        if let Some((first, last)) = tracker.pass(&bytes[at..cut]).unwrap() {
            assert!(first <= last);
            found.extend([at + first, at + last]);
        }
        at = cut;
    }
    assert_eq!(tracker.pass_end(), Ok(false));
    found.dedup();
    found
}

fn check(framing: Framing, records: &[&[u8]]) {
    let bytes = records.concat();
    let all: Vec<usize> = records
        .iter()
        .scan(0, |end, record| {
            *end += record.len();
            Some(*end)
        })
        .collect();
    for one in 0..=bytes.len() {
        for other in one..=bytes.len() {
            let mut expected = Vec::new();
            for (from, to) in [(0, one), (one, other), (other, bytes.len())] {
                let here = all.iter().copied().filter(|end| from < *end && *end <= to);
                let here: Vec<usize> = here.collect();
                expected.extend(here.first().into_iter().chain(here.last()).copied());
            }
            expected.dedup();
            let found = ends(framing, &bytes, &[one, other]);
            assert_eq!(found, expected, "{framing:?} cut at {one} and {other}");
        }
    }
}

#[test]
fn any_pieces_tell_the_same_ends() {
    check(Framing::Fixed(3), &[b"abc", b"def", b"ghi"]);
    check(Framing::Terminated(b'\n'), &[b"abc\n", b"\n", b"d\n"]);
    check(
        Framing::Quoted(Quoting::Strict { quote: b'"' }),
        &[b"a,\"\n\"\n", b"\"\"\"\n\"\n", b"\n", b"b\r\n"],
    );
    for lines in 1..4 {
        let group = LineGroup { end: 0, lines };
        let records = [&b"abc\0"[..], b"\0", b"d\n\0"].map(|line| line.repeat(lines as usize));
        check(Framing::Grouped(group), &records.each_ref().map(Vec::as_slice));
    }
    for name in ["u16be", "u32le", "u16le:self"] {
        let prefix = Prefix::named(name).unwrap();
        let record = |data: &[u8]| {
            let length = data.len() + if prefix.counts_itself { prefix.bytes() } else { 0 };
            let number = length.to_le_bytes();
            let mut number = number[..prefix.bytes()].to_vec();
            if !prefix.is_little_endian {
                number.reverse();
            }
            [number, data.to_vec()].concat()
        };
        let records = [record(b"abc"), record(b""), record(b""), record(b"defghi")];
        check(Framing::Prefixed(prefix), &records.each_ref().map(Vec::as_slice));
    }
}

#[test]
fn ends_of_inputs_are_told() {
    let end = |framing, bytes: &[u8]| {
        let mut tracker = Tracker::new(framing);
        tracker.pass(bytes).unwrap();
        tracker.pass_end()
    };
    assert_eq!(end(Framing::Terminated(b'\n'), b"a\nb"), Ok(true));
    assert_eq!(end(Framing::Quoted(Quoting::Strict { quote: b'"' }), b"a\n\"b\n\""), Ok(true));
    let (quote, separator) = (b'"', b',');
    for (quoting, advice) in [
        (Quoting::Strict { quote }, "if quotes inside cells are data, or"),
        (Quoting::Lenient { quote, separator }, "never closed; close it, or give"),
    ] {
        let message = end(Framing::Quoted(quoting), b"a\n\"b\n").unwrap_err().to_string();
        assert!(message.starts_with("the last row opens a quote that is never closed; close it"));
        assert!(message.contains(advice), "{message}");
    }
    assert!(end(Framing::Fixed(4), b"abcdef").unwrap_err().to_string().contains("2 of 4 bytes"));
    let prefix = Framing::Prefixed(Prefix::named("u16be").unwrap());
    assert_eq!(end(prefix, b"\0\x01a\0\0"), Ok(false));
    assert!(end(prefix, b"\0\x01a\0").unwrap_err().to_string().contains("1 of 2 bytes"));
    assert!(end(prefix, b"\0\x05a").unwrap_err().to_string().contains("4 bytes are missing"));
}

#[test]
fn wrong_prefixes_are_told_where_they_are() {
    let mut tracker = Tracker::new(Framing::Prefixed(Prefix::named("u16be:self").unwrap()));
    tracker.pass(b"\0\x03a\0\x02\0").unwrap();
    let fault = tracker.pass(b"\x01").unwrap_err();
    assert_eq!(fault.at, 0);
    assert!(fault.message.to_string().contains("00 01"));
}

#[test]
fn a_group_that_is_cut_off_says_how_many_lines_it_has() {
    let group = Framing::Grouped(LineGroup { end: b'\n', lines: 3 });
    let end = |bytes: &[u8]| {
        let mut tracker = Tracker::new(group);
        tracker.pass(bytes).unwrap();
        tracker.pass_end()
    };
    assert_eq!(end(b""), Ok(false));
    assert_eq!(end(b"a\nb\n\n"), Ok(false));
    assert_eq!(end(b"a\nb\nc"), Ok(true), "the last line lacks its end");
    for (bytes, lines) in [(&b"a\nb\n"[..], 2), (b"a", 1), (b"a\nb\nc\nd\ne", 2)] {
        let fault = end(bytes).unwrap_err();
        assert!(fault.to_string().contains(&format!("it has {lines} of 3 lines")), "{fault}");
    }
}
