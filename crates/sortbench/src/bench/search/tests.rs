//! Searches over machines whose times are known.

use super::*;

fn searched(seconds: f64, most: u64, machine: impl Fn(u64) -> f64) -> Search {
    let mut search = Search::new(seconds, most);
    while let Some(size) = search.next() {
        assert!(size <= most && size % 100 == 0);
        search.note(size, machine(size));
    }
    search
}

#[test]
fn the_largest_size_is_bracketed() {
    for rate in [3e6, 50e6, 700e6, 4e9] {
        for power in [1.0, 1.2] {
            let machine = |size: u64| 0.05 + (size as f64 / rate).powf(power);
            let search = searched(60.0, u64::MAX, machine);
            let truth = (60.0_f64 - 0.05).powf(1.0 / power) * rate;
            let (found, took) = search.best().unwrap();
            assert!(took <= 60.0 && found as f64 > 0.94 * truth, "{rate} {power}: {search:?}");
            assert!(!search.is_capped());
        }
    }
}

#[test]
fn a_jump_to_two_passes_is_no_trouble() {
    let machine = |size: u64| size as f64 / if size < 20_000_000_000 { 1e9 } else { 4e8 };
    let (found, took) = searched(60.0, u64::MAX, machine).best().unwrap();
    assert!(took <= 60.0 && found > 19_000_000_000, "{found}");
}

#[test]
fn the_disk_may_end_it() {
    let search = searched(60.0, 2_000_050, |size| size as f64 / 1e9);
    assert!(search.is_capped());
    assert_eq!(search.best().unwrap().0, 2_000_000);
    assert_eq!(Search::new(60.0, 99).next(), None);
}

#[test]
fn a_machine_that_is_never_in_time_ends_too() {
    let search = searched(1.0, u64::MAX, |_| 5.0);
    assert!(search.best().is_none() && search.tries().len() <= TRIES);
}

/// Measurements scatter: a size below one that was missed is what counts.
#[test]
fn what_was_missed_bounds_what_was_done() {
    let mut search = Search::new(10.0, u64::MAX);
    for (size, took) in [(1000, 5.0), (2000, 10.5), (3000, 9.9), (1500, 8.0)] {
        search.note(size, took);
    }
    assert_eq!(search.best(), Some((1500, 8.0)));
}

/// A size that was done once, and not when it was repeated, is one that was missed.
#[test]
fn a_lucky_run_does_not_count() {
    let mut search = Search::new(10.0, 2000);
    for (size, took) in [(1000, 6.0), (2000, 9.9), (2000, 10.2)] {
        search.note(size, took);
    }
    assert_eq!(search.best(), Some((1000, 6.0)));
    assert!(!search.is_capped());
}
