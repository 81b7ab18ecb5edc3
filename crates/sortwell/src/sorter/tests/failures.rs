//! Causes of failed sorts, which reach the caller whichever thread finds them.

use std::sync::atomic::{AtomicUsize, Ordering as AtomicOrdering};

use super::*;

/// Takes records until there is no other, and returns the error that ends them.
fn end_of(sorter: Sorter) -> Option<Error> {
    let mut sorted = match sorter.finish() {
        Ok(sorted) => sorted,
        Err(error) => return Some(error),
    };
    loop {
        match sorted.next() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => return Some(error),
        }
    }
}

/// Pushes `count` records by each of two pushers, one after the other.
fn push_by_two(sorter: &mut Sorter, count: usize) {
    for (mut pusher, mark) in sorter.pushers(2).expect("pushers").into_iter().zip(0..) {
        for number in numbers(mark).take(count) {
            let mut key = number.to_be_bytes().to_vec();
            key.push(mark as u8);
            pusher.push(&key, &[1; 50]).expect("a push");
        }
        pusher.finish().expect("an end");
    }
}

#[test]
fn a_merge_of_pushers_that_fails_after_the_limit_is_an_error() {
    for (count, limit) in [(500, 100), (60_000, 1), (60_000, 1000), (60_000, 119_999)] {
        let (mut sorter, folder) = sorter();
        let calls = AtomicUsize::new(0);
        // Only the merge compares keys of two pushers.
        sorter.limit(limit).by_comparison(move |a, b| {
            let is_merge = a.last() != b.last();
            let is_first = !is_merge || calls.fetch_add(1, AtomicOrdering::Relaxed) == 0;
            assert!(is_first, "no further comparison");
            a.cmp(b)
        });
        push_by_two(&mut sorter, count);
        let end = end_of(sorter);
        let error = end.unwrap_or_else(|| panic!("{limit} of {count} records, and no error"));
        assert!(error.to_string().contains("no further comparison"), "{error}");
        assert_empty(&folder);
    }
}

#[test]
fn a_limit_of_pushers_ends_their_sorts() {
    for limit in [0, 1, 1000, 119_999, 120_000, 120_001] {
        let (mut sorter, folder) = sorter();
        sorter.limit(limit).by_comparison(Ord::cmp);
        push_by_two(&mut sorter, 60_000);
        let progress = sorter.progress();
        let mut sorted = sorter.finish().expect("a sort");
        assert_eq!(pulled(&mut sorted).len() as u64, limit.min(120_000));
        assert!(!progress.is_stopping(), "no one asked for a stop");
        sorted.close().expect("statistics");
        assert_empty(&folder);
    }
}

#[test]
fn the_cause_is_returned_and_not_that_others_have_stopped() {
    for round in 0..6 {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(24)).unique(Unique::Error);
        let twice = 50_000 * round;
        let end = (0..300_000_u32).try_for_each(|number| {
            let number = if number == 299_999 { twice } else { number };
            sorter.push(&number.wrapping_mul(2_654_435_761).to_be_bytes(), &[7; 20])
        });
        let error = end.err().or_else(|| end_of(sorter)).expect("an error");
        assert!(!matches!(error, Error::Interrupted), "{error}");
        assert_empty(&folder);
    }
}

#[test]
fn the_error_of_a_source_is_returned_to_the_caller() {
    for _ in 0..20 {
        let fails = || Err(Error::Caller { message: "the source is gone".to_owned() });
        let records = (0..50_000_u32).map(|number| Ok((number.to_be_bytes(), [0; 40])));
        let mut merge = KeyedMerge::new();
        merge.source(records.clone().chain(std::iter::once_with(fails)));
        merge.source(records);
        let mut sorted = merge.finish().expect("a merge");
        let error = loop {
            match sorted.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("a source has failed"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("the source is gone"), "{error}");
    }
}

#[test]
fn all_pushers_learn_that_one_was_dropped() {
    for count in [10, 60_000] {
        let (mut sorter, folder) = sorter();
        let [mut dropped, mut pushing, ending] =
            <[Pusher; 3]>::try_from(sorter.pushers(3).expect("pushers")).expect("three");
        for record in records(count, 1) {
            dropped.push(&record.0, &record.1).expect("a push");
            pushing.push(&record.0, &record.1).expect("a push");
        }
        drop(dropped);
        let ends = [pushing.push(b"key", b"").err(), ending.finish().err(), end_of(sorter)];
        for error in ends {
            let error = error.expect("an error");
            assert!(error.to_string().contains("a pusher was not finished"), "{error}");
        }
        drop(pushing);
        assert_empty(&folder);
    }
}

#[test]
fn a_run_that_was_cut_off_is_an_error() {
    let (sorter, folder) = sorter();
    let mut spiller = sorter.spill_to(folder.path());
    for number in 0..1000_u32 {
        spiller.push(&number.to_be_bytes(), b"12345678").expect("a push");
    }
    let run = spiller.finish().expect("runs").remove(0);
    let whole = std::fs::read(&run.path).expect("a run");
    let merged = |bytes: &[u8], others: u32| {
        std::fs::write(&run.path, bytes).expect("written");
        let mut merge = KeyedMerge::new();
        merge.source((0..others).map(|number| Ok((number.to_be_bytes(), b""))));
        merge.run(&run).run(&run);
        let mut sorted = merge.finish()?;
        while sorted.next()?.is_some() {}
        sorted.close()
    };
    for others in [0, 2000] {
        let records = merged(&whole, others).expect("a merge").records;
        assert_eq!(records, 2000 + u64::from(others));
        for lost in [20, 200, 19_980, 20_000] {
            let error = merged(&whole[..whole.len() - lost], others).expect_err("records are lost");
            let Error::Malformed { path, message } = &error else { panic!("{error}") };
            assert_eq!(path, &run.path);
            let found = format!("it has {} records, and had 1000", 1000 - lost / 20);
            assert!(message.to_string().contains(&found), "{message}");
        }
    }
    let twice = merged(&[&whole[..], &whole[whole.len() - 20..]].concat(), 0);
    assert!(matches!(twice, Err(Error::Malformed { .. })), "{twice:?}");
}

/// A sort of few records needs the memory of its merge; a sort of many that of the pushers, too.
#[test]
fn the_memory_that_errors_of_pushers_name_is_enough() {
    for count in [1, 2, 4] {
        for (records, bytes) in [(1000, 100), (40_000, 100), (12, 3_000_000)] {
            let mut memory = ByteSize::mib(8);
            let sort = |memory| {
                let (mut sorter, _folder) = sorter();
                sorter.memory(memory);
                for mut pusher in sorter.pushers(count)? {
                    numbers(3)
                        .take(records)
                        .try_for_each(|key| pusher.push(&key.to_be_bytes(), &vec![7; bytes]))?;
                    pusher.finish()?;
                }
                let mut sorted = sorter.finish()?;
                while sorted.next()?.is_some() {}
                sorted.close()
            };
            let mut said = Vec::new();
            let statistics = loop {
                let error = match sort(memory) {
                    Ok(statistics) => break statistics,
                    Err(error) => error,
                };
                said.push(error.to_string());
                let least = match &error {
                    Error::BudgetExceeded { least: Some(least), .. } => *least,
                    error => match error.config_kind() {
                        Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) => least,
                        _ => panic!("{count} pushers, {records} records: {said:?}"),
                    },
                };
                assert!(least > memory && said.len() <= 3, "{count} pushers: {said:?}");
                memory = least;
            };
            assert_eq!(statistics.records, (count * records) as u64);
            assert_eq!(statistics.memory_budget, memory);
        }
    }
}

#[test]
fn a_place_for_a_record_that_memory_has_no_room_for_is_refused() {
    let (mut sorter, _folder) = sorter();
    sorter.memory(ByteSize::mib(32));
    sorter.reserve(4, 2 << 20).map(drop).expect_err("more than a sixteenth");
    let error = sorter.reserve(4, 700 << 20).map(drop).expect_err("far more than there is");
    let Error::BudgetExceeded { least: Some(least), .. } = error else { panic!("{error}") };
    assert!(least > ByteSize::mib(700), "{error}");
    sorter.reserve(4, 2_000_000).expect("a place").key.fill(1);
    sorter.push(b"a", &[0; 3 << 20]).expect("a push takes longer records");
    let mut sorted = sorter.finish().expect("a sort");
    assert_eq!(
        sorted.next().expect("a record").map(|record| record.payload.len()),
        Some(2_000_000)
    );
    assert_eq!(sorted.next().expect("a record").map(|record| record.key), Some(&b"a"[..]));
}

#[test]
fn messages_show_keys_and_not_how_records_are_framed() {
    for count in [10, 100_000] {
        let (mut sorter, _folder) = sorter();
        sorter.unique(Unique::Error);
        for number in 0..count {
            sorter.push(format!("{number:06}").as_bytes(), b"payload").expect("a push");
        }
        sorter.push(b"000003", b"again").expect("a push");
        let error = end_of(sorter).expect("an error").to_string();
        assert!(error.contains("'000003'") && !error.contains("again"), "{error}");
    }
}
