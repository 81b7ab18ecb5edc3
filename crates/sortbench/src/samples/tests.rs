//! Medians of a few figures.

use super::*;

#[test]
fn outliers_do_not_count() {
    assert_eq!(median_and_spread(&[]), (0.0, 0.0));
    assert_eq!(median_and_spread(&[3.0]), (3.0, 0.0));
    assert_eq!(median_and_spread(&[1.0, 10.0, 10.0, 10.0, 1000.0]), (10.0, 0.0));
    assert_eq!(median_and_spread(&[8.0, 10.0, 12.0, 10.0, 8.0]).0, 10.0);
}

#[test]
fn a_quantile_lies_between_two_samples() {
    let spread = Spread::of(&[4.0, 1.0, 2.0, 3.0]);
    assert_eq!((spread.least, spread.most), (1.0, 4.0));
    assert_eq!((spread.lower, spread.median, spread.upper), (1.75, 2.5, 3.25));
    assert_eq!(Spread::of(&[1.0, 2.0]).median, 1.5);
}
