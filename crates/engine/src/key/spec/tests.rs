//! What key specs say, how they are shown, and what is said about wrong ones.

use super::super::key_type::TYPES;
use super::*;

fn parse(text: &str) -> Result<KeySpec, String> {
    text.parse().map_err(|error: ParseError| error.to_string())
}

/// A spec as it is written and as it is shown.
#[test]
fn specs_are_read_and_shown() {
    let table = [
        ("0..10", "0..10"),
        ("4..", "4.."),
        ("..8", "0..8"),
        ("..", "0.."),
        ("007..8", "7..8"),
        ("0..10:bytes", "0..10"),
        ("0..10:asc", "0..10"),
        ("0..10:desc", "0..10:desc"),
        ("0..10:bytes:desc", "0..10:desc"),
        ("4..:desc", "4..:desc"),
        ("..8:f64be:asc", "0..8:f64be"),
        ("8..12:u32le", "8..12:u32le"),
        ("8..12:i32be:desc", "8..12:i32be:desc"),
        ("0..1:i8", "0..1:i8"),
        ("4294967294..4294967295:u8", "4294967294..4294967295:u8"),
    ];
    for (written, shown) in table {
        let spec = parse(written).unwrap();
        assert_eq!(spec.to_string(), shown, "{written}");
        assert_eq!(parse(shown).unwrap(), spec, "{written}");
    }
}

#[test]
fn the_parts_of_a_spec_are_what_was_written() {
    let expected = KeySpec { start: 4, end: None, key_type: KeyType::Bytes, is_descending: true };
    assert_eq!(parse("4..:desc").unwrap(), expected);
    let expected = KeySpec {
        start: 8,
        end: Some(16),
        key_type: KeyType::named("f64le").unwrap(),
        is_descending: false,
    };
    assert_eq!(parse("8..16:f64le").unwrap(), expected);
}

#[test]
fn every_type_reads_back_under_its_name_in_both_directions() {
    for (name, key_type) in TYPES {
        let width = match key_type {
            KeyType::Bytes => 5,
            KeyType::Number(number) => number.width_bytes,
        };
        for (direction, is_descending) in [("", false), (":asc", false), (":desc", true)] {
            let spec = parse(&format!("3..{}:{name}{direction}", 3 + width)).unwrap();
            assert_eq!(spec.key_type, key_type);
            assert_eq!(spec.key_type.name(), name);
            assert_eq!(spec.is_descending, is_descending);
            assert_eq!(parse(&spec.to_string()).unwrap(), spec);
        }
    }
}

#[test]
fn names_are_read_in_any_case() {
    assert_eq!(parse("8..12:U32LE:Desc"), parse("8..12:u32le:desc"));
}

/// Whole messages, so that a change in any of them is seen.
#[test]
fn messages_say_what_is_wrong_and_what_to_write() {
    let table = [
        (
            "price",
            "'price' in key 'price' is not a range of bytes, the only location sortwell knows yet; \
             write 0..10, 4.. or ..8",
        ),
        ("0..x", "'x' in key '0..x' is not the number of a byte; write 0..10 for the first ten"),
        (
            "4..4",
            "the range in key '4..4' is empty; it counts from 0 and leaves out its end: write \
             4..5 for one byte",
        ),
        (
            "8..10:u32le:desc",
            "key '8..10:u32le:desc' is 2 bytes wide, but u32le takes 4 bytes; write \
             8..12:u32le:desc",
        ),
        ("0..2:i8", "key '0..2:i8' is 2 bytes wide, but i8 takes 1 byte; write 0..1:i8"),
        ("8..:f64be", "key '8..:f64be' has no end, and f64be takes 8 bytes; write 8..16:f64be"),
        (
            "0..4:int",
            "'int' in key '0..4:int' is not a key type sortwell knows yet; it knows bytes u8 i8 \
             u16le u16be i16le i16be u32le u32be i32le i32be u64le u64be i64le i64be f32le f32be \
             f64le f64be, and the modifiers asc and desc, as in 8..12:u32le:desc",
        ),
        (
            "0..4:bytes:ci",
            "'ci' in key '0..4:bytes:ci' is not a modifier sortwell knows yet; it knows asc and \
             desc, as in 8..12:u32le:desc",
        ),
        ("0..4:desc:asc", "key '0..4:desc:asc' gives its direction twice; write asc or desc once"),
        ("0..4:", "key '0..4:' has a colon with nothing after it"),
        (
            "0..4:desc:u32le",
            "'u32le' in key '0..4:desc:u32le' is out of place: a key has one type, right after its \
             location, as in 8..12:u32le:desc",
        ),
    ];
    for (written, message) in table {
        assert_eq!(parse(written).unwrap_err(), message);
    }
}

/// More that is refused; each message names the key and the part at fault.
#[test]
fn nonsense_is_refused() {
    let table = [
        ("", "''"),
        (":u32le", "''"),
        ("8", "'8'"),
        ("8:u32le", "'8'"),
        ("2[0..4]", "'2[0'"),
        ("0...4", "'.4'"),
        ("0..=4", "'=4'"),
        ("-1..4", "'-1'"),
        ("+1..4", "'+1'"),
        (" 1..4", "' 1'"),
        ("1..4 ", "'4 '"),
        ("1..٣", "'٣'"),
        ("0..4294967296", "'4294967296'"),
        ("0..99999999999999999999999", "'99999999999999999999999'"),
        ("9..3", "'9..3'"),
        ("..0", "'..0'"),
        ("0..4:text", "'text'"),
        ("0..4:u32", "'u32'"),
        ("0..4::desc", "'0..4::desc'"),
        ("0..4:u32le:", "'0..4:u32le:'"),
        ("0..4:u32le:u32le", "'u32le'"),
        ("0..4:desc:ci", "'ci'"),
        ("0..4:desc:desc", "'0..4:desc:desc'"),
        ("..:u64be", "'..:u64be'"),
        ("0..8:f32le", "'0..8:f32le'"),
    ];
    for (written, fault) in table {
        let message = parse(written).unwrap_err();
        assert!(message.contains(fault), "{written}: {message}");
        assert!(message.contains(&format!("key '{written}'")), "{written}: {message}");
    }
}
