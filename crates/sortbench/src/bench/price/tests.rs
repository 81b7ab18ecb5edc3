//! The papers' own examples.

use super::*;

#[test]
fn a_minute_on_a_million_dollars_costs_38_cents() {
    assert!((of_datamation(1e6, 60.0) - 0.38).abs() < 0.001);
}

/// AlphaSort, section 9: 512 k$ sort 1.1 GB at 0.47 $/GB.
#[test]
fn a_minute_costs_a_millionth() {
    assert!((of_minute(512_000.0) / 1.1 - 0.47).abs() < 0.01);
}

/// AlphaSort, section 9: a system of a million dollars sorts for 1/100 minute, one of 10,000 $ for
/// one.
#[test]
fn a_penny_lasts_as_long_as_alphasort_says() {
    assert!((penny_by_list_price(1e6) - 0.6).abs() < 1e-9);
    assert!((penny_by_list_price(1e4) - 60.0).abs() < 1e-9);
}

/// Three years have 94,608,000 seconds.
#[test]
fn a_penny_of_three_years() {
    assert!((penny_by_three_years(365.0) - 946_080.0 / 400.0).abs() < 1e-6);
}
