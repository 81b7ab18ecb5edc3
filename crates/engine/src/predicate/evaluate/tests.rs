//! Which records are admitted, against answers by hand and against a naive reading of the rules.

mod naive;

use super::*;
use crate::format::Format;
use crate::key::text::TextOrder;
use crate::key::{Key, ListMemory};
use crate::predicate::RecordFilter;

pub fn predicate(format: Format, text: &str) -> Predicate {
    let order = match TextOrder::of(format) {
        order if matches!(format, Format::Csv(_)) => order,
        order => TextOrder { separator: crate::key::text::Separator::Byte(b','), ..order },
    };
    let filter = RecordFilter { include: vec![text.parse().expect(text)], exclude: Vec::new() };
    let resolve = |key: &Key| key.spec(ListMemory::UNBOUNDED).map_err(|error| error.message());
    filter.predicate(&order, resolve).expect(text).expect("a condition")
}

#[track_caller]
fn check(format: Format, table: &[(&str, &[&str], &[&str])]) {
    for (text, admitted, refused) in table {
        let predicate = predicate(format, text);
        for record in *admitted {
            assert!(predicate.admits(record.as_bytes()), "{text} admits {record:?}");
        }
        for record in *refused {
            assert!(!predicate.admits(record.as_bytes()), "{text} refuses {record:?}");
        }
    }
}

#[test]
fn lines() {
    check(
        Format::LINES,
        &[
            ("1:int < 5", &["4\n", "-7,x\n", "004", " 4 \n"], &["5\n", "10\n", "x\n", "\n", "4x"]),
            ("1:int != 5", &["4\n", "6\n"], &["5\n", "05\n", "x\n", "\n"]),
            ("not 1:int == 5", &["4\n"], &["5\n", "x\n", "\n"]),
            ("2:decimal >= 10.5", &["a,10.50\n", "a,11\n"], &["a,10.4999\n", "a\n", "10.5,\n"]),
            ("1:decimal == -0", &["0", "0.00", "-0"], &["", "-", "0.01"]),
            ("1:float > 1e3", &["1e4", "inf", "NaN", "1000.1"], &["1000", "x", ""]),
            ("1:size >= 2.5Gi", &["2684354560", "3GiB"], &["2684354559", "2.5G", "big"]),
            ("1:month > 'Mar'", &["apr", "December"], &["jan", "mar", "?", ""]),
            ("1:version >= 1.10", &["1.10", "1.11", "2"], &["1.9", "1.2"]),
            ("1:natural < 'a10'", &["a9", "a", ""], &["a10", "a11", "b"]),
            ("1 == 'Smith'", &["Smith\n", "Smith", "Smith,x"], &["smith", "Smithy", " Smith", ""]),
            ("1:ci == 'sMith'", &["Smith\n", "SMITH"], &["Smithy"]),
            ("1:trim == 'a b'", &["a b", "  a b\t\n"], &["ab", "a  b"]),
            ("1:ci < 'B'", &["a", "A", "aZ", ""], &["b", "B", "c"]),
            ("1 < 'b'", &["a", "B", ""], &["b", "ba", "c"]),
            ("1 == ''", &["\n", "", ",x"], &["x", " "]),
            ("2[1..3] == 'bc'", &["x,abcd", "x,abc"], &["x,bc", "abcd"]),
            ("0..2 == 'x,'", &["x,abcd"], &["xy"]),
            (".. == 'x,y'", &["x,y\n", "x,y"], &["x,y,"]),
            ("1:int < 2:int", &["9,10", "-1,0"], &["10,9", "1,1", "x,1", "1,x", "1"]),
            ("1 < 2:bytes", &["10,9", "a,b", ",a"], &["9,10", "a,a", "a"]),
            ("1:ci == 2:text:ci", &["aB,Ab", ","], &["a,b"]),
            ("1 contains 'bc'", &["abcd", "bc"], &["b,c", "ABCD", ""]),
            ("1:ci contains 'Bc'", &["aBCd", "abcd"], &["b,c"]),
            ("1 contains ''", &["", "x"], &[]),
            ("1 starts with 'ab'", &["ab", "abc"], &["a", "xab", "AB"]),
            ("1:ci starts with 'ab'", &["AB", "aBc"], &["a"]),
            ("1 ends with 'bc'", &["bc\n", "abc"], &["bcd", "c"]),
            ("1:ci:trim ends with 'bc'", &["aBC  \n"], &["abcd"]),
            ("1 matches 'b+'", &["abbc", "b"], &["ac", "B", ",b"]),
            ("1 matches '^b+$'", &["bb\n", "b"], &["ab", "bc"]),
            ("1:ci =~ '^B'", &["bc", "BC"], &["ab"]),
            (r"1 matches '^\w+\.txt$'", &["größe.txt"], &["größe_txt", "a b.txt"]),
            ("1 is empty", &["", "\n", ",x"], &["x", " "]),
            ("1:trim is empty", &["", "  \n"], &["x"]),
            ("1:int is not empty", &["1", "x"], &["", "\n"]),
            ("9 is empty", &["a,b"], &["1,2,3,4,5,6,7,8,9"]),
        ],
    );
    let bytes = predicate(Format::LINES, r"1 matches '(?-u)^\xff+$' or 1 contains 'ä'");
    assert!(bytes.admits(b"\xff\xff\n") && bytes.admits(b"\xff\xc3\xa4\xfe"));
    assert!(!bytes.admits(b"\xff\xfe"));
}

#[test]
fn rows() {
    check(
        Format::CSV,
        &[
            ("1 == 'a,b'", &["\"a,b\",c\n"], &["a,b\n"]),
            ("1 == 'say \"hi\"'", &["\"say \"\"hi\"\"\",c\r\n"], &["say hi,c\n"]),
            ("2 == 'x\\ny'", &["a,\"x\ny\"\r\n"], &["a,x\\ny\n"]),
            ("2 == 'b'", &["a,b\r\n", "a,\"b\"\n", "a,b"], &["a,b \n", "a\n", "\"a,b\"\n"]),
            (
                "2:int >= 10",
                &["a,\"10\"\n", "a,11\n"],
                &["a,\"9\"\n", "a,\"\"\n", "a,\"1\"\"0\"\n"],
            ),
            ("1 contains '\"'", &["\"\"\"\",x\n"], &["\"x\",y\n"]),
            ("1:ci contains '\"A'", &["\"x\"\"a\",x\n"], &["xa,y\n"]),
            ("1 starts with '\"'", &["\"\"\"a\"\n"], &["\"a\"\n"]),
            ("1 matches '^a\"b$'", &["\"a\"\"b\"\n"], &["ab\n"]),
            ("1:ci == 2:text:ci", &["\"a\"\"b\",\"A\"\"B\"\n"], &["\"a\"\"b\",ab\n"]),
            ("1 == 2:bytes", &["\"a\"\"b\",\"a\"\"b\"\n", "\"a\",a\n"], &["\"a\"\"b\",\"a\"\n"]),
            (
                "2:date >= 2024-01-01",
                &["a,2024-01-01\n", "a,\"20240102\"\n"],
                &["a,2023-12-31\n", "a,\n"],
            ),
            ("2:time < 12:30", &["a,12:29:59.9\n"], &["a,12:30\n", "a,noon\n"]),
            (
                "1:timestamp > '2024-01-01 12:30:00'",
                &["2024-01-01T12:30:00-01:00\n"],
                &["2024-01-01\n"],
            ),
            ("1:ip >= 10.0.0.9", &["10.0.0.10\n", "::1\n"], &["10.0.0.8\n", "10\n"]),
            ("1:bool == 'true'", &["true\n", "TRUE\n"], &["false\n", "\n"]),
            ("1:order=low|mid|high >= 'mid'", &["mid\n", "high\n"], &["low\n", "higher\n"]),
            ("1 is empty", &["\"\",x\n", ",x\n"], &["\"\"\"\",x\n"]),
        ],
    );
}

#[test]
fn binary_records() {
    check(
        Format::Fixed { length: 8 },
        &[
            ("0..4 == 'ABCD'", &["ABCDefgh"], &["abcdefgh", "ABCEefgh"]),
            ("4.. == 'efg\\n'", &["ABCDefg\n"], &["ABCDefgh"]),
            ("4..6:int > 10", &["xxxx11xx"], &["xxxx10xx", "xxxxx1xx"]),
            ("0..12 == 'ABCDefgh' or 0..12 != 'ABCDefgh'", &[], &["ABCDefgh"]),
            ("8.. is empty", &["ABCDefgh"], &[]),
            ("0..2:u16le > 256", &["\u{1}\u{1}xxxxxx"], &["\0\u{1}xxxxxx"]),
            ("0..2:zoned >= 10", &["10xxxxxx", "1{xxxxxx"], &["09xxxxxx", "1}xxxxxx", "xxxxxxxx"]),
            ("0..2:u16le < 2..4:u16le", &["a\0b\0xxxx"], &["a\0a\0xxxx", "b\0a\0xxxx"]),
        ],
    );
    let page = predicate(
        Format::Fixed { length: 3 },
        "0..3:ebcdic:ci == 'Ab1' and 0..3:ebcdic matches 'b\\d$'",
    );
    assert!(page.admits(&[0xc1, 0x82, 0xf1]) && page.admits(&[0x81, 0x82, 0xf1]));
    assert!(!page.admits(&[0xc1, 0xc2, 0xf1]) && !page.admits(b"Ab1"));
    check(
        "u16be".parse().expect("a format"),
        &[
            ("0..2 contains ''", &["\0\u{2}ab"], &["\0\u{1}a"]),
            ("0..2 != 3..4 or 0..2 is empty", &["\0\u{4}abcd", "\0\0"], &["\0\u{3}abc"]),
            ("0..2 == 'ab'", &["\0\u{3}abc", "\0\u{2}ab"], &["\0\u{1}a", "\0\0", "\0\u{3}cab"]),
        ],
    );
}

#[test]
fn unknown_is_neither() {
    // The truth of each, for lines of a number that may be none and of a text.
    check(
        Format::LINES,
        &[
            ("1:int > 0 or 2 == 'y'", &["1,n", "0,y", "?,y"], &["0,n", "?,n"]),
            ("1:int > 0 and 2 == 'y'", &["1,y"], &["1,n", "0,y", "?,y", "?,n"]),
            ("not (1:int > 0 and 2 == 'y')", &["1,n", "0,y", "?,n"], &["1,y", "?,y"]),
            ("not (1:int > 0 or 2 == 'y')", &["0,n"], &["1,n", "0,y", "?,y", "?,n"]),
            ("not not 1:int > 0", &["1"], &["0", "?"]),
            ("2 == 'y' or 1:int > 0", &["?,y"], &["?,n"]),
        ],
    );
}

#[test]
fn precedence() {
    check(
        Format::LINES,
        &[
            ("1 == 'a' or 1 == 'b' and 2 == 'x'", &["a,y", "b,x"], &["b,y", "c,x"]),
            ("(1 == 'a' or 1 == 'b') and 2 == 'x'", &["a,x", "b,x"], &["a,y", "b,y"]),
            ("not 1 == 'a' and 2 == 'x'", &["b,x"], &["a,x", "b,y", "a,y"]),
            ("not (1 == 'a' and 2 == 'x')", &["b,x", "b,y", "a,y"], &["a,x"]),
        ],
    );
}

#[test]
fn long_values_and_many_threads() {
    let predicate = predicate(Format::CSV, "1:ci contains 'NEEDLE' and 2:decimal > 3:decimal");
    let hay = "hay\"\"".repeat(100_000);
    let row = |middle: &str| format!("\"{hay}{middle}{hay}\",2{0},1{0}\n", "0".repeat(5000));
    let (yes, no) = (row("needle"), row("need"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    assert!(predicate.admits(yes.as_bytes()) && !predicate.admits(no.as_bytes()));
                }
            });
        }
    });
}
