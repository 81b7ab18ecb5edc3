//! Runs of every length around a block, against a look at every byte.

use super::*;

#[test]
fn every_length_is_counted() {
    for length in 0..3 * BLOCK_BYTES {
        for behind in 0..2 * BLOCK_BYTES {
            let mut text = vec![b'0'; length];
            text.resize(length + behind, b'1');
            assert_eq!(leading(&text, |byte| byte == b'0'), length, "{behind} behind");
            if let Some(last) = text.last_mut() {
                *last = b'0';
            }
            let zeros = text.iter().take_while(|byte| **byte == b'0').count();
            assert_eq!(leading(&text, |byte| byte == b'0'), zeros, "{length}, {behind} behind");
        }
    }
}
