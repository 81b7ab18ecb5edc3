//! Ranges that touch are one, and what lies between others is never returned.

#![expect(clippy::single_range_in_vec_init, reason = "one range is meant")]

use super::*;

fn ranges(of: &[Range<u64>]) -> WrittenRanges {
    let mut written = WrittenRanges::default();
    for range in of {
        written.add(range.clone());
    }
    written
}

#[test]
fn ranges_that_touch_are_joined() {
    for (added, expected) in [
        (&[0..4, 4..8, 8..12][..], &[0..12][..]),
        (&[8..12, 0..4, 4..8], &[0..12]),
        (&[0..4, 8..12], &[0..4, 8..12]),
        (&[8..12, 0..4, 20..24, 2..9], &[0..12, 20..24]),
        (&[2..4, 6..8, 0..10, 3..7], &[0..10]),
        (&[5..5], &[]),
    ] {
        let written = ranges(added);
        assert_eq!(written.0, expected, "{added:?}");
        let bytes: u64 = expected.iter().map(|range| range.end - range.start).sum();
        assert_eq!(written.bytes(), bytes);
    }
}

#[test]
fn the_next_place_passes_over_gaps() {
    let written = ranges(&[0..10, 20..22, 30..40]);
    for ((from, bytes, end), expected) in [
        ((0, 4, 40), Some(0)),
        ((4, 4, 40), Some(4)),
        ((8, 4, 40), Some(30)),
        ((8, 2, 40), Some(8)),
        ((10, 2, 40), Some(20)),
        ((38, 4, 40), Some(0)),
        ((8, 4, 33), Some(0)),
        ((0, 11, 40), None),
        ((0, 4, 3), None),
    ] {
        assert_eq!(written.next(from, bytes, end), expected, "{bytes} from {from} to {end}");
    }
    assert_eq!(WrittenRanges::default().next(0, 1, 40), None);
}

#[test]
fn pages_are_counted_over_all_ranges() {
    let page = PAGE as u64;
    let written = ranges(&[0..2 * page, 10 * page..11 * page + 1]);
    let pages: Vec<_> = (0..5).map(|number| written.page(number)).collect();
    let offsets = [0, 1, 10, 0, 1].map(|number| Some(number * page));
    assert_eq!(pages, offsets);
    assert_eq!(ranges(&[0..page - 1]).page(7), None);
}
