//! What keys of lines say, how they are shown, and what is said about wrong ones.

use super::*;

fn parse(text: &str) -> Result<TextKeySpec, String> {
    text.parse()
}

#[test]
fn keys_are_read_and_shown() {
    let table = [
        ("", "0.."),
        ("..", "0.."),
        (":desc", "0..:desc"),
        ("0..10", "0..10"),
        ("2", "2"),
        ("2[0..4]", "2[0..4]"),
        ("2[..]", "2"),
        ("2[1..]", "2[1..]"),
        ("02:bytes:asc", "2"),
        ("2:text", "2:text"),
        ("2:locale=de", "2:text:locale=de"),
        ("2:text:locale=de-u-co-phonebk:desc", "2:text:desc:locale=de-u-co-phonebk"),
        ("1:trim:ci:desc", "1:desc:ci:trim"),
        ("3[0..4]:decimal:desc", "3[0..4]:decimal:desc"),
        ("0..4:month", "0..4:month"),
        ("1:natural:ci", "1:natural:ci"),
    ];
    for (written, shown) in table {
        let spec = parse(written).unwrap();
        assert_eq!(spec.to_string(), shown, "{written}");
        assert_eq!(parse(shown).unwrap(), spec, "{written}");
    }
    for (name, text_type) in TYPES {
        for rest in ["", ":desc", ":trim"] {
            let spec = parse(&format!("7:{name}{rest}")).unwrap();
            assert_eq!(spec.spec(None).text_type, text_type);
            assert_eq!(parse(&spec.to_string()).unwrap(), spec);
        }
    }
}

#[test]
fn keys_mean_what_was_written() {
    let meaning = |text| parse(text).unwrap().spec(None);
    let at = |field, byte, skips_blanks| Position { field, byte, skips_blanks };
    let spec = meaning("2[1..4]:trim:ci:desc");
    assert_eq!((spec.start, spec.end), (at(1, 1, true), End::Within(at(1, 4, true))));
    assert!(spec.trims && spec.is_descending && spec.translation.folds_case);
    let spec = meaning("2");
    assert_eq!((spec.start, spec.end), (at(1, 0, false), End::Field(1)));
    assert!(!spec.trims && !spec.is_descending && spec.translation.is_identity());
    let spec = meaning("3..9:trim");
    assert_eq!((spec.start, spec.end), (at(0, 3, false), End::At(at(0, 9, false))));
    assert_eq!(meaning("3..").end, End::Record);
    assert_eq!(parse("1:locale=sv").unwrap().locale(), Some("sv"));
}

/// Whole messages, so that a change in any of them is seen.
#[test]
fn messages_say_what_is_wrong_and_what_to_write() {
    let table = [
        (
            "price",
            "'price' in key 'price' is not a place in a line; write 2 for the second field, \
             2[0..4] for its first four bytes, 0..10 for bytes of the line, or .. for all of it",
        ),
        ("0", "fields count from 1, and key '0' names field 0"),
        ("2[0..4", "'2[0..4' in key '2[0..4' lacks its ]; write 2[0..4]"),
        (
            "2[4..4]",
            "the range in key '2[4..4]' is empty; it counts from 0 and leaves out its end: write \
             4..5 for one byte",
        ),
        (
            "2:u32le",
            "'u32le' in key '2:u32le' is a type of binary records; keys of lines are bytes text \
             int decimal float size month version natural random",
        ),
        (
            "2:number",
            "'number' in key '2:number' is not a key type sortwell knows for lines; it knows bytes \
             text int decimal float size month version natural random, and the modifiers asc, \
             desc, ci, trim and locale=NAME, as in 2:decimal:desc",
        ),
        (
            "2:int:up",
            "'up' in key '2:int:up' is not a modifier sortwell knows; it knows the modifiers asc, \
             desc, ci, trim and locale=NAME, as in 2:decimal:desc",
        ),
        (
            "2:desc:int",
            "'int' in key '2:desc:int' is out of place: a key has one type, right after its \
             location, as in 2:decimal:desc",
        ),
        ("2:", "key '2:' has a colon with nothing after it"),
        ("2:desc:asc", "key '2:desc:asc' gives its direction twice; once is enough"),
        ("2:trim:trim", "key '2:trim:trim' gives trim twice; once is enough"),
        ("2:int:ci", "key '2:int:ci' says ci, but int has no case; leave it out"),
        ("2:locale=", "key '2:locale=' names no locale; write locale=de"),
        (
            "2:int:locale=de",
            "key '2:int:locale=de' names a locale, which orders text and not int; write text, or \
             leave the locale out",
        ),
    ];
    for (written, message) in table {
        assert_eq!(parse(written).unwrap_err(), message);
    }
}

#[test]
fn nonsense_is_refused() {
    let table = [
        "-1",
        "+1",
        " 1",
        "1 ",
        "1[",
        "1]",
        "1[]",
        "[0..4]",
        "1[0..4]x",
        "1[4]",
        "1[-1..4]",
        "2.5",
        "0...4",
        "9..3",
        "4294967296",
        "2::desc",
        "2:desc:",
        "2:DESC",
        "1:int:int",
        "2[0..٣]",
    ];
    for written in table {
        let message = parse(written).unwrap_err();
        assert!(message.contains(&format!("key '{written}'")), "{written}: {message}");
    }
}
