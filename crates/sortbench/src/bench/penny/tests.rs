//! Laws that something can be foretold from, and others.

use super::*;

#[test]
fn times_that_do_not_grow_foretell_nothing() {
    let few = || too_small("sorts", None, 0);
    let grown = law(&[[1e6, 0.1], [2e6, 0.2], [4e6, 0.4]], few).unwrap();
    assert!((grown.size(1.0) - 1e7).abs() < 1.0);
    for points in [&[[1e6, 0.2], [2e6, 0.2]][..], &[[1e6, 0.4], [2e6, 0.2], [4e6, 0.1]]] {
        let words = law(points, few).unwrap_err().to_string();
        assert!(words.contains("no longer than smaller ones"), "{words}");
    }
    assert!(law(&[[1e6, 0.2]], few).unwrap_err().to_string().contains("not enough space"));
}
