//! Whole messages, so that a change in any of them is seen.

use super::*;
use crate::format::Format;
use crate::key::text::ValueList;
use crate::key::{Key, ListMemory};
use std::sync::Arc;

fn spec(key: &str) -> TextSpec {
    key.parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap()
}

fn said(key: &str, format: Format, text: &[u8]) -> String {
    FaultWords::new(&spec(key), &TextOrder::of(format)).invalid(text).to_string()
}

#[test]
fn messages_name_the_place_the_text_and_the_type() {
    let behind = "sort such records after all others with invalid keys last";
    let table: [(&str, &[u8], &str); 9] = [
        ("3:int", b"abc", "column 3: 'abc' is not an int; "),
        ("amount:decimal", b"1,5", "column 'amount': '1,5' is not a decimal; "),
        ("\"a\nb\"[0..4]:ip", b"x", "column 'a\\nb': 'x' is not an IP address; "),
        ("2:uuid", b"it's\t\xff", "column 2: 'it\\'s\\t\\xff' is not a UUID; "),
        ("2:bool", b"ja", "column 2: 'ja' is not a bool, as in true or false; "),
        ("2:order=low|high", b"mid", "column 2: 'mid' is not in the order low|high; "),
        ("0..4:int", b"x", "bytes 0..4: 'x' is not an int; "),
        ("4..:int", b"x", "bytes 4..: 'x' is not an int; "),
        ("..:size", b"x", "the record: 'x' is not a size, as in 512, 1K or 2.5GiB; "),
    ];
    for (key, text, start) in table {
        assert_eq!(said(key, Format::CSV, text), format!("{start}{behind}"), "{key}");
    }
    assert_eq!(
        said("2:date", Format::LINES, b"22.11.2026"),
        "field 2: '22.11.2026' is not a date, as in 2026-11-22; give its pattern with date \
         format, or sort such records after all others with invalid keys last"
    );
    let group = "lines:group=4".parse().unwrap();
    for (key, place) in [
        ("2:int", "line 2"),
        ("2-3:int", "lines 2 to 3"),
        ("2-:int", "lines 2 to the last"),
        ("1.2:int", "field 2 of line 1"),
        ("1.1-:int", "fields 1 to the last of line 1"),
        ("1.2-3:int", "fields 2 to 3 of line 1"),
        ("0..4:int", "bytes 0..4"),
        ("..:int", "the record"),
    ] {
        assert_eq!(said(key, group, b"x"), format!("{place}: 'x' is not an int; {behind}"));
    }
    let rdw = "rdw".parse().unwrap();
    assert_eq!(
        said("4..7:packed", rdw, b"\x12\x34\x56"),
        format!(
            "bytes 4..7: 12 34 56 is not a packed decimal: two digits a byte, then the sign, as in \
             12 3C; {behind}"
        )
    );
    assert_eq!(
        said("4..7:zoned-leading=ebcdic", rdw, b"@@@"),
        format!(
            "bytes 4..7: 40 40 40 is not a zoned decimal in EBCDIC with a leading overpunched \
             sign; {behind}"
        )
    );
    assert_eq!(
        said("4..8:u32le", rdw, b"\x01"),
        format!("bytes 4..8: 01 is not a number of type u32le; {behind}")
    );
    assert_eq!(
        FaultWords::of_range(10, Some(20)).short(12, 20).to_string(),
        format!(
            "bytes 10..20: the record has 12 bytes, and the key needs 20; give a byte for the \
             missing ones with pad 0, or {behind}"
        )
    );
}

#[test]
fn formats_of_days_are_named() {
    let format = Arc::new(DateFormat::new("%d.%m.%Y").unwrap());
    let order = TextOrder::of(Format::CSV).with(|options| options.date_format = Some(format));
    let said = FaultWords::new(&spec("day:date"), &order).invalid(b"2026-11-22");
    assert_eq!(
        said.to_string(),
        "column 'day': '2026-11-22' is not a date of the form %d.%m.%Y; sort such records after \
         all others with invalid keys last"
    );
}

#[test]
fn long_text_is_cut_between_characters() {
    assert_eq!(shown(&[b'x'; 40]), "x".repeat(40));
    assert_eq!(shown(&[b'x'; 41]), format!("{}...", "x".repeat(40)));
    let umlauts = "xäöü".repeat(20);
    assert!(shown(umlauts.as_bytes()).starts_with("xäöüxäöü"));
    assert!(shown(umlauts.as_bytes()).ends_with("..."));
    for length in 0..umlauts.len() {
        let shown = shown(&umlauts.as_bytes()[..length]);
        assert!(shown.len() <= 4 * SHOWN_BYTES + 3, "{shown}");
    }
    assert_eq!(in_numbers(&[0xab; 21]), format!("{} ...", ["AB"; 20].join(" ")));
    let many: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let list = ValueList::new(many.iter().map(String::as_bytes)).unwrap();
    assert!(expected(&TextType::from(list), None).len() < 70);
}
