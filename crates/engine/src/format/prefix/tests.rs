//! Prefixes by hand.

use super::*;

fn named(name: &str) -> Prefix {
    Prefix::named(name).unwrap()
}

#[test]
fn names_are_shown_as_they_are_read() {
    for name in ["u16le", "u16be", "u32le", "u32be", "u16be:self", "u32le:self", "rdw", "keyed"] {
        assert_eq!(named(name).to_string(), name);
        assert_eq!(Prefix::of_code(named(name).code()), Some(named(name)));
    }
    for name in ["u8", "u16", "rdw:self", "u16be:", "u64le", ""] {
        assert_eq!(Prefix::named(name), None, "{name}");
    }
}

#[test]
fn lengths_include_the_prefix() {
    let lengths: [(&str, &[u8], Option<usize>); 15] = [
        ("u16be", &[0, 3, 9], Some(5)),
        ("u16le", &[3, 0], Some(5)),
        ("u16be:self", &[0, 3], Some(3)),
        ("u16be:self", &[0, 1], None),
        ("u32be", &[0, 1, 0, 0], Some(65_540)),
        ("u32le:self", &[4, 0, 0, 0], Some(4)),
        ("u32le", &[4, 0, 0], None),
        ("rdw", &[0, 7, 0, 0], Some(7)),
        ("rdw", &[0, 7, 1, 0], None),
        ("rdw", &[0, 3, 0, 0], None),
        ("keyed", &[4, 0, 0, 0, 0, 0, 0, 0], Some(8)),
        ("keyed", &[7, 0, 0, 0, 3, 0, 0, 0], Some(11)),
        ("keyed", &[7, 0, 0, 0, 4, 0, 0, 0], None),
        ("keyed", &[3, 0, 0, 0, 0, 0, 0, 0], None),
        ("keyed", &[7, 0, 0, 0, 3, 0, 0], None),
    ];
    for (name, bytes, length) in lengths {
        assert_eq!(named(name).record_length(bytes), length, "{name} {bytes:?}");
    }
}

#[test]
fn wrong_prefixes_say_what_is_wrong() {
    assert_eq!(named("u16be").fault(&[0, 0]), None, "an empty record");
    assert!(named("u16be:self").fault(&[0, 1]).unwrap().contains("00 01"));
    assert!(named("rdw").fault(&[0, 9, 1, 0]).unwrap().contains("several segments"));
    assert!(named("rdw").fault(&[0, 3, 0, 0]).unwrap().contains("less than the 4 bytes"));
    let fault = named("keyed").fault(&[7, 0, 0, 0, 4, 0, 0, 0]).unwrap();
    assert!(fault.contains("07 00 00 00 04 00 00 00 give it a key that is longer"), "{fault}");
}

#[test]
fn a_keyed_record_is_its_key_and_a_payload() {
    let record = [8, 0, 0, 0, 3, 0, 0, 0, b'k', b'e', b'y', b'p'];
    assert_eq!(Prefix::stored_key(&record), b"key");
    assert_eq!(Prefix::KEYED.payload(&record), b"p");
    for cut in 0..11 {
        assert_eq!(Prefix::stored_key(&record[..cut]), b"", "{cut}");
    }
}
