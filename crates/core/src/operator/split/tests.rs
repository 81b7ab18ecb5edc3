//! Into which files records go, and what these are called.

use super::*;

#[test]
fn parts_are_as_equal_as_can_be() {
    for (count, total) in [(1, 0), (1, 5), (3, 0), (3, 2), (3, 3), (3, 10), (7, 100), (100, 99)] {
        let mut sizes = vec![0; count as usize];
        let mut before = 0;
        for record in 0..total {
            let part = part_of(record, count, total);
            assert!(part >= before && record < end_of(part, count, total), "{record} of {total}");
            (before, sizes[part as usize]) = (part, sizes[part as usize] + 1);
        }
        let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
        assert!(most - least <= 1, "{total} in {count}: {sizes:?}");
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
    let mut state = State::default();
    state.name(b"a b").unwrap();
    let said = state.name(b"a/b").unwrap_err().to_string();
    assert!(said.contains("'a b' and 'a/b'"), "{said}");
    state.name(b"c").unwrap();
    let said = state.name(b"c").unwrap_err().to_string();
    assert!(said.contains("first of the sort's keys"), "{said}");
}

#[test]
fn numbers_of_files_are_at_least_one() {
    assert_eq!("3".parse(), Ok(Split::Count(3)));
    assert!("0".parse::<Split>().is_err() && "x".parse::<Split>().is_err());
}
