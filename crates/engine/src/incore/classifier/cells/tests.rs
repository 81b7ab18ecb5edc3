//! Nodes are as wide as their buckets want, within the caches.

use super::*;

#[test]
fn nodes_are_as_wide_as_their_buckets_want() {
    assert_eq!(cells_wanted(0), 256);
    assert_eq!(cells_wanted(100), 400);
    assert_eq!(cells_wanted(2600), 4096);
    assert_eq!(cells_wanted(8192), 4096);
    assert_eq!(cells_wanted(8193), 16_386);
    assert_eq!(cells_wanted(37_000), 74_000);
    assert_eq!(cells_wanted(usize::MAX / 8), 1 << 18);
}
