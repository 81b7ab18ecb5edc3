//! Whatever a content is made of, its bytes are the same one by one, backwards and in pieces.

use super::super::order::{TextSpec, Translation};
use super::*;
use crate::locale::ByteClasses;

/// What `content` says, read in every way.
fn said(content: &Content<'_>) -> Vec<u8> {
    let bytes: Vec<u8> = content.bytes().collect();
    let mut backwards: Vec<u8> = content.bytes().rev().collect();
    backwards.reverse();
    assert_eq!(backwards, bytes);
    let mut pieces = Vec::new();
    content.show_pieces(usize::MAX, |piece| pieces.extend_from_slice(piece));
    assert!(pieces == bytes);
    for wanted in [0, 1, 5, bytes.len()] {
        content.with_slice(wanted, |slice| {
            assert_eq!(slice[..wanted.min(slice.len())], bytes[..wanted.min(bytes.len())]);
            assert!(slice.len() >= wanted.min(bytes.len()));
        });
    }
    assert_eq!(content.is_empty(), bytes.is_empty());
    bytes
}

fn table(only_dictionary: bool) -> TranslationTable {
    let translation = Translation { folds_case: true, only_dictionary, ..Translation::default() };
    let spec = TextSpec { translation, ..TextSpec::default() };
    TranslationTable::of(&spec, &ByteClasses::c()).expect("a table")
}

#[test]
fn pairs_of_quotes_are_one() {
    assert_eq!(said(&Content::escaped(b"a\"\"b\"\"\"\"", Escapes::Pairs(b'"'))), b"a\"b\"\"");
    assert_eq!(said(&Content::escaped(b"a\"\"b", Escapes::None)), b"a\"\"b");
    let first = Content::escaped(b"12\"\"3", Escapes::Pairs(b'"')).up_to_quote();
    assert_eq!(said(&first), b"12\"");
    let long = [b"x".repeat(511), b"\"\"".repeat(700), b"y".repeat(600)].concat();
    let wanted = [b"x".repeat(511), b"\"".repeat(700), b"y".repeat(600)].concat();
    assert!(said(&Content::escaped(&long, Escapes::Pairs(b'"'))) == wanted);
}

#[test]
fn translations_change_bytes_and_leave_some_out() {
    let (fold, dictionary) = (table(false), table(true));
    let text = Content::escaped(b"a-\"\"b", Escapes::Pairs(b'"'));
    assert_eq!(said(&text.through(Some(&fold))), b"A-\"B");
    assert_eq!(said(&text.through(Some(&dictionary))), b"AB");
    assert_eq!(said(&text.padded(b'z', 3).through(Some(&dictionary))), b"ABZZZ");
    assert_eq!(said(&text.padded(b'-', 3).through(Some(&dictionary))), b"AB");
    assert_eq!(said(&text.padded(b'-', 2000).through(Some(&fold))).len(), 2004);
}

#[test]
fn blanks_at_the_ends_are_trimmed_whatever_follows() {
    let trimmed =
        |raw: &[u8], (byte, count)| said(&Content::from(raw).padded(byte, count).trimmed());
    assert_eq!(trimmed(b"  a b ", (b' ', 2)), b"a b");
    assert_eq!(trimmed(b"  a b ", (b'0', 2)), b"a b 00");
    assert_eq!(trimmed(b"   ", (b'0', 2)), b"00");
    assert_eq!(trimmed(b"   ", (b'0', 0)), b"");
}
