//! Copies past the caches.

use super::*;

/// Copies of any start and length, with nothing written beside them.
#[test]
fn any_range_is_copied() {
    let from: Vec<u8> = (0..4 * CACHE_LINE).map(|byte| byte as u8).collect();
    for start in 0..=CACHE_LINE {
        for length in (0..=3 * CACHE_LINE).step_by(7) {
            let mut to = vec![0xee_u8; 6 * CACHE_LINE];
            stream(&from[..length], &mut to[start..start + length]);
            finish_streaming();
            assert_eq!(to[start..start + length], from[..length]);
            let beside = to[..start].iter().chain(&to[start + length..]);
            assert!(beside.copied().all(|byte| byte == 0xee), "{start} {length}");
        }
    }
}
