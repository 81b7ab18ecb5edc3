//! Sizes and counts, by what GNU sort 9.1 takes and refuses.

use super::*;

#[test]
fn sizes_have_units() {
    let cases: [(&[u8], Result<MemorySize, NumberFault>); 24] = [
        (b"0", Ok(MemorySize::Bytes(0))),
        (b"1", Ok(MemorySize::Bytes(1024))),
        (b"+5", Ok(MemorySize::Bytes(5120))),
        (b" 5", Ok(MemorySize::Bytes(5120))),
        (b"5b", Ok(MemorySize::Bytes(5))),
        (b"5%", Ok(MemorySize::Percent(5))),
        (b"1k", Ok(MemorySize::Bytes(1 << 10))),
        (b"3M", Ok(MemorySize::Bytes(3 << 20))),
        (b"K", Ok(MemorySize::Bytes(1024))),
        (b"1E", Ok(MemorySize::Bytes(1 << 60))),
        (b"18014398509481983", Ok(MemorySize::Bytes(18_014_398_509_481_983 << 10))),
        (b"18014398509481984", Err(NumberFault::TooLarge)),
        (b"16E", Err(NumberFault::TooLarge)),
        (b"1Z", Err(NumberFault::TooLarge)),
        (b"1Q", Err(NumberFault::TooLarge)),
        (b"0Q", Ok(MemorySize::Bytes(0))),
        (b"", Err(NumberFault::Invalid)),
        (b"x", Err(NumberFault::Invalid)),
        (b"-1", Err(NumberFault::Invalid)),
        (b"%", Err(NumberFault::Invalid)),
        (b"1kB", Err(NumberFault::Suffix)),
        (b"5p", Err(NumberFault::Suffix)),
        (b"18446744073709551616b", Err(NumberFault::Suffix)),
        (b"99999999999999999999x", Err(NumberFault::Suffix)),
    ];
    for (text, expected) in cases {
        assert_eq!(size(text), expected, "{}", String::from_utf8_lossy(text));
    }
}

#[test]
fn plain_numbers_have_none() {
    assert_eq!(plain(b"12"), Ok(12));
    assert_eq!(plain(b"1k"), Err(NumberFault::Suffix));
    assert_eq!(plain(b"-1"), Err(NumberFault::Invalid));
    assert_eq!(plain(b"99999999999999999999"), Err(NumberFault::TooLarge));
}

#[test]
fn faults_have_words() {
    let words = |fault: NumberFault| String::from_utf8(fault.message("-S", b"5x")).expect("UTF-8");
    assert_eq!(words(NumberFault::Invalid), "invalid -S argument '5x'");
    assert_eq!(words(NumberFault::Suffix), "invalid suffix in -S argument '5x'");
    assert_eq!(words(NumberFault::TooLarge), "-S argument '5x' too large");
}
