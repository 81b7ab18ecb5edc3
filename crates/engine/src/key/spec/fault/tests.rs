//! Every fault that a key can have, by a key that has it.

use std::collections::HashSet;

use super::*;
use crate::key::Key;

fn read_fault(text: &str) -> KeyFault {
    let error = text.parse::<Key>().expect_err(text);
    assert_eq!(error.key(), text);
    assert!(error.to_string().contains(&format!("key '{text}'")), "{error}");
    error.fault().clone()
}

/// The name of a fault, without what it holds.
fn name(fault: &KeyFault) -> String {
    let shown = format!("{fault:?}");
    let ends = |c: char| !c.is_alphanumeric();
    let (group, rest) = shown.split_once('(').expect("a group");
    format!("{group}::{}", rest.split(ends).next().unwrap_or_default())
}

#[test]
fn every_fault_of_a_text() {
    use ModifierFault as Modifier;
    use PlaceFault as Place;
    use TypeFault as Type;
    let text = str::to_owned;
    let table: [(&str, KeyFault); 28] = [
        ("\"a", Place::OpenQuote.into()),
        ("1:order=\"a|b", Place::OpenQuote.into()),
        ("2[0..4", Place::OpenBracket(text("2[0..4")).into()),
        ("-1", Place::Unknown(text("-1")).into()),
        ("2.5.6", Place::Unknown(text("2.5.6")).into()),
        ("2-5..7", Place::Unknown(text("2-5..7")).into()),
        ("1.2-+", Place::Unknown(text("1.2-+")).into()),
        ("1[4]", Place::NotARange(text("4")).into()),
        ("0..x", Place::NotAByteNumber(text("x")).into()),
        ("9..3", Place::EmptyRange(9).into()),
        ("0", Place::FieldZero.into()),
        ("3-2", Place::FieldsBackward { first: 3, last: 2 }.into()),
        ("1:itn", Type::Unknown(text("itn")).into()),
        ("1:desc:int", Type::Misplaced(text("int")).into()),
        ("0..4:sequence=", Type::NoFile(text("sequence=")).into()),
        (
            "1:order=a|a",
            Type::List {
                word: text("order=a|a"),
                fault: text("has the value 'a' twice; leave one out"),
            }
            .into(),
        ),
        ("2:u8", Type::NumberOfField(text("u8")).into()),
        (
            "4..:u16be:desc",
            Type::Width {
                name: text("u16be"),
                number_bytes: 2,
                range_bytes: None,
                right: text("4..6:u16be:desc"),
            }
            .into(),
        ),
        ("2:", Modifier::Empty.into()),
        ("2:int:dsec", Modifier::Unknown(text("dsec")).into()),
        ("2:pad=1:pad=2", Modifier::Twice("its padding").into()),
        ("2:pad=256", Modifier::NotAByte(text("256")).into()),
        ("2:decimal=7", Modifier::PartOfNumber(text("7")).into()),
        ("2:locale=", Modifier::NoLocale.into()),
        ("2:int:ci", Modifier::NoCase(text("int")).into()),
        ("2:date:currency", Modifier::NoNotation(text("date")).into()),
        ("0..4:packed:trim", Modifier::NoBlanks(text("packed")).into()),
        ("2:int:locale=de", Modifier::NoLanguage(text("int")).into()),
    ];
    for (text, fault) in &table {
        assert_eq!(read_fault(text), *fault, "{text}");
    }
    assert_eq!(read_fault("2:int:decimal=,"), Modifier::NoFraction.into());
    assert_eq!(read_fault("2:decimal=,:thousands=,"), Modifier::SameSign.into());
    let advice = text("write 2:decimal:desc");
    let error = "2,2nr".parse::<Key>().and_then(|key| key.check(Format::LINES)).expect_err("GNU");
    assert_eq!(*error.fault(), Place::OfGnuSort(advice).into());
    let names: HashSet<String> = table.iter().map(|(_, fault)| name(fault)).collect();
    // With the three above: 9 of places, 6 of types, 12 of modifiers.
    assert_eq!(names.len() + 3, 9 + 6 + 12, "{names:?}");
}

#[test]
fn every_fault_in_a_format() {
    let text = str::to_owned;
    let table: [(&str, &str, FormatFault); 18] = [
        ("name", "lines", FormatFault::NameInLines(text("name"))),
        ("name", "lines:group=4", FormatFault::NameInGroups { name: text("name"), lines: 4 }),
        ("5", "lines:group=4", FormatFault::NoSuchLine { line: 5, lines: 4 }),
        ("5.1", "lines:group=4", FormatFault::NoSuchLine { line: 5, lines: 4 }),
        (
            "2-",
            "csv",
            FormatFault::FieldsOfRows { keys: text("-k 2 -k 3 and so on"), place: text("2-") },
        ),
        ("a[0..4]", "jsonl", FormatFault::BytesOfMember(text("a"))),
        ("3", "jsonl", FormatFault::NumberOfMember(3)),
        ("2-3", "jsonl", FormatFault::FieldsOfJson),
        ("2:pad=0", "lines", FormatFault::Pad("lines")),
        ("2:pad=0", "csv", FormatFault::Pad("rows")),
        ("0..2:u16be", "lines", FormatFault::BinaryType { name: text("u16be"), records: "lines" }),
        (
            "a:packed",
            "jsonl",
            FormatFault::BinaryType { name: text("packed"), records: "lines of JSON" },
        ),
        ("2", "fixed:8", FormatFault::NoFields),
        ("2", "rdw", FormatFault::NoFields),
        ("0..9", "fixed:8", FormatFault::EndsAfter { end: 9, length: 8 }),
        ("8..", "fixed:8", FormatFault::BeginsAfter { start: 8, length: 8 }),
        ("4..12:u64be:desc", "fixed:8", FormatFault::EndsAfter { end: 12, length: 8 }),
        ("9..:desc", "fixed:8", FormatFault::BeginsAfter { start: 9, length: 8 }),
    ];
    let checked = |text: &str, format: Format| {
        let error = text.parse::<Key>().unwrap().check(format).expect_err(text);
        assert_eq!(error.key(), text);
        assert!(error.to_string().contains(&format!("key '{text}'")), "{error}");
        error.fault().clone()
    };
    let mut names = HashSet::new();
    for (text, format, fault) in table {
        let expected = KeyFault::Format(fault);
        assert_eq!(checked(text, format.parse().unwrap()), expected, "{text} in {format}");
        names.insert(name(&expected));
    }
    let Format::Csv(csv) = Format::CSV else { panic!("rows") };
    let bare = Format::Csv(crate::format::CsvFormat { has_header: false, ..csv });
    assert_eq!(checked("amount", bare), FormatFault::NoHeader(text("amount")).into());
    let KeyFault::Format(FormatFault::Path(_)) = checked("\"a..b\"", Format::JsonLines) else {
        panic!("a path with an empty name");
    };
    assert_eq!(names.len() + 2, 14, "{names:?}");
}

#[test]
fn an_error_is_one_of_the_usage() {
    let error = "0".parse::<Key>().unwrap_err();
    let words = error.to_string();
    let Error::Config(error) = Error::from(error) else { panic!("not of the request") };
    let message = error.to_string();
    assert_eq!(message, words);
}
