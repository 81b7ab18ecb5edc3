//! Into which files records go, and what these are called.

use super::*;

#[test]
fn parts_are_as_equal_as_can_be() {
    let counts = [1, 2, 3, 5, 7, 100, 101, u64::from(u32::MAX), u64::MAX / 2];
    let totals = [u64::MAX / 2, u64::MAX - 1];
    for (count, total) in totals.iter().flat_map(|total| counts.map(|count| (count, *total))) {
        for record in [0, 1, total / 2, total - 1] {
            let part = part_of(record, count, total);
            let start = part.checked_sub(1).map_or(0, |before| end_of(before, count, total));
            assert!((start..end_of(part, count, total)).contains(&record), "{record} of {total}");
        }
    }
    for (count, total) in (1..9).flat_map(|count| (0..30).map(move |total| (count, total))) {
        let mut sizes = vec![0; count as usize];
        let mut before = 0;
        for record in 0..total {
            let part = part_of(record, count, total);
            assert!(part >= before && record < end_of(part, count, total), "{record} of {total}");
            (before, sizes[part as usize]) = (part, sizes[part as usize] + 1);
        }
        let (least, most) = (sizes[sizes.len() - 1], sizes[0]);
        assert!(most - least <= 1 && sizes.is_sorted_by(|a, b| a >= b), "{total}: {sizes:?}");
        assert_eq!(end_of(count - 1, count, total), total);
    }
}

#[test]
fn values_become_names_that_any_file_system_takes() {
    for (value, name) in [
        ("Berlin", "Berlin"),
        ("", "empty"),
        ("a/b c", "a_b_c"),
        ("../x", ".._x"),
        ("Köln-1.5", "Köln-1.5"),
        (" trimmed\n", "trimmed"),
    ] {
        assert_eq!(name_of(value.as_bytes()), name);
    }
    assert_eq!(name_of(b"\xff\x00"), "ff00");
    assert!(name_of("ä".repeat(300).as_bytes()).len() <= NAME_MAX);
    let mut state = SplitState::default();
    state.name(b"a b").unwrap();
    let said = state.name(b"a/b").unwrap_err().to_string();
    assert!(said.contains("'a b' and 'a/b'"), "{said}");
    state.name(b"c").unwrap();
    let said = state.name(b"c").unwrap_err().to_string();
    assert!(said.contains("first key of the sort"), "{said}");
}

#[test]
fn numbers_of_files_are_at_least_one() {
    assert_eq!("3".parse(), Ok(Split::Count(3)));
    assert!("0".parse::<Split>().is_err() && "x".parse::<Split>().is_err());
}
