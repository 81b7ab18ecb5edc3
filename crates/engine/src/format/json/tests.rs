//! Values in lines, their escapes, and lines that are no JSON.

use super::*;

fn found(path: &str, line: &str) -> (String, bool) {
    let (value, has_escapes) = Path::read(path).unwrap().find(line.as_bytes());
    (String::from_utf8(value.to_vec()).unwrap(), has_escapes)
}

#[test]
fn values_are_found_by_path_and_pointer() {
    let line = r#" {"a": {"b.c": [10, {"d": "x\ty"}], "": 1}, "n": null, "a": 2, "\u0065": true} "#;
    let values = [
        ("a", r#"{"b.c": [10, {"d": "x\ty"}], "": 1}"#),
        ("/a/b.c/0", "10"),
        ("/a/b.c/1/d", r"x\ty"),
        ("/a/", "1"),
        ("/a/b.c/2", ""),
        ("/a/b.c/x", ""),
        ("n", ""),
        ("n.m", ""),
        ("missing", ""),
        ("e", "true"),
        ("e.f", ""),
    ];
    for (path, value) in values {
        assert_eq!(found(path, line), (value.to_owned(), value.contains("ty") && path != "a"));
    }
    assert_eq!(found("a.0", r#"{"a": ["", 1.50e3]}"#), (String::new(), false));
    assert_eq!(found("a.1", r#"{"a": ["", 1.50e3]}"#), ("1.50e3".to_owned(), false));
    let line = r#"{"\ud800": 1, "\u0061": "\ud800", "n": 1e999, "b": 2}"#;
    assert_eq!(found("b", line).0, "2", "behind names and values that are no text");
    assert_eq!(found("a", line), (r"\ud800".to_owned(), true));
    assert_eq!(found("0.b", r#"[{"b": "c"}]"#), ("c".to_owned(), false));
    assert_eq!(found("~0~1", r#"{"~0~1": 1}"#).0, "1", "pointers alone have escapes");
    assert_eq!(found("/~0~1", r#"{"~/": 1}"#).0, "1");
    for line in ["", "  ", "7", "\"text\"", "[]", "{}", "true", "{\"a\"", "{\"a\": \""] {
        assert_eq!(found("a", line), (String::new(), false), "{line}");
    }
    assert!(Path::read("a..b").is_err() && Path::read("").is_err());
}

#[test]
fn escapes_stand_for_characters() {
    let cases = [
        (r#"\""#, 2, "\""),
        (r"\\", 2, "\\"),
        (r"\/x", 2, "/"),
        (r"\n", 2, "\n"),
        (r"\b", 2, "\u{8}"),
        (r"\u0041", 6, "A"),
        (r"\u00e9!", 6, "\u{e9}"),
        (r"\ud83d\ude00", 12, "\u{1f600}"),
        (r"\ud83d", 6, "\u{fffd}"),
        (r"\ude00\ud83d", 6, "\u{fffd}"),
        (r"\ud83d\u0041", 6, "\u{fffd}"),
        (r"\u12", 2, "\u{fffd}"),
        ("\\", 1, "\\"),
    ];
    for (text, length, expected) in cases {
        let escape = escape_at(text.as_bytes());
        assert_eq!((escape.length, &escape.bytes[..escape.count]), (length, expected.as_bytes()));
    }
}

#[test]
fn blanks_at_the_ends_are_trimmed() {
    let cases = [
        (r" \ta \n\t ", "a"),
        (r"\\t", r"\\t"),
        (r"a\\\t", r"a\\"),
        (r"\t", ""),
        ("", ""),
        (r"\u0009", ""),
        (r" \u0020a\u000A\u0020", "a"),
        (r"a\\u0020", r"a\\u0020"),
    ];
    for (text, expected) in cases {
        assert_eq!(trimmed(text.as_bytes()), expected.as_bytes(), "{text}");
    }
}

#[test]
fn lines_that_are_no_json_are_reported() {
    for line in ["{}", "7", " ", "", "[1, {\"a\": null}]\r", r#""\ud800""#] {
        assert_eq!(fault(line.as_bytes()), None, "{line}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(fault(deep.as_bytes()), None);
    let faults = [
        (&b"{\"a\": 1"[..], "EOF"),
        (b"{\"a\": 1} {}", "trailing characters at byte 10"),
        (b"{'a': 1}", "key must be a string at byte 2"),
        (b"nul", "not JSON"),
        (b"\x0c", "not JSON"),
        (b"{\"a\": \"\xff\"}", "byte 7 is not UTF-8"),
    ];
    for (line, expected) in faults {
        let fault = fault(line).unwrap();
        assert!(fault.contains(expected), "{fault}");
    }
}
