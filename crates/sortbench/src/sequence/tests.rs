//! Jumping ahead equals stepping.

use super::{INCREMENT, Sequence};

#[test]
fn begins_with_the_increment() {
    assert_eq!(Sequence::after(0).step(), INCREMENT);
}

#[test]
fn every_jump_equals_its_steps() {
    let mut stepped = Sequence::after(0);
    for n in 0..5_000 {
        assert_eq!(Sequence::after(n), stepped, "{n}");
        stepped.step();
    }
}

#[test]
fn jumps_compose_over_all_128_bits() {
    for bit in 0..128 {
        let far = 1u128 << bit;
        let mut one_short = Sequence::after(far - 1);
        one_short.step();
        assert_eq!(one_short, Sequence::after(far), "bit {bit}");
    }
    let mut last = Sequence::after(u128::MAX);
    last.step();
    assert_eq!(last, Sequence::after(0), "the period is 2^128");
}
