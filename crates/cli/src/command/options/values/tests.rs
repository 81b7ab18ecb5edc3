//! Good values, bad values and the words for them.

use super::*;

#[test]
fn thread_counts() {
    assert_eq!(threads("1"), Ok(1));
    assert_eq!(threads("1024"), Ok(1024));
    assert_eq!((threads("0"), chosen(Some(0)), chosen(Some(2))), (Ok(0), None, Some(2)));
    for bad in ["1025", "-2", "two", ""] {
        assert!(threads(bad).is_err(), "{bad}");
    }
}
