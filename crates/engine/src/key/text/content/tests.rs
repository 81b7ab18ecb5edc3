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

/// Texts that begin alike are divided where what they stand for is divided, too.
#[test]
fn no_escape_is_taken_apart() {
    let json: [&[u8]; 9] =
        [b"a", b"u", b"d83d", b"\\\\", b"\\n", b"\\u00e4", b"\\ud83d", b"\\ude00", b"\\uDBFF"];
    let quoted: [&[u8]; 3] = [b"a", b"\"\"", b"b"];
    for (escapes, parts) in [(Escapes::Json, &json[..]), (Escapes::Pairs(b'"'), &quoted[..])] {
        let said = |raw: &[u8]| Content::escaped(raw, escapes).bytes().collect::<Vec<u8>>();
        let mut random = 0x2545_f491_4f6c_dd1d_u64;
        let mut draw = |most: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random % most as u64) as usize
        };
        let mut found = 0;
        for _ in 0..20_000 {
            let mut text = |count: usize| -> Vec<u8> {
                (0..count).flat_map(|_| parts[draw(parts.len())].to_vec()).collect()
            };
            let (start, [a, b]) = (text(4), [text(2), text(2)]);
            let [a, b] = [a, b].map(|end| [&start[..], &end].concat());
            let agreed = super::super::super::agreeing_bytes(&a, &b);
            let [at, other] = [&a, &b].map(|raw| Content::escaped(raw, escapes).boundary(agreed));
            assert_eq!(at, other);
            let (whole, rest) = (said(&a), said(&a[at..]));
            let beginning = &whole[..whole.len() - rest.len()];
            assert_eq!([beginning, &rest].concat(), whole, "{}", a.escape_ascii());
            assert_eq!([beginning, &said(&b[at..])].concat(), said(&b), "{}", b.escape_ascii());
            assert!(agreed - at < 12, "{} at {at} of {agreed}", a.escape_ascii());
            found += usize::from(at < agreed);
        }
        // Both quotes of a pair agree.
        let least = if escapes == Escapes::Json { 500 } else { 0 };
        assert!(found >= least, "{found} texts differ within an escape");
    }
}
