//! Several pushers, merges, runs and folds, against `Vec::sort_by`.

use super::*;

type Pair = (Vec<u8>, Vec<u8>);

/// Pushes a part of the records by each of several threads.
fn push_in_threads(pushers: Vec<Pusher>, parts: &[Vec<Pair>]) {
    thread::scope(|scope| {
        for (mut pusher, part) in pushers.into_iter().zip(parts) {
            scope.spawn(move || {
                part.iter().for_each(|(key, payload)| pusher.push(key, payload).expect("a push"));
                pusher.finish().expect("an end");
            });
        }
    });
}

#[test]
fn pushers_give_the_same_result_at_any_speed() {
    for (count, threads, mib) in [(0, 2, 256), (10, 3, 256), (60_000, 2, 256), (400_000, 3, 128)] {
        let (mut sorter, folder) = sorter();
        sorter.memory(ByteSize::mib(mib));
        let pushers = sorter.pushers(threads).expect("pushers");
        let parts: Vec<_> = (0..threads as u64).map(|seed| records(count, seed)).collect();
        push_in_threads(pushers, &parts);
        let mut expected = parts.concat();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        let mut sorted = sorter.finish().expect("a sort");
        assert!(pulled(&mut sorted) == expected, "{count} records by {threads} threads");
        let statistics = sorted.close().expect("statistics");
        assert_eq!(statistics.records, (count * threads) as u64);
        assert!(statistics.is_order_proven);
        assert_empty(&folder);
    }
}

#[test]
fn pushers_keep_the_first_of_equal_records_up_to_a_limit() {
    let (mut sorter, folder) = sorter();
    sorter.unique(Unique::First).limit(50);
    let pushers = sorter.pushers(2).expect("pushers");
    let parts = [records(5000, 1), records(5000, 2)];
    push_in_threads(pushers, &parts);
    let mut expected = parts.concat();
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    expected.dedup_by(|second, first| first.0 == second.0);
    expected.truncate(50);
    let mut sorted = sorter.finish().expect("a sort");
    assert!(pulled(&mut sorted) == expected);
    let statistics = sorted.close().expect("statistics");
    assert_eq!((statistics.records, statistics.records_selected), (10_000, Some(50)));
    assert_empty(&folder);
}

#[test]
fn runs_may_lie_in_the_current_directory() {
    let name = || {
        let mut spiller = Sorter::new().spill_to("");
        spiller.push(b"key", b"").expect("a push");
        spiller.finish().expect("a run").remove(0).path
    };
    let [first, second] = [name(), name()];
    assert!(first.is_file() && second.is_file() && first != second && first.is_relative());
    [first, second].iter().for_each(|run| std::fs::remove_file(run).expect("removed"));
}

#[test]
fn wrong_uses_of_pushers_are_errors() {
    let (mut sorter, folder) = sorter();
    let mut pushers = sorter.pushers(2).expect("pushers");
    assert!(sorter.pushers(2).is_err(), "a second time");
    assert!(sorter.push(b"key", b"").is_err(), "past the pushers");
    for record in records(100_000, 1) {
        pushers[0].push(&record.0, &record.1).expect("a push");
    }
    let left = pushers.split_off(1);
    pushers.into_iter().for_each(|pusher| pusher.finish().expect("an end"));
    drop(left);
    let error = sorter.finish().expect_err("a pusher was dropped");
    assert!(error.to_string().contains("not finished"), "{error}");
    assert_empty(&folder);

    let mut late = Sorter::new();
    late.push(b"key", b"").expect("a push");
    assert!(late.pushers(1).is_err(), "after a record");
    let mut last = Sorter::new();
    assert!(last.unique(Unique::Last).pushers(1).is_err(), "keeps the last");
}

#[test]
fn runs_are_merged_in_the_order_of_their_records() {
    let (mut sorter, folder) = sorter();
    sorter.memory(ByteSize::mib(32));
    let mut spiller = sorter.spill_to(folder.path());
    let mut expected = records(500_000, 7);
    for (key, payload) in &expected {
        spiller.push(key, payload).expect("a push");
    }
    let runs = spiller.finish().expect("runs");
    assert!(runs.len() > 2, "{runs:?}");
    assert_eq!(runs.iter().map(|run| run.records).sum::<u64>(), 500_000);
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    let mut merge = KeyedMerge::new();
    merge.temp(folder.path());
    for run in &runs {
        merge.run(run);
    }
    let mut sorted = merge.finish().expect("a merge");
    assert!(pulled(&mut sorted) == expected);
    assert!(sorted.close().expect("statistics").is_order_proven);
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, runs.len(), "the runs stay, and nothing else");
    assert!(Sorter::new().spill_to(folder.path()).finish().expect("no runs").is_empty());
    // Nothing that was pushed before is lost in silence, and no run takes the name of another.
    let mut early = Sorter::new();
    early.push(b"b", b"").expect("a push");
    let error = early.spill_to(folder.path()).finish().expect_err("a record before");
    assert!(error.to_string().contains("call spill_to first"), "{error}");
    let mut both = [(); 2].map(|()| Sorter::new().spill_to(folder.path()));
    both.iter_mut().for_each(|spiller| spiller.push(b"a", b"").expect("a push"));
    let [first, second] = both.map(|spiller| spiller.finish().expect("runs"));
    assert!(first[0].path != second[0].path && first[0].path.exists() && !runs.contains(&first[0]));
    for run in first.iter().chain(&second) {
        std::fs::remove_file(&run.path).expect("removed");
    }
}

#[test]
fn a_run_has_its_name_when_it_is_whole() {
    let (sorter, folder) = sorter();
    let names = || {
        let files = std::fs::read_dir(folder.path()).expect("a folder");
        let names = files.map(|file| file.expect("a file").file_name().into_string());
        let mut names: Vec<_> = names.map(|name| name.expect("text")).collect();
        names.sort();
        names
    };
    // Another process was killed at run 1, and a third one has made run 2.
    std::fs::write(folder.path().join(".run-1.keyed"), b"").expect("a hidden file");
    std::fs::write(folder.path().join("run-2.keyed"), b"").expect("a run");
    let mut spiller = sorter.spill_to(folder.path());
    spiller.push(b"key", b"").expect("a push");
    assert_eq!(names(), [".run-1.keyed", ".run-3.keyed", "run-2.keyed"]);
    let runs = spiller.finish().expect("runs");
    assert_eq!(runs[0].path, folder.path().join("run-3.keyed"));
    assert_eq!(names(), [".run-1.keyed", "run-2.keyed", "run-3.keyed"]);
    let mut dropped = Sorter::new().spill_to(folder.path());
    dropped.push(b"key", b"").expect("a push");
    drop(dropped);
    assert_eq!(names(), [".run-1.keyed", "run-2.keyed", "run-3.keyed"]);
}

#[test]
fn the_memory_that_many_pushers_need_is_named() {
    let (mut sorter, _folder) = sorter();
    sorter.memory(ByteSize::mib(64));
    let count = 24;
    let failed = |sorter: &mut Sorter| {
        let pushers = sorter.pushers(count).expect("pushers");
        let pushed = pushers.into_iter().map(|mut pusher| {
            (0..60_000).try_for_each(|_| pusher.push(b"key", &[0; 100]))?;
            pusher.finish()
        });
        pushed.collect::<Result<()>>().err()
    };
    let error = failed(&mut sorter).expect("too little memory");
    assert!(error.to_string().contains("too small for 24 pushers"), "{error}");
    let Some(ConfigErrorKind::BudgetTooSmall { least: Some(least) }) = error.config_kind() else {
        panic!("{error}");
    };
    let mut larger = Sorter::new();
    larger.memory(least);
    assert!(failed(&mut larger).is_none(), "{least} is enough");
    assert_eq!(larger.finish().expect("an end").close().expect("statistics").records, 1_440_000);
}

#[test]
fn a_merge_reports_what_is_wrong_with_its_sources() {
    let drained = |merge: KeyedMerge| {
        let mut sorted = merge.finish().expect("a merge");
        loop {
            match sorted.next() {
                Ok(Some(_)) => {}
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        }
    };
    let mut merge = KeyedMerge::new();
    merge.source([(b"b", b""), (b"a", b"")].map(Ok)).source([(b"c", b"")].map(Ok));
    let error = drained(merge).expect("an error");
    assert!(error.to_string().contains("source 1"), "{error}");

    let mut merge = KeyedMerge::new();
    let fails = || Err(Error::Caller { message: "the source has ended early".to_owned() });
    merge.source([Ok((b"a", b"")), fails()]).source([(b"c", b"")].map(Ok));
    let error = drained(merge).expect("an error");
    assert!(error.to_string().contains("ended early"), "{error}");

    // The error of a fold does not look like its end afterwards.
    let mut merge = KeyedMerge::new();
    merge.source([Ok((b"a", b"")), fails()]).source([(b"c", b"")].map(Ok));
    let mut folded = merge.finish().expect("a merge").fold(Vec::extend_from_slice);
    while folded.next().is_ok_and(|record| record.is_some()) {}
    assert!(folded.next().is_err(), "no end");

    assert!(drained(KeyedMerge::new()).is_none(), "no source, no record");
}

#[test]
fn folds_make_one_record_of_equal_keys() {
    for count in [0, 500, 100_000] {
        let (mut sorter, _folder) = sorter();
        let all = records(count, 3);
        pushed(&mut sorter, &all);
        let mut expected = std::collections::BTreeMap::<Vec<u8>, Vec<u8>>::new();
        for (key, payload) in all {
            expected.entry(key).or_default().extend(payload);
        }
        let mut folded = sorter.finish().expect("a sort").fold(Vec::extend_from_slice);
        let mut found = Vec::new();
        while let Some(KeyedRecord { key, payload }) = folded.next().expect("a record") {
            found.push((key.to_vec(), payload.to_vec()));
        }
        assert!(found == expected.into_iter().collect::<Vec<_>>(), "{count} records");
        assert_eq!(folded.close().expect("statistics").records, count as u64);
    }
}

/// Typed keys are written in each way of pushing; a merge of runs has the options of a sort.
#[test]
fn keys_are_written_for_pushers_and_runs_and_merges_are_limited() {
    let folder = tempfile::tempdir().expect("a folder");
    let values: Vec<i64> = numbers(5).take(3000).map(|number| number as i64).collect();
    let mut sorter = Sorter::new();
    let mut pushers = sorter.pushers(2).expect("pushers");
    let mut spiller = Sorter::new().spill_to(folder.path());
    for (at, value) in values.iter().enumerate() {
        let payload = value.to_le_bytes();
        pushers[at % 2].push_by(|key| key.desc(*value), &payload).expect("a push");
        spiller.push_by(|key| key.desc(*value), &payload).expect("a push");
    }
    pushers.into_iter().for_each(|pusher| pusher.finish().expect("an end"));
    let runs = spiller.finish().expect("runs");
    let found = |sorted: &mut Sorted| -> Vec<i64> {
        let payloads = pulled(sorted).into_iter().map(|record| record.1);
        payloads.map(|bytes| i64::from_le_bytes(bytes.try_into().expect("a number"))).collect()
    };
    let mut expected = values;
    expected.sort_by(|a, b| b.cmp(a));
    let mut sorted = sorter.finish().expect("a sort");
    assert!(found(&mut sorted) == expected);
    for (limit, threads, is_verified) in [(0, 1, true), (10, 2, false), (2999, 3, true)] {
        let mut merge = KeyedMerge::new();
        merge.limit(limit).threads(threads).verify(is_verified);
        runs.iter().for_each(|run| _ = merge.run(run));
        let mut sorted = merge.finish().expect("a merge");
        assert!(found(&mut sorted) == expected[..limit as usize], "{limit}");
        let statistics = sorted.close().expect("statistics");
        let (records, is_proven) = (statistics.records_selected, statistics.is_order_proven);
        assert_eq!((records, is_proven), (Some(limit), is_verified));
    }
    let mut merge = KeyedMerge::new();
    merge.verify(false).source([(b"b", b""), (b"a", b"")].map(Ok));
    let mut sorted = merge.finish().expect("a merge");
    let failed = (0..3).find_map(|_| sorted.next().err());
    assert!(matches!(failed, Some(Error::Malformed { .. })), "{failed:?}");
}
