//! Merge sorts beside that of the standard library, and functions that contradict themselves.

use super::*;

#[test]
fn items_are_sorted_and_equal_ones_keep_their_order() {
    for count in [0_u32, 1, 2, 7, 8, 9, 31, 64, 1000] {
        let mut items: Vec<(u32, u32)> =
            (0..count).map(|number| (number.wrapping_mul(2_654_435_761) >> 28, number)).collect();
        let mut expected = items.clone();
        expected.sort_by_key(|(value, _)| *value);
        merge_sort(&mut items, |a, b| a.0.cmp(&b.0));
        assert_eq!(items, expected);
    }
}

#[test]
fn contradictions_only_mix_the_order() {
    for answer in [Ordering::Less, Ordering::Greater, Ordering::Equal] {
        let mut items: Vec<u32> = (0..1000).collect();
        merge_sort(&mut items, |_, _| answer);
        items.sort_unstable();
        assert!(items.iter().copied().eq(0..1000));
    }
}
