//! Lines at the bounds and beyond them.

use super::*;
use crate::format::json::fault;

fn nested(levels: usize) -> String {
    format!("{{\"a\":{}{}}}", "[".repeat(levels - 1), "]".repeat(levels - 1))
}

fn named(bytes: usize, behind: &str) -> String {
    format!("{{\"{}\"{behind}:1}}", "\\n".repeat(bytes / 2))
}

#[test]
fn nesting_is_bounded() {
    assert_eq!(fault(nested(BOUND).as_bytes()), None);
    let said = fault(nested(BOUND + 1).as_bytes()).expect("too deep");
    assert!(said.contains("1048576 levels of nesting, at byte 1048581"), "{said}");
    // Many values one after the other are not deep, and brackets in strings are none.
    let wide = format!("[{}0]", "[{\"a\\\"\":\"[[\"}],".repeat(BOUND));
    assert_eq!(fault(wide.as_bytes()), None);
}

#[test]
fn names_with_escapes_are_bounded() {
    assert_eq!(fault(named(BOUND, " ").as_bytes()), None);
    for behind in ["", " \t"] {
        let said = fault(named(BOUND + 2, behind).as_bytes()).expect("too long");
        assert!(said.contains("a name of more than 1048576 bytes"), "{said}");
    }
    let plain = format!("{{\"{}\":\"{}\"}}", "a".repeat(2 * BOUND), "\\n".repeat(BOUND));
    assert_eq!(fault(plain.as_bytes()), None);
}

#[test]
fn any_bytes_are_looked_through() {
    for end in ["\"", "\\", "\"\\", "\"\\\"", "[\"a\":"] {
        let text = format!("{}{end}", "]".repeat(BOUND + 1));
        assert_eq!(excess(text.as_bytes()), None, "{end}");
    }
}
