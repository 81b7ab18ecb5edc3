//! Which names are near, and which are not.

use super::*;

const OPTIONS: [&str; 7] = ["separator", "limit", "header", "sync", "include", "unique", "memory"];

#[test]
fn near_names_are_found() {
    for (word, name) in [
        ("seperator", "separator"),
        ("limt", "limit"),
        ("LIMIT", "limit"),
        ("inlcude", "include"),
        ("unqiue", "unique"),
        ("headers", "header"),
        ("memroy", "memory"),
    ] {
        assert_eq!(nearest(word, OPTIONS), Some(name), "{word}");
    }
    assert_eq!(meant("limt", OPTIONS), " (did you mean 'limit'?)");
}

#[test]
fn names_that_differ_in_more_are_not() {
    for word in ["delimiter", "where", "distinct", "foo", "s", "", "in", "syndrome"] {
        assert_eq!(nearest(word, OPTIONS), None, "{word}");
    }
    assert_eq!(nearest("ab", ["cd"]), None, "half of the letters have to agree");
    assert_eq!(nearest("it", ["int", "ip"]), Some("int"), "of two that are as near, the first");
    assert_eq!(nearest("dsc", ["asc", "desc"]), Some("desc"), "it begins alike");
    assert_eq!(meant("where", OPTIONS), "");
}

#[test]
fn distances_count_single_slips() {
    let table = [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("amount", "amuont", 1)];
    for (a, b, expected) in table {
        assert_eq!(distance(a, b), expected, "{a} {b}");
        assert_eq!(distance(b, a), expected, "{b} {a}");
    }
    assert_eq!(distance("kitten", "sitting"), 3);
}
