//! Types that check: known answers, named values in order, and random texts against a reference
//! that reads them a second way.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::super::content::Escapes;
use super::super::date_format::DateFormat;
use super::super::encode::TYPES;
use super::super::encode::list::ValueList;
use super::super::encode::written::NumberStyle;
use super::super::sink::{BufferSink, WordSink};
use super::super::text_type::{Detail, KeyTypeRow};
use super::*;
use crate::format::Format;
use crate::key::{NumberType, OPEN_WORD_BYTES, open_word};

mod reference;

/// Every type of the reference.
const KINDS: [&str; 23] = [
    "date",
    "time",
    "timestamp",
    "ip",
    "uuid",
    "bool",
    "packed",
    "zoned",
    "zoned-leading",
    "zoned-separate",
    "zoned-leading-separate",
    "zoned=ebcdic",
    "zoned-leading=ebcdic",
    "zoned-separate=ebcdic",
    "zoned-leading-separate=ebcdic",
    "u8",
    "i8",
    "u16le",
    "u32be",
    "i32le",
    "i64be",
    "f64le",
    "f64be",
];

fn text_type(kind: &str) -> TextType {
    if let Some((_, named)) = TextType::named(kind) {
        return named;
    }
    assert_eq!(kind, "1.234,56 €");
    let (radix, thousands) = (b',', Some(b'.'));
    TextType::written(NumberStyle { radix, thousands, has_currency: true, is_whole: false })
}

fn typed(text_type: TextType, date_format: Option<&str>) -> Typed {
    let spec = TextSpec { text_type, ..TextSpec::default() };
    let date_format = date_format.map(|format| Arc::new(DateFormat::new(format).unwrap()));
    let order = TextOrder::of(Format::Fixed { length: 1 })
        .with(|options| options.date_format = date_format);
    Typed::new(&spec, &order, false, true)
}

fn key(typed: &Typed, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    typed.append(text, &mut BufferSink::new(&mut out, usize::MAX));
    out
}

/// Holds the keys of two texts to everything an encoder promises.
fn check(kind: &str, a: &[u8], b: &[u8]) {
    let typed = typed(text_type(kind), None);
    let said = || format!("{kind} '{}' '{}'", a.escape_ascii(), b.escape_ascii());
    let [value_a, value_b] = [a, b].map(|text| {
        let value = reference::value(kind, text);
        assert_eq!(typed.is_valid(text), value.is_some(), "{kind} '{}'", text.escape_ascii());
        // Whatever the text is, there is a key.
        let _ = key(&typed, text);
        value
    });
    let (Some(value_a), Some(value_b)) = (value_a, value_b) else { return };
    let expected = value_a.cmp(&value_b);
    let (key_a, key_b) = (key(&typed, a), key(&typed, b));
    assert_eq!(key_a.cmp(&key_b), expected, "{}: {key_a:x?} {key_b:x?}", said());
    if expected.is_ne() {
        assert!(!key_b.starts_with(&key_a) && !key_a.starts_with(&key_b), "{}", said());
    }
    if typed.text_type.traits().spares_ends {
        assert!((2..=0xfd).contains(&key_a[0]), "{}", said());
    }
    for index in 0..key_a.len() / OPEN_WORD_BYTES + 2 {
        let mut sink = WordSink::new(index);
        typed.append(a, &mut sink);
        let word = open_word(&key_a[(OPEN_WORD_BYTES * index).min(key_a.len())..]);
        assert_eq!(sink.word(), word, "word {index} of {}", said());
    }
}

/// Classes of equal values, in order.
const ORDERS: &[(&str, &[&[&str]])] = &[
    (
        "date",
        &[
            &["0000-01-01", "00000101"],
            &["0000-02-29"],
            &["1582-10-10"],
            &["1969-12-31"],
            &["1970-01-01", " 19700101 "],
            &["2000-02-29"],
            &["2000-03-01"],
            &["2026-11-22", "20261122", "\t2026-11-22\n"],
            &["9999-12-31"],
        ],
    ),
    (
        "time",
        &[
            &["00:00", "00:00:00", "0000", "00:00:00.000", "00:00:00,0"],
            &["00:00:00.00000000000000000001"],
            &["00:00:00.1", "00:00:00.10"],
            &["00:00:00.11"],
            &["12:59:59"],
            &["12:59:59.999999999999"],
            &["12:59:60", "125960"],
            &["12:59:60.5"],
            &["13:00"],
            &["23:59:60.99"],
        ],
    ),
    (
        "timestamp",
        &[
            &["0000-01-01T00:00:00+23:59"],
            &["0000-01-01", "0000-01-01T00:00Z"],
            &["1969-12-31T23:59:59.5Z"],
            &["1970-01-01 00:00:00", "1970-01-01T01:00:00+01:00", "1969-12-31T19:00:00-05"],
            &["2016-12-31T23:59:59.9Z"],
            &["2016-12-31T23:59:60Z", "2017-01-01T00:59:60+01:00", "20161231T235960"],
            &["2017-01-01t00:00:00z", "2016-12-31T16:00:00-0800"],
            &["2026-11-22 13:45:06.789", "2026-11-22T13:45:06,7890", "2026-11-22 13:45:06.789 +00"],
            &["9999-12-31T23:59:59-23:59"],
        ],
    ),
    (
        "ip",
        &[
            &["0.0.0.0"],
            &["9.255.255.255"],
            &["10.0.0.0"],
            &["255.255.255.255"],
            &["::"],
            &["::1", "0:0:0:0:0:0:0:1"],
            &["::ffff:10.0.0.0", "::FFFF:0a00:0"],
            &["2001:db8::"],
        ],
    ),
    (
        "uuid",
        &[
            &["00000000-0000-0000-0000-000000000000", "{00000000000000000000000000000000}"],
            &[
                "0a000000-0000-0000-0000-000000000000",
                "urn:uuid:0A000000-0000-0000-0000-000000000000",
                "URN:UUID:0a000000000000000000000000000000",
            ],
            &["0B000000-0000-0000-0000-000000000000", "0b000000000000000000000000000000"],
            &["ffffffff-ffff-ffff-ffff-ffffffffffff"],
        ],
    ),
    (
        "semver",
        &[
            &["0.0.0-0"],
            &["0.0.0"],
            &["0.9.10", "v0.9.10", " 0.9.10+b.01 "],
            &["0.10.0"],
            &["1.0.0-2", "1.0.0-2+x-y"],
            &["1.0.0-10"],
            &["1.0.0-10.0"],
            &["1.0.0--"],
            &["1.0.0-0a"],
            &["1.0.0-a"],
            &["1.0.0-a.1"],
            &["1.0.0-a.b"],
            &["1.0.0-a-"],
            &["1.0.0-aa"],
            &["1.0.0"],
            &["100000000000000000000.0.0"],
        ],
    ),
    (
        "1.234,56 €",
        &[
            &["-1.000.000", "-1000000", "€-1.000.000,0"],
            &["-5 €", "-€5"],
            &["0", "-0", "0,0", ",0", "000"],
            &["0,05", "$0,05", "0,05$"],
            &["7", "7,", "+7", "07 ", "€ 7", "+7\u{a3}"],
            &["1.234,56", "1234,56", "\u{20b9}1.234,560"],
            &["12.345.678"],
        ],
    ),
    ("bool", &[&["false", "F", "no", "n", "0", "OFF"], &["true", "t", "YES", "y", "1", " on "]]),
];

#[test]
fn named_values_stand_in_order() {
    for (kind, classes) in ORDERS {
        let texts: Vec<(usize, &str)> = classes
            .iter()
            .enumerate()
            .flat_map(|(class, texts)| texts.iter().map(move |text| (class, *text)))
            .collect();
        let typed = typed(text_type(kind), None);
        for (a, b) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            let keys = [a, b].map(|(_, text)| key(&typed, text.as_bytes()));
            assert_eq!(keys[0].cmp(&keys[1]), a.0.cmp(&b.0), "{kind} {:?} {:?}", a.1, b.1);
            check(kind, a.1.as_bytes(), b.1.as_bytes());
        }
    }
}

/// Texts that are near to values.
const OTHERS: [(&str, &[&str]); 8] = [
    (
        "date",
        &[
            "",
            "2026-11",
            "2026-11-31",
            "2026-02-29",
            "1900-02-29",
            "2026-00-01",
            "2026-13-01",
            "2026-1-01",
            "2026-11-00",
            "26-11-22",
            "2026-11-22T",
            "2026/11/22",
            "2026-1122",
            "x",
        ],
    ),
    (
        "time",
        &[
            "24:00",
            "12:60",
            "12:00:61",
            "12",
            "12:0",
            "12:00:",
            "12:00:00.",
            "12:00.5",
            "1200:00",
            "12:0000",
            "12:00ZZ",
            "12:00+24:00",
            "12:00 UTC",
        ],
    ),
    (
        "semver",
        &[
            "1.0",
            "1.0.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0-01",
            "1.0.0-a..b",
            "1.0.0+",
            "1.0.0-a_b",
            "-1.0.0",
            "1.0.x",
            "vv1.0.0",
            "1.0.0 0",
        ],
    ),
    (
        "1.234,56 €",
        &[
            "1.23", "12.34,5", "1.2345", ".123", "1..234", "1.234.", "1234.567", "1,234.5",
            "1,2,3", "", "-", ",", "$", "$$5", "$5$", "--5", "-$-5", "5-", "5 5", "5 EUR",
            "1,5.000",
        ],
    ),
    (
        "timestamp",
        &[
            "2026-11-22T",
            "2026-11-22X10:00",
            "2026-11-22T10:00:00+24:00",
            "2026-11-22T10",
            "2026-11-22T10:00:00+1",
            "2026-11-22T10:00:00 UTC",
            "2026-02-30T10:00:00Z",
        ],
    ),
    ("ip", &["1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "10.0.0.0/8", "fe80::1%eth0", ":::"]),
    (
        "uuid",
        &[
            "0",
            "g0000000000000000000000000000000",
            "{00000000000000000000000000000000",
            "000000000-000-0000-0000-000000000000",
            "urn:uuid:",
            "urn:uuid:{00000000-0000-0000-0000-000000000000}",
            "{urn:uuid:00000000-0000-0000-0000-000000000000}",
            "urn:00000000-0000-0000-0000-000000000000",
        ],
    ),
    ("bool", &["tru", "2", "yes!", "truefalse"]),
];

#[test]
fn what_is_no_value_is_refused() {
    for (kind, texts) in OTHERS {
        let typed = typed(text_type(kind), None);
        for text in texts {
            assert!(!typed.is_valid(text.as_bytes()), "{kind} '{text}'");
            check(kind, text.as_bytes(), text.as_bytes());
        }
    }
}

/// Known answers, from the formats' own descriptions: bytes, and the number they are.
#[test]
fn decimals_of_mainframes_are_their_numbers() {
    let table: [(&str, &[u8], i64); 33] = [
        ("packed", b"\x12\x34\x5c", 12345),
        ("packed", b"\x12\x34\x5d", -12345),
        ("packed", b"\x12\x34\x5f", 12345),
        ("packed", b"\x12\x34\x5a", 12345),
        ("packed", b"\x12\x34\x5b", -12345),
        ("packed", b"\x12\x34\x5e", 12345),
        ("packed", b"\x0c", 0),
        ("packed", b"\x00\x0d", 0),
        ("packed", b"\x9d", -9),
        ("packed", b"\x00\x01\x00\x0c", 1000),
        ("zoned", b"123", 123),
        ("zoned", b"12C", 123),
        ("zoned", b"12{", 120),
        ("zoned", b"12}", -120),
        ("zoned", b"12L", -123),
        ("zoned", b"12s", -123),
        ("zoned", b"J", -1),
        ("zoned-leading", b"A23", 123),
        ("zoned-leading", b"J23", -123),
        ("zoned-separate", b"123+", 123),
        ("zoned-separate", b"123-", -123),
        ("zoned-leading-separate", b"-123", -123),
        ("zoned-leading-separate", b"+000", 0),
        ("zoned=ebcdic", b"\xf1\xf2\xc3", 123),
        ("zoned=ebcdic", b"\xf1\xf2\xd3", -123),
        ("zoned=ebcdic", b"\xf1\xf2\xf3", 123),
        ("zoned=ebcdic", b"\xf0\xd0", 0),
        ("zoned=ebcdic", b"\xf0\xb7", -7),
        ("zoned-leading=ebcdic", b"\xc1\xf2\xf3", 123),
        ("zoned-leading=ebcdic", b"\xd1\xf2\xf3", -123),
        ("zoned-separate=ebcdic", b"\xf1\xf2\x60", -12),
        ("zoned-separate=ebcdic", b"\xf1\xf2\x4e", 12),
        ("zoned-leading-separate=ebcdic", b"\x60\xf1\xf2", -12),
    ];
    let int = typed(TextType::INT, None);
    for (kind, bytes, number) in table {
        let typed = typed(text_type(kind), None);
        assert!(typed.is_valid(bytes), "{kind} {bytes:x?}");
        // The same bytes as an int of that value.
        assert_eq!(
            key(&typed, bytes),
            key(&int, number.to_string().as_bytes()),
            "{kind} {bytes:x?}"
        );
    }
    let largest = [[0x99; 15].as_slice(), &[0x9d]].concat();
    let digits = format!("-{}", "9".repeat(31));
    assert_eq!(key(&typed(text_type("packed"), None), &largest), key(&int, digits.as_bytes()));
    let bad: [(&str, &[u8]); 12] = [
        ("packed", b""),
        ("packed", b"\x12\x34"),
        ("packed", b"\x1a\x3c"),
        ("packed", b"\xc0"),
        ("packed", b"\x40\x40\x40"),
        ("zoned", b""),
        ("zoned", b"1A2"),
        ("zoned", b" 12"),
        ("zoned-separate", b"+"),
        ("zoned-separate", b"12 "),
        ("zoned=ebcdic", b"123"),
        ("zoned=ebcdic", b"\xf1\xf2\x40"),
    ];
    for (kind, bytes) in bad {
        assert!(!typed(text_type(kind), None).is_valid(bytes), "{kind} {bytes:x?}");
        check(kind, bytes, bytes);
    }
}

#[test]
fn ebcdic_is_ordered_as_what_it_stands_for() {
    use super::super::encode::ebcdic::capital;
    let characters = |page: &str| -> [u8; 256] {
        let TextType { row, detail } = text_type(page);
        (row.table)(&detail, None).unwrap()
    };
    let text = |page: &str, bytes: &[u8]| -> String {
        let characters = characters(page);
        bytes.iter().map(|&byte| char::from(characters[usize::from(byte)])).collect()
    };
    let common = b"\xc8\x85\x93\x93\x96\x6b\x40\xe6\x96\x99\x93\x84\xf0\xf9\x5c\x50";
    for page in ["ebcdic=037", "ebcdic=500", "ebcdic=1047"] {
        assert_eq!(text(page, common), "Hello, World09*&");
        let mut seen = characters(page);
        seen.sort_unstable();
        assert!(seen.iter().copied().eq(0..=255), "{page:?} has every character once");
    }
    let brackets = b"\xba\xbb\xb0\x5f\x4a\x5a\x4f\xad\xbd";
    assert_eq!(text("ebcdic=037", brackets), "[]^\u{ac}\u{a2}!|\u{dd}\u{a8}");
    assert_eq!(text("ebcdic=500", brackets), "\u{ac}|\u{a2}^[]!\u{dd}\u{a8}");
    assert_eq!(text("ebcdic=1047", brackets), "\u{dd}\u{a8}\u{ac}^\u{a2}!|[]");
    for character in 0..=255u8 {
        let upper: Vec<char> = char::from(character).to_uppercase().collect();
        let is_here = upper.len() == 1 && upper[0] <= '\u{ff}';
        let expected = if is_here { upper[0] as u8 } else { character };
        assert_eq!(capital(character), expected, "{character:x}");
    }
}

#[test]
fn lists_and_formats_of_days() {
    let words = ["low", "mid", "high"].map(str::as_bytes);
    let list = typed(TextType::from(ValueList::new(words).unwrap()), None);
    let keys = [" low ", "mid", "high"].map(|word| key(&list, word.as_bytes()));
    assert!(keys.is_sorted() && keys[0] != keys[1] && keys[1] != keys[2]);
    assert!(list.is_valid(b"high") && !list.is_valid(b"High") && !list.is_valid(b""));
    for (text_type, format, written, plain) in [
        (text_type("date"), "%d.%m.%Y", "22.11.2026", "2026-11-22"),
        (text_type("time"), "%I:%M %p", "01:45 PM", "13:45"),
        (
            text_type("timestamp"),
            "%m/%d/%y %H:%M:%S%.f",
            "11/22/26 13:45:06.5",
            "2026-11-22 13:45:06.5",
        ),
        (text_type("timestamp"), "%Y%j", "2026001", "2026-01-01"),
        (text_type("timestamp"), "%s", "-1", "1969-12-31 23:59:59"),
        (text_type("timestamp"), "%F %T %z", "2026-11-22 13:45:06 +0100", "2026-11-22T12:45:06Z"),
        (text_type("timestamp"), "%F %T", "9999-12-31 23:59:59", "9999-12-31T23:59:59Z"),
        (text_type("timestamp"), "%F %T %z", "9999-12-31 23:59:59 -0100", "9999-12-31T23:59:59-01"),
    ] {
        let by_format = typed(text_type.clone(), Some(format));
        let by_standard = typed(text_type, None);
        assert_eq!(key(&by_format, written.as_bytes()), key(&by_standard, plain.as_bytes()));
        assert!(by_format.is_valid(written.as_bytes()) && !by_format.is_valid(b"x"), "{format}");
    }
}

/// Keys of all days that a form may have, in order and off the ends of the first byte's range.
#[test]
fn days_of_all_years_stand_in_order() {
    let typed = typed(text_type("date"), Some("%Y-%m-%d"));
    let days = [
        "-9999-01-01",
        "-9999-12-31",
        "-9514-04-05",
        "-9513-01-01",
        "-0001-12-31",
        "0000-01-01",
        "1969-12-31",
        "1970-01-01",
        "2026-11-22",
        "9999-12-31",
    ];
    let keys = days.map(|day| key(&typed, day.as_bytes()));
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:x?}");
    assert_eq!([&keys[0][..], &keys[7], &keys[9]], [b"\x3d\x4b\x7d", b"\x80\0\0", b"\xac\xc0\xa0"]);
    assert!(keys.iter().all(|key| key.len() == 3 && (2..=0xfd).contains(&key[0])));
}

#[test]
fn values_with_more_text_after_blanks_are_not_in_a_list() {
    let words = ["low", "mid", "high"].map(str::as_bytes);
    let list = typed(TextType::from(ValueList::new(words).unwrap()), None);
    let days = typed(text_type("date"), Some("%d.%m.%Y"));
    let blanks = " ".repeat(DATE_BYTES_MAX);
    for (typed, value) in [(list, "low"), (days, "22.11.2026")] {
        for gap in ["", " ", "   ", &blanks] {
            let quoted = format!("{value}{gap}\"\"x");
            assert!(!typed.is_valid(Content::escaped(quoted.as_bytes(), Escapes::Pairs(b'"'))));
            let short = format!("{value}{gap}");
            assert!(!typed.is_valid(Content::from(&short).padded(b'x', 2)), "{value} {gap:?}");
            assert!(typed.is_valid(Content::from(&short).padded(b' ', 2)), "{value} {gap:?}");
        }
    }
}

/// A type with a notation of its own cannot be left out of the tests.
#[test]
fn every_notation_is_held_to_the_reference() {
    let is_notation =
        |row: &&&KeyTypeRow| row.traits.class == Class::Strict && row.names[0].0 != "order=LIST";
    for row in TYPES.iter().filter(is_notation) {
        let (name, expected) = (row.name(), (row.expected)(&Detail::None));
        assert!(expected.starts_with("a ") || expected.starts_with("an "), "{name}");
        // Versions have tests of their own.
        assert!(KINDS.contains(&name) || name == "semver", "{name}");
    }
}

/// Texts that are often values of a type, and otherwise near to one.
fn text(kind: &'static str) -> BoxedStrategy<Vec<u8>> {
    let number = |below: u32| 0..below;
    let sign = || select(vec!["", "Z", "z", "+01:00", "-0530", "+02", " +00", "-23:59", "x"]);
    let fraction = || select(vec!["", ".5", ".50", ".05", ",123456789012", ".", ".99"]);
    let day =
        (number(40), number(14), number(33), any::<bool>()).prop_map(|(y, m, d, has_hyphens)| {
            let year = [0, 4, 100, 400, 1899, 1900, 1969, 1970, 1999, 2000, 2024, 2025, 9999]
                [y as usize % 13];
            let hyphen = if has_hyphens { "-" } else { "" };
            format!("{year:04}{hyphen}{m:02}{hyphen}{d:02}")
        });
    let clock = (number(25), number(61), number(62), number(4), fraction()).prop_map(
        |(h, m, s, form, fraction)| match form {
            0 => format!("{h:02}:{m:02}"),
            1 => format!("{h:02}{m:02}{s:02}{fraction}"),
            _ => format!("{h:02}:{m:02}:{s:02}{fraction}"),
        },
    );
    let bytes = |alphabet: &[u8], length| {
        proptest::collection::vec(select(alphabet.to_vec()), 0..length).boxed()
    };
    let written = |text: BoxedStrategy<String>| text.prop_map(String::into_bytes).boxed();
    match kind {
        "date" => written(day.boxed()),
        "time" => written(clock.boxed()),
        "timestamp" => written(
            (day, select(vec!["T", " ", "t", "", "_"]), clock, sign())
                .prop_map(|(day, between, clock, offset)| day + between + &clock + offset)
                .boxed(),
        ),
        "ip" => bytes(b"012255.:f", 12),
        "uuid" => written(
            "(\\{?|[uU]rn:uuid:)[0-9aAf]{8}-?[0f]{4}-?[0f]{4}-?[0f]{4}-?[0-9A-F]{12}\\}?".boxed(),
        ),
        "bool" => written("[tTfFyYnN01o ]{1,2}(rue|es|alse|n|ff|)".boxed()),
        "packed" => bytes(b"\x00\x12\x90\x09\x99\x1c\x2d\x0d\x0c\x0f\x9b\x9a", 5),
        _ if kind.contains("ebcdic") => bytes(b"\xf0\xf1\xf9\xc0\xc1\xd0\xd9\xb1\x4e\x60\x40", 5),
        _ if kind.starts_with("zoned") => bytes(b"0019{}AIJRpy+- ", 5),
        _ => {
            let width = text_type(kind).machine_number().map_or(1, NumberType::width_bytes);
            proptest::collection::vec(select(b"\x00\x01\x7f\x80\xff\xf0".to_vec()), width).boxed()
        }
    }
}

fn texts() -> impl Strategy<Value = (&'static str, Vec<u8>, Vec<u8>)> {
    select(KINDS.to_vec()).prop_flat_map(|kind| {
        let edit = (any::<prop::sample::Index>(), any::<u8>(), 0u8..12);
        (Just(kind), text(kind), text(kind), edit).prop_map(
            |(kind, a, mut b, (at, byte, choice))| {
                let at = at.index(b.len() + 1);
                match choice {
                    0 => b.insert(at, byte),
                    1 => b.truncate(at),
                    2 => b.clone_from(&a),
                    _ => {}
                }
                (kind, a, b)
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0005),
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_texts_are_ordered_like_the_reference((kind, a, b) in texts()) {
        check(kind, &a, &b);
    }

    /// Every day there is, near to those that matter, one after the other.
    #[test]
    fn days_follow_one_another(year in 0u32..=9999, month in 1u32..=12, day in 1u32..=31) {
        let text = format!("{year:04}-{month:02}-{day:02}");
        let Some(days) = super::super::encode::date::parse(text.as_bytes()) else { return Ok(()) };
        let other = jiff::civil::date(year as i16, month as i8, day as i8);
        let since = other.duration_since(jiff::civil::date(1970, 1, 1)).as_hours() / 24;
        prop_assert_eq!(i64::from(days), since);
    }
}
