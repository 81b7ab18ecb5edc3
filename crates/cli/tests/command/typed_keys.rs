//! Keys of types that check, over lines and over records of fixed length, and what is said about
//! options that do not fit.

use crate::harness::{Folder, random_records, sorted_by};

/// What comes out for `input` with some options.
#[track_caller]
fn sorted(options: &str, input: &[u8]) -> Vec<u8> {
    Folder::new().run_with(&format!("sort {options}"), input).quietly()
}

#[track_caller]
fn refused(options: &str, part: &str) {
    let said = Folder::new().run_with(&format!("sort {options}"), b"");
    assert!(said.status == 2 && said.words.contains(part), "'{part}' is missing: {said:?}");
}

#[test]
fn lines_by_days_and_addresses() {
    let days: &[u8] = b"b,2026-11-22\na,1999-01-01\nc,\nd,20010101\n";
    let expected = b"a,1999-01-01\nd,20010101\nb,2026-11-22\nc,\n";
    assert_eq!(sorted("-t , -k 2:date", days), expected);
    let expected = b"b,2026-11-22\nd,20010101\na,1999-01-01\nc,\n";
    assert_eq!(sorted("-t , -k 2:date -r", days), expected, "what is empty stays last");
    let written: &[u8] = b"22.11.2026\n01.12.2025\n";
    let expected = b"01.12.2025\n22.11.2026\n";
    assert_eq!(sorted("-k 1:date --date-format %d.%m.%Y", written), expected);
    let moments: &[u8] = b"2026-11-22T10:00:00Z\n2026-11-22T10:30:00+01:00\n2026-11-22T09:45\n";
    let expected = b"2026-11-22T10:30:00+01:00\n2026-11-22T09:45\n2026-11-22T10:00:00Z\n";
    assert_eq!(sorted("-k 1:timestamp", moments), expected);
    assert_eq!(sorted("-k 1:ip", b"::1\n10.0.0.1\n9.0.0.1\n"), b"9.0.0.1\n10.0.0.1\n::1\n");
    let sizes: &[u8] = b"high\nlow\nmid\n";
    assert_eq!(sorted("-k 1:order=low|mid|high", sizes), b"low\nmid\nhigh\n");
    assert_eq!(sorted("-k 1:int --invalid last", b"x\n2\n\n1\n"), b"1\n2\n\nx\n");
    assert_eq!(sorted("-k 1:int --invalid first", b"2\n\nx\n1\n"), b"x\n1\n2\n\n");
}

#[test]
fn lists_and_sequences_come_from_files() {
    let folder = Folder::new();
    folder.write("sizes", "S\nM\nL\n");
    let out = folder.run_with("sort -t , -k 2:order=@sizes:desc", b"a,S\nb,L\nc,M\n").quietly();
    assert_eq!(out, b"b,L\nc,M\na,S\n");
    let mut sequence: Vec<u8> = (0..=255).collect();
    sequence.reverse();
    folder.write("sequence", &sequence);
    for length in [16, 20] {
        let records = random_records(20_000, length);
        let key = |record: &[u8]| -> Vec<u8> { record[1..4].iter().map(|byte| !byte).collect() };
        let expected = sorted_by(&records, length, key);
        let line = format!("sort -F fixed:{length} -k 1..4:sequence=sequence");
        assert!(folder.run_with(&line, &records).quietly() == expected, "{length}");
    }
}

#[test]
fn records_of_mainframes() {
    let records = b"\x00\x7c\xc1\x01\x2d\xc2\x30\x0c\x81";
    let expected = b"\x01\x2d\xc2\x00\x7c\xc1\x30\x0c\x81";
    assert_eq!(sorted("-F fixed:3 -k 0..2:packed", records), expected);
    let expected = b"\x30\x0c\x81\x00\x7c\xc1\x01\x2d\xc2";
    assert_eq!(sorted("-F fixed:3 -k 0..2:packed:desc", records), expected);
    // As bytes the small letter comes first, in EBCDIC's own order; as text the capitals do.
    let expected = b"\x00\x7c\xc1\x01\x2d\xc2\x30\x0c\x81";
    assert_eq!(sorted("-F fixed:3 -k 2..3:ebcdic", records), expected);
    assert_eq!(sorted("-F fixed:2 -k 0..2:zoned", b"012}1J0A"), b"2}1J010A");
    assert_eq!(sorted("-F fixed:3 -k 0..3:int", b" 10  9+08"), b"+08  9 10");
    let both = sorted("-F fixed:4 -k 2..4:u16le -k 0..2:int", b"10\x01\x00 9\x01\x00 8\x00\x01");
    assert_eq!(both, b" 9\x01\x0010\x01\x00 8\x00\x01");
}

#[test]
fn what_does_not_fit_is_refused() {
    refused("-k amount:int", "'amount' in key 'amount:int' is not a place in a line");
    refused("-k 0..4:packed", "a type of binary records");
    refused("-F fixed:8 -k 4..12:packed", "ends at 12, but the record has 8 bytes");
    refused("-F fixed:8 -k 2:int", "is not a range of bytes");
    refused("-F fixed:8 -k 0..4:int -k 4..6:u32le", "4..8:u32le");
    refused("-k 1:date --date-format %Y", "tells neither a day nor a time");
    refused("-k 1:time --date-format %d.%m.%Y", "tells no time of day");
    refused("-k 1:int --invalid maybe", "maybe");
    refused("-F rdw -k 0..4 --pad 256", "'256' is not a byte");
    refused("-k 1:int --date-format %d.%m.%Y", "no key is a date");
    refused("-F fixed:8 -k 0..4 --date-format %d.%m.%Y", "no key is a date");
    refused("-k 1:int --pad 0", "--pad is for records with their length in front");
    refused("-F fixed:8 --pad 0", "--pad is for records with their length in front");
    refused("-k 1:order=@nowhere", "cannot read nowhere");
    refused("-F rdw -k 4..8:pad=-1", "'-1' is not a byte");
}
