//! Folds of rows, lines and binary records.

use super::*;
use crate::format::{Format, Prefix};

fn folds(specs: &[(Function, &str)], layout: RecordForm) -> Result<Folds, String> {
    let read = |(function, text): &(Function, &str)| FoldSpec::read(*function, text);
    let specs: Vec<FoldSpec> = specs.iter().map(read).collect::<Result<_, _>>()?;
    Folds::new(&specs, FoldInput::of(layout)).map_err(|fault| fault.to_string())
}

/// The first of some records, with what is folded of all.
fn folded(folds: &Folds, records: &[&[u8]]) -> Result<Vec<u8>, String> {
    let mut values = folds.values(records[0])?;
    for record in &records[1..] {
        folds.add(&mut values, folds.values(record)?);
    }
    let mut out = Vec::new();
    folds.write(records[0], &values, &mut out).map_err(|fault| fault.to_string())?;
    Ok(out)
}

/// Folds parts first, as runs do it; it must not make a difference.
fn folded_in_parts(folds: &Folds, records: &[&[u8]]) -> Result<Vec<u8>, String> {
    let whole = folded(folds, records);
    for cut in 1..records.len() {
        let (before, behind) = records.split_at(cut);
        let parts = [folded(folds, before)?, folded(folds, behind)?];
        let parts = folded(folds, &[&parts[0], &parts[1]]);
        assert_eq!(parts, whole, "cut at {cut}");
    }
    whole
}

const CSV: RecordForm = RecordForm::Cells(Dialect::strict(b',', Some(b'"')));

#[test]
fn rows_keep_the_first_with_other_cells() {
    use Function::{Max, Min, Sum};
    let specs = [(Sum, "2"), (Min, "3:text"), (Max, "4:int")];
    let folds = folds(&specs, CSV).unwrap();
    let rows: [&[u8]; 4] = [
        b"a,\"1.50\",\"x, y\",\"7\",first\r\n",
        b"a,-0.5,\"say \"\"b\"\"\",,second\n",
        b"a,,,12,third\n",
        b"a, +3 ,zebra,-1,\"fourth\n\"\n",
    ];
    let expected = b"a,4.00,\"say \"\"b\"\"\",12,first\r\n";
    assert_eq!(folded_in_parts(&folds, &rows), Ok(expected.to_vec()));
    let empty: [&[u8]; 2] = [b"a,\"\",,,\n", b"a,,,,\n"];
    assert_eq!(folded_in_parts(&folds, &empty), Ok(empty[0].to_vec()));
    // Values that compare equal: the first is taken. A row may lack cells that others have.
    let ragged: [&[u8]; 3] = [b"a\n", b"a,1,z,2\n", b"a,1.0,\"z\",2\n"];
    assert_eq!(folded_in_parts(&folds, &ragged), Ok(b"a,2.0,z,2\n".to_vec()));
    let columns = folds.values(b"a,1e3,b,1\n").unwrap_err();
    assert_eq!(columns, "'1e3' in column 2 is not a number");
    assert!(folds.values(b"a,1,b,1.5\n").unwrap_err().contains("column 4 is not of type int"));
    // The least and the greatest number stay as they were read; blanks are none.
    let codes: [&[u8]; 4] = [b"a,1,z,007\n", b"a,, ,  \n", b"a,1, ,+7\n", b"a,1,,6\n"];
    assert_eq!(folded_in_parts(&folds, &codes), Ok(b"a,3, ,007\n".to_vec()));
}

/// A carriage return at the end of a row would belong to its end.
#[test]
fn last_cells_without_quotes_keep_their_returns() {
    let bare = RecordForm::Cells(Dialect::strict(b',', None));
    let greatest = folds(&[(Function::Max, "2:bytes")], bare).unwrap();
    let rows: [&[u8]; 2] = [b"a,b\n", b"a,c\r\r\n"];
    let said = folded(&greatest, &rows).unwrap_err();
    assert!(said.contains("carriage return"), "{said}");
    // Other records may have other ends, or a greater value: parts are left as they are.
    let values = rows.map(|row| greatest.values(row).unwrap());
    assert!(!greatest.fit(&values[0], &values[1]) && !greatest.fit(&values[1], &values[0]));
    assert!(greatest.fit(&values[0], &values[0]));
    assert_eq!(folded(&greatest, &[rows[0], rows[1], b"a,d\n"]), Ok(b"a,d\n".to_vec()));
    assert_eq!(folded(&greatest, &[b"a,b\r\n", rows[1]]), Ok(b"a,c\r\r\n".to_vec()));
    assert_eq!(folded(&greatest, &[b"a,b,x\n", b"a,c\r,x\n"]), Ok(b"a,c\r,x\n".to_vec()));
    let said = folded(&greatest, &[b"a\n", rows[1]]).unwrap_err();
    assert!(said.contains("carriage return"), "{said}");
    let quoted = folds(&[(Function::Max, "2:bytes")], CSV).unwrap();
    assert_eq!(folded(&quoted, &rows), Ok(b"a,\"c\r\"\n".to_vec()));
    let lines = RecordForm::of(Format::LINES, Some(b','));
    let lines = folds(&[(Function::Max, "2:bytes")], lines).unwrap();
    assert_eq!(folded_in_parts(&lines, &[b"a,b\n", b"a,c\r\n"]), Ok(b"a,c\r\n".to_vec()));
}

#[test]
fn lines_have_fields_and_any_end() {
    let layout = RecordForm::of(Format::Lines { terminator: 0 }, Some(b':'));
    let folds = folds(&[(Function::Sum, "2")], layout).unwrap();
    assert_eq!(folded_in_parts(&folds, &[b"a:1:\"\0", b"a:2:x\0"]), Ok(b"a:3:\"\0".to_vec()));
}

#[test]
fn binary_integers_are_exact_or_an_error() {
    use Function::{Max, Min, Sum};
    let specs = [(Sum, "1..2:i8"), (Min, "2..4:u16be"), (Max, "4..6:i16le")];
    let folds = folds(&specs, RecordForm::Fixed(7)).unwrap();
    let record = |sum: i8, least: u16, most: i16| {
        let parts = [&[b'k', sum.cast_unsigned()][..], &least.to_be_bytes(), &most.to_le_bytes()];
        [&parts.concat()[..], b"."].concat()
    };
    let (a, b, c) = (record(100, 300, -5), record(27, 7, 9), record(-100, 400, -300));
    let all: [&[u8]; 3] = [&a, &b, &c];
    assert_eq!(folded_in_parts(&folds, &all), Ok(record(27, 7, 9)));
    assert!(folds.fit(&folds.values(&a).unwrap(), &folds.values(&b).unwrap()));
    let said = folded(&folds, &[&a, &a]).unwrap_err();
    assert_eq!(said, "the sum 200 of bytes 1..2 does not fit in their 8 bits");
    // Parts that do not fit are not folded early; all together may.
    assert!(!folds.fit(&folds.values(&a).unwrap(), &folds.values(&a).unwrap()));
    assert_eq!(folded(&folds, &[&a, &a, &c]), Ok(record(100, 300, -5)));
}

#[test]
fn packed_decimals_are_exact_or_an_error() {
    use Function::{Max, Sum};
    let folds = folds(&[(Sum, "1..3:packed"), (Max, "3..5:packed")], RecordForm::Fixed(5)).unwrap();
    let record = |sum: [u8; 2], most: [u8; 2]| [b"k", &sum[..], &most[..]].concat();
    // Unsigned fields come out with a sign of plus, where there is something to add. The greatest
    // value stays as it was read.
    let a = record([0x12, 0x3f], [0x00, 0x5d]);
    let b = record([0x07, 0x7c], [0x00, 0x3d]);
    let c = record([0x40, 0x0d], [0x01, 0x0d]);
    let all: [&[u8]; 3] = [&a, &b, &c];
    let expected = record([0x20, 0x0d], [0x00, 0x3d]);
    assert_eq!(folded_in_parts(&folds, &all), Ok(expected));
    let large = record([0x99, 0x9c], [0x00, 0x0c]);
    let said = folded(&folds, &[&large, &b]).unwrap_err();
    assert_eq!(said, "the sum 1076 of bytes 1..3 does not fit in their 3 digits");
    let said = folds.values(&record([0x12, 0x34], [0x00, 0x0c])).unwrap_err();
    assert_eq!(said, "bytes 1..3, [12, 34], are not a packed decimal");
}

#[test]
fn ranges_of_prefixed_records_count_behind_the_prefix() {
    let layout = RecordForm::Prefixed(Prefix::RDW);
    let folds = folds(&[(Function::Sum, "1..3:u16be")], layout).unwrap();
    let record = |value: u16| [&[0, 7, 0, 0, b'k'][..], &value.to_be_bytes()].concat();
    assert_eq!(folded_in_parts(&folds, &[&record(700), &record(800)]), Ok(record(1500)));
    let said = folds.values(&[0, 6, 0, 0, b'k', 1]).unwrap_err();
    assert!(said.contains("1..3 reach beyond its 2 bytes"), "{said}");
}

#[test]
fn what_cannot_be_folded_is_said() {
    use Function::{Max, Min, Sum};
    let lines = RecordForm::Lines { separator: None };
    for (specs, layout, part) in [
        (vec![(Sum, "2:text")], CSV, "cannot be added"),
        (vec![(Sum, "2:date")], CSV, "cannot be added"),
        (vec![(Sum, "2:u16le")], CSV, "cells have the types bytes text int decimal"),
        (vec![(Sum, "0..2")], CSV, "name one by its number"),
        (vec![(Sum, "amount")], CSV, "no names"),
        (vec![(Min, "2"), (Max, "2")], CSV, "maximum 2 and minimum 2 write two values"),
        (vec![(Sum, "2")], lines, "give it with separator"),
        (vec![(Sum, "0..2")], RecordForm::Fixed(8), "i64be"),
        (vec![(Sum, "0..2:u32le")], RecordForm::Fixed(8), "write 0..4"),
        (vec![(Sum, "6..10:u32le")], RecordForm::Fixed(8), "8 bytes"),
        (vec![(Sum, "0..:packed")], RecordForm::Fixed(20), "up to 16 bytes"),
        (vec![(Max, "2:zoned=ebcdic")], CSV, "cells have the types bytes text int decimal"),
        (vec![(Max, "2:ebcdic")], CSV, "cells have the types"),
        (vec![(Sum, "0..33:zoned")], RecordForm::Fixed(40), "1 to 31 digits"),
        (vec![(Sum, "0..1:zoned-separate")], RecordForm::Fixed(40), "1 to 31 digits"),
        (vec![(Sum, "0..4:f32le")], RecordForm::Fixed(40), "packed zoned"),
        (vec![(Max, "0..8:f32le")], RecordForm::Fixed(40), "0..4"),
        (vec![(Max, "0..8")], RecordForm::Fixed(40), "needs a type"),
        (vec![(Max, "0..:bytes")], RecordForm::Prefixed(Prefix::RDW), "needs an end"),
        (vec![(Max, "2:int:desc")], CSV, "leave out desc"),
        (vec![(Max, "2:random")], CSV, "no minimum or maximum"),
        (vec![(Sum, "2:int:decimal=,")], CSV, "an int has no fraction"),
        (vec![(Max, "2:text:locale=12")], CSV, "12"),
        (vec![(Sum, "0..4:u32le"), (Max, "3..4:u8")], RecordForm::Fixed(8), "to one place"),
        (vec![(Sum, "amount:u32le")], RecordForm::Fixed(8), "write 0..4"),
    ] {
        let said = folds(&specs, layout).unwrap_err();
        assert!(said.contains(part), "{specs:?}: {said}");
    }
}

#[test]
fn cells_have_the_order_of_a_type() {
    use Function::{Max, Min};
    for (name, values, least, most) in [
        ("version", &["1.10.0", "1.9.3", "1.10.0"][..], "1.9.3", "1.10.0"),
        ("natural", &["a10", "a9", "b1"], "a9", "b1"),
        ("ip", &["10.0.0.9", "::1", "10.0.0.10"], "10.0.0.9", "::1"),
        ("size", &["2K", "1.5M", "900"], "900", "1.5M"),
        ("float", &["1e3", "-2e-3", "0.5"], "-2e-3", "1e3"),
        ("month", &["FEB", "jan", "Dec"], "jan", "Dec"),
        ("bool", &["true", "false", ""], "false", "true"),
        ("date", &["2026-11-22", "20251231", ""], "20251231", "2026-11-22"),
        ("time", &["13:45", "9:30:00"][..1], "13:45", "13:45"),
        (
            "timestamp",
            &["2026-11-22T13:00:00+02:00", "2026-11-22T12:00:00Z"],
            "2026-11-22T13:00:00+02:00",
            "2026-11-22T12:00:00Z",
        ),
        (
            "uuid",
            &["{F0000000-0000-0000-0000-000000000000}", "00000000000000000000000000000001"],
            "00000000000000000000000000000001",
            "{F0000000-0000-0000-0000-000000000000}",
        ),
    ] {
        let specs = [(Min, format!("2:{name}")), (Max, format!("3:{name}"))];
        let specs: Vec<_> = specs.iter().map(|(f, text)| (*f, text.as_str())).collect();
        let folds = folds(&specs, CSV).unwrap();
        let rows: Vec<Vec<u8>> =
            values.iter().map(|value| format!("k,{value},{value}\n").into_bytes()).collect();
        let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
        let expected = format!("k,{least},{most}\n").into_bytes();
        assert_eq!(folded_in_parts(&folds, &rows), Ok(expected), "{name}");
    }
    let folds = folds(&[(Max, "2:date")], CSV).unwrap();
    let said = folds.values(b"k,yesterday\n").unwrap_err();
    assert_eq!(said, "'yesterday' in column 2 is not of type date");
    // Of values that compare equal the first is taken.
    let rows: [&[u8]; 2] = [b"k,20260101\n", b"k,2026-01-01\n"];
    assert_eq!(folded_in_parts(&folds, &rows), Ok(rows[0].to_vec()));
}

#[test]
fn numbers_of_people_are_added_in_their_style() {
    use Function::{Max, Min, Sum};
    let semicolons = RecordForm::Cells(Dialect::strict(b';', Some(b'"')));
    let style = "decimal=,:thousands=.:currency";
    let specs = [(Sum, format!("2:{style}")), (Min, format!("3:{style}"))];
    let specs: Vec<_> = specs.iter().map(|(f, text)| (*f, text.as_str())).collect();
    let euros = folds(&specs, semicolons).unwrap();
    let rows: [&[u8]; 4] = [
        "k;1.234,5;1.000\n".as_bytes(),
        "k;-$2;999,90 €\n".as_bytes(),
        "k;;\n".as_bytes(),
        "k;12345,50 €;0999,9\n".as_bytes(),
    ];
    // No separators of thousands and no sign of a currency; the least value as it was read.
    assert_eq!(folded_in_parts(&euros, &rows), Ok("k;13578,00;999,90 €\n".as_bytes().to_vec()));
    let said = euros.values(b"k;1.23,5;1\n").unwrap_err();
    assert_eq!(said, "'1.23,5' in column 2 is not a number");
    let said = euros.values(b"k;1;1,2,3\n").unwrap_err();
    assert!(said.ends_with("in column 3 is not of type decimal=,:thousands=.:currency"), "{said}");
    // A decimal comma between commas is in quotes.
    let commas = [(Sum, "2:decimal=,"), (Max, "3:int:thousands=.")];
    let commas = folds(&commas, CSV).unwrap();
    let rows: [&[u8]; 2] = [b"k,\"0,5\",1.000\n", b"k,\"0,7\",999\n"];
    assert_eq!(folded_in_parts(&commas, &rows), Ok(b"k,\"1,2\",1.000\n".to_vec()));
}

#[test]
fn zoned_decimals_are_exact_or_an_error() {
    use Function::Sum;
    for (name, a, b, sum) in [
        ("zoned", &b"012"[..], &b"090"[..], &b"102"[..]),
        ("zoned", b"01B", b"09}", b"07Q"),
        ("zoned", b"01r", b"012", b"000"),
        ("zoned-leading", b"p12", b"100", b"088"),
        ("zoned-leading", b"112", b"K00", b"}88"),
        ("zoned-separate", b"12+", b"13-", b"01-"),
        ("zoned-leading-separate", b"-12", b"+13", b"+01"),
        ("zoned=ebcdic", b"\xf1\xc2", b"\xf3\xd5", b"\xf2\xd3"),
        ("zoned=ebcdic", b"\xf1\xc2", b"\xf3\xf5", b"\xf4\xf7"),
        ("zoned-separate=ebcdic", b"\xf9\x60", b"\xf1\x4e", b"\xf8\x60"),
    ] {
        let place = format!("1..{}:{name}", 1 + a.len());
        let folds = folds(&[(Sum, &place)], RecordForm::Fixed(1 + a.len())).unwrap();
        let record = |value: &[u8]| [b"k", value].concat();
        let found = folded_in_parts(&folds, &[&record(a), &record(b)]);
        assert_eq!(found, Ok(record(sum)), "{name} {a:?}");
    }
    let folds = folds(&[(Sum, "0..2:zoned")], RecordForm::Fixed(2)).unwrap();
    let said = folded(&folds, &[b"99", b"01"]).unwrap_err();
    assert_eq!(said, "the sum 100 of bytes 0..2 does not fit in their 2 digits");
    let said = folds.values(b"x1").unwrap_err();
    assert_eq!(said, "bytes 0..2, [78, 31], are not a zoned decimal");
    assert_eq!(folded_in_parts(&folds, &[b"9I", b"0J", b"0A"]), Ok(b"99".to_vec()));
}

#[test]
fn ranges_have_the_order_of_a_type() {
    use Function::{Max, Min};
    let cases: [(&str, [&[u8]; 3], usize, usize); 13] = [
        ("bytes", [b"b\xff", b"b\0", b"c "], 1, 2),
        ("text:ci", [b"b", b"A", b"B"], 1, 0),
        ("ebcdic", [b"\xc1", b"\x81", b"\xf1"], 2, 1),
        ("f32le", [&[0, 0, 0x80, 0xbf], &[0, 0, 0, 0x40], &[0, 0, 0x20, 0xc1]], 2, 1),
        ("f64be", [b"\x3f\xf0\0\0\0\0\0\0", b"\xbf\xf0\0\0\0\0\0\0", &[0; 8]], 1, 0),
        ("i16be", [&[0, 1], &[0xff, 0xff], &[1, 0]], 1, 2),
        ("u64le", [&[0, 0, 0, 0, 0, 0, 0, 1], &[9, 0, 0, 0, 0, 0, 0, 0], &[255; 8]], 1, 2),
        ("packed", [&[0x12, 0x3f], &[0x12, 0x3c], &[0x00, 0x5d]], 2, 0),
        ("zoned", [b"1B", b"12", b"0J"], 2, 0),
        ("zoned-leading-separate=ebcdic", [b"\x60\xf1", b"\x4e\xf1", b"\x60\xf2"], 2, 1),
        ("int", [b"10 ", b" 9 ", b"   "], 1, 0),
        ("date", [b"2026-11-22", b"20251231  ", b"          "], 1, 0),
        ("order=low|mid|high", [b"mid ", b"high", b"low "], 2, 1),
    ];
    for (name, values, least, most) in cases {
        let width = values[0].len();
        let specs = [
            (Min, format!("1..{}:{name}", 1 + width)),
            (Max, format!("{}..{}:{name}", 1 + width, 1 + 2 * width)),
        ];
        let specs: Vec<_> = specs.iter().map(|(f, text)| (*f, text.as_str())).collect();
        let folds = folds(&specs, RecordForm::Fixed(1 + 2 * width)).unwrap();
        let records = values.map(|value| [b"k", value, value].concat());
        let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let expected = [b"k", values[least], values[most]].concat();
        assert_eq!(folded_in_parts(&folds, &records), Ok(expected), "{name}");
    }
    let folds = folds(&[(Max, "0..2:packed")], RecordForm::Fixed(2)).unwrap();
    let said = folds.values(&[0x12, 0x34]).unwrap_err();
    assert_eq!(said, "bytes 0..2, [12, 34], are not of type packed");
}

#[test]
fn cells_have_the_order_of_lists_and_styles() {
    use Function::{Max, Min};
    for (words, values, least, most) in [
        ("order=low|mid|high", &["mid", "high", "low"][..], "low", "high"),
        ("text:ci", &["b", "A", "B", "a"], "A", "b"),
        ("ci", &["b", "A"], "A", "b"),
        ("decimal:thousands=.:decimal=,", &["1.000,5", "999"], "999", "1.000,5"),
        ("semver", &["1.0.0", "1.0.0-rc.1"], "1.0.0-rc.1", "1.0.0"),
    ] {
        let layout = RecordForm::Cells(Dialect::strict(b';', Some(b'"')));
        let specs = [(Min, format!("2:{words}")), (Max, format!("3:{words}"))];
        let specs: Vec<_> = specs.iter().map(|(f, text)| (*f, text.as_str())).collect();
        let folds = folds(&specs, layout).unwrap();
        let rows: Vec<Vec<u8>> =
            values.iter().map(|value| format!("k;{value};{value}\n").into_bytes()).collect();
        let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
        let expected = format!("k;{least};{most}\n").into_bytes();
        assert_eq!(folded_in_parts(&folds, &rows), Ok(expected), "{words}");
    }
    let folds = folds(&[(Max, "2:order=low|high")], CSV).unwrap();
    let said = folds.values(b"k,mid\n").unwrap_err();
    assert_eq!(said, "'mid' in column 2 is not of type order=low|high");
}
