//! Keys of both forms, good and bad.

use sortwell::unstable::locale::Locale;

use super::*;

fn parsed(text: &str) -> Result<KeyDefinition, String> {
    let c = Locale::c();
    let said = |complaint: Complaint| String::from_utf8(complaint.text(b"sort")).expect("UTF-8");
    KeyDefinition::parse(text.as_bytes(), Quoter::new(&c)).map_err(said)
}

/// Start, end and options as one can compare them at a glance.
fn note(key: &KeyDefinition) -> String {
    let end = match key.end {
        KeyEnd::Line => "line".to_owned(),
        KeyEnd::Field(field) => format!("field {field}"),
        KeyEnd::Byte { field, byte } => format!("{field}.{byte}"),
    };
    let blanks = match (key.ordering.skips_start_blanks, key.ordering.skips_end_blanks) {
        (false, false) => "",
        (true, false) => " start",
        (false, true) => " end",
        (true, true) => " both",
    };
    format!("{}.{} to {end} {}{blanks}", key.field, key.byte, key.ordering.letters())
}

#[test]
fn keys_say_where_and_how() {
    let max = usize::MAX;
    let cases = [
        ("1", "0.0 to line ".to_owned()),
        ("2.3", "1.2 to line ".to_owned()),
        ("1,1", "0.0 to field 0 ".to_owned()),
        ("1,2.3", "0.0 to 1.3 ".to_owned()),
        ("1,2.0", "0.0 to field 1 ".to_owned()),
        ("+1", "0.0 to line ".to_owned()),
        (" 1, 2", "0.0 to field 1 ".to_owned()),
        ("1b,2", "0.0 to field 1 b start".to_owned()),
        ("1,2b", "0.0 to field 1 b end".to_owned()),
        ("1b,2.1bn", "0.0 to 1.1 bn both".to_owned()),
        ("1n,1r", "0.0 to field 0 nr".to_owned()),
        ("1bdfgiMhnRrV", "0.0 to line bdfghMnRrV start".to_owned()),
        ("99999999999999999999", format!("{}.0 to line ", max - 1)),
        ("1,99999999999999999999", format!("0.0 to field {} ", max - 1)),
    ];
    for (text, expected) in cases {
        assert_eq!(note(&parsed(text).expect(text)), expected, "{text}");
    }
}

#[test]
fn bad_keys_are_named() {
    let cases = [
        ("0", "field number is zero: invalid field specification '0'"),
        ("0,1", "field number is zero: invalid field specification '0,1'"),
        ("1,0", "field number is zero: invalid field specification '1,0'"),
        ("1.0", "character offset is zero: invalid field specification '1.0'"),
        ("", "invalid number at field start: invalid count at start of ''"),
        ("a", "invalid number at field start: invalid count at start of 'a'"),
        ("-1", "invalid number at field start: invalid count at start of '-1'"),
        ("1.", "invalid number after '.': invalid count at start of ''"),
        ("1,2.x", "invalid number after '.': invalid count at start of 'x'"),
        ("1,,2", "invalid number after ',': invalid count at start of ',2'"),
        ("1x", "stray character in field spec: invalid field specification '1x'"),
        ("1b.2", "stray character in field spec: invalid field specification '1b.2'"),
        ("1,2,3", "stray character in field spec: invalid field specification '1,2,3'"),
    ];
    for (text, expected) in cases {
        assert_eq!(parsed(text).expect_err(text), format!("sort: {expected}\n"), "{text}");
    }
}

#[test]
fn old_keys_count_from_zero() {
    let c = Locale::c();
    let cases = [
        ("+1", None, "1.0 to line "),
        ("+1.2nb", None, "1.2 to line bn start"),
        ("+0", Some("-0"), "0.0 to field 0 "),
        ("+0", Some("-1"), "0.0 to field 0 "),
        ("+1", Some("-2.1br"), "1.0 to 2.1 br end"),
        ("+0b", Some("-1.0b"), "0.0 to field 0 b both"),
        ("+18446744073709551615.7n", None, "0.0 to line n"),
        ("+99999999999999999999b", Some("-99999999999999999999.1"), "0.0 to line b start"),
    ];
    for (start, end, expected) in cases {
        let mut key = KeyDefinition::parse_old_start(start.as_bytes()).expect(start);
        if let Some(end) = end {
            key.parse_old_end(end.as_bytes(), Quoter::new(&c)).expect(end);
        }
        assert_eq!(note(&key), expected, "{start} {end:?}");
        assert!(key.is_old);
    }
    for file in ["+", "+a", "+1x", "+1.", "+1.x", "+-1", "+1,2", "+1b.2", "1"] {
        assert_eq!(KeyDefinition::parse_old_start(file.as_bytes()), None, "{file}");
    }
}

#[test]
fn bad_old_ends_are_named() {
    let c = Locale::c();
    let cases = [
        ("-1x", "stray character in field spec: invalid field specification '-1x'"),
        ("-1.", "invalid number after '.': invalid count at start of ''"),
    ];
    for (end, expected) in cases {
        let mut key = KeyDefinition::line(Ordering::default());
        let complaint = key.parse_old_end(end.as_bytes(), Quoter::new(&c)).expect_err(end);
        assert_eq!(complaint, Complaint::new(expected));
    }
}
