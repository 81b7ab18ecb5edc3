//! Which records are counted, which keys have no value, and which types are suggested.

use crate::key::text::{Invalid, InvalidPlace, TextOrder};
use crate::key::{CompiledKey, Key, KeyEncoder, KeyTally, ListMemory, with_encoder};
use crate::stats::KeyFindings;

/// Shows every line of `text` to a key of lines with commas.
fn found(keys: &[&str], change: impl FnOnce(&mut TextOrder), text: &str) -> KeyFindings {
    let mut order = TextOrder::by_bytes(b'\n');
    order.separator = crate::key::text::Separator::Byte(b',');
    let spec = |key: &&str| key.parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap();
    order.specs = keys.iter().map(spec).collect();
    change(&mut order);
    let key = CompiledKey::new(&order).unwrap();
    with_encoder!(&key, |key| {
        let mut tally = KeyTally::default();
        for line in text.split_inclusive('\n') {
            let line = line.as_bytes();
            key.tally(line.into(), key.word(line, 0), &mut tally);
        }
        key.findings(&tally)
    })
}

fn placed(place: InvalidPlace) -> impl Fn(&mut TextOrder) {
    move |order| order.options.invalid = Some(Invalid::Placed(place))
}

#[test]
fn placed_records_are_counted_by_key() {
    let text = "1,2\nx,2\n,y\nx,y\n3,\n,\n";
    for place in [InvalidPlace::First, InvalidPlace::Last] {
        for keys in [["1:int", "2:int"], ["1:int:desc", "2:int:nulls-first"]] {
            let found = found(&keys, placed(place), text).invalid.unwrap();
            let each: Vec<u64> = found.keys.iter().map(|key| key.records).collect();
            assert_eq!((found.records, found.of_records, each), (3, 6, vec![2, 2]));
            assert_eq!(found.place, if place == InvalidPlace::First { "first" } else { "last" });
            assert_eq!(found.keys[0].key, "field 1");
            assert_eq!(found.keys[0].expected, "an int");
        }
    }
}

#[test]
fn a_key_after_those_that_place_is_not_counted() {
    let order = |order: &mut TextOrder| {
        placed(InvalidPlace::Last)(order);
        order.placing_keys = 1;
    };
    let found = found(&["1:int", "2:int"], order, "1,x\nx,1\n2,y\n");
    let invalid = found.invalid.unwrap();
    assert_eq!((invalid.records, invalid.keys.len()), (1, 1));
    assert_eq!(found.unmatched.len(), 0, "a value of each key was seen");
}

#[test]
fn text_places_no_record() {
    let found = found(&["1", "2:natural"], placed(InvalidPlace::Last), "\u{ff},\0\n,\n");
    assert_eq!(found, KeyFindings::default());
}

#[test]
fn a_key_without_values_is_found() {
    let unmatched = |key: &str, text: &str| {
        let lists = [
            found(&[key], placed(InvalidPlace::Last), text).unmatched,
            found(&[key], |_| {}, text).unmatched,
        ];
        lists.map(|list| list.first().map(|key| key.suggestion))
    };
    // Text that is read as far as it goes is no value either.
    assert_eq!(unmatched("1:int", "1.5\n2K\n"), [Some(Some("size")); 2]);
    assert_eq!(unmatched("1:int", "1.5\n\n-2\n"), [None; 2]);
    assert_eq!(unmatched("1:int", "1.5\n\n-2.0\n"), [Some(Some("decimal")); 2]);
    assert_eq!(unmatched("1:decimal", "1.234;56\n"), [Some(None); 2]);
    assert_eq!(unmatched("1:int", "x\n"), [Some(None); 2]);
    assert_eq!(unmatched("1:int", "\n \n"), [None; 2]);
    assert_eq!(unmatched("1:int", ""), [None; 2]);
    assert_eq!(unmatched("1:int", "x\n1\ny\n"), [None; 2]);
    let long = format!("{}.5\n", "1".repeat(300));
    assert_eq!(unmatched("1:int", &long), [Some(None); 2]);
}

#[test]
fn types_are_suggested() {
    let cases = [
        ("decimal", "1,5", "decimal=,"),
        ("date", "2026-11-22T10:00:00Z", "timestamp"),
        ("time", "2026-11-22", "date"),
        ("int", "1e5", "float"),
        ("decimal", "$1", "decimal:thousands=,:currency"),
        ("uuid", "10.0.0.1", "ip"),
        ("int", "1.0.0-rc.1", "semver"),
        ("int", "10:30", "time"),
    ];
    for (name, text, suggestion) in cases {
        let key = format!("1-:{name}");
        let found = found(&[&key], placed(InvalidPlace::Last), &format!("{text}\n"));
        assert_eq!(found.unmatched[0].suggestion, Some(suggestion), "{name} {text}");
    }
}
