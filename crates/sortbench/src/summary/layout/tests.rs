//! Summaries survive the way to disk and back.

use super::{LENGTH, Summary};
use crate::{KeyOrder, RECORD_LENGTH, RecordKind};

#[test]
fn bytes_read_back_as_written() {
    let mut records = vec![0; 50 * RECORD_LENGTH];
    RecordKind { ascii: true, skewed: false }.fill(3, &mut records);
    let mut summary = Summary::of(&records, KeyOrder::Bytes);
    summary.checksum = u128::MAX - 5;
    assert_eq!(Summary::from_bytes(&summary.to_bytes()), summary);
    assert_eq!(Summary::from_bytes(&[0; LENGTH]), Summary::default());
}

#[test]
fn fields_lie_where_the_drawing_says() {
    let summary = Summary {
        first_unordered: Some(1),
        unordered: 2,
        records: (3 << 64) | 4,
        duplicate_keys: 5,
        checksum: 6,
        first: [b'f'; RECORD_LENGTH],
        last: [b'l'; RECORD_LENGTH],
    };
    let words: [u64; 10] = [0, 1, 0, 2, 3, 4, 0, 5, 0, 6];
    let mut expected: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    expected.extend([b'f'; 100]);
    expected.extend([b'l'; 100]);
    assert_eq!(summary.to_bytes().as_slice(), expected);
}
