//! Tallies add up in any order.

use super::*;

fn tally(invalid: u64, has_value: bool, ruled_out: u32) -> KeyTally {
    let seen = KeySeen { invalid, has_value, has_other: invalid > 0, ruled_out };
    KeyTally { records: 4, invalid, keys: vec![seen], is_settled: false }
}

#[test]
fn tallies_add_up_in_any_order() {
    let parts = [tally(2, false, 0b101), KeyTally::default(), tally(0, true, 0), tally(3, true, 2)];
    let sum = |parts: &mut dyn Iterator<Item = &KeyTally>| {
        let mut sum = KeyTally::default();
        parts.for_each(|part| sum.add(part));
        sum
    };
    let all = sum(&mut parts.iter());
    assert_eq!(all, sum(&mut parts.iter().rev()));
    assert_eq!((all.records, all.invalid, all.keys[0].invalid), (12, 5, 5));
    assert!(all.keys[0].has_value && all.keys[0].has_other);
    assert_eq!(all.keys[0].ruled_out, 0b111);
}

#[test]
fn what_is_seen_again_counts_once() {
    let mut all = tally(3, false, 1);
    all.forget(&tally(1, true, 0));
    assert_eq!((all.records, all.invalid, all.keys[0].invalid), (0, 2, 2));
    all.forget(&KeyTally::default());
    assert_eq!(all.invalid, 2);
}
