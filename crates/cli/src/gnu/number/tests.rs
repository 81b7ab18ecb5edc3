//! Sizes and counts, by what GNU sort 9.1 takes and refuses.

use super::*;

#[test]
fn sizes_have_units() {
    let cases: [(&[u8], Result<Size, Fault>); 24] = [
        (b"0", Ok(Size::Bytes(0))),
        (b"1", Ok(Size::Bytes(1024))),
        (b"+5", Ok(Size::Bytes(5120))),
        (b" 5", Ok(Size::Bytes(5120))),
        (b"5b", Ok(Size::Bytes(5))),
        (b"5%", Ok(Size::Percent(5))),
        (b"1k", Ok(Size::Bytes(1 << 10))),
        (b"3M", Ok(Size::Bytes(3 << 20))),
        (b"K", Ok(Size::Bytes(1024))),
        (b"1E", Ok(Size::Bytes(1 << 60))),
        (b"18014398509481983", Ok(Size::Bytes(18_014_398_509_481_983 << 10))),
        (b"18014398509481984", Err(Fault::TooLarge)),
        (b"16E", Err(Fault::TooLarge)),
        (b"1Z", Err(Fault::TooLarge)),
        (b"1Q", Err(Fault::TooLarge)),
        (b"0Q", Ok(Size::Bytes(0))),
        (b"", Err(Fault::Invalid)),
        (b"x", Err(Fault::Invalid)),
        (b"-1", Err(Fault::Invalid)),
        (b"%", Err(Fault::Invalid)),
        (b"1kB", Err(Fault::Suffix)),
        (b"5p", Err(Fault::Suffix)),
        (b"18446744073709551616b", Err(Fault::Suffix)),
        (b"99999999999999999999x", Err(Fault::Suffix)),
    ];
    for (text, expected) in cases {
        assert_eq!(size(text), expected, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn plain_numbers_have_none() {
    assert_eq!(plain(b"12"), Ok(12));
    assert_eq!(plain(b"1k"), Err(Fault::Suffix));
    assert_eq!(plain(b"-1"), Err(Fault::Invalid));
    assert_eq!(plain(b"99999999999999999999"), Err(Fault::TooLarge));
}

#[test]
fn faults_have_words() {
    let words = |fault: Fault| String::from_utf8(fault.message("-S", b"5x")).expect("UTF-8");
    assert_eq!(words(Fault::Invalid), "invalid -S argument '5x'");
    assert_eq!(words(Fault::Suffix), "invalid suffix in -S argument '5x'");
    assert_eq!(words(Fault::TooLarge), "-S argument '5x' too large");
}
