//! Which specs become fewer parts, which must not, and which do not fit the record.

use super::super::key_type::TYPES;
use super::*;
use crate::Error;

fn specs(texts: &[&str]) -> Vec<KeySpec> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// The parts, shown as specs would be; `n` marks numbers that are still numbers.
fn resolved(texts: &[&str], record_length: usize) -> Vec<String> {
    let parts = resolve(&specs(texts), record_length).unwrap();
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
    for (name, key_type) in TYPES {
        let KeyType::Number(number) = key_type else { continue };
        let shown = resolved(&[&format!("0..{}:{name}", number.width_bytes)], 40);
        let is_bytes = matches!(name, "u8" | "u16be" | "u32be" | "u64be");
        assert_eq!(shown[0].ends_with('n'), !is_bytes, "{name}");
    }
}

#[test]
fn keys_beyond_the_record_are_refused() {
    let table = [
        (
            "90..110",
            100,
            "key '90..110' ends at byte 110, but the record has 100 bytes; give a range within \
             0..100, or the right record length",
        ),
        (
            "100..:desc",
            100,
            "key '100..:desc' begins at byte 100, but the record has 100 bytes; give a range \
             within 0..100, or the right record length",
        ),
        (
            "0..8:u64le",
            7,
            "key '0..8:u64le' ends at byte 8, but the record has 7 bytes; give a range within \
             0..7, or the right record length",
        ),
    ];
    for (text, record_length, message) in table {
        let error = resolve(&specs(&["0..1", text]), record_length).unwrap_err();
        assert!(matches!(error, Error::Config(_)));
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(resolved(&["99..100"], 100), ["99..100"]);
    assert_eq!(resolved(&["99.."], 100), ["99..100"]);
    assert!(matches!(resolve(&[], 0), Err(Error::Config(_))));
    assert!(matches!(resolve(&specs(&[".."]), 0), Err(Error::Config(_))));
}
