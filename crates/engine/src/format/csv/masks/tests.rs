//! Masks against looking at each byte.

use super::*;

#[test]
fn masks_are_those_of_single_bytes() {
    let bytes: Vec<u8> =
        (0..200_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 29) as u8).collect();
    for start in 0..bytes.len() {
        for end in [bytes.len(), (start + 10).min(bytes.len())] {
            let text = &bytes[start..end];
            for wanted in 1..8 {
                let found = MaskChunk::of(text).equal(wanted);
                let at = |place: usize| text.get(place).is_some_and(|byte| *byte == wanted);
                let expected = (0..WIDTH).fold(0, |mask, at_| mask | u64::from(at(at_)) << at_);
                assert_eq!(found, expected, "{text:?}");
                let count = text.iter().filter(|byte| **byte == wanted).count();
                assert_eq!(is_odd(text, wanted), count % 2 == 1);
            }
        }
    }
}

#[test]
fn parity_counts_from_the_first_bit() {
    for mask in [0, 1, 0b1001, u64::MAX, 1 << 63, 0x8000_0100_0030_0001] {
        let parity = parity_so_far(mask);
        for bit in 0..64 {
            let up_to = (mask & (u64::MAX >> (63 - bit))).count_ones();
            assert_eq!(parity >> bit & 1, u64::from(up_to % 2));
        }
    }
}

#[test]
fn the_nth_end_is_that_of_going_byte_by_byte() {
    for distance in [1, 2, 7, 63, 64, 65, 150] {
        let bytes: Vec<u8> = (1..400).map(|at| if at % distance == 0 { 0 } else { b'x' }).collect();
        for length in 0..bytes.len() {
            let ends: Vec<usize> = (1..=length).filter(|at| at % distance == 0).collect();
            for number in 1..=ends.len().min(9) + 1 {
                let expected = ends.get(number - 1).copied();
                assert_eq!(nth_end(0, &bytes[..length], number), expected, "{distance}, {number}");
            }
        }
    }
}
