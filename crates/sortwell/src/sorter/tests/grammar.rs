//! Keys by the command's words, of random records: pushed ones against sorts of files.

use super::*;
use crate::{Format, Invalid, Key, RecordKey, SortJob};

/// Cases of the test. More, with other seeds, when the variables say so: `SORTER_CASES` and
/// `SORTER_SEED`.
const CASES: u64 = 400;

const FORMATS: [&str; 5] = ["lines", "csv", "jsonl", "fixed:8", "u16le"];
const TYPES: [&str; 14] = [
    "", ":int", ":decimal", ":float", ":natural", ":version", ":date", ":size", ":month", ":ip",
    ":u32le", ":i16be", ":bool", ":text",
];
const MODIFIERS: [&str; 7] = ["", "", "", ":desc", ":ci", ":trim", ":nulls=last"];
/// Texts with a value of many types, and with none.
const TEXTS: [&str; 20] = [
    "7",
    "-12.5",
    "1e3",
    "0",
    "",
    "a",
    "A",
    "B",
    "item10",
    "item9",
    "1.2.10",
    "1.2.9",
    "2026-11-25",
    "2026-11-22",
    "10K",
    "3M",
    "Jan",
    "dec",
    "10.0.0.7",
    "true",
];

/// One drawn case.
#[derive(Debug)]
struct Drawn {
    format: Format,
    keys: Vec<Key>,
    separator: Option<u8>,
    invalid: Option<Invalid>,
    records: Vec<Vec<u8>>,
}

fn drawn(seed: u64) -> Drawn {
    let mut numbers = numbers(seed);
    let mut below = |limit: usize| numbers.next().expect("no end") as usize % limit;
    let number = below(FORMATS.len());
    let mut format: Format = FORMATS[number].parse().expect("a format");
    if let Format::Csv(csv) = &mut format {
        csv.has_header = false;
    }
    let places = [
        ["1", "2", "1-2", "2[0..2]", "0..3"],
        ["1", "2", "3", "2[0..2]", "1[1..]"],
        ["a", "b", "/a", "a.0", "a.b"],
        ["0..4", "2..4", "0..8", "4..", "7..8"],
        ["0..4", "2..4", "0..1", "1..", "3..5"],
    ][number];
    let mut keys = Vec::new();
    for _ in 0..below(4) {
        let word = [places[below(5)], TYPES[below(14)], MODIFIERS[below(7)]].concat();
        keys.extend(word.parse());
    }
    let count = below(60);
    let records = (0..count).map(|_| record(number, &mut below)).collect();
    let separator = (number == 0 && below(2) == 0).then_some(b',');
    let invalid = ["", "error", "first", "last"][below(4)].parse().ok();
    Drawn { format, keys, separator, invalid, records }
}

/// Returns a record with what ends it.
fn record(format: usize, below: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let mut text = || TEXTS[below(TEXTS.len())].to_owned();
    match format {
        0 => format!("{}{}{}\n", text(), [",", " ", " ,"][text().len() % 3], text()),
        1 => {
            let cell = |text: String| match text.len() % 3 {
                0 => format!("\"{text}\""),
                1 => text,
                _ => format!("\"{}\"\"\"", text.replace('a', "a\n")),
            };
            format!("{},{},{}\n", cell(text()), cell(text()), cell(text()))
        }
        2 => match text().len() {
            3 => "{\"b\":null,\"a\":[7,\"x\"]}\n".to_owned(),
            5 => "{\"a\":{\"b\":1.50},\"b\":true}\n".to_owned(),
            _ => format!("{{\"a\":\"{}\",\"b\":\"{}\\u0041\"}}\n", text(), text()),
        },
        3 => format!("{:8.8}", text() + &text()),
        _ => {
            let bytes = text() + &text();
            return [&(bytes.len() as u16).to_le_bytes(), bytes.as_bytes()].concat();
        }
    }
    .into_bytes()
}

/// Returns the records as a sort of files orders them.
fn by_files(case: &Drawn, folder: &Path) -> Result<Vec<u8>> {
    let (input, output) = (folder.join("in"), folder.join("out"));
    std::fs::write(&input, case.records.concat()).expect("an input");
    let mut job = SortJob::new(case.format, input, &output);
    for key in &case.keys {
        job.key(key.clone());
    }
    if let Some(separator) = case.separator {
        job.separator(separator);
    }
    if let Some(invalid) = case.invalid {
        job.invalid(invalid);
    }
    job.threads(1).sync(false).memory(ByteSize::mib(64)).run()?;
    Ok(std::fs::read(output).expect("the output"))
}

/// Returns the records as a sorter orders them.
fn by_sorter(case: &Drawn, values: bool) -> Result<Vec<u8>> {
    let mut key = RecordKey::new(case.format, &case.keys)?;
    if let Some(separator) = case.separator {
        key = key.separator(separator)?;
    }
    if let Some(invalid) = case.invalid {
        key = key.invalid(invalid)?;
    }
    // Every second record lacks its end, as long as the format lets it.
    let has_ends = case.format.framing().terminator().is_some();
    let bare = |(number, record): (usize, &Vec<u8>)| {
        let length = record.len() - usize::from(has_ends && number % 2 == 0);
        record[..length].to_vec()
    };
    let records = case.records.iter().enumerate();
    if values {
        let codec = (
            |record: &Vec<u8>, out: &mut Vec<u8>| out.extend_from_slice(record),
            |bytes: &[u8]| Ok(bytes.to_vec()),
        );
        let records = case.records.iter().cloned();
        let sorted =
            Sorter::new().sort_values(records, |r, writer| writer.record(&key, r), codec)?;
        return Ok(sorted.collect::<Result<Vec<_>>>()?.concat());
    }
    let mut sorter = Sorter::new();
    for (number, record) in records {
        sorter.push_by(|writer| writer.record(&key, &bare((number, record))), record)?;
    }
    let (mut sorted, mut out) = (sorter.finish()?, Vec::new());
    while let Some(record) = sorted.next()? {
        out.extend_from_slice(record.payload);
    }
    Ok(out)
}

#[test]
fn records_are_in_the_order_of_a_sort_of_files() {
    let variable = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let seed = variable("SORTER_SEED").unwrap_or(1);
    let (mut sorted, mut refused) = (0, 0);
    for case in 0..variable("SORTER_CASES").unwrap_or(CASES) {
        let number = seed * 1_000_000 + case;
        let case = drawn(number);
        let folder = tempfile::tempdir().expect("a folder");
        let pair = (by_files(&case, folder.path()), by_sorter(&case, number % 2 == 0));
        match pair {
            (Ok(expected), Ok(found)) => {
                let show = String::from_utf8_lossy;
                let shown = || format!("{:?} {:?}", show(&found), show(&expected));
                assert!(found == expected, "case {number}: {case:?}: {}", shown());
                sorted += 1;
            }
            (Err(Error::Malformed { .. }), Err(Error::Malformed { .. }))
            | (Err(Error::Config(_)), Err(Error::Config(_))) => refused += 1,
            (expected, found) => panic!("case {number}: {case:?}: {expected:?} {found:?}"),
        }
    }
    assert!(sorted > 10 && refused > 10, "{sorted} sorted, {refused} refused");
}

#[test]
fn what_is_not_one_record_has_no_key() {
    let key = |format: &str| RecordKey::new(format.parse().expect("a format"), &[]);
    for (format, record) in [
        ("lines", &b"a\nb"[..]),
        ("csv", b"a,\"b"),
        ("csv", b"a\nb"),
        ("jsonl", b"{"),
        ("jsonl", b"1\n2"),
        ("fixed:3", b"ab"),
        ("fixed:3", b"abcd"),
        ("u16le", b""),
        ("u16le", b"\x03\0ab"),
        ("keyed", b"\x01\0\0\0"),
    ] {
        let mut out = b"before".to_vec();
        let error = key(format).expect("a key").append_to(record, &mut out);
        assert!(matches!(error, Err(Error::Malformed { .. })), "{format} {record:?}: {error:?}");
        assert_eq!(out, b"before", "{format} {record:?}");
    }
    let error = key("lines:group=2").expect_err("several lines").to_string();
    assert!(error.contains("several lines"), "{error}");
    let by_name = RecordKey::new(Format::CSV, &["amount".parse().expect("a key")]);
    assert!(matches!(by_name, Err(Error::Config(_))), "{by_name:?}");
    let error = key("csv").expect("a key").separator(b';').expect_err("cells").to_string();
    assert!(error.contains("for lines"), "{error}");

    let whole = key("jsonl").expect("a key");
    let mut sorter = Sorter::new();
    let pushed = sorter.push_by(|writer| writer.asc(7).record(&whole, b"[").asc(8), b"");
    assert!(pushed.expect_err("not JSON").to_string().contains("not JSON"));
    assert_eq!(sorter.finish().and_then(Sorted::close).expect("an empty sort").records, 0);

    let codec = (|_: &&str, _: &mut Vec<u8>| {}, |_: &[u8]| Ok(""));
    let values = ["[1]", "[", "[2]"];
    let sorted =
        Sorter::new().sort_values(values, |v, writer| writer.record(&whole, v.as_bytes()), codec);
    let error = sorted.err().expect("not JSON");
    assert!(error.to_string().starts_with("value 2: not JSON"), "{error}");
}

#[test]
fn a_key_of_the_grammar_stands_among_others() {
    let natural = RecordKey::new(Format::LINES, &["1:natural".parse().expect("a key")]);
    let natural = natural.expect("a key");
    let pairs = [("a", 2), ("a2", -1), ("a10", 7), ("a10", 9), ("b", -7)];
    let keys = pairs.map(|(text, number)| {
        let mut key = Vec::new();
        let mut writer = KeyWriter::new(&mut key);
        writer.record(&natural, text.as_bytes()).asc(number);
        writer.finish().expect("a key");
        key
    });
    assert!(keys.is_sorted(), "{keys:?}");
}
