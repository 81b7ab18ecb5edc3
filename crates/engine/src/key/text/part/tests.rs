//! Parts that place what is no value, in keys of whole records of every format.

use super::*;
use crate::format::{CsvFormat, Format};
use crate::key::text::TextType;
use crate::key::{CompiledKey, Key, KeyEncoder, ListMemory, with_encoder};

fn order(format: &str, keys: &[&str]) -> TextOrder {
    let specs =
        keys.iter().map(|key| key.parse::<Key>().unwrap().spec(ListMemory::UNBOUNDED).unwrap());
    TextOrder { specs: specs.collect(), ..TextOrder::of(format.parse().unwrap()) }
}

/// The key of a record, and a check that all that an encoder can be asked for agrees.
fn order_of(key: &CompiledKey, a: &[u8], b: &[u8]) -> Ordering {
    with_encoder!(key, |encoder| {
        let [key_a, key_b] = [a, b].map(|record| {
            let mut key = Vec::new();
            encoder.key_bytes(record.into(), usize::MAX, &mut key);
            key
        });
        let order = key_a.cmp(&key_b);
        let said = || format!("'{}' '{}'", a.escape_ascii(), b.escape_ascii());
        assert_eq!(encoder.compare_from(a, b, 0), order, "{}", said());
        let words = encoder.word(a, 0).cmp(&encoder.word(b, 0));
        assert!(words.is_eq() || words == order, "{}", said());
        order
    })
}

/// Sorts records, checking every pair.
fn sorted<'a>(order: &TextOrder, records: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let key = CompiledKey::new(order).unwrap();
    let mut records = records.to_vec();
    records.sort_by(|a, b| order_of(&key, a, b));
    records
}

fn fault(order: &TextOrder, record: &[u8]) -> Option<String> {
    let key = CompiledKey::new(order).unwrap();
    let fault = key.encoder().fault(record);
    assert!(fault.is_none() || key.encoder().is_partial());
    fault.map(|fault| fault.to_string())
}

const ROWS: [&[u8]; 8] =
    [b"a,10\n", b"b,\n", b"c,9\n", b"d,\"\"\r\n", b"e,x\n", b"f,\"-1\"\n", b"g\n", b"h,\" 9 \"\n"];

/// The first letters of sorted rows.
fn letters(order: &TextOrder) -> String {
    sorted(order, &ROWS).iter().map(|row| char::from(row[0])).collect()
}

#[test]
fn cells_without_a_value_have_their_places() {
    let by = |key: &str| order("csv", &[key]);
    let placed = |key: &str, place| {
        order("csv", &[key]).with(|options| options.invalid = Some(Invalid::Placed(place)))
    };
    for (key, place, expected) in [
        ("2:int", InvalidPlace::Last, "fchabdge"),
        ("2:int:desc", InvalidPlace::Last, "achfbdge"),
        ("2:int:nulls-first", InvalidPlace::Last, "bdgfchae"),
        ("2:int:desc:nulls-first", InvalidPlace::First, "ebdgachf"),
        ("2:int", InvalidPlace::First, "efchabdg"),
        ("2:float:desc", InvalidPlace::Last, "achfbdge"),
        ("2:month", InvalidPlace::Last, "bdgacefh"),
    ] {
        assert_eq!(letters(&placed(key, place)), expected, "{key} {place:?}");
    }
    assert_eq!(letters(&by("2:trim")), "fachebdg");
    assert_eq!(letters(&by("2:desc")), "ecafhbdg");
    assert_eq!(letters(&by("2:nulls-first")), "bdghface");
    assert_eq!(letters(&by("2:nulls-first:desc")), "bdgecafh");
    assert_eq!(letters(&by("2:int:trim")).len(), 8, "whatever a faulty record's key is");
    let two = order("csv", &["2:int", "1:desc"])
        .with(|options| options.invalid = Some(Invalid::Placed(InvalidPlace::Last)));
    assert_eq!(letters(&two), "fhcagdbe");
}

#[test]
fn faults_are_of_cells_that_say_something_else() {
    let ints = order("csv", &["1", "2:int"]);
    let faults: Vec<bool> = ROWS.iter().map(|row| fault(&ints, row).is_some()).collect();
    assert_eq!(faults, [false, false, false, false, true, false, false, false]);
    assert!(fault(&ints, b"e,x\n").unwrap().starts_with("column 2: 'x' is not an int; "));
    let said = fault(&ints, b"e,\"a \"\"b\"\"\"\n").unwrap();
    assert!(said.starts_with("column 2: 'a \"b\"' is not"), "{said}");
    assert!(fault(&order("csv", &["2:order=a|b:ci"]), b"x,B\n").is_none());
    let said = fault(&order("csv", &["2:order=a|b:ci"]), b"x,bc\n").unwrap();
    assert!(said.contains("'bc'"), "as written, not as it is compared: {said}");
    let text = order("csv", &["1", "2:natural", "2:version", "2:random"]);
    assert!(!CompiledKey::new(&text).unwrap().encoder().is_partial());
    let placed = ints.with(|options| options.invalid = Some(Invalid::Placed(InvalidPlace::Last)));
    assert!(!CompiledKey::new(&placed).unwrap().encoder().is_partial());
    let part: Vec<bool> = [b"1234\n".as_slice(), b"12x4\n", b"\n"]
        .map(|row| fault(&order("csv", &["1[0..3]:int"]), row).is_some())
        .to_vec();
    assert_eq!(part, [false, true, false]);
}

#[test]
fn lines_stay_loose_unless_they_are_asked_not_to() {
    let loose = order("lines", &["1:int"]);
    assert!(!CompiledKey::new(&loose).unwrap().encoder().is_partial());
    let sort = |order: &TextOrder| sorted(order, &[b"2\n", b"x\n", b"\n", b"-1\n"]);
    assert_eq!(sort(&loose), [b"-1\n".as_slice(), b"x\n", b"\n", b"2\n"]);
    let strict = loose.clone().with(|options| options.invalid = Some(Invalid::Error));
    assert!(fault(&strict, b"x\n").unwrap().starts_with("field 1: 'x' is not an int"));
    assert_eq!(fault(&strict, b" 12 x\n"), None);
    let placed = loose.with(|options| options.invalid = Some(Invalid::Placed(InvalidPlace::First)));
    assert_eq!(sort(&placed), [b"x\n".as_slice(), b"-1\n", b"2\n", b"\n"]);
    let nulls = order("lines", &["1:int:nulls-first"]);
    assert_eq!(sort(&nulls), [b"\n".as_slice(), b"-1\n", b"x\n", b"2\n"]);
    let words = order("lines", &["..:nulls-last"]);
    assert_eq!(sort(&words), [b"-1\n".as_slice(), b"2\n", b"x\n", b"\n"]);
    let days = order("lines", &["1:date"]);
    assert!(fault(&days, b"x\n").is_some() && fault(&days, b"\n").is_none());
    assert_eq!(fault(&days, b" 2026-11-22\n"), None);
}

#[test]
fn ranges_beyond_a_record_are_faults_or_padded() {
    let records: [&[u8]; 4] = [b"\0\x03abc", b"\0\x02ab", b"\0\x04abcd", b"\0\0"];
    for key in ["1..3", "1..3:natural", "1..3:ci"] {
        let order = order("u16be", &[key]);
        let faults = records.map(|record| fault(&order, record).is_some());
        assert_eq!(faults, [false, true, false, true], "{key}");
    }
    assert_eq!(
        fault(&order("u16be", &["1..3"]), records[1]).unwrap(),
        "bytes 1..3: the record has 2 bytes, and the key needs 3; give a byte for the missing \
         ones with pad 0, or sort such records after all others with invalid keys last"
    );
    let open = order("u16be", &["2.."]);
    assert_eq!(records.map(|record| fault(&open, record).is_some()), [false, false, false, true]);
    assert!(!CompiledKey::new(&order("u16be", &[])).unwrap().encoder().is_partial());
    let padded = order("u16be", &["1..3:pad=z"]);
    let key = CompiledKey::new(&padded).unwrap();
    assert!(!key.encoder().is_partial());
    assert_eq!(sorted(&padded, &records), [records[0], records[2], records[1], records[3]]);
    let padded = order("u16be", &["1..3", "0..4"]).with(|options| options.pad = Some(b'B'));
    let expected = [records[3], records[1], records[0], records[2]];
    assert_eq!(sorted(&padded, &records), expected);
    let placed = order("u16be", &["1..3:desc"])
        .with(|options| options.invalid = Some(Invalid::Placed(InvalidPlace::Last)));
    assert_eq!(sorted(&placed, &records), [records[0], records[2], records[1], records[3]]);
}

#[test]
fn mainframe_records_sort_by_their_numbers() {
    let rdw = |amount: &[u8]| [b"\0\x08\0\0", amount].concat();
    let amounts: [&[u8]; 4] =
        [b"\x01\x0d\x00\x0c", b"\x00\x0c\x00\x0c", b"\x00\x0d\x00\x0c", b"\x01\x0c\x00\x0c"];
    let records: Vec<Vec<u8>> = amounts.iter().map(|amount| rdw(amount)).collect();
    let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let by = order("rdw", &["0..2:packed"]);
    assert_eq!(sorted(&by, &records), records, "a zero of either sign is one zero");
    assert!(fault(&by, &rdw(b"\x12\x34\0\0")).unwrap().contains("12 34 is not a packed"));
    let ebcdic = order("fixed:3", &["0..3:ebcdic:ci:trim"]);
    // "b1 ", "AB ", "a" with a leading blank, blanks alone.
    let texts: [&[u8]; 4] = [b"\x82\xf1\x40", b"\xc1\xc2\x40", b"\x40\x81\x40", b"\x40\x40\x40"];
    assert_eq!(sorted(&ebcdic, &texts), [texts[3], texts[2], texts[1], texts[0]]);
    let mut reversed: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    reversed.reverse();
    let mut by = order("fixed:1", &["0..1:ebcdic"]);
    by.specs[0].text_type = TextType::from(reversed);
    assert_eq!(sorted(&by, &[b"a", b"c", b"b"]), [b"c", b"b", b"a"]);
    let binary = order("rdw", &["0..4:i32le"]);
    let numbers = [rdw(b"\xff\xff\xff\xff"), rdw(b"\0\0\0\0"), rdw(b"\0\x01\0\0")];
    let numbers: Vec<&[u8]> = numbers.iter().map(Vec::as_slice).collect();
    assert_eq!(sorted(&binary, &numbers), numbers);
}

#[test]
fn columns_without_a_number_are_refused() {
    let mut by = order("csv", &["amount:int"]);
    let words = CompiledKey::new(&by).unwrap_err().to_string();
    assert!(words.contains("names the column 'amount'"), "{words}");
    let columns = [b"id".to_vec(), b"amount".to_vec()];
    by.resolve(&columns).unwrap();
    assert!(fault(&by, b"1,x\n").unwrap().starts_with("column 'amount': 'x'"));
    let mut by = order("csv", &["2:int", "..", "3"]);
    assert!(by.resolve(&columns).unwrap_err().to_string().contains("there is no column 3"));
    by.specs.pop();
    by.resolve(&columns).unwrap();
    assert!(fault(&by, b"1,x\n").unwrap().starts_with("column 'amount': 'x'"));
    let format = Format::Csv(CsvFormat { has_header: false, ..CsvFormat::separated_by(b',') });
    assert_eq!(TextOrder::of(format).separator, by.separator);
}

#[test]
fn formats_of_days_have_to_tell_what_is_asked_for() {
    let with = |key: &str, pattern: &str| {
        let format = super::super::DateFormat::new(pattern).unwrap();
        order("csv", &[key]).with(|options| options.date_format = Some(format.into()))
    };
    let said =
        |key: &str, pattern: &str| CompiledKey::new(&with(key, pattern)).unwrap_err().to_string();
    assert!(said("1:time", "%d.%m.%Y").contains("has no time of day"));
    assert!(said("1:date", "%H:%M").contains("has no day"));
    assert!(fault(&with("1:date", "%d.%m.%Y"), b"22.11.2026\n").is_none());
    assert!(fault(&with("1:date", "%d.%m.%Y"), b"31.11.2026\n").is_some());
}

/// One key of bytes, as the reference describes it.
#[derive(Clone, Copy, Debug)]
struct ByteKey {
    start: usize,
    end: Option<usize>,
    trims: bool,
    folds: bool,
    descends: bool,
    nulls: Option<InvalidPlace>,
}

impl ByteKey {
    fn all() -> Vec<Self> {
        let mut keys = Vec::new();
        for (start, end) in [(0, Some(2)), (1, Some(3)), (1, None)] {
            for bits in 0..8 {
                let [trims, folds, descends] = [1, 2, 4].map(|bit| bits & bit != 0);
                for nulls in [None, Some(InvalidPlace::First), Some(InvalidPlace::Last)] {
                    keys.push(Self { start, end, trims, folds, descends, nulls });
                }
            }
        }
        keys
    }

    fn text(&self) -> String {
        let end = self.end.map_or(String::new(), |end| end.to_string());
        let mut text = format!("{}..{end}", self.start);
        for (is_set, word) in [
            (self.descends, ":desc"),
            (self.folds, ":ci"),
            (self.trims, ":trim"),
            (self.nulls == Some(InvalidPlace::First), ":nulls-first"),
            (self.nulls == Some(InvalidPlace::Last), ":nulls-last"),
        ] {
            text.push_str(if is_set { word } else { "" });
        }
        text
    }

    /// The value in a record whose missing bytes are `pad`.
    fn value(&self, body: &[u8], pad: u8) -> Vec<u8> {
        let end = self.end.unwrap_or(body.len());
        let byte = |at: usize| body.get(at).copied().unwrap_or(pad);
        let mut value: Vec<u8> = (self.start..end).map(byte).collect();
        if self.trims {
            while value.last() == Some(&b' ') {
                value.pop();
            }
            let blanks = value.iter().take_while(|byte| **byte == b' ').count();
            value.drain(..blanks);
        }
        if self.folds {
            value.make_ascii_uppercase();
        }
        value
    }

    fn compare(&self, a: &[u8], b: &[u8], pad: u8) -> Ordering {
        let (a, b) = (self.value(a, pad), self.value(b, pad));
        match self.nulls {
            Some(InvalidPlace::First) if a.is_empty() != b.is_empty() => {
                b.is_empty().cmp(&a.is_empty())
            }
            Some(InvalidPlace::Last) if a.is_empty() != b.is_empty() => {
                a.is_empty().cmp(&b.is_empty())
            }
            _ if self.descends => b.cmp(&a),
            _ => a.cmp(&b),
        }
    }
}

#[test]
fn padding_stands_for_missing_bytes_alone() {
    let bytes = b" aB~";
    let mut bodies = vec![Vec::new()];
    for length in 1..=3 {
        for number in 0..bytes.len().pow(length) {
            let digit = |place| bytes[number / bytes.len().pow(place) % bytes.len()];
            bodies.push((0..length).map(digit).collect());
        }
    }
    let records: Vec<Vec<u8>> =
        bodies.iter().map(|body| [&[0, body.len() as u8][..], body].concat()).collect();
    let keys = ByteKey::all();
    for (number, first) in keys.iter().enumerate() {
        let second = keys[(number * 31 + 7) % keys.len()];
        for pad in [b'~', b' ', 0, b'a'] {
            let texts = [first.text(), second.text()];
            let order = order("u16be", &[&texts[0], &texts[1]]);
            let order = order.with(|options| options.pad = Some(pad));
            let key = CompiledKey::new(&order).unwrap();
            for (a, body_a) in records.iter().zip(&bodies) {
                assert_eq!(key.encoder().fault(a), None, "{texts:?}");
                for (b, body_b) in records.iter().zip(&bodies).step_by(3) {
                    let expected = first
                        .compare(body_a, body_b, pad)
                        .then_with(|| second.compare(body_a, body_b, pad));
                    let found = order_of(&key, a, b);
                    assert_eq!(found, expected, "{texts:?} {pad} {body_a:?} {body_b:?}");
                }
            }
        }
    }
}
