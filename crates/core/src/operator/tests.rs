//! Selections against what a single loop over all records says.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::format::Framing;
use crate::io::{Direct, Engine, File};
use crate::sink::{FileSink, Sink};
use crate::stats::Progress;

const GRANULE: usize = 4096;

fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.first() == b.first()
}

/// What is to be written of sorted lines.
fn expected(lines: &[Vec<u8>], select: Select) -> Vec<u8> {
    let groups: Vec<&[Vec<u8>]> = match select.groups() {
        true => lines.chunk_by(|a, b| is_same(a, b)).collect(),
        false => lines.chunks(1).collect(),
    };
    let limit = select.limit.map_or(usize::MAX, |limit| limit as usize);
    let mut out = Vec::new();
    for group in groups.into_iter().take(limit) {
        if select.count {
            out.extend(format!("{:7} ", group.len()).bytes());
        }
        out.extend(&group[0]);
    }
    out
}

/// Writes lines in tasks of `per_task`, by some workers.
fn written(lines: &[Vec<u8>], per_task: usize, select: Select) -> (Vec<u8>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let file = File::create(&path, Direct::Auto).unwrap();
    let sink = Sink::File(FileSink::growing(Arc::clone(&file), GRANULE));
    let selection = Selection::new(select, Framing::Terminated(b'\n'), 0);
    let progress = Progress::new();
    let lane = || crate::sink::tests::lane(Engine::Auto, (2 * GRANULE, 0, GRANULE), &progress);
    let tasks: Vec<&[Vec<u8>]> = lines.chunks(per_task.max(1)).collect();
    // Two stages: the second goes on where the first has ended.
    for stage in [&tasks[..tasks.len() / 2], &tasks[tasks.len() / 2..]] {
        let next = AtomicUsize::new(0);
        selection.begin_stage();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut lane = lane();
                    loop {
                        let task = next.fetch_add(1, Ordering::Relaxed);
                        if task >= stage.len() || selection.is_full() {
                            return lane.flush().unwrap();
                        }
                        let produce = |writer: &mut dyn crate::sink::Writer| {
                            stage[task].iter().try_for_each(|line| writer.put(line))
                        };
                        selection.write(&sink, &mut lane, task, &is_same, produce).unwrap();
                    }
                });
            }
        });
    }
    let mut lane = lane();
    let (bytes, records) = selection.finish(&sink, &mut lane).unwrap();
    lane.flush().unwrap();
    sink.assert_whole();
    file.set_len(bytes).unwrap();
    (std::fs::read(path).unwrap(), records)
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

#[test]
fn selections_are_those_of_a_single_loop() {
    for (count, per_key) in [(0, 1), (1, 1), (5, 9), (2000, 1), (2000, 3), (3000, 700)] {
        let lines = lines(count, per_key);
        for per_task in [1, 3, 50, 1000, 5000] {
            for unique in [false, true] {
                for limit in [None, Some(0), Some(1), Some(7), Some(1500)] {
                    let select = Select { unique, count: unique && per_key > 2, limit };
                    if select.is_all() {
                        continue;
                    }
                    let (found, records) = written(&lines, per_task, select);
                    let expected = expected(&lines, select);
                    assert!(found == expected, "{select:?}, {count} lines, {per_task} a task");
                    let ends = expected.iter().filter(|byte| **byte == b'\n').count();
                    assert_eq!(records, ends as u64);
                }
            }
        }
    }
}

#[test]
fn records_longer_than_a_buffer_are_written_whole() {
    let long = |key: u8, length| [vec![key; length], vec![b'\n']].concat();
    let lines = vec![long(b'a', 10), long(b'a', 50_000), long(b'b', 90_000), long(b'c', 3)];
    for select in [
        Select { unique: true, ..Select::default() },
        Select { count: true, ..Select::default() },
        Select { limit: Some(3), ..Select::default() },
    ] {
        for per_task in [1, 4] {
            assert!(written(&lines, per_task, select).0 == expected(&lines, select), "{select:?}");
        }
    }
}

#[test]
fn a_task_that_fails_ends_all() {
    let folder = tempfile::tempdir().unwrap();
    let file = File::create(&folder.path().join("out"), Direct::Auto).unwrap();
    let sink = Sink::File(FileSink::growing(file, GRANULE));
    let select = Select { unique: true, ..Select::default() };
    let selection = Selection::new(select, Framing::Terminated(b'\n'), 0);
    let progress = Progress::new();
    let lane = || crate::sink::tests::lane(Engine::Auto, (2 * GRANULE, 0, GRANULE), &progress);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            selection.write(&sink, &mut lane(), 1, &is_same, |writer| writer.put(b"b\n"))
        });
        let failed = selection
            .write(&sink, &mut lane(), 0, &is_same, |_| Err(crate::Error::Usage("no".into())));
        assert!(matches!(failed, Err(crate::Error::Usage(_))));
        assert!(matches!(waiting.join().unwrap(), Err(crate::Error::Interrupted)));
    });
}
