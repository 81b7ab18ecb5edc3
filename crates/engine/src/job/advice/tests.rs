//! Huge pages: the rest is looked at in whole sorts.

use super::*;

#[test]
fn huge_pages_are_missed_only_where_there_are_none() {
    assert_eq!(huge_pages("always [madvise] never\n"), None);
    assert_eq!(huge_pages("[always] madvise never\n"), None);
    let said = huge_pages("always madvise [never]\n").expect("advice");
    assert!(said.to_string().contains("echo madvise"), "{said}");
}
