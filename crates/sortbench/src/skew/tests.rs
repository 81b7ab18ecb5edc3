//! Skew indexes at their edges, and how much of a key is replaced.

use super::{ascii, binary, index};

#[test]
fn index_counts_significant_bits() {
    for (record, expected) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4)] {
        assert_eq!(index(record), expected, "{record}");
    }
    assert_eq!(index((1 << 60) - 1), 60);
    assert_eq!(index(1 << 64), 65);
    assert_eq!(index((1 << 124) - 1), 124);
}

#[test]
fn four_upper_bits_of_a_half_count_as_all() {
    for bit in 60..64 {
        assert_eq!(index(1 << bit), 64, "bit {bit}");
        assert_eq!(index(1 << (bit + 64)), 128, "bit {}", bit + 64);
    }
    // In a number of more than 64 bits the lower half plays no part.
    assert_eq!(index((1 << 64) | (15 << 60)), 65);
    assert_eq!(index(u128::MAX), 128);
}

#[test]
fn binary_keeps_the_bits_below_the_skew() {
    let low = |bits: u64| bits << 32;
    assert_eq!(binary(0, low(0), u64::MAX), u64::MAX);
    assert_eq!(binary(0, low(8), u64::MAX), 0x4aff_ffff_ffff_ffff);
    assert_eq!(binary(0, low(48), 0), 0x4a69_6d47_7261_0000);
    assert_eq!(binary(0, low(49), 7), 7, "more than 48 bits means none");
    assert_eq!(binary(0, low(63), 7), 7);
}

#[test]
fn ascii_takes_up_to_six_bytes() {
    let low = |bytes: u64| bytes << 32;
    assert_eq!(ascii(0, low(0)), b"");
    assert_eq!(ascii(1, low(2)), b"~s");
    assert_eq!(ascii(0, low(6)), b"AsfAGH");
    assert_eq!(ascii(0, low(7)), b"", "more than six bytes means none");
}
