//! Strides for speeds of many kinds.

use super::*;

#[test]
fn strides_follow_speeds() {
    assert_eq!(strides(&[5.0]), [1]);
    assert_eq!(strides(&[100.0, 101.0, 99.0]), [1, 1, 1]);
    assert_eq!(strides(&[200.0, 300.0]), [2, 3]);
    assert_eq!(strides(&[5.5e9, 1.1e9]), [5, 1]);
    let odd = [31.0, 47.0, 83.0, 59.0];
    assert!(efficiency(&odd, &strides(&odd)) > 0.95, "{:?}", strides(&odd));
    assert!(efficiency(&odd, &[1, 1, 1, 1]) < 0.6);
    assert_eq!(strides(&[1.0, 1e9]), [1, STRIDE_MAX], "no stride is endless");
}
