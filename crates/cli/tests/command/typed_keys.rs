//! Keys of types that check, over lines and over records of fixed length, and what is said about
//! options that do not fit.

use crate::harness::{Folder, random_records, sorted_by};

/// Returns the output for `input` with some options.
#[track_caller]
fn sorted(options: &str, input: &[u8]) -> Vec<u8> {
    let said = Folder::new().run_with(&format!("sort {options}"), input);
    match options.contains("--invalid") {
        true => said.saying_of_keys(),
        false => said.quietly(),
    }
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
    let times: &[u8] = b"08:30:06Z\n08:30:06+02:00\n08:30:05\n00:30+02:00\n23:30-0200\n";
    let expected = b"00:30+02:00\n08:30:06+02:00\n08:30:05\n08:30:06Z\n23:30-0200\n";
    assert_eq!(sorted("-k 1:time", times), expected);
    let written: &[u8] = b"08:30_+0000\n09:00_+0100\n";
    let expected = b"09:00_+0100\n08:30_+0000\n";
    assert_eq!(sorted("-k 1:time --date-format %H:%M_%z", written), expected);
    assert_eq!(sorted("-k 1:ip", b"::1\n10.0.0.1\n9.0.0.1\n"), b"9.0.0.1\n10.0.0.1\n::1\n");
    let sizes: &[u8] = b"high\nlow\nmid\n";
    assert_eq!(sorted("-k 1:order=low|mid|high", sizes), b"low\nmid\nhigh\n");
    assert_eq!(sorted("-k 1:int --invalid last", b"x\n2\n\n1\n"), b"1\n2\n\nx\n");
    assert_eq!(sorted("-k 1:int --invalid first", b"2\n\nx\n1\n"), b"x\n1\n2\n\n");
}

#[test]
fn records_with_an_invalid_key_come_behind_or_before_all_others() {
    let lines: &[u8] = b"b,x,1\na,2,2\nb,1,y\na,1,3\nc,,4\na,x,0\n\xff,3,0\n";
    let behind = b"a,1,3\na,2,2\nc,,4\n\xff,3,0\na,x,0\nb,1,y\nb,x,1\n";
    assert_eq!(sorted("-t , -k 1 -k 2:int -k 3:int --invalid last", lines), behind);
    let before = b"b,x,1\nb,1,y\na,x,0\n\xff,3,0\nc,,4\na,1,3\na,2,2\n";
    assert_eq!(sorted("-t , -k 1:desc -k 2:int -k 3:int --invalid first", lines), before);
    for options in ["", " -j 3 -M 64M", " --algorithm replacement-selection -M 40M"] {
        let lines = lines.repeat(5000);
        let keys = "-t , -k 1 -k 2:int -k 3:int --invalid last";
        let out = sorted(&format!("{keys}{options}"), &lines);
        let each = behind.split_inclusive(|byte| *byte == b'\n');
        let expected: Vec<u8> = each.flat_map(|line| line.repeat(5000)).collect();
        assert!(out == expected, "{options}");
    }
}

/// One record of each KEY, whatever is no value in its other keys.
#[test]
fn records_of_one_key_stay_together_where_another_is_invalid() {
    let lines = b"a 2\nb x\na x\nb 1\n";
    assert_eq!(sorted("--unique-by 1 -k 2:int --invalid last", lines), b"a 2\nb 1\n");
    assert_eq!(sorted("--unique-by 1 -k 2:int --invalid first", lines), b"a x\nb x\n");
    let sums = sorted("--unique-by 2:int -k 1 --invalid last --count", b"a x\nb 2\nc y\n");
    assert_eq!(sums, b"      1 b 2\n      2 a x\n");
}

#[test]
fn groups_take_the_date_format_without_such_a_key() {
    let rows = b"id,d\n1,22.11.2026\n1,23.11.2026\n2,01.12.2025\n";
    let latest = "-F csv -k id --max d:date --date-format %d.%m.%Y";
    assert_eq!(sorted(latest, rows), b"id,d\n1,23.11.2026\n2,01.12.2025\n");
    let some = "-F csv -k id --unique --date-format %d.%m.%Y --having d:date>01.01.2026";
    assert_eq!(sorted(some, rows), b"id,d\n1,22.11.2026\n");
}

#[test]
fn leap_seconds_and_days_of_utc_are_read_by_a_pattern() {
    let times = b"23:59:60\n23:59:59\n00:00:00\n";
    let unique = "--unique -k 1:time --date-format %H:%M:%S";
    assert_eq!(sorted(unique, times), b"00:00:00\n23:59:59\n23:59:60\n");
    let days = b"2026-11-22T00:30+0200\n2026-11-21T23:00+0000\n2026-11-21T23:00-0200\n";
    let by_day = "-t , --unique -k 1:date --date-format %Y-%m-%dT%H:%M%z";
    assert_eq!(sorted(by_day, days), b"2026-11-22T00:30+0200\n2026-11-21T23:00-0200\n");
}

#[test]
fn words_after_a_size_are_no_units() {
    let sizes = b"10 min\n3 pieces\n1 KB\n2 MiB\n999\n";
    assert_eq!(sorted("-t , -k 1:size", sizes), b"3 pieces\n10 min\n999\n1 KB\n2 MiB\n");
}

/// A seed makes a shuffle of its own, the same each time; without one it is that of 0.
#[test]
fn shuffles_follow_their_seed() {
    let lines: Vec<u8> = (0..1000).flat_map(|line| format!("{line}\n").into_bytes()).collect();
    let shuffled = |options: &str| sorted(&format!("-k 1:random {options}"), &lines);
    let (usual, one) = (shuffled(""), shuffled("--random-seed 1"));
    assert_eq!(shuffled("--random-seed 0"), usual);
    assert_eq!(shuffled("--random-seed 1 -j 3 -M 40M"), one);
    assert!(one != usual && shuffled("--random-seed 2") != one);
    let of_bytes = sorted("-F fixed:2 -k 0..1:random --random-seed 3", b"a1b2a3c4b5");
    assert_eq!(of_bytes.len(), 10);
    refused("-k 1:int --random-seed 1", "no key has type random; write one, as in -k 1:random");
    refused("-F fixed:2 -k 0..1 --random-seed 1", "no key has type random");
    refused("-k 1:random --random-seed x", "'x' is not a whole number");
}

#[test]
fn numbers_are_read_as_people_write_them() {
    let prices: &[u8] = b"n,price\na,\"1.234,5\"\nb,\"-0,7\"\nc,\"200\"\n";
    let up = b"n,price\nb,\"-0,7\"\nc,\"200\"\na,\"1.234,5\"\n";
    assert_eq!(sorted("-F csv -k price:decimal=,:thousands=.", prices), up);
    let some = sorted("-F csv -k n --include price:decimal=,:thousands=.>=200,0", prices);
    assert_eq!(some, b"n,price\na,\"1.234,5\"\nc,\"200\"\n");
    let lines: &[u8] = b"$1,000\n\xe2\x82\xac 20\n-$3\n1,00\n";
    let out = sorted("-t tab -k 1:int:thousands=,:currency --invalid last", lines);
    assert_eq!(out, b"-$3\n\xe2\x82\xac 20\n$1,000\n1,00\n");
    let wrong = Folder::new().run_with("sort -k 1:decimal=,:thousands=.", b"12.34\n");
    assert!(wrong.status == 3, "{wrong:?}");
    assert!(wrong.words.contains("'12.34' is not a decimal, as in 1.234,56"), "{wrong:?}");
    refused("-k 1:float:decimal=,", "use decimal=, thousands= and currency with int and decimal");
    refused("-k 1:int:decimal=,", "an int has no fraction");
    refused("-k 1:decimal=,:thousands=,", "one byte for the decimal sign and for thousands");
    refused("-k 1:thousands=.", "one byte for the decimal sign and for thousands");
    refused("-k 1:decimal=5", "is part of numbers");
    refused("-k 1:decimal=xy", "is not a byte");
}

/// A plus sign is one of a decimal everywhere but in GNU sort.
#[test]
fn decimals_take_a_plus_sign() {
    let lines: &[u8] = b"+5\n1\n-2\n+10\n0\n+0.5\n+\n";
    let up = b"-2\n0\n+\n+0.5\n1\n+5\n+10\n";
    assert_eq!(sorted("-k 1:decimal", lines), up);
    assert_eq!(sorted("-k 1:decimal --unique", lines), b"-2\n0\n+0.5\n1\n+5\n+10\n");
    assert_eq!(sorted("-k 1:decimal --invalid last", lines), b"-2\n0\n+0.5\n1\n+5\n+10\n+\n");
    let desc = b"+10\n+5\n1\n+0.5\n0\n+\n-2\n";
    assert_eq!(sorted("-t , -k 1:decimal:desc", lines), desc);
    let table = b"k\n+5\n1\n-2\n";
    assert_eq!(sorted("-F csv -k k:decimal", table), b"k\n-2\n1\n+5\n");
    let folder = Folder::new();
    assert_eq!(folder.run_with("gnu -s -n", lines).quietly(), b"-2\n+5\n+10\n0\n+0.5\n+\n1\n");
    assert_eq!(folder.run_with("gnu -s -n -u", lines).quietly(), b"-2\n+5\n1\n");
}

/// The last days of the year 9999 are values that mean no end.
#[test]
fn forms_of_days_reach_from_the_first_year_to_the_last() {
    let moments: &[u8] = b"9999-12-31_23:59:59\n9999-12-30_22:00:00\n2026-11-22_00:00:00\n";
    let up = b"2026-11-22_00:00:00\n9999-12-30_22:00:00\n9999-12-31_23:59:59\n";
    assert_eq!(sorted("-k 1:timestamp --date-format %Y-%m-%d_%H:%M:%S", moments), up);
    let days: &[u8] = b"31.12.9999\n01.01.-9600\n22.11.2026\n01.01.-9999\n01.01.0001\n";
    let up = b"01.01.-9999\n01.01.-9600\n01.01.0001\n22.11.2026\n31.12.9999\n";
    assert_eq!(sorted("-k 1:date --date-format %d.%m.%Y", days), up);
}

#[test]
fn semantic_versions_have_pre_releases_before_their_release() {
    let tags: &[u8] = b"1.0.0\n1.0.0-rc.1\nv0.10.0\n1.0.0-beta.11\n1.0.0-beta.2+7\n0.9.0\n";
    let expected = b"0.9.0\nv0.10.0\n1.0.0-beta.2+7\n1.0.0-beta.11\n1.0.0-rc.1\n1.0.0\n";
    assert_eq!(sorted("-k 1:semver", tags), expected);
    let wrong = Folder::new().run_with("sort -k 1:semver", b"1.0\n");
    assert!(wrong.status == 3, "{wrong:?}");
    assert!(wrong.words.contains("'1.0' is not a semantic version"), "{wrong:?}");
}

#[test]
fn conditions_take_the_date_format_without_such_a_key() {
    let written: &[u8] = b"x,22.11.2026\na,01.12.2025\n";
    let form = "--date-format %d.%m.%Y";
    assert_eq!(
        sorted(&format!("-t , {form} --include 2:date>22.06.2026"), written),
        &written[..13]
    );
    let cells = [b"n,d\n", written].concat();
    let out = sorted(&format!("-F csv -k n {form} --exclude d:date==22.11.2026"), &cells);
    assert_eq!(out, b"n,d\na,01.12.2025\n");
    let fixed = sorted(
        &format!("-F fixed:10 -k 0..2 {form} --include 0..10:date<01.01.2026"),
        b"22.11.202601.12.2025",
    );
    assert_eq!(fixed, b"01.12.2025");
    refused("--include 1:time==08:00 --date-format %d.%m.%Y", "has no time of day");
    refused("--include 1:int==8 --date-format %d.%m.%Y", "no key or condition has type date");
}

#[test]
fn keys_over_several_fields_hold_what_separates_them() {
    let lines: &[u8] = b"1,b,a,x\n2,a,z,y\n3,a,b,z\n4,a\n";
    assert_eq!(sorted("-t , -k 2-3", lines), b"4,a\n3,a,b,z\n2,a,z,y\n1,b,a,x\n");
    assert_eq!(sorted("-t , -k 2-3:desc", lines), b"1,b,a,x\n2,a,z,y\n3,a,b,z\n4,a\n");
    let tails: &[u8] = b"1 b c\n2 a z\n3 a b c\n";
    assert_eq!(sorted("-k 2-", tails), b"3 a b c\n2 a z\n1 b c\n");
    assert_eq!(sorted("-k 2-3[2..]:trim", tails), b"3 a b c\n1 b c\n2 a z\n");
    let days: &[u8] = b"2026-11-22 10:00:00 b\n2026-11-21 11:00:00 a\n";
    assert_eq!(sorted("-k 1-2:timestamp", days), b"2026-11-21 11:00:00 a\n2026-11-22 10:00:00 b\n");
    assert_eq!(sorted("-t , --include 2-3==\"a,z\"", lines), b"2,a,z,y\n");
    assert_eq!(sorted("-t , --include 2==2-2:bytes", lines).len(), lines.len());
    let fault = Folder::new().run_with("sort -k 1-2:int --invalid error", b"1 2\n");
    assert!(fault.status == 3 && fault.words.contains("fields 1 to 2: '1 2'"), "{fault:?}");
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
fn settings_of_a_locale_decide_what_is_equal() {
    let words = "b\nE\n\u{e9}\ne\n".as_bytes();
    let sorted_by = |options: &str| sorted(options, words).to_vec();
    assert_eq!(sorted_by("-k ..:locale=und"), "b\ne\nE\n\u{e9}\n".as_bytes());
    assert_eq!(sorted_by("-k ..:locale=und-u-ks-level1"), "b\nE\n\u{e9}\ne\n".as_bytes());
    assert_eq!(sorted_by("-k ..:locale=und-u-ks-level2"), "b\nE\ne\n\u{e9}\n".as_bytes());
    assert_eq!(sorted_by("-k ..:locale=und-u-ks-level1 --unique"), b"b\nE\n");
    assert_eq!(sorted("-k ..:locale=und-u-ka-shifted", b"b\na c\na-b\n"), b"a-b\na c\nb\n");
}

/// The collator compares some marks in another order than its keys have.
#[test]
fn marks_have_one_order_in_a_locale() {
    let texts = ["#\u{fe0f}\u{20e3}\n##\n", "##\n#\u{fe0f}\u{20e3}\n"];
    for (locale, count) in [("th", 1), ("en-u-ka-shifted", 1), ("en", 2)] {
        for text in texts {
            let options = format!("--unique -k ..:text:locale={locale}");
            let out = sorted(&options, text.as_bytes());
            assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), count, "{locale}");
        }
    }
    let marks = "\u{e4e}\u{200d}\n\u{e4e}\u{20e3}\n".as_bytes();
    assert_eq!(sorted("-k ..:text:locale=fr-CA", marks).len(), marks.len());
}

#[test]
fn what_does_not_fit_is_refused() {
    refused("-k amount:int", "'amount' in key 'amount:int' is not a place in a line");
    refused("-k 0..4:packed", "a type of binary records");
    refused("-F fixed:8 -k 4..12:packed", "ends at byte 12, but the record has 8 bytes");
    refused("-F fixed:8 -k 2:int", "is not a range of bytes");
    refused("-F fixed:8 -k 0..4:int -k 4..6:u32le", "4..8:u32le");
    refused("-k 1:date --date-format %Y", "has neither a day nor a time");
    refused("-k 1:time --date-format %d.%m.%Y", "has no time of day");
    refused("-k 1:int --invalid maybe", "maybe");
    refused("-F rdw -k 0..4 --pad 256", "'256' is not a byte");
    refused("-k 1:int --date-format %d.%m.%Y", "no key or condition has type");
    refused("-F fixed:8 -k 0..4 --date-format %d.%m.%Y", "no key or condition has type");
    refused("-k 1:int --pad 0", "--pad applies only to records with a length in front");
    refused("-F fixed:8 --pad 0", "--pad applies only to records with a length in front");
    refused("-k 1:locale=und-u-kb-true", "kb-true has no effect on the order");
    refused("-k 1:locale=und-u-ks-level9", "there is no ks-level9");
    refused("-k 1:order=@nowhere", "cannot read nowhere");
    refused("-F rdw -k 4..8:pad=-1", "'-1' is not a byte");
}

#[test]
fn trimmed_ranges_of_fixed_records_are_sorted_in_place() {
    let folder = Folder::new();
    folder.write("records", b"b  x\n  az\n a y\n");
    folder.run("sort -F fixed:5 -k 0..3:trim --in-place records").quietly();
    assert_eq!(folder.read("records"), b"  az\n a y\nb  x\n");
    // Each record has a machine number where as many bytes are.
    folder.write("records", b"b  \x01\xffa  \x02\xffa  \x03\xfe");
    folder.run("sort -F fixed:5 -k 4..5:i8 -k 0..3:trim --in-place records").quietly();
    assert_eq!(folder.read("records"), b"a  \x03\xfea  \x02\xffb  \x01\xff");
    for key in ["0..3:int", "0..3:zoned"] {
        let command = format!("sort -F fixed:5 -k {key} -k 0..3:trim --in-place records");
        let refused = folder.run(&command);
        assert!(
            refused.status == 2 && refused.words.contains("would leave the file incomplete"),
            "{refused:?}"
        );
    }
}
