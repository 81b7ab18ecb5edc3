//! Cutting bytes into records of either kind.

use super::*;

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
