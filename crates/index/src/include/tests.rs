//! Parts as they are written.

use super::*;

fn column(name: &str) -> Include {
    Include::Column(name.to_owned())
}

#[test]
fn parts_are_bytes_or_columns() {
    for (text, part) in [
        ("0..4", Include::Bytes(0..4)),
        ("amount", column("amount")),
        ("2", Include::Number(2)),
        ("\"2\"", column("2")),
        ("4..0", column("4..0")),
        ("\"0..4\"", column("0..4")),
        ("\"a,b\"", column("a,b")),
        ("\"a\"\"b\"", column("a\"b")),
        ("a\"b", column("a\"b")),
        ("\"a", column("\"a")),
        ("\"a\"b", column("\"a\"b")),
    ] {
        assert_eq!(Include::from_text(text), part, "{text}");
        assert_eq!(Include::from_text(&part.to_string()), part, "{part}");
    }
    assert_eq!(
        (column("0..4").name(), Include::Bytes(0..4).name()),
        ("0..4".into(), "0..4".into())
    );
}
