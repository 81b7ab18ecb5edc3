//! Values as numbers and text.

use super::super::order::Separator;
use super::*;
use crate::format::Format;
use crate::key::{Key, ListMemory};

fn key(format: Format, text: &str) -> TypedKey {
    let spec: Key = text.parse().expect(text);
    let order = TextOrder::of(format);
    let order = match format {
        Format::Lines { .. } => TextOrder { separator: Separator::Byte(b','), ..order },
        _ => order,
    };
    TypedKey::new(&spec.spec(ListMemory::UNBOUNDED).expect(text), &order)
}

/// Checks the value of a key of a record, and the type of the key.
fn check(format: Format, text: &str, record: &[u8], value: TypedValue<'_>, of: ValueType) {
    let key = key(format, text);
    key.with_value(record, |said| assert_eq!(said, value, "{text} of {record:?}"));
    assert_eq!(key.value_type(), of, "{text}");
}

#[test]
fn values_of_text_have_their_types() {
    use TypedValue::{Missing, Real, Text, Whole};
    let table: [(&str, &str, TypedValue<'_>, ValueType); 20] = [
        ("1:int", " -5 ,", Whole(-5), ValueType::Whole),
        ("1:int", "+9223372036854775807", Whole(i64::MAX), ValueType::Whole),
        ("1:int", "9223372036854775808", Real(9.223_372_036_854_776e18), ValueType::Whole),
        ("1:int", "1.5", Whole(1), ValueType::Whole),
        ("1:int", " ", Missing, ValueType::Whole),
        ("1:decimal", "1.50", Real(1.5), ValueType::Number),
        ("1:decimal", "7", Whole(7), ValueType::Number),
        ("1:decimal", "inf", Whole(0), ValueType::Number),
        ("1:decimal", "-01.5e3", Real(-1.5), ValueType::Number),
        ("1:float:desc", "1e3", Real(1000.0), ValueType::Real),
        ("1:float", "-inf", Real(f64::NEG_INFINITY), ValueType::Real),
        ("1:float", "nan", Missing, ValueType::Real),
        ("1:decimal:thousands=_", "1_234.5", Real(1234.5), ValueType::Number),
        ("1:int:thousands=_", "-1_234", Whole(-1234), ValueType::Whole),
        ("1:ci", "aBc,x", Text(b"aBc"), ValueType::Text),
        ("1:ci", ",x", Missing, ValueType::Text),
        ("1:trim", " a b ,x", Text(b"a b"), ValueType::Text),
        ("1:date", "2026-11-29", Text(b"2026-11-29"), ValueType::Text),
        ("1:size", "2KiB", Text(b"2KiB"), ValueType::Text),
        ("1:ebcdic", "\u{1}", Text("\u{1}".as_bytes()), ValueType::Text),
    ];
    for (text, record, value, of) in table {
        check(Format::LINES, text, record.as_bytes(), value, of);
    }
}

#[test]
fn values_of_cells_and_members_are_their_content() {
    let quoted = TypedValue::Text(b"a \"b\",c");
    check(Format::CSV, "2", b"1,\"a \"\"b\"\",c\"\n", quoted, ValueType::Text);
    check(Format::CSV, "1:int", b"\"7\",b\n", TypedValue::Whole(7), ValueType::Whole);
    let member = |text: &str, value| {
        let line = br#"{"a":{"b":"x\u00e9"},"n":-3,"f":0.5,"z":null,"t":true}"#;
        let of = key(Format::JsonLines, text).value_type();
        check(Format::JsonLines, text, line, value, of);
    };
    member("a.b", TypedValue::Text("xé".as_bytes()));
    member("n:int", TypedValue::Whole(-3));
    member("f:float", TypedValue::Real(0.5));
    member("z", TypedValue::Missing);
    member("none", TypedValue::Missing);
    member("t", TypedValue::Text(b"true"));
}

/// Rows and members have checked values: one that is not of its type is none.
#[test]
fn values_of_other_types_are_missing() {
    for (text, cell) in [("1:int", "1.5"), ("1:int", "1e3"), ("1:decimal", ".5x"), ("1:float", "x")]
    {
        let of = key(Format::CSV, text).value_type();
        check(Format::CSV, text, cell.as_bytes(), TypedValue::Missing, of);
    }
}

#[test]
fn fields_between_blanks_are_without_them() {
    let order = TextOrder::of(Format::LINES);
    let spec: Key = "2".parse().expect("a key");
    let key = TypedKey::new(&spec.spec(ListMemory::UNBOUNDED).expect("a key"), &order);
    key.with_value(b"a  \tb c", |said| assert_eq!(said, TypedValue::Text(b"b")));
}

#[test]
fn numbers_of_machines_and_mainframes_are_read() {
    use TypedValue::{Missing, Real, Text, Whole};
    let fixed = Format::Fixed { length: 8 };
    let half = 0.5_f64.to_le_bytes();
    let table: [(&str, [u8; 8], TypedValue<'_>, ValueType); 9] = [
        ("0..4:u32le", [1, 2, 0, 0, 9, 9, 9, 9], Whole(513), ValueType::Whole),
        ("0..2:i16be", [0xff, 0xfe, 0, 0, 0, 0, 0, 0], Whole(-2), ValueType::Whole),
        ("0..8:u64be", [0xff; 8], Real(1.844_674_407_370_955_2e19), ValueType::Whole),
        ("0..8:f64le", half, Real(0.5), ValueType::Real),
        ("0..4:f32be", [0x3f, 0x80, 0, 0, 0, 0, 0, 0], Real(1.0), ValueType::Real),
        ("0..8:f64be", [0xff; 8], Missing, ValueType::Real),
        ("0..2:packed", [0x12, 0x3d, 0, 0, 0, 0, 0, 0], Whole(-123), ValueType::Whole),
        ("0..3:zoned", *b"12Cxxxxx", Whole(123), ValueType::Whole),
        ("0..2:ebcdic", [0xc1, 0x51, 0, 0, 0, 0, 0, 0], Text("Aé".as_bytes()), ValueType::Text),
    ];
    for (text, record, value, of) in table {
        check(fixed, text, &record, value, of);
    }
}
