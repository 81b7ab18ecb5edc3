//! Orders by functions, against `Vec::sort_by` with the same function.

use std::cmp::Ordering;
use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};

use super::*;

type Pair = (Vec<u8>, Vec<u8>);

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

/// Runs are merged in parts, whose ends a function that contradicts itself puts before their
/// beginnings.
#[test]
fn parts_of_merges_in_an_order_that_contradicts_itself_are_errors_or_in_any_order() {
    let in_turns = |a: &[u8], b: &[u8]| a[0].wrapping_sub(b[0]).cmp(&127);
    let in_circles = |a: &[u8], b: &[u8]| match (3 + a[0] % 3 - b[0] % 3) % 3 {
        0 => Ordering::Equal,
        1 => Ordering::Less,
        _ => Ordering::Greater,
    };
    for is_in_turns in [true, false] {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(24));
        match is_in_turns {
            true => sorter.by_comparison(in_turns),
            false => sorter.by_comparison(in_circles),
        };
        let all: Vec<Pair> = numbers(5)
            .take(600_000)
            .map(|number| ((number << 17).to_be_bytes()[2..].to_vec(), vec![0; 10]))
            .collect();
        match push_all(&mut sorter, &all).and_then(|()| drained(sorter)) {
            Ok(records) => assert_eq!(records, all.len() as u64),
            Err(error) => {
                assert!(matches!(error, Error::Disorder { .. }), "{error}");
                assert!(error.to_string().contains("may contradict itself"), "{error}");
            }
        }
        assert_empty(&folder);
    }
}

#[test]
fn keys_that_a_function_does_not_tell_apart_are_folded() {
    let ignoring_case = |a: &[u8], b: &[u8]| a.to_ascii_lowercase().cmp(&b.to_ascii_lowercase());
    let words = [("b", 1), ("a", 1), ("A", 2), ("a", 4), ("C", 8), ("c", 16)];
    let by_length = |key: &[u8]| key.len() as u64;
    for is_by_prefix in [false, true] {
        for is_pushed_by_pushers in [false, true] {
            let (mut sorter, _folder) = sorter();
            match is_by_prefix {
                true => sorter.by_prefix(by_length, ignoring_case),
                false => sorter.by_comparison(ignoring_case),
            };
            if is_pushed_by_pushers {
                let mut pushers = sorter.pushers(1).expect("pushers");
                let mut pusher = pushers.remove(0);
                words.iter().for_each(|(word, count)| {
                    pusher.push(word.as_bytes(), &[*count]).expect("a push");
                });
                pusher.finish().expect("an end");
            } else {
                words.iter().for_each(|(word, count)| {
                    sorter.push(word.as_bytes(), &[*count]).expect("a push");
                });
            }
            let mut folded = sorter.finish().expect("a sort").fold(|sum, count| sum[0] += count[0]);
            let mut sums = Vec::new();
            while let Some(record) = folded.next().expect("a sum") {
                sums.push((record.key[0], record.payload[0]));
            }
            assert_eq!(sums, [(b'a', 7), (b'b', 1), (b'C', 24)], "{is_by_prefix}");
        }
    }
}

#[test]
fn runs_and_sources_are_merged_by_a_function() {
    let number = |key: &[u8]| key.len() as u64;
    for (count, is_by_prefix) in [(500, false), (400_000, false), (400_000, true)] {
        let (mut sorter, folder) = sorter();
        let mut merge = KeyedMerge::new();
        sorter.memory(ByteSize::mib(32));
        merge.temp(folder.path());
        match is_by_prefix {
            true => {
                sorter.by_prefix(number, from_the_end);
                merge.by_prefix(number, from_the_end);
            }
            false => {
                sorter.by_comparison(from_the_end);
                merge.by_comparison(from_the_end);
            }
        }
        let order = |a: &Pair, b: &Pair| {
            let by_number =
                if is_by_prefix { number(&a.0).cmp(&number(&b.0)) } else { Ordering::Equal };
            by_number.then_with(|| from_the_end(&a.0, &b.0))
        };
        let mut expected = records(count, 6);
        let mut spiller = sorter.spill_to(folder.path());
        expected.iter().for_each(|(key, payload)| spiller.push(key, payload).expect("a push"));
        let runs = spiller.finish().expect("runs");
        assert_eq!(runs.len() > 1, count == 400_000);
        runs.iter().for_each(|run| _ = merge.run(run));
        let mut source = records(1000, 7);
        source.sort_by(order);
        merge.source(source.clone().into_iter().map(Ok));
        expected.extend(source);
        expected.sort_by(order);
        let mut sorted = merge.finish().expect("a merge");
        assert!(pulled(&mut sorted) == expected, "{count} records");
        assert!(sorted.close().expect("statistics").is_order_proven);
        runs.iter().for_each(|run| std::fs::remove_file(&run.path).expect("a run"));
        assert_empty(&folder);
    }
}

#[test]
fn a_merge_without_the_function_of_its_runs_is_refused() {
    let (mut sorter, folder) = sorter();
    sorter.by_comparison(|a, b| b.cmp(a));
    let mut spiller = sorter.spill_to(folder.path());
    for key in [b"a", b"b"] {
        spiller.push(key, b"").expect("a push");
    }
    let mut merge = KeyedMerge::new();
    spiller.finish().expect("runs").iter().for_each(|run| _ = merge.run(run));
    let mut sorted = merge.finish().expect("a merge");
    let error = sorted.next().expect_err("an error");
    assert!(error.to_string().contains("out of order"), "{error}");
}

#[test]
fn a_function_that_panics_while_equal_keys_are_folded_is_an_error() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let (mut sorter, _folder) = sorter();
    sorter.by_comparison(move |a, b| {
        assert!(counted.fetch_add(1, AtomicOrdering::Relaxed) < 1000, "too many calls");
        a.cmp(b)
    });
    sorter.push(b"a", b"").expect("a push");
    sorter.push(b"b", b"").expect("a push");
    let mut folded = sorter.finish().expect("a sort").fold(|_, _| {});
    calls.store(1000, AtomicOrdering::Relaxed);
    let error = folded.next().expect_err("an error");
    assert!(error.to_string().contains("panicked: too many calls"), "{error}");
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
