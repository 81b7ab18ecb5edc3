//! Cutting bytes into records of either kind.

use super::*;
use crate::format::csv::Quoting;

fn cut(framing: Framing, bytes: &[u8]) -> Vec<&[u8]> {
    framing.records(bytes).collect()
}

#[test]
fn fixed_records_have_their_length() {
    assert_eq!(cut(Framing::Fixed(3), b"abcdef"), [b"abc", b"def"]);
    assert_eq!(Framing::Fixed(3).first_length(b"ab"), 2, "a record that is cut off");
    assert!(cut(Framing::Fixed(3), b"").is_empty());
}

#[test]
fn terminated_records_include_what_ends_them() {
    let lines = Framing::Terminated(b'\n');
    assert_eq!(cut(lines, b"a\n\nb\r\n"), [&b"a\n"[..], b"\n", b"b\r\n"]);
    assert_eq!(cut(lines, b"a\nb"), [&b"a\n"[..], b"b"], "the last one is cut off");
    assert_eq!(cut(Framing::Terminated(0), b"a\n\0b\0"), [&b"a\n\0"[..], b"b\0"]);
    assert!(cut(lines, b"").is_empty());
}

/// Every way of looking at records agrees with going over them one by one.
fn check(framing: Framing, records: &[&[u8]]) {
    let bytes = records.concat();
    assert_eq!(cut(framing, &bytes), records);
    assert_eq!(framing.count(&bytes), records.len());
    let starts: Vec<usize> = records
        .iter()
        .scan(0, |end, record| Some(std::mem::replace(end, *end + record.len())))
        .collect();
    assert_eq!(framing.last_start(&bytes), *starts.last().unwrap());
    for boundary in 0..=bytes.len() {
        let next = starts.iter().copied().find(|start| *start >= boundary);
        assert_eq!(framing.first_from(&bytes, boundary), next, "{framing:?} from {boundary}");
        let behind = starts.iter().copied().chain([bytes.len()]).rfind(|end| *end <= boundary);
        assert_eq!(Some(framing.whole_bytes(&bytes[..boundary])), behind, "{framing:?}");
    }
}

#[test]
fn all_framings_agree_with_one_record_after_the_other() {
    check(Framing::Fixed(2), &[b"ab", b"cd", b"ef"]);
    check(Framing::Terminated(b'\n'), &[b"ab\n", b"\n", b"cdefg\n"]);
    check(
        Framing::Quoted(Quoting::Strict { quote: b'"' }),
        &[b"a,b\n", b"\"\n\"\"\n\",c\r\n", b"\n", b"\"\"\n"],
    );
    for lines in 1..4 {
        let group = LineGroup { end: b'\n', lines };
        let records = [&b"\n"[..], b"ab\n", b"\n"].map(|line| line.repeat(lines as usize));
        check(Framing::Grouped(group), &records.each_ref().map(Vec::as_slice));
    }
    let prefix = Prefix::named("u16be").unwrap();
    check(Framing::Prefixed(prefix), &[b"\0\x02ab", b"\0\0", b"\0\x05\0\x02ab\n"]);
}
