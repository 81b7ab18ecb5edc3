//! Records pushed and pulled, against `Vec::sort_by`, and callers who leave early.

mod comparisons;
mod failures;
mod grammar;
mod passes;
mod random;

use super::*;

/// Numbers that look random, the same each time (a linear congruential generator; Knuth, TAOCP
/// vol. 2, section 3.3.4).
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let next = |before: &u64| {
        Some(before.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
    };
    std::iter::successors(Some(seed), next).map(|number| number >> 33)
}

/// Returns `count` records whose keys often agree, with payloads that tell them apart.
fn records(count: usize, seed: u64) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut numbers = numbers(seed);
    let mut next = |below: u64| numbers.next().expect("no end") % below;
    let mut record = |number: usize| {
        let length = next(12) as usize;
        let key = (0..length).map(|_| [0, 1, b'a', 255][next(4) as usize]).collect();
        let mut payload = number.to_be_bytes().to_vec();
        payload.resize(8 + next(60) as usize, b'p');
        (key, payload)
    };
    (0..count).map(&mut record).collect()
}

fn pushed(sorter: &mut Sorter, records: &[(Vec<u8>, Vec<u8>)]) {
    for (number, (key, payload)) in records.iter().enumerate() {
        if number % 3 == 0 {
            let place = sorter.reserve(key.len(), payload.len()).expect("room");
            place.key.copy_from_slice(key);
            place.payload.copy_from_slice(payload);
        } else {
            sorter.push(key, payload).expect("a push");
        }
    }
}

fn pulled(sorted: &mut Sorted) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut records = Vec::new();
    while let Some(KeyedRecord { key, payload }) = sorted.next().expect("a record") {
        records.push((key.to_vec(), payload.to_vec()));
    }
    records
}

/// Returns a sorter with a folder of its own for temporary files.
fn sorter() -> (Sorter, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut sorter = Sorter::new();
    sorter.temp(folder.path()).threads(2);
    (sorter, folder)
}

fn assert_empty(folder: &tempfile::TempDir) {
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "files are left");
}

#[test]
fn records_come_back_in_a_stable_order() {
    for (count, mib) in [(0, 32), (1, 32), (7, 32), (2000, 32), (40_000, 256), (600_000, 32)] {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(mib));
        let mut expected = records(count, 5);
        pushed(&mut sorter, &expected);
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sorted = sorter.finish().expect("a sort");
        assert!(pulled(&mut sorted) == expected, "{count} records in {mib} MiB");
        assert_eq!(sorted.next().expect("the end again"), None);
        let statistics = sorted.close().expect("statistics");
        assert_eq!(statistics.records, count as u64);
        assert_eq!(statistics.runs > 1, count == 600_000, "{statistics:?}");
        assert!(statistics.is_order_proven && statistics.proof.is_some());
        assert_empty(&folder);
    }
}

#[test]
fn records_longer_than_blocks_are_joined() {
    let (mut sorter, folder) = sorter();
    let mut expected = records(50, 9);
    for (number, (_, payload)) in expected.iter_mut().enumerate() {
        payload.resize(1 + number * 100_000, b'x');
    }
    pushed(&mut sorter, &expected);
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sorted = sorter.finish().expect("a sort");
    assert!(pulled(&mut sorted) == expected);
    drop(sorted);
    assert_empty(&folder);
}

/// One record makes up almost all bytes of a block. The plan of a block knows the average alone.
#[test]
fn one_record_may_be_longer_than_all_others_of_a_block() {
    for longest in [300_000, 600_000, 800_000, 1_000_000, 1_030_000] {
        for count in (2..1000_u32).step_by(7) {
            let mut sorter = Sorter::new();
            for number in 0..count {
                let bytes = if number == count / 2 { longest } else { 0 };
                sorter.push(&number.to_be_bytes(), &vec![0; bytes]).expect("a push");
            }
            let sorted = sorter.finish().unwrap_or_else(|error| {
                panic!("{count} records, the longest of {longest} bytes: {error}")
            });
            assert_eq!(sorted.close().expect("statistics").records, u64::from(count));
        }
    }
}

/// Long records lie in two blocks, and parts of blocks are taken.
#[cfg(feature = "unstable")]
#[test]
fn some_records_at_a_time_are_whole() {
    for (length, count, most) in [(18, 300_000, 1000), (18, 300_000, usize::MAX), (700_001, 9, 2)] {
        let mut job = job::SortJob::new(Vec::new(), Output::Stdout, Format::Fixed { length });
        job.keys = vec!["0..8".parse().expect("a key")];
        let length = length as usize;
        let mut expected: Vec<Vec<u8>> = (numbers(3).take(count))
            .map(|number| number.to_be_bytes().into_iter().cycle().take(length).collect())
            .collect();
        let mut sort = BlockSort::new(job, Arc::default());
        expected.iter().for_each(|record| sort.push(record).expect("a push"));
        expected.sort();
        let mut records = in_order::RecordsInOrder::of_sort(sort).expect("a sort");
        let mut found = Vec::new();
        while records.advance_some(most).expect("some records") {
            let some = records.lent();
            assert!(
                !some.is_empty()
                    && some.len().is_multiple_of(length)
                    && some.len() / length <= most
            );
            found.extend(some.chunks_exact(length).map(<[u8]>::to_vec));
        }
        assert!(found == expected, "{count} records of {length} bytes");
        records.close().expect("statistics");
    }
}

/// Pieces of all lengths are pushed, long ones to the memory of the sort itself. What comes out is
/// taken in blocks of their own, or one by one.
#[cfg(feature = "unstable")]
#[test]
fn long_pieces_are_pushed_and_whole_blocks_taken() {
    let steps = [1_usize, 99_999, 400_000, 1_300_000, 7, 5_500_000, 2, 4_600_000];
    for (length, bytes, memory) in
        [(18, 9_000_000, 256), (18, 60_000_000, 32), (100, 500_000, 256), (300_001, 7_000_000, 64)]
    {
        let format = Format::Fixed { length };
        let mut job = job::SortJob::new(Vec::new(), Output::Stdout, format);
        job.keys = vec!["0..8".parse().expect("a key")];
        job.memory = Budget::Bytes(ByteSize::mib(memory));
        let length = length as usize;
        let records: Vec<Vec<u8>> = (numbers(3).take(bytes / length))
            .map(|number| number.to_be_bytes().into_iter().cycle().take(length).collect())
            .collect();
        let data = records.concat();
        let mut sort = BlockSort::new(job, Arc::default());
        let mut start = 0;
        for (number, step) in steps.iter().cycle().enumerate() {
            let rest = data.len() - start;
            match number % 2 {
                0 => sort.push(&data[start..start + step.min(&rest)]).expect("a push"),
                _ => {
                    let piece = &data[start..start + step.min(&rest) / length * length];
                    let write = |range: std::ops::Range<usize>, to: &mut [u8]| {
                        to.copy_from_slice(&piece[range.start * length..range.end * length]);
                    };
                    sort.push_records(length, piece.len() / length, write).expect("a push");
                    start += piece.len();
                    continue;
                }
            }
            start += step.min(&rest);
            if start == data.len() {
                break;
            }
        }
        let mut sorted = in_order::RecordsInOrder::of_sort(sort).expect("a sort");
        let (mut found, mut blocks) = (Vec::new(), 0);
        for number in 0.. {
            if number % 3 > 0
                && let Some(block) = sorted.take_block(1).expect("a block")
            {
                assert!(block.len().is_multiple_of(length), "whole records");
                found.extend_from_slice(&block);
                blocks += 1;
            } else if sorted.advance().expect("a record") {
                found.extend_from_slice(sorted.lent());
            } else {
                break;
            }
        }
        let mut expected = records;
        expected.sort();
        assert!(found == expected.concat(), "{length} bytes within {memory} MiB");
        // Records of more than a quarter of a block are copied to blocks that end anywhere.
        assert!(blocks > 0 || length > 1 << 18 || bytes < 1 << 20, "{length}: {blocks} blocks");
        sorted.close().expect("statistics");
    }
}

#[test]
fn equal_keys_can_be_dropped_and_results_limited() {
    for count in [500, 100_000] {
        let (mut sorter, _folder) = sorter();
        sorter.unique(Unique::First).limit(100);
        let mut expected = records(count, 3);
        pushed(&mut sorter, &expected);
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        expected.dedup_by(|second, first| first.0 == second.0);
        expected.truncate(100);
        assert!(pulled(&mut sorter.finish().expect("a sort")) == expected, "{count}");
    }
}

#[test]
fn a_small_budget_is_an_error_that_names_it() {
    let (mut sorter, folder) = sorter();
    sorter.memory(ByteSize::mib(1));
    let mut failed = None;
    for record in records(200_000, 1) {
        if let Err(error) = sorter.push(&record.0, &record.1) {
            failed = Some(error);
            break;
        }
    }
    let error = failed.expect("an error while records are pushed");
    assert!(error.to_string().contains("too small"), "{error}");
    // Nothing that is pushed later is taken for the whole input.
    assert!(matches!(sorter.push(b"later", b""), Err(Error::Interrupted)));
    assert!(matches!(sorter.finish(), Err(Error::Interrupted)));
    assert_empty(&folder);
}

#[test]
fn options_that_are_set_too_late_are_errors() {
    let (mut sorter, _folder) = sorter();
    sorter.push(b"key", b"").expect("a push");
    sorter.limit(1);
    for error in [sorter.push(b"key", b"").err(), sorter.finish().err()] {
        let error = error.expect("an error");
        assert!(error.to_string().contains("set options first"), "{error}");
    }
    let mut sorter = Sorter::new();
    let pushers = sorter.pushers(1).expect("pushers");
    let error = sorter.limit(1).pushers(1).expect_err("an option after pushers");
    assert!(error.to_string().contains("after pushers were made"), "{error}");
    drop(pushers);
}

#[test]
fn callers_who_leave_early_leave_nothing_behind() {
    for pulls in [None, Some(0), Some(1000)] {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(32));
        pushed(&mut sorter, &records(600_000, 2));
        let Some(pulls) = pulls else {
            drop(sorter);
            assert_empty(&folder);
            continue;
        };
        let mut sorted = sorter.finish().expect("a sort");
        for _ in 0..pulls {
            assert!(sorted.next().expect("a record").is_some());
        }
        drop(sorted);
        assert_empty(&folder);
    }
}

#[test]
fn the_rest_is_proven_when_a_sort_is_closed_early() {
    let (mut sorter, folder) = sorter();
    pushed(&mut sorter, &records(100_000, 4));
    let mut sorted = sorter.finish().expect("a sort");
    assert!(sorted.next().expect("a record").is_some());
    assert_eq!(sorted.close().expect("statistics").records, 100_000);
    assert_empty(&folder);
}

#[test]
fn a_stop_reaches_both_sides() {
    let mut small = Sorter::new();
    let progress = small.progress();
    pushed(&mut small, &records(10, 6));
    let mut small = small.finish().expect("sorted");
    assert!(small.next().expect("a record").is_some());
    progress.request_stop();
    assert!(matches!(small.next(), Err(Error::Interrupted)) && small.close().is_err());

    let mut stopped = Sorter::new();
    stopped.push(b"key", b"").expect("a push");
    stopped.progress().request_stop();
    assert!(matches!(stopped.push(b"key", b""), Err(Error::Interrupted)));
    assert!(matches!(stopped.finish(), Err(Error::Interrupted)));

    let (mut sorter, folder) = sorter();
    pushed(&mut sorter, &records(100_000, 6));
    let progress = sorter.progress();
    let mut sorted = sorter.finish().expect("a sort");
    progress.request_stop();
    let end = loop {
        match sorted.next() {
            Ok(Some(_)) => {}
            other => break other.err(),
        }
    };
    assert!(matches!(end, Some(Error::Interrupted)), "{end:?}");
    assert!(matches!(sorted.next(), Err(Error::Interrupted)), "again");
    drop(sorted);
    assert_empty(&folder);
}

#[test]
fn many_sorters_live_and_go() {
    let open = || std::fs::read_dir("/proc/self/fd").expect("a list").count();
    let before = open();
    for seed in 0..200 {
        let (mut sorter, _folder) = sorter();
        let mut expected = records(30, seed);
        pushed(&mut sorter, &expected);
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        assert!(pulled(&mut sorter.finish().expect("a sort")) == expected);
    }
    // Other tests open files meanwhile, but not hundreds.
    assert!(open() < before + 100, "descriptors are left open");
}

#[test]
fn sorters_and_results_can_be_sent() {
    const fn is_send<T: Send>() {}
    is_send::<Sorter>();
    is_send::<Sorted>();
}
