//! Values of records, and of which type they are.

use super::*;
use crate::format::Format;
use crate::key::{Key, ListMemory};

fn key(format: Format, text: &str) -> ValueKey {
    let spec: Key = text.parse().expect(text);
    let order = TextOrder { separator: Separator::Byte(b','), ..TextOrder::of(format) };
    let order = if matches!(format, Format::Csv(_)) { TextOrder::of(format) } else { order };
    ValueKey::new(&spec.spec(ListMemory::UNBOUNDED).expect(text), &order)
}

#[test]
fn values_are_what_records_say() {
    let prefixed = "u16be".parse().expect("a format");
    let table: [(Format, &str, &str, &[u8]); 16] = [
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
        (Format::Fixed { length: 6 }, "4..9:pad=*", "abcdef", b"ef***"),
        (prefixed, "1..3", "\0\x03abc", b"bc"),
        (Format::LINES, "1:ci", "aBc,x\n", b"ABC"),
        (Format::LINES, "1:ebcdic:trim", "@\u{1}@,", b"\x01"),
    ];
    for (format, text, record, value) in table {
        let said = key(format, text).with_value(record.as_bytes(), <[u8]>::to_vec);
        assert_eq!(said, value, "{text} of {record:?}");
    }
}

#[test]
fn what_is_of_a_type() {
    let table: [(&str, &[&str], &[&str]); 15] = [
        ("1", &["", "x", "\0"], &[]),
        ("1:version", &["", "1.2", "x"], &[]),
        ("1:natural", &["", "x9"], &[]),
        ("1:int", &["0", "00", "-5", "+5", " 7 "], &["", " ", "-", "x", "5x", "1.5", "1 2"]),
        ("1:decimal", &["0", "0.0", "-5.25", "+.5", "5.", " 7\t"], &["", ".", "1e3", "1,5"]),
        ("1:float", &["1e3", "-inf", "NaN", " 2 "], &["", "x", "1e", "0x10"]),
        ("1:size", &["5", "5k", "5 KiB", "2.5Gi", "1MB", "5B", "+1T"], &["", "K", "5x", "5KK"]),
        ("1:month", &["jan", " DEC"], &["", "ja", "13"]),
        ("1:date", &["2024-02-29", "20240229", " 2024-01-01"], &["", "2023-02-29", "2024"]),
        ("1:time", &["12:30", "12:30:05.25"], &["", "25:00", "12"]),
        ("1:timestamp", &["2024-01-01T12:30:00Z", "2024-01-01 12:30:00"], &["", "noon"]),
        ("1:ip", &["10.0.0.1", "::1"], &["", "10.0.0"]),
        ("1:uuid", &["550e8400-e29b-41d4-a716-446655440000"], &["", "550e8400"]),
        ("1:bool", &["true", "false"], &["", "maybe"]),
        ("1:order=low|mid|high", &["low", " high "], &["", "higher"]),
    ];
    for (text, values, others) in table {
        let key = key(Format::LINES, text);
        for value in values {
            assert!(key.is_of_type(value.as_bytes()), "{text}: {value}");
        }
        for other in others {
            assert!(!key.is_of_type(other.as_bytes()), "{text}: {other}");
            assert_eq!(key.literal_key(other), None, "{text}: {other}");
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
    assert_eq!(whole("1:int", "007"), whole("1:int", " 7"));
    assert!(whole("1:int", "10") > whole("1:int", "9"));
    assert!(whole("1:decimal", "-10") < whole("1:decimal", "-9.5"));
    assert_eq!(key(Format::LINES, "1:size").literal_key("1k"), Some(whole("1:size", "1000")));
    assert_eq!(key(Format::LINES, "1:ci").literal_key("aBc"), Some(b"ABC".to_vec()));
}

/// Literals of types whose values are not written as text is, and bytes of these values.
#[test]
fn literals_have_the_keys_of_values() {
    let table: [(&str, &str, &[u8]); 15] = [
        ("0..3:packed", "-12345", &[0x12, 0x34, 0x5d]),
        ("0..3:packed", "12345.00", &[0x12, 0x34, 0x5c]),
        ("0..2:packed", "+7", &[0x00, 0x7f]),
        ("0..2:packed", "-0", &[0x00, 0x0c]),
        ("0..3:zoned", "120", b"12{"),
        ("0..3:zoned", "-121", b"12J"),
        ("0..2:u16le", "258", &[2, 1]),
        ("0..2:u16be", "258", &[1, 2]),
        ("0..1:i8", "-128", &[0x80]),
        ("0..8:i64le", "-2", &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        ("0..8:u64be", "18446744073709551615", &[0xff; 8]),
        ("0..4:f32be", "1.5", &[0x3f, 0xc0, 0, 0]),
        ("0..8:f64le", "-2e0", &[0, 0, 0, 0, 0, 0, 0, 0xc0]),
        ("0..3:ebcdic", "Ab1", &[0xc1, 0x82, 0xf1]),
        ("0..3:ebcdic:ci", "aB1", &[0xc1, 0x82, 0xf1]),
    ];
    for (text, literal, bytes) in table {
        let key = key(Format::Fixed { length: 8 }, text);
        let value = key.with_value(bytes, |value| {
            assert!(key.is_of_type(value), "{text}: {value:?}");
            let mut own = Vec::new();
            key.append_key(value, usize::MAX, &mut own);
            own
        });
        assert_eq!(key.literal_key(literal), Some(value), "{text}: {literal}");
    }
    let none = [
        ("0..3:packed", "x"),
        ("0..3:zoned", ""),
        ("0..1:u8", "256"),
        ("0..1:u8", "-1"),
        ("0..1:i8", "128"),
        ("0..2:u16le", "1.5"),
        ("0..4:f32le", "x"),
        ("0..3:ebcdic", "\u{20ac}"),
    ];
    for (text, literal) in none {
        let key = key(Format::Fixed { length: 8 }, text);
        assert_eq!(key.literal_key(literal), None, "{text}: {literal}");
    }
}

#[test]
fn records_may_be_too_short() {
    let is_short = |text: &str, record: &[u8]| {
        let prefixed = "u16be".parse().expect("a format");
        key(prefixed, text).is_short(record)
    };
    assert!(is_short("1..3", b"\0\x02ab"));
    assert!(!is_short("1..3", b"\0\x03abc"));
    assert!(!is_short("1..3:pad=0", b"\0\x02ab"));
    assert!(is_short("3..", b"\0\x02ab"));
    assert!(!key(Format::LINES, "7").is_short(b"\n"));
}
