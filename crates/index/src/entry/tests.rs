//! Entries come back as they were written, and their keys are in the order of whole keys.

use proptest::prelude::*;

use super::*;

/// Returns the key and the value of an entry in a file.
fn written(form: EntryForm, key: &[u8], position: u64, ordinal: u64) -> (Vec<u8>, Vec<u8>) {
    let mut payload = position.to_be_bytes().to_vec();
    write_number(&mut payload, 77);
    payload.extend_from_slice(b"columns");
    let (mut out, mut head) = (Vec::new(), Vec::new());
    let rest = form.write(key, &payload, ordinal, &mut out, &mut head);
    head.extend_from_slice(rest);
    (out, head)
}

/// Keys that end themselves with a zero, around the length at which they are cut.
fn keys() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![0..4_usize, CUT - 3..CUT + 3, CUT + 90..CUT + 93];
    (length, proptest::collection::vec(1..3_u8, 3)).prop_map(|(length, last)| {
        let mut key = vec![1; length];
        key.extend_from_slice(&last);
        key.push(0);
        key
    })
}

proptest! {
    #[test]
    fn entries_come_back(key in keys(), position: u64, is_unique: bool, ordinal: u64) {
        let form = EntryForm { is_unique };
        let (stored, value) = written(form, &key, position, ordinal);
        prop_assert!(stored.len() <= 511);
        let entry = form.read(&stored, &value).unwrap();
        prop_assert_eq!([entry.key, entry.rest].concat(), key.clone());
        prop_assert_eq!((entry.position, entry.length), (position, 77));
        prop_assert_eq!(entry.columns, b"columns");
        prop_assert_eq!(entry.ordinal, (key.len() > CUT).then_some(ordinal));
        prop_assert!(entry.compare(&key).is_eq());
    }

    #[test]
    fn stored_keys_are_in_the_order_of_keys(mut all in proptest::collection::vec(keys(), 2..20)) {
        all.sort();
        let form = EntryForm { is_unique: false };
        let numbered = (0..).zip(&all);
        let stored = numbered.map(|(number, key)| written(form, key, number, number * 600).0);
        let stored: Vec<Vec<u8>> = stored.collect();
        prop_assert!(stored.is_sorted_by(|one, other| one < other));
        for (key, other) in all.iter().zip(all.iter().rev()) {
            let (stored, value) = written(form, key, 0, 0);
            prop_assert_eq!(form.read(&stored, &value).unwrap().compare(other), key.cmp(other));
        }
    }

    #[test]
    fn bytes_that_are_no_entry_are_refused(key: Vec<u8>, value: Vec<u8>, is_unique: bool) {
        let _ = EntryForm { is_unique }.read(&key, &value);
    }

    #[test]
    fn numbers_come_back(number: u64) {
        let mut bytes = Vec::new();
        write_number(&mut bytes, number);
        prop_assert_eq!(read_number(&mut &bytes[..]), Some(number));
        prop_assert_eq!(read_number(&mut &bytes[..bytes.len() - 1]), None);
    }
}

#[test]
fn sorted_entries_are_parsed_as_far_as_they_are_whole() {
    let record = |key: &[u8], payload: &[u8]| {
        let follows = (4 + key.len() + payload.len()) as u32;
        [&follows.to_le_bytes()[..], &(key.len() as u32).to_le_bytes(), key, payload].concat()
    };
    let bytes = [record(b"key", b"payload"), record(b"", b"x"), record(b"cut", b"off")].concat();
    let mut rest = &bytes[..bytes.len() - 1];
    let mut seen = Vec::new();
    each_sorted(&mut rest, |at, key, payload| {
        seen.push((at, key.to_vec(), payload.to_vec()));
        Ok(())
    })
    .unwrap();
    let wanted = [(0, b"key".to_vec(), b"payload".to_vec()), (18, vec![], b"x".to_vec())];
    assert_eq!(seen, wanted);
    assert_eq!(rest.len(), 13);
    let mut wrong = &[1, 0, 0, 0, 9, 0, 0, 0, 0][..];
    assert!(each_sorted(&mut wrong, |_, _, _| Ok(())).is_err());
}
