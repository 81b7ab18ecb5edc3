//! Records made in pieces of any size are the records made in one go.

use super::{BATCH_RECORDS, RecordKind};
use crate::RECORD_LENGTH;

const KINDS: [RecordKind; 4] = [
    RecordKind { ascii: false, skewed: false },
    RecordKind { ascii: false, skewed: true },
    RecordKind { ascii: true, skewed: false },
    RecordKind { ascii: true, skewed: true },
];

fn made(kind: RecordKind, first: u128, records: usize) -> Vec<u8> {
    let mut bytes = vec![0; records * RECORD_LENGTH];
    kind.fill(first, &mut bytes);
    bytes
}

#[test]
fn any_piece_can_be_made_on_its_own() {
    let records = 3 * BATCH_RECORDS + 17;
    for kind in KINDS {
        for first in [0, 12_345, u128::from(u64::MAX) - 300, u128::MAX - 300] {
            let whole = made(kind, first, records);
            for (at, length) in [(0, 1), (1, 9), (9, 10), (255, 2), (256, 256), (500, 285)] {
                let piece = made(kind, first.wrapping_add(at as u128), length);
                let expected = &whole[at * RECORD_LENGTH..(at + length) * RECORD_LENGTH];
                assert!(piece == expected, "{kind:?} from {first}: {length} records at {at}");
            }
        }
    }
}

#[test]
fn no_records_touch_nothing() {
    for kind in KINDS {
        kind.fill(u128::MAX, &mut []);
    }
}

#[test]
fn ascii_records_are_lines_that_show_their_number() {
    let first = (1u128 << 64) + 0xABCD;
    for skewed in [false, true] {
        let bytes = made(RecordKind { ascii: true, skewed }, first, 40);
        for (at, record) in bytes.chunks(RECORD_LENGTH).enumerate() {
            assert!(record[..98].iter().all(|byte| (b' '..=b'~').contains(byte)));
            assert_eq!(&record[98..], b"\r\n");
            let number = format!("  {:032X}  ", first + at as u128);
            assert_eq!(&record[10..46], number.as_bytes());
        }
    }
}

#[test]
#[should_panic(expected = "whole records only")]
fn part_of_a_record_is_a_mistake_of_the_caller() {
    RecordKind::default().fill(0, &mut [0; 150]);
}
