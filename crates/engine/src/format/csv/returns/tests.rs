//! Carriage returns in and out of quotes, with and without line feeds.

use super::*;

#[test]
fn rows_end_with_returns_where_nothing_else_ends_them() {
    let csv = Dialect::strict(b',', Some(b'"'));
    let unquoted = Dialect { quote: None, ..csv };
    for (text, expected) in [
        ("a,b\r2,x\r1,y\r", Some(3)),
        ("a,b\r2,x\r1,y", Some(3)),
        ("a\r2\r1\r", Some(1)),
        ("a,b\r1\r2,3\r", Some(3)),
        ("a,b\r1,2\r3,4\n", Some(3)),
        ("\"a\",\"b\"\r\"1\",\"2\"\r", Some(7)),
        ("a,\"b\nc\"\r1,2\r", Some(7)),
        ("a\rb,c\n", None),
        ("\"a\rb\",c\n", None),
        ("\"a\rb\",c", None),
        ("a,b\r\n", None),
        ("a,b\r", None),
        ("a,b", None),
        ("", None),
        ("\r", None),
    ] {
        assert_eq!(first_return(csv, text.as_bytes()), expected, "{text:?}");
    }
    assert_eq!(first_return(unquoted, b"\"a\r1\"\r2\r"), Some(2));
}
