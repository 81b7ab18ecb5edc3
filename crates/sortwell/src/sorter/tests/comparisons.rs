//! Orders by functions, against `Vec::sort_by` with the same function.

use std::cmp::Ordering;

use super::*;

/// Compares keys from their ends, which no prefix of theirs helps with.
fn from_the_end(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

#[test]
fn a_function_orders_records_in_memory_and_in_runs() {
    for (count, mib) in [(0, 32), (7, 32), (2000, 32), (150_000, 256), (400_000, 32)] {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(mib)).by_comparison(from_the_end);
        let mut expected = records(count, 5);
        pushed(&mut sorter, &expected);
        expected.sort_by(|a, b| from_the_end(&a.0, &b.0));
        let mut sorted = sorter.finish().expect("a sort");
        assert!(pulled(&mut sorted) == expected, "{count} records in {mib} MiB");
        let statistics = sorted.close().expect("statistics");
        assert_eq!(statistics.runs > 1, count == 400_000, "{statistics:?}");
        assert!(statistics.is_order_proven);
        assert_empty(&folder);
    }
}

#[test]
fn numbers_come_before_the_function() {
    let number = |key: &[u8]| key.len() as u64;
    for (count, mib) in [(100, 32), (400_000, 32)] {
        let (mut sorter, _folder) = sorter();
        sorter.memory(ByteSize::mib(mib)).by_prefix(number, from_the_end);
        let mut expected = records(count, 8);
        pushed(&mut sorter, &expected);
        expected.sort_by(|a, b| number(&a.0).cmp(&number(&b.0)).then(from_the_end(&a.0, &b.0)));
        assert!(pulled(&mut sorter.finish().expect("a sort")) == expected, "{count}");
    }
}

#[test]
fn equal_and_presorted_records_are_sorted_as_well() {
    let all_equal = |_: &[u8], _: &[u8]| Ordering::Equal;
    let (mut sorter, _folder) = sorter();
    sorter.by_comparison(all_equal);
    let expected = records(200_000, 1);
    pushed(&mut sorter, &expected);
    assert!(pulled(&mut sorter.finish().expect("a sort")) == expected, "all equal");

    for is_descending in [false, true] {
        let (mut sorter, _folder) = self::sorter();
        let mut records: Vec<_> = (0..200_000_u32)
            .map(|number| (number.to_be_bytes().to_vec(), b"payload of some length".to_vec()))
            .collect();
        sorter.by_comparison(move |a, b| if is_descending { b.cmp(a) } else { a.cmp(b) });
        pushed(&mut sorter, &records);
        if is_descending {
            records.reverse();
        }
        assert!(pulled(&mut sorter.finish().expect("a sort")) == records, "{is_descending}");
    }
}

#[test]
fn equal_keys_of_a_function_are_dropped_and_limited() {
    let (mut sorter, _folder) = sorter();
    sorter.by_comparison(|a, b| a.len().cmp(&b.len())).unique(Unique::Last).limit(5);
    let mut expected = records(100_000, 3);
    pushed(&mut sorter, &expected);
    expected.reverse();
    expected.sort_by_key(|record| record.0.len());
    expected.dedup_by_key(|record| record.0.len());
    expected.truncate(5);
    assert!(pulled(&mut sorter.finish().expect("a sort")) == expected);
}

#[test]
fn functions_that_panic_or_contradict_themselves_end_in_errors_or_any_order() {
    for count in [100, 200_000] {
        let (mut sorter, folder) = sorter();
        sorter.by_comparison(|_, _| panic!("cannot compare"));
        let all = records(count, 2);
        let end = push_all(&mut sorter, &all).and_then(|()| drained(sorter));
        let error = end.expect_err("an error");
        assert!(error.to_string().contains("panicked: cannot compare"), "{error}");
        assert_empty(&folder);

        for answer in [Ordering::Less, Ordering::Greater] {
            let (mut sorter, folder) = self::sorter();
            sorter.by_comparison(move |_, _| answer);
            match push_all(&mut sorter, &all).and_then(|()| drained(sorter)) {
                Ok(records) => assert_eq!(records, count as u64),
                Err(error) => assert!(matches!(error, Error::Disorder { .. }), "{error}"),
            }
            assert_empty(&folder);
        }
    }
}

fn push_all(sorter: &mut Sorter, records: &[(Vec<u8>, Vec<u8>)]) -> Result<()> {
    records.iter().try_for_each(|(key, payload)| sorter.push(key, payload))
}

fn drained(sorter: Sorter) -> Result<u64> {
    let mut sorted = sorter.finish()?;
    let mut records = 0;
    while sorted.next()?.is_some() {
        records += 1;
    }
    assert_eq!(sorted.close()?.records, records);
    Ok(records)
}
