//! The line fits its terminal, whatever is known and however wide that is.

use std::time::Duration;

use super::super::meter::ProgressSample;
use super::*;

fn meter(done: Option<f64>) -> Meter {
    let mut meter = Meter::default();
    let elapsed = Duration::from_secs(1);
    let left = done.map(|_| elapsed);
    let (words, bytes_done, input_read) = ("merging runs", 9_000_000, 5_000_000);
    meter.add(ProgressSample { elapsed, words, bytes_done, input_read, spilled: 0, done, left });
    meter
}

#[test]
fn a_bar_fills_from_the_left() {
    assert_eq!(bar(0.0, 10), ">         ");
    assert_eq!(bar(0.3, 10), "===>      ");
    assert_eq!(bar(1.0, 10), "==========");
    assert_eq!(bar(1.1, 10), "==========", "more than was expected");
    assert_eq!(bar(f64::NAN, 4), ">   ");
}

#[test]
fn the_line_shows_what_is_known() {
    let half = meter(Some(0.5));
    assert_eq!(words(&half, 50), "merging runs    [========>       ]  50%  1 s left");
    assert_eq!(words(&meter(None), 80), "merging runs    5 MB read in 1 s");
}

#[test]
fn the_line_is_narrower_than_its_terminal() {
    for columns in 0..120 {
        for done in [None, Some(0.5)] {
            let shown = words(&meter(done), columns);
            assert!(shown.len() < columns.max(1), "{columns}: {shown}");
        }
    }
}
