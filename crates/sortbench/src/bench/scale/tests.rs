//! Sizes and threads that are tried.

use super::*;

#[test]
fn sizes_grow_to_the_largest() {
    assert_eq!(sizes(5_000_000), [5_000_000]);
    let sizes = sizes(1_000_000_000);
    assert_eq!(sizes.len(), 5);
    assert_eq!((sizes[0], sizes[2], sizes[4]), (10_000_000, 100_000_000, 1_000_000_000));
    assert!(sizes.iter().all(|size| size % 100 == 0), "{sizes:?}");
}

#[test]
fn threads_double_up_to_all() {
    assert_eq!(degrees(1), [1]);
    assert_eq!(degrees(2), [1, 2]);
    assert_eq!(degrees(12), [1, 2, 4, 8, 12]);
}
