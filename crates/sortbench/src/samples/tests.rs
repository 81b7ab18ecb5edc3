//! Medians of a few figures.

use super::*;

#[test]
fn outliers_do_not_count() {
    assert_eq!(median_and_spread(&[]), (0.0, 0.0));
    assert_eq!(median_and_spread(&[3.0]), (3.0, 0.0));
    assert_eq!(median_and_spread(&[1.0, 10.0, 10.0, 10.0, 1000.0]), (10.0, 0.0));
    assert_eq!(median_and_spread(&[8.0, 10.0, 12.0, 10.0, 8.0]).0, 10.0);
}
