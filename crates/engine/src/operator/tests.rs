//! Selections against what a single loop over all records says.

use std::cmp::Ordering;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};

use super::*;
use crate::io::{Direct, Engine, File};
use crate::order::OrderProof;
use crate::proof::Sum;
use crate::sink::{FileSink, Sink};
use crate::stats::Progress;

const GRANULE: usize = 4096;

fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.first() == b.first()
}

/// What is to be written of sorted lines.
fn expected(lines: &[Vec<u8>], select: &Select) -> Vec<u8> {
    let groups: Vec<&[Vec<u8>]> = match select.groups() {
        true => lines.chunk_by(|a, b| is_same(a, b)).collect(),
        false => lines.chunks(1).collect(),
    };
    let limit = select.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut out = Vec::new();
    for group in groups.into_iter().skip(select.skip as usize).take(limit) {
        if select.count {
            out.extend(format!("{:7} ", group.len()).bytes());
        }
        let kept = if select.unique == Some(Unique::Last) { group.last() } else { group.first() };
        out.extend(kept.unwrap());
    }
    out
}

/// What is written here is in order by construction.
static ORDER: LazyLock<OrderProof> = LazyLock::new(|| OrderProof::of_output(true));

fn compare(a: &[u8], b: &[u8]) -> Ordering {
    if is_same(a, b) { Ordering::Equal } else { Ordering::Less }
}

/// What tasks write to a file.
fn target(sink: &Sink) -> SelectionTarget<'_> {
    let (note, kept) = (&|_: u64, _: &[u8]| (), KeptMemory::default());
    SelectionTarget { sink, compare: &compare, order: &ORDER, note, kept }
}

/// Writes lines in tasks of `per_task`, by some workers.
fn written(lines: &[Vec<u8>], per_task: usize, select: &Select) -> Result<(Vec<u8>, Selected)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let file = File::create(&path, Direct::Auto).unwrap();
    let sink = Sink::File(FileSink::growing(Arc::clone(&file), GRANULE));
    let selection = Selection::last(select.clone(), Arc::default(), 0, true);
    let progress = Progress::new();
    let lane = || crate::sink::tests::lane(Engine::Auto, (2 * GRANULE, 0, GRANULE), &progress);
    let tasks: Vec<&[Vec<u8>]> = lines.chunks(per_task.max(1)).collect();
    // Two stages: the second goes on where the first has ended.
    for stage in [&tasks[..tasks.len() / 2], &tasks[tasks.len() / 2..]] {
        let next = AtomicUsize::new(0);
        selection.begin_stage();
        let work = || {
            let mut lane = lane();
            loop {
                let task = next.fetch_add(1, Relaxed);
                if task >= stage.len() || selection.is_full() {
                    return lane.flush();
                }
                let produce = |writer: &mut GroupWriter<'_, '_>| {
                    stage[task].iter().try_for_each(|line| writer.take(line))
                };
                selection.write(target(&sink), &mut lane, task, produce)?;
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
            let ended = workers.into_iter().map(|worker| worker.join().unwrap());
            let mut failed: Vec<_> = ended.filter_map(Result::err).collect();
            failed.sort_by_key(|e| matches!(e, crate::Error::Interrupted));
            failed.into_iter().next().map_or(Ok(()), Err)
        })?;
    }
    let mut lane = lane();
    let selected = selection.finish(target(&sink), &mut lane).unwrap();
    lane.flush().unwrap();
    sink.assert_whole();
    file.set_len(selected.end).unwrap();
    Ok((std::fs::read(path).unwrap(), selected))
}

fn lines(count: usize, per_key: usize) -> Vec<Vec<u8>> {
    let line = |number: usize| {
        let mut line = vec![b'a' + (number / per_key % 26) as u8];
        line.extend(number.to_string().bytes());
        line.extend(std::iter::repeat_n(b'.', number * 7919 % 90));
        line.push(b'\n');
        line
    };
    (0..count).map(line).collect()
}

const UNIQUES: [Option<Unique>; 3] = [None, Some(Unique::First), Some(Unique::Last)];

#[test]
fn selections_are_those_of_a_single_loop() {
    for (count, per_key) in [(0, 1), (1, 1), (5, 9), (2000, 1), (2000, 3), (3000, 700)] {
        let lines = lines(count, per_key);
        let mut all = Sum::default();
        lines.iter().for_each(|line| all.add_record(line));
        for per_task in [1, 3, 50, 1000, 5000] {
            let limits = [None, Some(0), Some(1), Some(7), Some(1500)];
            for (unique, limit) in UNIQUES.iter().flat_map(|u| limits.map(|limit| (*u, limit))) {
                let count = unique.is_some() && per_key > 2;
                let skip = if limit == Some(7) || per_key == 3 { per_task as u64 } else { 0 };
                let select = Select { unique, count, skip, limit, ..Select::default() };
                if select.is_all() {
                    continue;
                }
                let (found, selected) = written(&lines, per_task, &select).unwrap();
                let expected = expected(&lines, &select);
                assert!(found == expected, "{select:?}, {count} lines, {per_task} a task");
                let ends = expected.iter().filter(|byte| **byte == b'\n').count();
                assert_eq!(selected.records, ends as u64);
                assert!(select.is_partial() || selected.sum == all, "{select:?}");
            }
        }
    }
}

#[test]
fn the_first_duplicate_is_named_whatever_the_tasks() {
    let lines = lines(500, 1); // letters, over and over
    let select = Select { unique: Some(Unique::Error), ..Select::default() };
    for per_task in [1, 7, 1000] {
        assert!(written(&lines, per_task, &select).unwrap().0 == lines.concat());
        let mut twice = lines.clone();
        for place in [300, 201, 200, 26] {
            twice.insert(place, [&lines[place - 1][..1], b"!\n"].concat());
            let said = written(&twice, per_task, &select).unwrap_err().to_string();
            assert!(said.contains(&format!("record {} of", place + 1)), "{place}: {said}");
            // What comes behind the last that is wanted does not matter.
            let limited = Select { limit: Some(place as u64 - 1), ..select.clone() };
            assert_eq!(written(&twice, per_task, &limited).unwrap().1.records, place as u64 - 1);
            let limited = Select { limit: Some(place as u64), ..select.clone() };
            assert!(written(&twice, per_task, &limited).is_err());
        }
    }
}

#[test]
fn records_longer_than_a_buffer_are_written_whole() {
    let long = |key: u8, length| [vec![key; length], vec![b'\n']].concat();
    let lines = vec![long(b'a', 10), long(b'a', 50_000), long(b'b', 90_000), long(b'c', 3)];
    for select in [
        Select { unique: Some(Unique::First), ..Select::default() },
        Select { unique: Some(Unique::Last), skip: 1, ..Select::default() },
        Select { count: true, ..Select::default() },
        Select { skip: 1, limit: Some(2), ..Select::default() },
    ] {
        for per_task in [1, 4] {
            let (found, selected) = written(&lines, per_task, &select).unwrap();
            assert!(found == expected(&lines, &select), "{select:?}");
            let longest = found.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len).max();
            assert!(selected.longest_bytes >= longest.unwrap() as u64, "{select:?}");
        }
    }
}

#[test]
fn a_task_that_fails_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(&folder.path().join("out"), Direct::Auto).unwrap();
    let sink = Sink::File(FileSink::growing(file, GRANULE));
    let select = Select { unique: Some(Unique::First), ..Select::default() };
    let selection = Selection::last(select, Arc::default(), 0, true);
    let progress = Progress::new();
    let lane = || crate::sink::tests::lane(Engine::Auto, (2 * GRANULE, 0, GRANULE), &progress);
    std::thread::scope(|scope| {
        let waiting = scope
            .spawn(|| selection.write(target(&sink), &mut lane(), 1, |writer| writer.take(b"b\n")));
        let failed = selection.write(target(&sink), &mut lane(), 0, |_| {
            Err(crate::Error::config(ConfigErrorKind::Other, "no"))
        });
        assert!(matches!(failed, Err(crate::Error::Config(_))));
        assert!(matches!(waiting.join().unwrap(), Err(crate::Error::Interrupted)));
    });
}

/// Sums over tasks of any size, with an account that holds for every record.
#[test]
fn folds_are_those_of_a_single_loop() {
    let row = |number: u32| format!("{},{}\n", number / 7, number * number % 101).into_bytes();
    let rows: Vec<Vec<u8>> = (0..2000).map(row).collect();
    let is_same =
        |a: &[u8], b: &[u8]| a.split(|b| *b == b',').next() == b.split(|b| *b == b',').next();
    let select =
        Select { folds: vec![FoldSpec::read(Function::Sum, "2").unwrap()], ..Select::default() };
    let layout = RecordForm::of(Format::CSV, None);
    let making = Arc::new(Making::new(&select, FoldInput::of(layout)).unwrap());
    let mut expected = Vec::new();
    for group in (0..2000_u32).collect::<Vec<_>>().chunk_by(|a, b| a / 7 == b / 7) {
        let sum: u32 = group.iter().map(|number| number * number % 101).sum();
        expected.extend(format!("{},{sum}\n", group[0] / 7).into_bytes());
    }
    let mut all = Sum::default();
    rows.iter().for_each(|row| all.add_record(row));
    for per_task in [1, 5, 333, 5000] {
        // Folded into a run first, and that then into the output.
        let mut left = rows.clone();
        let mut account = Sum::default();
        for is_last in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("out");
            let file = File::create(&path, Direct::Auto).unwrap();
            let sink = Sink::File(FileSink::growing(Arc::clone(&file), GRANULE));
            let (select, making) = (select.clone(), Arc::clone(&making));
            let selection = match is_last {
                true => Selection::last(select, making, 0, true),
                false => Selection::early(select, making, true),
            };
            let progress = Progress::new();
            let sizes = (2 * GRANULE, 0, GRANULE);
            let mut lane = crate::sink::tests::lane(Engine::Auto, sizes, &progress);
            let compare = |a: &[u8], b: &[u8]| match is_same(a, b) {
                true => Ordering::Equal,
                false => Ordering::Less,
            };
            let target = SelectionTarget { compare: &compare, ..target(&sink) };
            for (task, rows) in left.chunks(per_task).enumerate() {
                let produce = |writer: &mut GroupWriter<'_, '_>| {
                    rows.iter().try_for_each(|row| writer.take(row))
                };
                selection.write(target, &mut lane, task, produce).unwrap();
            }
            let selected = selection.finish(target, &mut lane).unwrap();
            lane.flush().unwrap();
            file.set_len(selected.end).unwrap();
            let found = std::fs::read(path).unwrap();
            assert!(found == expected, "{per_task} a task");
            account.add(selected.sum);
            left = found.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        }
        assert_eq!(account, all);
    }
}

#[test]
fn a_sum_of_the_key_is_refused() {
    let select =
        Select { folds: vec![FoldSpec::read(Function::Sum, "1").unwrap()], ..Select::default() };
    let layout = RecordForm::Lines { separator: Some(b',') };
    let making = Making::new(&select, FoldInput::of(layout)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(&folder.path().join("out"), Direct::Auto).unwrap();
    let sink = Sink::File(FileSink::growing(file, GRANULE));
    let progress = Progress::new();
    let mut lane = crate::sink::tests::lane(Engine::Auto, (2 * GRANULE, 0, GRANULE), &progress);
    let selection = Selection::last(select, Arc::new(making), 0, true);
    let rows = |writer: &mut GroupWriter<'_, '_>| {
        [b"1,x\n", b"1,y\n", b"2,z\n"].iter().try_for_each(|row| writer.take(*row))
    };
    let said = selection.write(target(&sink), &mut lane, 0, rows).unwrap_err().to_string();
    assert!(said.contains("sum 1 would change the key"), "{said}");
}

/// A record whose number cannot be read is a fault where its group is wanted, however the records
/// are divided into tasks.
#[test]
fn a_fault_after_all_that_is_wanted_is_none() {
    let select = Select {
        folds: vec![FoldSpec::read(Function::Sum, "2").unwrap()],
        limit: Some(1),
        ..Select::default()
    };
    let layout = RecordForm::Lines { separator: Some(b',') };
    let making = Arc::new(Making::new(&select, FoldInput::of(layout)).unwrap());
    let compare = |a: &[u8], b: &[u8]| a[0].cmp(&b[0]);
    let cases: [(&[&[u8]], bool); 4] = [
        (&[b"a,1\n", b"a,2\n", b"b,x\n"], true),
        (&[b"a,1\n", b"a,2\n", b"a,x\n"], false),
        (&[b"a,x\n", b"b,1\n"], false),
        (&[b"a,1\n", b"b,x\n", b"b,1\n"], true),
    ];
    for (rows, is_good) in cases {
        for per_task in 1..=rows.len() {
            let folder = tempfile::tempdir().unwrap();
            let file = File::create(&folder.path().join("out"), Direct::Auto).unwrap();
            let sink = Sink::File(FileSink::growing(file, GRANULE));
            let progress = Progress::new();
            let sizes = (2 * GRANULE, 0, GRANULE);
            let mut lane = crate::sink::tests::lane(Engine::Auto, sizes, &progress);
            let selection = Selection::last(select.clone(), Arc::clone(&making), 0, true);
            let target = SelectionTarget { compare: &compare, ..target(&sink) };
            let written = rows.chunks(per_task).enumerate().try_for_each(|(task, rows)| {
                let produce = |writer: &mut GroupWriter<'_, '_>| {
                    rows.iter().try_for_each(|row| writer.take(row))
                };
                selection.write(target, &mut lane, task, produce)
            });
            let written = written.and_then(|()| selection.finish(target, &mut lane));
            assert_eq!(written.is_ok(), is_good, "{rows:?}, {per_task} a task: {written:?}");
        }
    }
}

/// Places as a user writes them, with spaces between them.
fn places(words: &str) -> Vec<Place> {
    words.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

#[test]
fn selected_and_counted_records_have_a_framing_of_their_own() {
    let cases: [(&str, &str, bool, Framing); 8] = [
        ("fixed:6", "", false, Framing::Fixed(6)),
        ("fixed:6", "", true, Framing::Fixed(14)),
        ("fixed:6", "0..2", false, Framing::Fixed(2)),
        ("fixed:6", "4.. 0..6", false, Framing::Fixed(8)),
        ("fixed:6", "4..5", true, Framing::Fixed(9)),
        ("lines:group=3", "", true, "lines:group=3".parse::<Format>().unwrap().framing()),
        ("lines:group=3", "3 1", false, "lines:group=2".parse::<Format>().unwrap().framing()),
        ("u16be", "0..2", true, "u16be".parse::<Format>().unwrap().framing()),
    ];
    for (format, parts, count, expected) in cases {
        let select = Select { parts: places(parts), count, ..Select::default() };
        let framing = select.framing(format.parse().unwrap()).unwrap();
        assert_eq!(framing, expected, "{format}, {parts}");
    }
    let select = Select { parts: places("5..9"), ..Select::default() };
    let said = select.framing("fixed:6".parse().unwrap()).unwrap_err().to_string();
    assert!(said.contains("beyond the record's 6 bytes"), "{said}");
}
