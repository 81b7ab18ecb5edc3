//! Trees of every size and both kinds, whose runs are asserted in each run of the bench.

use sortwell::Progress;

use super::*;

#[test]
fn trees_have_four_keys_to_a_leaf() {
    assert_eq!(levels(100_000).collect::<Vec<u32>>(), [10, 12, 14]);
    assert_eq!(levels(10_000_000).last(), Some(20));
    assert_eq!(levels(4095).count(), 0);
}

#[test]
fn a_row_for_each_tree() {
    let progress = Progress::new();
    let section = measure(&mut KernelMeter::new(2, &progress), 20_000).unwrap();
    let [table] = section.tables.as_slice() else { panic!("{section:?}") };
    assert_eq!((table.rows.len(), table.columns.len()), (2, 6));
    let Cell::Number(long) = table.rows[1][5] else { panic!("{table:?}") };
    assert!((1.6..=1.85).contains(&long), "{long}");
}
