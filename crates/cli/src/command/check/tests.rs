//! What is said of a disorder.

use super::*;

fn disorder(record: &[u8]) -> Disorder {
    let (record, path) = (record.to_vec(), "names".into());
    Disorder { path, record_number: 7, number_before: 6, offset: 60, record }
}

#[test]
fn a_disorder_is_named_with_its_place() {
    assert_eq!(
        sentence(&disorder(b"a\xffb\n"), false),
        "names: record 7 at offset 60 is out of order: it belongs before record 6: a\\xffb\\n"
    );
    let strict = sentence(&disorder(b"a"), true);
    assert!(strict.contains("does not belong after record 6"), "{strict}");
}

#[test]
fn long_records_are_cut_short() {
    let words = sentence(&disorder(&[b'x'; 1000]), false);
    assert!(words.ends_with("xx...") && words.len() < SHOWN_BYTES + 100, "{words}");
}
