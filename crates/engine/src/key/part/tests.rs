//! Which keys become fewer parts, which must not, and which are left to text.

use super::*;
use crate::format::Format;
use crate::key::text::{LastResort, machine_numbers};
use crate::key::{Key, ListMemory, OrderOptions};

/// The order by these keys over records of a length.
fn order(texts: &[&str], record_length: usize) -> TextOrder {
    let keys: Vec<Key> = texts.iter().map(|text| text.parse().unwrap()).collect();
    let format = Format::Fixed { length: record_length as u32 };
    OrderOptions::default().bind(&keys, format, ListMemory::UNBOUNDED).unwrap()
}

/// The parts, shown as specs would be; `n` marks numbers that are still numbers.
fn resolved(texts: &[&str], record_length: usize) -> Vec<String> {
    let (length, parts) = resolve(&order(texts, record_length)).unwrap();
    assert_eq!(length, record_length);
    let shown = parts.iter().map(|part| {
        let number = if part.encoding == Encoding::Bytes { "" } else { " n" };
        let direction = if part.is_descending { " desc" } else { "" };
        format!("{}..{}{number}{direction}", part.start, part.end)
    });
    shown.collect()
}

#[test]
fn specs_become_as_few_parts_as_possible() {
    let table: &[(&[&str], &[&str])] = &[
        // No key is the whole record; an open end is the record's.
        (&[], &["0..40"]),
        (&[".."], &["0..40"]),
        (&["30..:desc"], &["30..40 desc"]),
        // Parts that follow each other in the same direction are one, those that do not are not.
        (&["0..4", "4..10"], &["0..10"]),
        (&["0..4", "4..10", "10..", "0..40:desc"], &["0..40"]),
        (&["0..4:desc", "4..10:desc"], &["0..10 desc"]),
        (&["0..4", "4..10:desc"], &["0..4", "4..10 desc"]),
        (&["4..10", "0..4"], &["4..10", "0..4"]),
        (&["0..4", "5..10"], &["0..4", "5..10"]),
        (&["0..4", "20..24", "4..10"], &["0..4", "20..24", "4..10"]),
        // What an earlier part has compared is not compared again, in any type or direction.
        (&["0..10", "0..10"], &["0..10"]),
        (&["0..10", "0..10:desc"], &["0..10"]),
        (&["0..10", "2..6:i32le"], &["0..10"]),
        (&["0..4:f32le", "20..24", "0..4:i32be:desc"], &["0..4 n", "20..24"]),
        (&["0..4", "4..10", "2..8"], &["0..10"]),
        (&["4..8", "0..10"], &["4..8", "0..10"]),
        (&["0..8", "4..12"], &["0..8", "4..12"]),
        // Unsigned big-endian numbers are bytes; other numbers are not, and do not run together.
        (&["0..1:u8", "1..3:u16be", "3..7:u32be", "7..15:u64be"], &["0..15"]),
        (&["0..4:u32le", "4..8:u32le"], &["0..4 n", "4..8 n"]),
        (&["0..4:i32be", "4..8"], &["0..4 n", "4..8"]),
        (&["0..4", "4..8:i32be", "8..12"], &["0..4", "4..8 n", "8..12"]),
    ];
    for (texts, expected) in table {
        assert_eq!(resolved(texts, 40), *expected, "{texts:?}");
    }
}

#[test]
fn only_unsigned_big_endian_numbers_are_bytes() {
    for (name, text_type) in machine_numbers() {
        let number = text_type.machine_number().unwrap();
        let shown = resolved(&[&format!("0..{}:{name}", number.width_bytes)], 40);
        let is_bytes = matches!(name, "u8" | "u16be" | "u32be" | "u64be");
        assert_eq!(shown[0].ends_with('n'), !is_bytes, "{name}");
    }
}

#[test]
fn keys_to_the_end_of_the_record_have_all_of_it() {
    assert_eq!(resolved(&["99..100"], 100), ["99..100"]);
    assert_eq!(resolved(&["99.."], 100), ["99..100"]);
}

/// Modifiers and types that the fast paths for fixed records do not have.
#[test]
fn other_keys_are_left_to_text() {
    let others = ["0..4:ci", "0..4:trim", "0..4:int", "0..4:nulls-first", "0..4:pad=0"];
    for other in others {
        assert!(resolve(&order(&[other], 40)).is_none(), "{other}");
        assert!(resolve(&order(&["8..12:u32le", other], 40)).is_none(), "{other}");
    }
    let bytes = order(&["0..4"], 40);
    assert!(resolve(&bytes).is_some());
    assert!(resolve(&TextOrder { body: Body::Fixed(3), ..bytes.clone() }).is_none(), "too short");
    assert!(resolve(&TextOrder { body: Body::Fixed(0), ..order(&[], 40) }).is_none(), "nothing");
    let then_whole = Some(LastResort::default());
    assert!(
        resolve(&bytes.with(|options| options.then_whole = then_whole)).is_none(),
        "then by the whole record"
    );
    assert!(resolve(&TextOrder::of(Format::LINES)).is_none(), "lines");
}
