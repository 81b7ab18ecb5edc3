//! Codes stand in the order of weights, and few bytes say what is frequent.

use super::*;

/// Returns a weight as the library writes it: as UTF-8 writes a character.
fn weight(value: u32) -> Vec<u8> {
    char::from_u32(value).expect("no surrogate").to_string().into_bytes()
}

fn coded(codes: &Codes, weights: &[u32]) -> Vec<u8> {
    let mut out = Vec::new();
    codes.append(&weights.iter().flat_map(|value| weight(*value)).collect::<Vec<_>>(), &mut out);
    out
}

#[test]
fn codes_are_in_the_order_of_weights() {
    let known: Vec<Vec<u8>> = [5, 90, 120, 0x90, 0x300, 0x3000].map(weight).to_vec();
    let one = [2, 5, 6, 89, 90, 91, 120, 127, 0x85, 0x90, 0x91, 0x300, 0x2fff, 0x3000, 0x1_0000];
    let mut texts: Vec<Vec<u32>> = vec![Vec::new()];
    for first in one {
        texts.push(vec![first]);
        texts.extend(one.map(|second| vec![first, second]));
    }
    let short: Vec<Vec<u8>> = known[..3].to_vec();
    for known in [known, short, Vec::new()] {
        let codes = Codes::of(known.iter().map(Vec::as_slice));
        for a in &texts {
            for b in &texts {
                assert_eq!(coded(&codes, a).cmp(&coded(&codes, b)), a.cmp(b), "{a:x?} {b:x?}");
            }
        }
    }
}

#[test]
fn known_weights_take_a_byte_and_long_ones_no_more_than_before() {
    let known: Vec<Vec<u8>> = (0x300..0x300 + KNOWN_MAX as u32).map(weight).collect();
    let codes = Codes::of(known.iter().map(Vec::as_slice));
    assert_eq!(coded(&codes, &[0x300, 0x310]), [3, 35]);
    assert_eq!(coded(&codes, &[0x4000]), weight(0x4000));
    assert_eq!(coded(&codes, &[0x200]).len(), 3);
    let many: Vec<Vec<u8>> = (0x300..=0x300 + KNOWN_MAX as u32).map(weight).collect();
    let none = Codes::of(many.iter().map(Vec::as_slice));
    assert_eq!(coded(&none, &[0x300]), weight(0x300));
}
