//! `sort` over records that begin with their length, and what is said to those that do not.

use crate::harness::Folder;

/// Asserts what comes out, from a file and from a pipe.
#[track_caller]
fn sorts(options: &str, input: &[u8], expected: &[u8]) {
    let folder = Folder::new();
    folder.write("in", input);
    assert_eq!(folder.run(&format!("sort {options} in")).quietly(), expected, "{options}");
    assert_eq!(folder.run_with(&format!("sort {options}"), input).quietly(), expected, "a pipe");
}

#[test]
fn every_prefix() {
    sorts("-F u16be", b"\0\x02bb\0\0\0\x01a", b"\0\0\0\x01a\0\x02bb");
    sorts("-F u16le", b"\x02\0bb\0\0\x01\0a", b"\0\0\x01\0a\x02\0bb");
    sorts("-F u32be", b"\0\0\0\x02bb\0\0\0\x01a", b"\0\0\0\x01a\0\0\0\x02bb");
    sorts("-F u32le", b"\x01\0\0\0b\x02\0\0\0aa", b"\x02\0\0\0aa\x01\0\0\0b");
    sorts("-F u16be:self", b"\0\x04bb\0\x02\0\x03a", b"\0\x02\0\x03a\0\x04bb");
    sorts("-F u16le:self", b"\x04\0bb\x03\0a", b"\x03\0a\x04\0bb");
    sorts("-F u32be:self", b"\0\0\0\x05b\0\0\0\x04", b"\0\0\0\x04\0\0\0\x05b");
    sorts("-F u32le:self", b"\x05\0\0\0b\x05\0\0\0a", b"\x05\0\0\0a\x05\0\0\0b");
    sorts("-F rdw", b"\0\x06\0\0bb\0\x05\0\0a", b"\0\x05\0\0a\0\x06\0\0bb");
    sorts("-F rdw", b"", b"");
}

/// Ranges count from behind the prefix; a record that ends before one has less of it, or nothing.
#[test]
fn keys_by_byte_range() {
    let input = b"\0\x03xb1\0\x03ya2\0\x01z\0\x03wb0";
    sorts("-F u16be -k 1..2 --pad 0", input, b"\0\x01z\0\x03ya2\0\x03xb1\0\x03wb0");
    sorts("-F u16be -k 1.. -r", input, b"\0\x03xb1\0\x03wb0\0\x03ya2\0\x01z");
    sorts("-F u16be -k 1..2:desc -k 0..1 --pad 0", input, b"\0\x03wb0\0\x03xb1\0\x03ya2\0\x01z");
    sorts("-F u16be -k 1..2 --pad 0 --unique --limit 2", input, b"\0\x01z\0\x03ya2");
    sorts("-F u16be -k 3.. -k 0..1 --pad 0", input, b"\0\x03wb0\0\x03xb1\0\x03ya2\0\x01z");
    // Trimmed blanks are bytes that the record has: nothing is padded for them.
    sorts("-F u16be -k 0..2:trim --pad ~", b"\0\x02b!\0\x02b ", b"\0\x02b \0\x02b!");
}

#[test]
fn in_little_memory() {
    let record = |n: u32| [&[0, 8][..], &(n % 977).to_be_bytes(), &n.to_be_bytes()].concat();
    let mut numbers: Vec<u32> = (0..1_600_000_u32).map(|n| n.wrapping_mul(2_654_435_761)).collect();
    let input: Vec<u8> = numbers.iter().flat_map(|n| record(*n)).collect();
    numbers.sort_by_key(|n| n % 977);
    let expected: Vec<u8> = numbers.iter().flat_map(|n| record(*n)).collect();
    let folder = Folder::new();
    folder.write("in", &input);
    let options = "sort -F u16be -k 0..4 -M 28MiB -j 1 -T .";
    folder.run(&format!("{options} -o out in")).quietly();
    assert!(folder.read("out") == expected);
    assert!(folder.run_with(options, &input).quietly() == expected);
    assert_eq!(folder.names(), ["in", "out"]);
}

/// Asserts that it is refused from a file, which is named, and from a pipe.
#[track_caller]
fn refused(format: &str, input: &[u8], parts: &[&str]) {
    let folder = Folder::new();
    folder.write("bad", input);
    let named = [parts, &["bad: "]].concat();
    folder.run(&format!("sort -F {format} -o out bad")).fails(3, &named);
    let named = [parts, &["standard input: "]].concat();
    folder.run_with(&format!("sort -F {format} -o out"), input).fails(3, &named);
    assert_eq!(folder.names(), ["bad"]);
}

#[test]
fn lengths_that_cannot_be() {
    let small = "length field 00 01 is less than the 2 bytes of the field itself";
    refused("u16be:self", b"\0\x03a\0\x01\0\0", &["at byte 3: ", small, "check the format"]);
    refused("u32le:self", b"\x03\0\0\0", &["at byte 0: ", "03 00 00 00 is less than the 4 bytes"]);
    let segments = ["at byte 5: ", "descriptor word 00 06 01 00", "segments", "not supported"];
    refused("rdw", b"\0\x05\0\0x\0\x06\x01\0yy", &segments);
    refused("u32be", b"\0\0\0\x09x", &["the last record is incomplete: 8 bytes are missing"]);
    refused("u16le", b"\x01\0x\x01", &["ends within a length field: 1 of 2 bytes"]);
    refused("rdw", b"\0\x05\0", &["ends within a length field: 3 of 4 bytes"]);
}

#[test]
fn words_that_mean_nothing() {
    let folder = Folder::new();
    folder.write("in", "");
    for (line, part) in [
        ("sort -F u16be --header 1 in", "leave it out"),
        ("sort -F u16be -t , in", "--separator"),
        ("sort -F u16me in", "u16be"),
        ("sort -F rdw:self in", "rdw"),
        ("sort -F u16be -k 4..2 in", "4..2"),
        ("sort -F u16be -k 2..2 in", "2..2"),
    ] {
        let said = folder.run(line);
        assert_eq!((said.status, said.out.len()), (2, 0), "{line}: {said:?}");
        assert!(said.words.contains(part), "{line}: {said:?}");
    }
}
