//! The line fits its terminal, whatever is known and however wide that is.

use std::time::Duration;

use super::super::meter::Sample;
use super::*;

fn meter(bytes_done: u64, bytes_total: Option<u64>) -> Meter {
    let mut meter = Meter::default();
    let elapsed = Duration::from_secs(1);
    meter.add(Sample { elapsed, words: "merging runs", bytes_done, bytes_total });
    meter
}

#[test]
fn a_bar_fills_from_the_left() {
    assert_eq!(bar(0, 10, 10), ">         ");
    assert_eq!(bar(3, 10, 10), "===>      ");
    assert_eq!(bar(10, 10, 10), "==========");
    assert_eq!(bar(11, 10, 10), "==========", "more than was expected");
    assert_eq!(bar(u64::MAX / 2, u64::MAX, 4), "=>  ");
}

#[test]
fn the_line_shows_what_is_known() {
    let half = meter(5_000_000, Some(10_000_000));
    assert_eq!(words(&half, 50), "merging runs    [========>       ]  50%  1 s left");
    assert_eq!(words(&meter(5_000_000, None), 80), "merging runs    5 MB");
}

#[test]
fn the_line_is_narrower_than_its_terminal() {
    for columns in 0..120 {
        for total in [None, Some(10_000_000)] {
            let shown = words(&meter(5_000_000, total), columns);
            assert!(shown.len() < columns.max(1), "{columns}: {shown}");
        }
    }
}
