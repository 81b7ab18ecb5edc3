//! The verdict's words; those for real files are held to the known answers in `tests/`.

use super::Verdict;
use crate::{KeyOrder, Summary};

#[test]
fn of_no_records_is_success() {
    let verdict = Verdict::from(&Summary::of(&[], KeyOrder::Bytes));
    assert_eq!(
        verdict.to_string(),
        "Records: 0\nChecksum: 0\nDuplicate keys: 0\nSUCCESS - all records are in order"
    );
    assert_eq!(verdict.exit_code(), 0);
}

#[test]
fn of_unordered_records_names_the_first() {
    let verdict = Verdict {
        records: 1 << 70,
        checksum: 0xabc,
        duplicate_keys: 4,
        unordered: 3,
        first_unordered: Some(17),
    };
    assert_eq!(
        verdict.to_string(),
        "First unordered record is record 17\nRecords: 1180591620717411303424\nChecksum: abc\n\
         ERROR - there are 3 unordered records"
    );
    assert_eq!(verdict.exit_code(), 1);
}
