//! Keys as they are read and shown, what they mean, and the words about wrong ones.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::super::text::{InvalidPlace, TYPES, TextType};
use super::*;
use crate::format::Format;

fn parse(text: &str) -> Result<Key, KeyError> {
    text.parse()
}

/// The words about a key that cannot be read.
fn said(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

/// A message with the types that `TEXT` and `ALL` in it stand for, and the modifiers of numbers.
fn with_types(message: &str) -> String {
    let message = message.replace("SIGNS", "decimal=, thousands=. currency");
    message.replace("TEXT", TEXT_TYPES).replace("ALL", ALL_TYPES)
}

const TEXT_TYPES: &str = "bytes text int decimal float size month version semver natural random \
     date time timestamp ip uuid bool zoned zoned-leading zoned-separate \
     zoned-leading-separate zoned=ebcdic zoned-leading=ebcdic zoned-separate=ebcdic \
     zoned-leading-separate=ebcdic zoned=ascii ebcdic ebcdic=037 ebcdic=37 \
     ebcdic=500 ebcdic=1047 order=LIST order=@FILE sequence=FILE";
const ALL_TYPES: &str = "bytes text int decimal float size month version semver natural random \
     date time timestamp ip uuid bool packed zoned zoned-leading zoned-separate \
     zoned-leading-separate zoned=ebcdic zoned-leading=ebcdic zoned-separate=ebcdic \
     zoned-leading-separate=ebcdic zoned=ascii ebcdic ebcdic=037 ebcdic=37 \
     ebcdic=500 ebcdic=1047 u8 i8 u16le u16be i16le i16be u32le u32be i32le i32be \
     u64le u64be i64le i64be f32le f32be f64le f64be order=LIST order=@FILE \
     sequence=FILE";

#[test]
fn names_are_read_in_any_case_and_values_as_they_are() {
    for (written, read) in [
        ("2:INT", "2:int"),
        ("2:Decimal:DESC", "2:decimal:desc"),
        ("0..4:U32LE", "0..4:u32le"),
        ("0..4:Zoned=EBCDIC", "0..4:zoned=ebcdic"),
        ("2:ORDER=Low|High:Nulls-First", "2:order=Low|High:nulls-first"),
        ("2:Text:LOCALE=de-AT", "2:text:locale=de-AT"),
        ("0..4:PAD=A", "0..4:pad=65"),
    ] {
        assert_eq!(parse(written).expect(written).to_string(), read);
    }
    let error = parse("1:itn").unwrap_err().of_format(Format::LINES).to_string();
    assert!(error.contains("(did you mean 'int'?); use bytes text"), "{error}");
    assert!(!error.contains("packed"), "no type of text: {error}");
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
        ("amount", "amount"),
        ("2024_total:int", "2024_total:int"),
        ("unit price", "unit price"),
        ("Größe:desc", "Größe:desc"),
        ("\"amount\"", "amount"),
        ("\"2024\":int", "\"2024\":int"),
        ("\"a:b\"[1..3]:desc", "\"a:b\"[1..3]:desc"),
        ("\"say \"\"a\"\"\"", "\"say \"\"a\"\"\""),
        ("\"\"", "\"\""),
        ("amount[0..4]", "amount[0..4]"),
        ("1:date:nulls-first:desc", "1:date:desc:nulls-first"),
        ("1:nulls-last", "1:nulls-last"),
        ("0..4:packed:pad=0x40", "0..4:packed:pad=64"),
        ("0..4:pad=x", "0..4:pad=120"),
        ("0..4:u32le:desc", "0..4:u32le:desc"),
        ("price:decimal=,", "price:decimal:decimal=,"),
        ("2:int:thousands=0x20:currency:desc", "2:int:desc:currency:thousands=0x20"),
        ("2-3:text:desc", "2-3:text:desc"),
        ("2-", "2-"),
        ("2-2", "2"),
        ("2-3[0..4]:ci", "2-3[0..4]:ci"),
        ("2-[1..]", "2-[1..]"),
        ("2:order=low|mid|high:ci", "2:order=low|mid|high:ci"),
        ("2:order=\"a:b\"|c:desc", "2:order=\"a:b\"|c:desc"),
        ("2:order=@sizes.txt", "2:order=@sizes.txt"),
        ("0..4:sequence=\"a:b\"", "0..4:sequence=\"a:b\""),
        ("0..9:ebcdic=1047:ci:trim", "0..9:ebcdic=1047:ci:trim"),
        ("0..9:zoned-leading-separate=ebcdic", "0..9:zoned-leading-separate=ebcdic"),
    ];
    for (written, shown) in table {
        let spec = parse(written).unwrap();
        assert_eq!(spec.to_string(), shown, "{written}");
        assert_eq!(parse(shown).unwrap(), spec, "{written}");
    }
    let closed = TYPES.iter().flat_map(|row| row.names).map(|(name, _)| *name);
    for name in closed.filter(|name| !name.contains(|c: char| c.is_ascii_uppercase())) {
        let text_type = TextType::named(name).unwrap().1;
        if text_type.machine_number().is_some() {
            continue;
        }
        for rest in ["", ":desc", ":nulls-first"] {
            let spec = parse(&format!("7:{name}{rest}")).unwrap();
            assert_eq!(spec.spec(ListMemory::UNBOUNDED).unwrap().text_type, text_type);
            assert_eq!(parse(&spec.to_string()).unwrap(), spec);
        }
    }
}

#[test]
fn keys_mean_what_was_written() {
    let meaning = |text| parse(text).unwrap().spec(ListMemory::UNBOUNDED).unwrap();
    let at = |field, byte, skips_blanks| Position { field, byte, skips_blanks };
    let spec = meaning("2[1..4]:trim:ci:desc");
    assert_eq!((spec.start, spec.end), (at(1, 1, true), End::Within(at(1, 4, true), 1)));
    assert!(spec.trims && spec.is_descending && spec.translation.folds_case);
    let spec = meaning("2");
    assert_eq!((spec.start, spec.end), (at(1, 0, false), End::Field(1)));
    assert!(!spec.trims && !spec.is_descending && spec.translation.is_identity());
    let ends =
        ["2-4", "2-", "2-4[1..3]", "2-[1..3]"].map(|key| (meaning(key).start, meaning(key).end));
    let [first, byte, third] = [0, 1, 3].map(|byte| at(1, byte, false));
    assert_eq!(ends[0], (first, End::Field(3)));
    assert_eq!(ends[1], (first, End::Record));
    assert_eq!(ends[2], (byte, End::Within(third, 3)));
    assert_eq!(ends[3], (byte, End::At(third)));
    let spec = meaning("3..9:trim");
    assert_eq!((spec.start, spec.end), (at(0, 3, false), End::At(at(0, 9, false))));
    assert_eq!(meaning("3..").end, End::Record);
    assert_eq!(parse("1:locale=sv").unwrap().locale(), Some("sv"));
    let spec = meaning("0..4:nulls-first:pad=0");
    assert_eq!((spec.nulls, spec.pad), (Some(InvalidPlace::First), Some(0)));
    let values = meaning("1:order=low|\"a|b\"|high").text_type;
    assert_eq!(values.list().unwrap().place(b"a|b"), Some(1));
    let values = meaning("1:order=low|high:ci").text_type;
    let values = values.list().unwrap();
    assert_eq!((values.place(b"HIGH"), values.place(b"high")), (Some(1), None));
}

#[test]
fn columns_become_fields() {
    let columns: Vec<Vec<u8>> =
        ["id", "amount", "2"].iter().map(|name| name.as_bytes().to_vec()).collect();
    let spec = parse("amount[0..4]:trim").unwrap();
    assert_eq!(spec.column(), Some("amount"));
    let mut meaning = spec.spec(ListMemory::UNBOUNDED).unwrap();
    assert!(meaning.is_by_name && meaning.name.as_deref() == Some("amount"));
    meaning.resolve(&columns).unwrap();
    assert_eq!((meaning.start.field, meaning.is_by_name), (1, false));
    assert_eq!(meaning.name.as_deref(), Some("amount"));
    let resolved = |text| {
        let key = parse(text).unwrap();
        let mut spec = key.spec(ListMemory::UNBOUNDED).unwrap();
        let resolved = spec.resolve(&columns);
        resolved.map(|()| spec).map_err(|fault| key.error(KeyFault::Column(fault)))
    };
    assert_eq!(resolved("\"2\"").unwrap().start.field, 2);
    assert_eq!(resolved("2").unwrap().name.as_deref(), Some("amount"));
    let fault = |text| resolved(text).unwrap_err().to_string();
    assert_eq!(
        fault("price:int"),
        "key 'price:int': no column is called 'price'; the columns are 'id', 'amount', '2'"
    );
    assert_eq!(fault("4"), "key '4': there is no column 4; the 3 columns are 'id', 'amount', '2'");
}

#[test]
fn files_are_read_when_the_meaning_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let meaning =
        |key: String| parse(&key).unwrap().spec(ListMemory::UNBOUNDED).map(|spec| spec.text_type);
    let path = write("sizes", b"\xef\xbb\xbfS\r\nM\r\n\r\nL");
    let values = meaning(format!("1:order=@{path}")).unwrap();
    let values = values.list().unwrap();
    assert_eq!(["S", "M", "L"].map(|value| values.place(value.as_bytes())), [0, 1, 2].map(Some));
    let path = write("sequence", &[7; 256]);
    let read = meaning(format!("0..4:sequence={path}")).unwrap();
    assert_eq!(read, TextType::from([7; 256]));
    let fault = |key: String| meaning(key).unwrap_err().to_string();
    let path = write("short", &[7; 255]);
    assert!(fault(format!("0..4:sequence={path}")).contains("has 255 bytes, but a collating"));
    let path = write("twice", b"a\na\n");
    assert!(fault(format!("1:order=@{path}")).contains("has the value 'a' twice"));
    let path = folder.path().join("none").display().to_string();
    assert!(fault(format!("1:order=@{path}")).contains("cannot read"));
}

#[test]
fn keys_are_held_to_a_format() {
    let check = |key: &str, format: &str| parse(key).unwrap().check(format.parse().unwrap());
    for (key, format) in [
        ("2:date", "lines"),
        ("0..4:zoned", "lines"),
        ("amount:int", "csv"),
        ("2", "tsv"),
        ("0..4:packed", "rdw"),
        ("4..:ebcdic", "u16be"),
        ("4..8:u32le", "fixed:8"),
        ("..", "fixed:8"),
    ] {
        assert_eq!(check(key, format), Ok(()), "{key} {format}");
    }
    let table = [
        (
            "price",
            "lines",
            "'price' in key 'price' is not a place in a line; write 2 for the second field, \
             2[0..4] for its first four bytes, 2-3 for fields 2 to 3, 0..10 for bytes of the \
             line, or .. for all of it; names of columns need the format csv, tsv or jsonl",
        ),
        ("2,2nr", "lines", "key '2,2nr' is written as for GNU sort; write 2:decimal:desc"),
        (
            "0..4:packed",
            "csv",
            "'packed' in key '0..4:packed' is a type of binary records; keys of rows are TEXT",
        ),
        (
            "0..4:pad=0",
            "lines",
            "key '0..4:pad=0' has the modifier pad, but missing bytes of lines are empty; leave \
             it out",
        ),
        (
            "4..12:packed",
            "fixed:10",
            "key '4..12:packed' ends at byte 12, but the record has 10 bytes; give a range within \
             0..10, or the right record length",
        ),
        (
            "10..:ebcdic",
            "fixed:10",
            "key '10..:ebcdic' begins at byte 10, but the record has 10 bytes; give a range within \
             0..10, or the right record length",
        ),
        (
            "2.5",
            "lines",
            "key '2.5' is written as for GNU sort; write 2-[4..], or 2[4..] for field 2 alone",
        ),
        (
            "2:int",
            "rdw",
            "key '2:int' is not a range of bytes, and these records have no fields; write 0..10, \
             4.. or ..8, and a type after it (ALL)",
        ),
    ];
    for (key, format, message) in table {
        assert_eq!(check(key, format).unwrap_err().to_string(), with_types(message));
    }
    let Format::Csv(mut csv) = Format::CSV else { panic!("rows") };
    csv.has_header = false;
    assert_eq!(
        parse("amount:int").unwrap().check(Format::Csv(csv)).unwrap_err().to_string(),
        "key 'amount:int' names the column 'amount', but there is no header to name it; write its \
         number, as in 2:decimal"
    );
}

#[test]
fn keys_of_several_columns_are_listed() {
    for (key, keys) in [
        ("2-4:int:desc", "-k 2:int:desc -k 3:int:desc -k 4:int:desc, or \"2-4\" for"),
        ("2-3[1..]:ci", "-k 2[1..]:ci -k 3:ci, or \"2-3[1..]\" for"),
        ("2-3[1..4]", "a key for each column, or \"2-3[1..4]\" for"),
        ("2-", "-k 2 -k 3 and so on, or \"2-\" for"),
        ("2-20", "-k 2 -k 3 and so on to -k 20, or \"2-20\" for"),
    ] {
        let message = parse(key).unwrap().check(Format::CSV).unwrap_err().to_string();
        assert_eq!(
            message,
            format!(
                "key '{key}' names several fields of a line, and columns are keys of their own; \
                 write {keys} the column of that name"
            )
        );
    }
}

#[test]
fn a_type_before_a_place_is_answered_with_the_right_form() {
    for (text, right) in [("int:2", "2:int"), ("bytes:0..10", "0..10:bytes")] {
        let wrong = text.parse::<Key>().expect_err("wrong").to_string();
        let words = "begins with a type; a key is a place and then a type: write";
        assert_eq!(wrong, format!("key '{text}' {words} {right}"));
    }
    for text in ["int:x", "amount:2"] {
        let wrong = text.parse::<Key>().expect_err("wrong").to_string();
        assert!(wrong.contains("is not a key type"), "{wrong}");
    }
}

/// Whole messages, so that a change in any of them is seen.
#[test]
fn messages_say_what_is_wrong_and_what_to_write() {
    let table = [
        (
            "2-5..7",
            "'2-5..7' in key '2-5..7' is not a place in a record; write 2 for the second field, \
             2[0..4] for its first four bytes, 2-3 for fields 2 to 3 of a line, amount or \
             \"amount\" for the column of that name, 0..10 for bytes of the record, or .. for all \
             of it",
        ),
        ("0", "fields count from 1, and key '0' names field 0"),
        ("2[0..4", "'2[0..4' in key '2[0..4' lacks its ]; write 2[0..4]"),
        (
            "2[4..4]",
            "the range in key '2[4..4]' is empty; ranges start at 0 and exclude their end: write \
             4..5 for one byte",
        ),
        (
            "2:u32le",
            "'u32le' in key '2:u32le' is a type of binary records, as in 0..8:u64le; keys of \
             fields are TEXT",
        ),
        (
            "2:number",
            "'number' in key '2:number' is not a key type for these records; use ALL, and the \
             modifiers asc desc ci trim nulls-first nulls-last pad=BYTE locale=NAME SIGNS, as in \
             2:decimal:desc",
        ),
        (
            "0..4:pakced",
            "'pakced' in key '0..4:pakced' is not a key type for these records (did you mean \
             'packed'?); use ALL, and the modifiers asc desc ci trim nulls-first nulls-last \
             pad=BYTE locale=NAME SIGNS, as in 2:decimal:desc",
        ),
        (
            "2:int:up",
            "'up' in key '2:int:up' is not a known modifier; use the modifiers asc desc ci trim \
             nulls-first nulls-last pad=BYTE locale=NAME SIGNS, as in 2:decimal:desc",
        ),
        (
            "2:int:dsec",
            "'dsec' in key '2:int:dsec' is not a known modifier (did you mean 'desc'?); use the \
             modifiers asc desc ci trim nulls-first nulls-last pad=BYTE locale=NAME SIGNS, as in \
             2:decimal:desc",
        ),
        (
            "2:desc:int",
            "'int' in key '2:desc:int' is out of place: a key has one type, right after its \
             location, as in 2:decimal:desc",
        ),
        ("2:", "key '2:' has a colon with nothing after it"),
        ("1:order=@", "'order=@' in key '1:order=@' needs the name of a file; write order=@FILE"),
        (
            "1:sequence=",
            "'sequence=' in key '1:sequence=' needs the name of a file; write sequence=FILE",
        ),
        ("2:desc:asc", "key '2:desc:asc' gives its direction twice; once is enough"),
        ("2:trim:trim", "key '2:trim:trim' gives trim twice; once is enough"),
        ("2:int:ci", "key '2:int:ci' has the modifier ci, but int has no case; leave it out"),
        ("2:locale=", "key '2:locale=' needs the name of a locale; write locale=de"),
        (
            "2:int:locale=de",
            "key '2:int:locale=de' names a locale, which orders text and not int; write text, or \
             leave the locale out",
        ),
    ];
    for (written, message) in table {
        assert_eq!(said(written), with_types(message));
    }
}

#[test]
fn messages_about_quotes_lists_and_bytes() {
    let table = [
        ("\"a", "key '\"a' has no closing quote; double a quote inside quotes"),
        (
            "1:order=a||b",
            "'order=a||b' in key '1:order=a||b' has an empty value; nulls-first and nulls-last \
             decide where empty values go",
        ),
        (
            "1:order=a|b|a",
            "'order=a|b|a' in key '1:order=a|b|a' has the value 'a' twice; leave one out",
        ),
        (
            "1:sequence=",
            "'sequence=' in key '1:sequence=' needs the name of a file; write \
                         sequence=FILE",
        ),
        (
            "0..4:pad=256",
            "'256' is not a byte; write its number, as in 0, 64 or 0x40 in key '0..4:pad=256'",
        ),
        (
            "0..4:packed:trim",
            "key '0..4:packed:trim' has the modifier trim, but in packed every \
                              byte counts",
        ),
        (
            "8..10:u32le:desc",
            "key '8..10:u32le:desc' is 2 bytes wide, but u32le takes 4 bytes; write \
             8..12:u32le:desc",
        ),
    ];
    for (written, message) in table {
        assert_eq!(said(written), message);
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
        "0...4",
        "9..3",
        "4294967296",
        "2::desc",
        "2:desc:",
        "1:int:int",
        "2[0..٣]",
    ];
    for written in table {
        let message = said(written);
        assert!(message.contains(&format!("key '{written}'")), "{written}: {message}");
    }
}

/// Pieces of keys, good and bad.
fn any_key() -> impl Strategy<Value = String> {
    let pieces = [
        ":",
        ":",
        "\"",
        "\"",
        "[",
        "]",
        "0..4",
        "2",
        "a",
        "B",
        "=",
        "|",
        "@",
        " ",
        ".",
        "order=",
        "desc",
        "ci",
        "trim",
        "nulls-first",
        "pad=",
        "int",
        "date",
        "u32le",
        "packed",
        "zoned",
        "locale=",
        "ä",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..9)
        .prop_map(|pieces| pieces.concat())
}

/// Keys of good places, types and modifiers, most of which go together.
fn good_key() -> impl Strategy<Value = String> {
    let places = prop_oneof![
        (1usize..20).prop_map(|field| field.to_string()),
        (1usize..9, 0usize..9).prop_map(|(first, more)| format!("{first}-{}", first + more)),
        (1usize..9, 1usize..9).prop_map(|(line, field)| format!("{line}.{field}-")),
        (0usize..99, 1usize..9).prop_map(|(start, more)| format!("{start}..{}", start + more)),
        (0usize..99).prop_map(|start| format!("{start}..")),
        (1usize..9, 0usize..9).prop_map(|(field, start)| format!("{field}[{start}..]")),
        "[a-z]{1,3}([._ /][a-z0-9]{1,2})?".prop_map(|name| name),
        "[a-z:\\[\\]. 0-9]{0,5}".prop_map(|name| words::quoted(&name)),
    ];
    let types: Vec<&str> = Listed::All.names().filter(|name| !name.contains("FILE")).collect();
    let types = prop_oneof![
        2 => Just(String::new()),
        5 => proptest::sample::select(types).prop_map(|name| format!(":{name}")),
        1 => Just(":order=low|\"a:b\"|High".to_owned()),
    ];
    let modifiers = [
        ":desc",
        ":asc",
        ":ci",
        ":trim",
        ":nulls-first",
        ":nulls-last",
        ":pad=0x40",
        ":pad=:",
        ":decimal=,",
        ":thousands=0x20",
        ":currency",
        ":locale=de-u-ks-level1",
    ];
    let modifiers = proptest::sample::subsequence(modifiers.to_vec(), 0..=2).prop_shuffle();
    (places, types, modifiers)
        .prop_map(|(place, name, modifiers)| format!("{place}{name}{}", modifiers.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 30_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0006),
        ..ProptestConfig::default()
    })]

    /// Compares each key that can be read with the one that its text is read as; all others have
    /// an error in words.
    #[test]
    fn keys_say_themselves(text in any_key()) {
        match parse(&text) {
            Ok(spec) => prop_assert_eq!(parse(&spec.to_string()), Ok(spec.clone()), "{}", spec),
            Err(error) => {
                let words = error.to_string();
                prop_assert_eq!(error.key(), &text);
                prop_assert!(words.contains("key '"), "{}: {}", text, words);
            }
        }
    }

    /// The text of a key is read as an equal key, which means the same in every format.
    #[test]
    fn the_text_of_a_key_reads_back_as_an_equal_key(text in good_key()) {
        let Ok(key) = parse(&text) else { return Ok(()) };
        let shown = key.to_string();
        let again = parse(&shown);
        prop_assert_eq!(again.as_ref(), Ok(&key), "{} shown as {}", text, shown);
        prop_assert_eq!(again.unwrap().to_string(), shown);
        let reversed = key.clone().reversed();
        prop_assert_eq!(parse(&reversed.to_string()), Ok(reversed.clone()), "{}", text);
        prop_assert_ne!(&reversed, &key);
        prop_assert_eq!(reversed.reversed(), key);
    }
}

/// Every form of the reference, with the formats that it is for, among all kinds of them.
#[test]
fn every_form_of_the_reference_is_read() {
    const FORMATS: [&str; 7] =
        ["lines", "lines:group=4", "csv", "jsonl", "fixed:40", "u16be", "rdw"];
    let text = ["lines", "lines:group=4", "csv"];
    let lines = ["lines", "lines:group=4"];
    let bytes = ["fixed:40", "u16be", "rdw"];
    let named = ["csv", "jsonl"];
    let group = ["lines:group=4"];
    let table: [(&[&str], &[&str]); 7] = [
        (&["2", "2[0..4]", "2[4..]", "2:decimal:desc"], &text),
        (&["..", "0..10", "4..", ""], &FORMATS),
        (&["2-3", "2-", "2-3[0..4]"], &lines),
        (&["1.2", "1.2-3", "1.2-", "1.2[0..4]"], &group),
        (&["amount", "\"2024\"", "user.id", "tags.0", "/user/first.name"], &named),
        (&["amount[0..4]"], &["csv"]),
        (&["0..8:u64le", "0..4:packed", "0..4:f32be:desc"], &bytes),
    ];
    for (keys, formats) in table {
        for (key, format) in keys.iter().flat_map(|key| FORMATS.map(|format| (key, format))) {
            let read = parse(key).expect(key);
            let checked = read.check(format.parse().unwrap());
            assert_eq!(checked.is_ok(), formats.contains(&format), "{key} in {format}");
            assert_eq!(parse(&read.to_string()), Ok(read), "{key}");
        }
    }
    let types = "bytes text int decimal float size month version semver natural random date time \
                 timestamp ip uuid bool order=low|mid|high order=@FILE zoned zoned=ebcdic \
                 zoned-leading zoned-separate zoned-leading-separate ebcdic ebcdic=500 \
                 ebcdic=1047 sequence=FILE";
    let modifiers = "desc asc nulls-first nulls-last";
    for name in types.split(' ') {
        for modifier in modifiers.split(' ') {
            let key = format!("0..9:{name}:{modifier}");
            let read = parse(&key).expect(&key);
            assert_eq!(read.type_name(), name);
            assert_eq!(parse(&read.to_string()), Ok(read.clone()), "{key}");
            for format in FORMATS {
                assert_eq!(read.check(format.parse().unwrap()), Ok(()), "{key} in {format}");
            }
        }
    }
    for key in [
        "price:decimal=,:thousands=.",
        "price:int:currency",
        "name:ci",
        "name:trim",
        "4..8:pad=0",
        "name:text:locale=de",
        "name:locale=de-u-ks-level1-kn-true",
    ] {
        let read = parse(key).expect(key);
        assert_eq!(parse(&read.to_string()), Ok(read), "{key}");
    }
}

/// A key given by its meaning keeps it, in both directions, and is equal to its copies alone.
#[test]
fn a_key_by_its_meaning_means_that() {
    let start = Position { field: 1, byte: 2, skips_blanks: true };
    let spec = TextSpec { start, text_type: TextType::GENERAL, ..TextSpec::default() };
    let key = Key::from(spec.clone());
    let meaning = key.spec(ListMemory::UNBOUNDED).unwrap();
    assert_eq!((meaning.start, meaning.end), (start, End::Record));
    assert_eq!((meaning.text_type, meaning.is_descending), (TextType::GENERAL, false));
    assert!(key.clone().reversed().spec(ListMemory::UNBOUNDED).unwrap().is_descending);
    assert_eq!(key.check(Format::LINES), Ok(()));
    assert!(key.check(Format::Fixed { length: 8 }).is_err());
    assert_eq!(key.to_string(), "fields 2 to the last");
    assert!(key == key.clone() && key != Key::from(spec) && key != Key::default());
}

#[test]
fn fields_of_a_line_are_read_and_said() {
    let at = |field, byte| Position { field, byte, ..Position::default() };
    for (text, line, start, end) in [
        ("1.2:int", Some(0), at(1, 0), End::Field(1)),
        ("4.1[2..3]", Some(3), at(0, 2), End::Within(at(0, 3), 0)),
        ("1.2-3", Some(0), at(1, 0), End::Field(2)),
        ("1.2-", Some(0), at(1, 0), End::Record),
        ("2", None, at(1, 0), End::Field(1)),
    ] {
        let key = parse(text).unwrap();
        assert_eq!(key.to_string(), text);
        assert_eq!(key.check("lines:group=4".parse().unwrap()), Ok(()), "{text}");
        let spec = key.spec(ListMemory::UNBOUNDED).unwrap();
        assert_eq!((spec.line, spec.start, spec.end), (line, start, end), "{text}");
    }
    let said = |key: &str| {
        let format = "lines:group=4".parse().unwrap();
        parse(key).unwrap().check(format).unwrap_err().to_string()
    };
    for key in ["5:int", "2-5", "5-", "5.1"] {
        assert_eq!(said(key), format!("key '{key}' names line 5, and a record has 4"));
    }
    assert_eq!(
        said("name"),
        "'name' in key 'name' is not a place in a record of 4 lines; write 2 for the second \
         line, 1.2 for the second field of the first, 2[0..4] for bytes of a line, 2-3 for lines \
         2 to 3, or .. for the whole record"
    );
    assert_eq!(parse("2.3-3").unwrap().to_string(), "2.3");
    for wrong in ["1.", ".1", "1.0", "0.1", "1.2.3", "1.a", "1.3-2"] {
        let format = "lines:group=4".parse().unwrap();
        assert!(parse(wrong).and_then(|key| key.check(format)).is_err(), "{wrong}");
    }
}
