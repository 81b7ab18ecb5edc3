//! The checksum against a CRC-32 computed bit by bit.

use super::sum_of_checksums;
use crate::{RECORD_LENGTH, RecordKind};

fn bit_by_bit(record: &[u8]) -> u32 {
    !record.iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    })
}

#[test]
fn is_the_sum_of_crc32_of_every_record() {
    assert_eq!(bit_by_bit(b"123456789"), 0xcbf4_3926, "the published check value");
    let mut bytes = vec![0; 2_000 * RECORD_LENGTH];
    RecordKind::default().fill(7, &mut bytes);
    let mut expected = 0;
    for (records, record) in bytes.chunks(RECORD_LENGTH).enumerate() {
        assert_eq!(sum_of_checksums(&bytes[..records * RECORD_LENGTH]), expected, "{records}");
        expected += u128::from(bit_by_bit(record));
        if records > 64 {
            break;
        }
    }
    let all = bytes.chunks(RECORD_LENGTH).map(|record| u128::from(bit_by_bit(record))).sum();
    assert_eq!(sum_of_checksums(&bytes), all);
}
