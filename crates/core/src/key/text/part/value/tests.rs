//! Values of records, and of which type they are.

use super::super::super::spec::TextKeySpec;
use super::*;
use crate::format::Format;

fn key(format: Format, text: &str) -> ValueKey {
    let spec: TextKeySpec = text.parse().expect(text);
    let order = TextOrder { separator: Separator::Byte(b','), ..TextOrder::of(format) };
    let order = if matches!(format, Format::Csv(_)) { TextOrder::of(format) } else { order };
    ValueKey::new(&spec.spec(None).expect("a spec"), &order)
}

#[test]
fn values_are_what_records_say() {
    let prefixed = "u16be".parse().expect("a format");
    let table: [(Format, &str, &str, &[u8]); 13] = [
        (Format::LINES, "2", "a,bc,d\n", b"bc"),
        (Format::LINES, "3", "a,bc,d\n", b"d"),
        (Format::LINES, "4", "a,bc,d\n", b""),
        (Format::LINES, "2:trim", "a, b ,d\n", b"b"),
        (Format::LINES, "2..4", "a,bc,d", b"bc"),
        (Format::CSV, "2", "a,\"b,\nc\",d\r\n", b"b,\nc"),
        (Format::CSV, "3", "a,\"b,\nc\",d\r\n", b"d"),
        (Format::CSV, "1", "\"a \"\"b\"\"\",c\n", b"a \"b\""),
        (Format::CSV, "1[2..5]", "\"a \"\"b\"\"\",c\n", b"\"b\""),
        (Format::CSV, "1:trim", "\" \"\"b\"\" \",c\n", b"\"b\""),
        (Format::Fixed { length: 6 }, "4..", "abcd\r\n", b"\r\n"),
        (Format::Fixed { length: 6 }, "4..9", "abcdef", b"ef"),
        (prefixed, "1..3", "\0\x03abc", b"bc"),
    ];
    for (format, text, record, value) in table {
        let (key, mut buffer) = (key(format, text), b"left over".to_vec());
        assert_eq!(key.value(record.as_bytes(), &mut buffer), value, "{text} of {record:?}");
    }
}

#[test]
fn what_is_of_a_type() {
    let table: [(&str, &[&str], &[&str]); 8] = [
        ("1", &["", "x", "\0"], &[]),
        ("1:version", &["", "1.2", "x"], &[]),
        ("1:natural", &["", "x9"], &[]),
        ("1:int", &["0", "00", "-5", "+5", " 7 "], &["", " ", "-", "x", "5x", "1.5", "1 2"]),
        ("1:decimal", &["0", "0.0", "-5.25", "+5", ".5", "5.", " 7\t"], &["", ".", "1e3", "1,5"]),
        ("1:float", &["1e3", "-inf", "NaN", " 2 "], &["", "x", "1e", "0x10"]),
        (
            "1:size",
            &["5", "5k", "5 KiB", "2.5Gi", "1MB", "5B", "+1T", "0"],
            &["", "K", "5x", "5KK", "5iB", "5 K B"],
        ),
        ("1:month", &["jan", " DEC", "March"], &["", "ja", "13"]),
    ];
    for (text, values, others) in table {
        let key = key(Format::LINES, text);
        for value in values {
            assert!(key.is_of_type(value.as_bytes()), "{text}: {value}");
        }
        for other in others {
            assert!(!key.is_of_type(other.as_bytes()), "{text}: {other}");
            assert_eq!(key.append_literal(other.as_bytes(), &mut Vec::new()), None);
        }
    }
}

#[test]
fn keys_compare_as_values_do() {
    let of = |text: &str, value: &str, limit| {
        let mut bytes = b"before".to_vec();
        key(Format::LINES, text).append_key(value.as_bytes(), limit, &mut bytes);
        bytes.strip_prefix(b"before").expect("appended to").to_vec()
    };
    let whole = |text, value| of(text, value, usize::MAX);
    assert_eq!(whole("1", "abc"), b"abc");
    assert_eq!(of("1", "abc", 2), b"ab");
    assert_eq!(whole("1:ci", "aBc"), b"ABC");
    assert_eq!(whole("1:int", "007"), whole("1:int", " 7"));
    assert!(whole("1:int", "10") > whole("1:int", "9"));
    assert!(whole("1:decimal", "-10") < whole("1:decimal", "-9.5"));
    let mut literal = Vec::new();
    key(Format::LINES, "1:size").append_literal(b"1k", &mut literal).expect("a size");
    assert_eq!(literal, whole("1:size", "1000"));
}

#[test]
fn translations_are_as_the_key_sees_them() {
    let translated = |text: &str, value: &str| {
        let mut buffer = b"left over".to_vec();
        key(Format::LINES, text).translated(value.as_bytes(), &mut buffer).to_vec()
    };
    assert_eq!(translated("1", "aBc"), b"aBc");
    assert_eq!(translated("1:ci", "aBc"), b"ABC");
}
