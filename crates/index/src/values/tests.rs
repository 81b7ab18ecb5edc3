//! Values become the keys of records that have them.

use sortwell_engine::format::Format;
use sortwell_engine::key::{Key, ListMemory, OrderOptions};

use super::*;

/// Returns the keys of a format.
fn keys(format: &str, keys: &[&str], separator: Option<u8>) -> ValueKeys {
    let format: Format = format.parse().unwrap();
    let keys: Vec<Key> = keys.iter().map(|key| key.parse().unwrap()).collect();
    let options = OrderOptions { separator, ..OrderOptions::default() };
    let order = options.bind(&keys, format, ListMemory::UNBOUNDED).unwrap();
    let names = keys.iter().map(ToString::to_string).collect();
    ValueKeys::new(format, &order, names, None).unwrap()
}

fn values(texts: &[&str]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// Checks that values have the key of a record.
fn assert_same(keys: &ValueKeys, texts: &[&str], record: &[u8]) {
    let rows = RowKeys::ended(keys.format, &keys.order, keys.columns.as_ref()).unwrap();
    let mut wanted = Vec::new();
    rows.each(record, |row| row.append_key(&mut wanted)).unwrap();
    assert_eq!(keys.of(&values(texts)).unwrap(), wanted, "{texts:?}");
}

#[test]
fn values_of_every_format() {
    assert_same(&keys("csv", &["3", "1:int"], None), &["a,\"b", "7"], b"7,x,\"a,\"\"b\"\n");
    assert_same(&keys("lines", &["2:int", "3"], Some(b':')), &["7", "z"], b"a:7:z\n");
    assert_same(&keys("lines", &["2"], None), &["word"], b"some word\n");
    assert_same(&keys("lines", &["3:decimal:desc"], None), &["-1.5"], b"a b -1.50\n");
    assert_same(
        &keys("jsonl", &["user.id", "n:int"], None),
        &["x\"", "3"],
        b"{\"n\":3,\"user\":{\"id\":\"x\\\"\"}}\n",
    );
    assert_same(&keys("fixed:8", &["4..8:i32be"], None), &["-2"], b"....\xff\xff\xff\xfe");
    assert_same(&keys("fixed:8", &["4..8"], None), &["0x00ff"], b"....\0\xff\0\0");
    assert_same(&keys("u16be", &["1..3:u16le"], None), &["513"], b"\0\x03.\x01\x02");
    assert_same(&keys("keyed", &["0..2"], None), &["ab"], b"\x06\0\0\0\x02\0\0\0ab");
    assert_same(&keys("lines:group=2", &["2.2:int"], None), &["5"], b"x\ny 5\n");
}

#[test]
fn values_of_mainframes() {
    let refused = |keys: &ValueKeys, text: &str| {
        let error = keys.of(&[text]).map(drop).map_err(|error| error.to_string()).unwrap_err();
        assert!(error.contains("it is no value of"), "{error}");
    };
    let text = |key: &str| keys("fixed:2", &[key], None);
    assert_same(&text("0..2:ebcdic"), &["AB"], b"\xc1\xc2");
    assert_same(&text("0..2:ebcdic"), &["0xc1c2"], b"\xc1\xc2");
    assert_same(&text("0..2:ebcdic=500"), &["[\u{e4}"], b"\x4a\x43");
    assert_same(&text("0..2:ebcdic:ci:desc"), &["aB"], b"\xc1\x82");
    refused(&text("0..2:ebcdic"), "\u{20ac}");
    refused(&text("0..2:ebcdic"), "ABC");
    for (number, record) in [("123", b"\x12\x3c"), ("-12.0", b"\x01\x2d"), ("+7", b"\x00\x7f")] {
        assert_same(&text("0..2:packed"), &[number], record);
    }
    for (number, record) in [("12", b"12"), ("-12", b"1K"), ("0", b"0{")] {
        assert_same(&text("0..2:zoned"), &[number], record);
    }
    assert_same(&text("0..2:zoned=ebcdic"), &["-12"], b"\xf1\xd2");
    assert_same(&text("0..2:zoned-separate"), &["-1"], b"1-");
    assert_same(&keys("u16be", &["..:packed"], None), &["12345"], b"\0\x03\x12\x34\x5c");
    for (key, number) in [
        ("packed", "1234"),
        ("packed", "1.5"),
        ("packed", "x"),
        ("packed", ""),
        ("zoned", "100"),
        ("zoned-separate", "-12"),
    ] {
        refused(&text(&format!("0..2:{key}")), number);
    }
}

#[test]
fn numbers_as_keys_read_them() {
    let table: [(&str, &str, &str, Option<&str>); 20] = [
        ("csv", "1", "7.0", Some("7.0")),
        ("csv", "1:int", "7.0", Some("7")),
        ("csv", "1:int", "-0.0", Some("0")),
        ("csv", "1:int", "7.5", None),
        ("csv", "1:decimal", "7.50", Some("7.50")),
        ("csv", "1:decimal", "inf", None),
        ("csv", "1:decimal", "1E-2000", None),
        ("csv", "1:decimal=,", "7.5", Some("7,5")),
        ("csv", "1:int:thousands=.", "7.500", None),
        ("csv", "1:float", "1E-30", Some("1E-30")),
        ("csv", "1:float", "inf", Some("inf")),
        ("csv", "1:float", "1E-2000", None),
        ("csv", "1:float", "1E2000", None),
        ("csv", "1:float", "0E-2000", Some("0E-2000")),
        ("lines", "2:int", "7.5", None),
        ("lines", "2:decimal", "nan", None),
        ("fixed:4", "0..4:u32le", "7.0", Some("7")),
        ("fixed:4", "0..4:i32be", "7.5", None),
        ("fixed:4", "0..4:f32le", "1E39", None),
        ("fixed:4", "0..4:packed", "7.0", Some("7.0")),
    ];
    for (format, key, number, text) in table {
        let found = keys(format, &[key], None).number_text(0, number);
        assert_eq!(found.as_deref(), text, "{number} of {key}");
    }
    assert!(!keys("csv", &["1:date"], None).reads(0, "2026-01-02T03:04:05"));
    assert!(keys("csv", &["1"], None).reads(0, "2026-01-02T03:04:05"));
}

#[test]
fn beginnings_of_text() {
    let two = keys("csv", &["1", "2"], None);
    let [begun, whole, other] =
        [&["x", "ab"], &["x", "abc"], &["x", "b"]].map(|texts| values(texts));
    let prefix = two.of_prefix(&begun).unwrap();
    assert!(two.of(&whole).unwrap().starts_with(&prefix));
    assert!(two.of(&begun).unwrap().starts_with(&prefix));
    assert!(!two.of(&other).unwrap().starts_with(&prefix));
    assert_eq!(two.of_prefix(&values(&["x", ""])).unwrap(), two.of(&values(&["x"])).unwrap());
    assert_eq!(two.of_prefix(&values(&[""])).unwrap(), b"");
    let error = keys("csv", &["1:int"], None).of_prefix(&values(&["1"])).unwrap_err();
    assert!(error.to_string().contains("no beginnings"), "{error}");
}

#[test]
fn values_that_keys_cannot_have() {
    let refused =
        |keys: &ValueKeys, texts: &[&str]| keys.of(&values(texts)).unwrap_err().to_string();
    let number = keys("csv", &["1:int"], None);
    assert!(refused(&number, &["x"]).contains("'x' cannot be a value of the key 1:int"));
    assert!(refused(&number, &["1", "2"]).contains("2 values are given, and the index has 1 key"));
    let bytes = keys("fixed:8", &["0..2:u16le", "2..4"], None);
    assert!(refused(&bytes, &["65536"]).contains("no value of 0..2:u16le"));
    assert!(refused(&bytes, &["1", "long"]).contains("no value of 2..4"));
    let error = refused(&keys("lines", &["1"], Some(b':')), &["a:b"]);
    assert!(error.contains("no record has 'a:b' in the place of the key 1"), "{error}");
}

#[test]
fn values_that_do_not_fit_their_places() {
    let refused = |keys: &ValueKeys, texts: &[&str]| {
        let error = keys.of(&values(texts)).map(drop).map_err(|error| error.to_string());
        let error = error.expect_err(&format!("{texts:?}"));
        assert!(error.contains("in the place of the key"), "{error}");
        keys.of_prefix(&values(texts)).expect_err(&format!("{texts:?} as a beginning"));
    };
    refused(&keys("lines", &["1"], None), &["alpha omega"]);
    refused(&keys("lines", &["1"], None), &["alpha z"]);
    refused(&keys("lines", &["2"], None), &["alpha omega"]);
    refused(&keys("lines", &["1"], None), &["alpha "]);
    refused(&keys("lines", &["1[0..3]"], Some(b':')), &["long"]);
    refused(&keys("lines", &["2:trim", "1"], None), &["a b", "c"]);
    refused(&keys("lines", &["0..2"], None), &["abz"]);
    refused(&keys("csv", &["2[0..2]"], None), &["abzz"]);
    refused(&keys("csv", &["2[1..3]"], None), &["abzz"]);
    refused(&keys("lines:group=2", &["2.1"], None), &["a b"]);
    refused(&keys("lines:group=2", &["1"], None), &["a\nb"]);
    // Two keys of one place.
    refused(&keys("csv", &["1", "1[0..2]"], None), &["abcd", "ax"]);
    refused(&keys("u16be", &["0..4", "2..4"], None), &["abcd", "xy"]);
    refused(&keys("jsonl", &["a", "a"], None), &["x", "y"]);
}

#[test]
fn values_in_parts_of_records() {
    assert_same(&keys("lines", &["1-2"], Some(b':')), &["a:b"], b"a:b:c\n");
    assert_same(&keys("lines", &["2-"], None), &["b c"], b"a b c\n");
    assert_same(&keys("lines", &["2"], None), &[""], b"a\n");
    assert_same(&keys("lines", &["2[1..]"], None), &["word"], b"a word\n");
    assert_same(&keys("lines", &["2[1..3]:trim"], None), &["or"], b"a   word\n");
    assert_same(&keys("lines", &["1[0..2]", "1"], None), &["ab", "abcd"], b"abcd\n");
    assert_same(&keys("lines", &["1[2..4]", "1[0..2]"], None), &["cd", "ab"], b"abcd e\n");
    assert_same(&keys("lines:group=2", &["2"], None), &["a b"], b"x\na b\n");
    assert_same(&keys("lines:group=3", &["2[1..]", "2.2"], None), &[" b", "b"], b"x\na b\n\n");
    assert_same(&keys("lines:group=3", &["1-2"], None), &["x\ny"], b"x\ny\nz\n");
    assert_same(&keys("csv", &[".."], None), &["a,\"b\""], b"a,\"b\"\n");
    assert_same(&keys("csv", &["1[2..6]"], None), &["\"c,\""], b"\"ab\"\"c,\"\"d\",1\n");
}

#[test]
fn a_beginning_that_fills_its_place_is_a_value() {
    for (keys, text) in [
        (keys("csv", &["2[0..2]"], None), "ab"),
        (keys("lines", &["0..2"], None), "ab"),
        (keys("u16be", &["0..2"], None), "ab"),
    ] {
        let text = values(&[text]);
        assert_eq!(keys.of_prefix(&text).unwrap(), keys.of(&text).unwrap());
    }
    let bytes = keys("u16be", &["0..4"], None);
    let digits = bytes.of_prefix(&values(&["0x6162"])).unwrap();
    assert_eq!(digits, bytes.of_prefix(&values(&["ab"])).unwrap());
    assert!(bytes.of(&values(&["abc"])).unwrap().starts_with(&digits));
    // Nobody knows how the rest of the line goes on.
    let shared = keys("lines", &["1", "1-"], Some(b':'));
    let error = shared.of_prefix(&values(&["a", "a"])).unwrap_err().to_string();
    assert!(error.contains("the last key shares its place with another one"), "{error}");
}

#[test]
fn paths_of_members_have_a_bounded_length() {
    let json = |steps: usize| {
        let key: Key = vec!["a"; steps].join(".").parse().unwrap();
        let order = OrderOptions::default();
        let order =
            order.bind(std::slice::from_ref(&key), Format::JsonLines, ListMemory::UNBOUNDED);
        ValueKeys::new(Format::JsonLines, &order.unwrap(), vec![key.to_string()], None)
    };
    let error = json(100_000).unwrap_err().to_string();
    assert!(error.contains("at most 128 names or numbers") && error.contains("100000"), "{error}");
    assert!(json(129).is_err());
    json(128).unwrap().of(&["x"]).unwrap();
}
