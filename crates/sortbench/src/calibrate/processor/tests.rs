//! Costs solved from figures made for that.

use super::*;

#[test]
fn costs_are_those_of_both_lengths() {
    let found = cost([10.0 + 0.5 * 40.0, 10.0 + 0.5 * 400.0]);
    assert!((found.record - 10.0).abs() < 1e-9 && (found.byte - 0.5).abs() < 1e-9);
    let odd = cost([50.0, 40.0]);
    assert_eq!(odd, Cost { record: 50.0, byte: 0.0 });
}
