//! Sizes as people write them.

use super::ByteSize;

#[test]
fn reads_binary_and_decimal_units() {
    let read = |s: &str| s.parse::<ByteSize>().map(ByteSize::bytes);
    assert_eq!(read("64MiB"), Ok(64 << 20));
    assert_eq!(read("1.5 GiB"), Ok(3 << 29));
    assert_eq!(read("2gb"), Ok(2_000_000_000));
    assert_eq!(read("4096"), Ok(4096));
    assert_eq!(read("7B"), Ok(7));
    for bad in [
        "",
        "MiB",
        "12X",
        "1iB",
        "1Gx",
        "1GiBs",
        "1bk",
        "\u{212a}1",
        "1\u{212a}",
        "-1GiB",
        "1..2MiB",
        "99999999999TiB",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn reads_a_bare_letter_as_a_binary_unit() {
    let read = |s: &str| s.parse::<ByteSize>().map(ByteSize::bytes);
    for (text, bytes) in [
        ("64k", 64 << 10),
        ("64K", 64 << 10),
        ("512M", 512 << 20),
        ("1G", 1 << 30),
        ("1g", 1 << 30),
        ("1Gi", 1 << 30),
        ("2T", 2 << 40),
        ("1p", 1 << 50),
        ("1GB", 1_000_000_000),
        ("1pb", 1_000_000_000_000_000),
    ] {
        assert_eq!(read(text), Ok(bytes), "{text}");
    }
}

#[test]
fn shows_the_largest_whole_unit() {
    assert_eq!(ByteSize(0).to_string(), "0 bytes");
    assert_eq!(ByteSize::mib(64).to_string(), "64 MiB");
    assert_eq!(ByteSize(1_000_000_000).to_string(), "953.7 MiB");
    assert_eq!(ByteSize::gib(3).to_string(), "3 GiB");
    assert_eq!(ByteSize(1).to_string(), "1 byte");
    assert_eq!(ByteSize(1023).to_string(), "1023 bytes");
    assert_eq!(ByteSize(1024).to_string(), "1 KiB");
    assert_eq!(ByteSize((1 << 20) - 52).to_string(), "1023.9 KiB");
    assert_eq!(ByteSize((1 << 20) - 1).to_string(), "1.0 MiB");
    assert_eq!(ByteSize((1 << 30) - 1).to_string(), "1.0 GiB");
}

#[test]
fn sizes_for_an_option_are_enough_and_have_no_blank() {
    for (bytes, text) in [
        (1, "1MiB"),
        (5 << 30, "5GiB"),
        ((5475 << 20) - 1, "5475MiB"),
        ((1 << 30) + 1, "1025MiB"),
        (1023 << 20, "1023MiB"),
    ] {
        let size = ByteSize(bytes);
        assert_eq!(size.for_option(), text);
        assert!(text.parse::<ByteSize>().expect("a size") >= size);
    }
}

/// A rounded size is at most a tenth of a unit larger than the size, and its text can be read.
#[test]
fn sizes_are_rounded_up_to_what_is_shown() {
    for (bytes, text) in [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1025, "1.1 KiB"),
        ((1 << 20) - 1, "1 MiB"),
        (1_900_000, "1.9 MiB"),
        (2_000_000, "2 MiB"),
        (u64::MAX, "16384.0 PiB"),
    ] {
        let rounded = ByteSize(bytes).rounded_up();
        assert_eq!(rounded.to_string(), text);
        let read = text.replace(' ', "").replace("bytes", "").parse::<ByteSize>();
        assert!(read.map_or(bytes == u64::MAX, |read| read.bytes() >= bytes), "{text}");
    }
}
