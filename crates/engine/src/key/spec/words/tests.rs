//! Words apart and together.

use super::*;

#[test]
fn quotes_hide_separators() {
    let table: [(&str, Option<&[&str]>); 12] = [
        ("", Some(&[""])),
        ("a:b", Some(&["a", "b"])),
        ("\"a:b\":c", Some(&["\"a:b\"", "c"])),
        ("\"a\"\":\":c", Some(&["\"a\"\":\"", "c"])),
        ("\"\":c", Some(&["\"\"", "c"])),
        ("a:order=\"x:y\"|z:desc", Some(&["a", "order=\"x:y\"|z", "desc"])),
        ("a:order=w|\"x:y\":desc", Some(&["a", "order=w|\"x:y\"", "desc"])),
        ("5\":x", Some(&["5\"", "x"])),
        ("\"a", None),
        ("a:\"", None),
        ("\"a\"\"", None),
        ("ä:ö", Some(&["ä", "ö"])),
    ];
    for (text, pieces) in table {
        assert_eq!(split(text, ':').as_deref(), pieces, "{text}");
    }
}

#[test]
fn what_is_quoted_says_the_same() {
    for text in ["", "a", "a\"b", "\"", "\"\"", "a:b", "2024"] {
        assert_eq!(unquoted(&quoted(text)), Some((Cow::Borrowed(text), "")), "{text}");
        let behind = quoted(text) + "[0..4]";
        assert_eq!(unquoted(&behind), Some((Cow::Borrowed(text), "[0..4]")), "{text}");
    }
    assert_eq!(unquoted("plain"), Some((Cow::Borrowed("plain"), "")));
    assert_eq!(unquoted("\"a"), None);
    assert_eq!(unquoted("\"a\"\""), None);
}
