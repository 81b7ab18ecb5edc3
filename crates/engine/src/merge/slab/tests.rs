//! Slabs, cut from real runs and merged naively: every record exactly once and in order, what is
//! needed is in memory, and never more than was allowed.

use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::walk::KEPT_KEY_MAX;
use super::*;
use crate::format::Framing;
use crate::io::Direct;
use crate::key::{CompiledKey, with_encoder};
use crate::merge::{Merger, Piece, positions};
use crate::order::OrderCheck;
use crate::run::INDEX_KEY_MAX;
use crate::run::Run;
use crate::run::layout::DATA_START;
use crate::run::tests::{indexed, key_of, write_run};

mod lines;

/// A run, its records in memory, and the open file.
struct Opened {
    data: Vec<u8>,
    reader: RunReader,
}

fn mixed(at: u64) -> u64 {
    let mixed = (at ^ (at >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// `count` sorted records of `length` bytes, marked with run and number behind the key.
fn sorted_records(
    key: &CompiledKey,
    (count, length, key_bytes): (usize, usize, usize),
    run: u64,
    make: impl Fn(u64, &mut [u8]),
) -> Vec<u8> {
    let mut records: Vec<Vec<u8>> = (0..count as u64)
        .map(|number| {
            let mut record = vec![0; length];
            make(mixed(run << 32 | number), &mut record[..key_bytes]);
            record
        })
        .collect();
    let encoder = key.encoder();
    records.sort_by(|a, b| encoder.compare_from(a, b, 0));
    for (number, record) in (0..).zip(&mut records) {
        let mark = (run << 24 | number).to_be_bytes();
        let width = (length - key_bytes).min(8);
        record[key_bytes..key_bytes + width].copy_from_slice(&mark[8 - width..]);
    }
    records.concat()
}

fn open(folder: &Path, key: &dyn KeyEncoder, framing: Framing, runs: Vec<Vec<u8>>) -> Vec<Opened> {
    let write = |(number, data): (usize, Vec<u8>)| {
        let path = folder.join(format!("run-{number}"));
        let run: Run = write_run(&path, key, (&data, framing), (1 << 20, 1));
        Opened { data, reader: RunReader::open(&run, Direct::Auto).unwrap() }
    };
    runs.into_iter().enumerate().map(write).collect()
}

/// The least that will do for these runs, whatever their keys.
fn least_capacity(runs: &[Opened]) -> usize {
    let longest = runs.iter().map(|run| run.reader.geometry().longest_bytes);
    Planner::least_capacity(longest) as usize
}

/// What merges of so many runs are granted: the least that will do, and what the plan grants.
fn capacities(runs: &[Opened]) -> [usize; 2] {
    let longest = runs.iter().map(|run| run.reader.geometry().longest_bytes).max();
    let part = BLOCK.max(longest.unwrap() as usize) + 2 * BLOCK;
    [least_capacity(runs), (runs.len().max(2) * 4 * part).max(256 << 10)]
}

/// Every index key of every run in the order (key, run, position).
fn all_bounds<K: KeyEncoder>(key: &K, runs: &[Opened], framing: Framing) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for (run, opened) in runs.iter().enumerate() {
        bounds.extend(indexed(&opened.data, framing).iter().map(|&offset| Bound { run, offset }));
    }
    let record = |bound: &Bound| {
        let rest = &runs[bound.run].data[bound.offset as usize..];
        &rest[..framing.first_length(rest)]
    };
    bounds.sort_by(|a, b| {
        let order = key.compare_from(record(a), record(b), 0);
        order.then((a.run, a.offset).cmp(&(b.run, b.offset)))
    });
    bounds
}

/// Cuts slabs and merges them; how many there were.
fn check<K: KeyEncoder>(
    key: &K,
    runs: &[Opened],
    framing: Framing,
    (capacity, window_bytes): (usize, usize),
) -> usize {
    let readers: Vec<&RunReader> = runs.iter().map(|run| &run.reader).collect();
    let mut starts = vec![0_u64; runs.len()];
    let mut planner = Planner::new(key, &readers, &starts, capacity, window_bytes).unwrap();
    let mut bounds = Vec::new();
    let mut merged = Vec::new();
    let mut slabs = 0;
    while let Some(slab) = planner.next_slab().unwrap() {
        slabs += 1;
        assert!(slab.memory_bytes() <= capacity, "{} of {capacity}", slab.memory_bytes());
        bounds.extend_from_slice(&slab.bounds);
        let ends = ends(key, runs, framing, &slab, &starts);
        assert_needed_is_there(&slab, &starts, &ends);
        let share = |(run, (start, end)): (&'_ Opened, (&u64, &u64))| {
            run.data[*start as usize..*end as usize].to_vec()
        };
        let shares: Vec<Vec<u8>> = runs.iter().zip(starts.iter().zip(&ends)).map(share).collect();
        let held = shares.iter().map(Vec::len).sum();
        let mut out = vec![0; held];
        let mut merger =
            Merger::new(key, framing, shares.iter().map(Vec::as_slice), OrderCheck::new(key, true));
        assert_eq!(merger.merge_into(&mut out, None), held);
        merged.extend_from_slice(&out);
        starts = ends;
        // Once in a while it goes on as another job does.
        if slabs % 5 == 2 {
            planner = Planner::new(key, &readers, &starts, capacity, window_bytes).unwrap();
            assert_eq!(planner.next_bound(), slab.end);
        }
    }
    let all: Vec<&[u8]> = runs.iter().map(|run| run.data.as_slice()).collect();
    let all = all.concat();
    let mut expected: Vec<&[u8]> = framing.records(&all).collect();
    expected.sort_by(|a, b| key.compare_from(a, b, 0));
    assert!(merged == expected.concat(), "{} runs in {capacity} bytes", runs.len());
    assert_eq!(bounds, all_bounds(key, runs, framing), "{} runs in {capacity} bytes", runs.len());
    slabs
}

/// Where the slab ends in every run.
fn ends<K: KeyEncoder>(
    key: &K,
    runs: &[Opened],
    framing: Framing,
    slab: &Slab,
    starts: &[u64],
) -> Vec<u64> {
    let in_memory = |(run, bytes): (&'_ Opened, &Range<u64>)| {
        run.data[bytes.start as usize..bytes.end as usize].to_vec()
    };
    let memory: Vec<Vec<u8>> = runs.iter().zip(&slab.bytes).map(in_memory).collect();
    let pieces: Vec<Piece<'_>> = memory
        .iter()
        .zip(&slab.bytes)
        .map(|(bytes, place)| Piece { bytes, first_offset: place.start, known: &[] })
        .collect();
    let ranges: Vec<(u64, u64)> =
        starts.iter().zip(&slab.bytes).map(|(start, bytes)| (*start, bytes.end)).collect();
    for bound in &slab.bounds {
        assert!(slab.bytes[bound.run].contains(&bound.offset), "{bound:?} is in memory");
    }
    match slab.end {
        Some(bound) => positions(key, framing, &pieces, &ranges, bound.run, bound.offset),
        None => slab.bytes.iter().map(|bytes| bytes.end).collect(),
    }
}

/// All records of the slab are among those in memory, and those in the blocks that are read.
fn assert_needed_is_there(slab: &Slab, starts: &[u64], ends: &[u64]) {
    for (run, bytes) in slab.bytes.iter().enumerate() {
        let (start, end) = (starts[run], ends[run]);
        assert!(start <= end);
        if start < end {
            assert!(bytes.start <= start && end <= bytes.end, "run {run}: {slab:?}");
        }
        let (blocks, block) = (&slab.blocks[run], BLOCK as u64);
        let is_read = blocks.start * block <= bytes.start && bytes.end <= blocks.end * block;
        assert!(bytes.is_empty() || is_read, "run {run}: {slab:?}");
    }
}

/// Runs of uneven length with keys that `make` makes, in little memory and in more.
fn check_all(length: usize, key_bytes: usize, make: impl Fn(u64, &mut [u8]) + Copy) {
    let folder = tempfile::tempdir().unwrap();
    let key = key_of(&format!("0..{key_bytes}"), length);
    for runs in [1, 2, 3, 7] {
        let count = |run: usize| (1_500_000 / length) * (run % 3 + 1) / 3 + 1;
        let data = (0..runs)
            .map(|run| sorted_records(&key, (count(run), length, key_bytes), run as u64, make))
            .collect();
        let framing = Framing::Fixed(length);
        let opened = open(folder.path(), key.encoder(), framing, data);
        for capacity in capacities(&opened) {
            for window_bytes in [0, 1000, 1 << 20] {
                let granted = (capacity, window_bytes);
                let slabs = with_encoder!(&key, |key| check(key, &opened, framing, granted));
                assert!(slabs > 1 || runs == 1, "more than one slab");
            }
        }
        for run in &opened {
            std::fs::remove_file(run.reader.path()).unwrap();
        }
    }
}

#[test]
fn random_keys() {
    for length in [16, 100, 5000, 70_000] {
        check_all(length, 8, |random, key| key.copy_from_slice(&random.to_be_bytes()));
    }
}

#[test]
fn few_and_equal_keys() {
    for length in [20, 3000] {
        check_all(length, 10, |_, key| key.fill(4));
        check_all(length, 10, |random, key| key.fill((random % 3) as u8));
        check_all(length, 10, |random, key| key.fill((random % 50 / 49) as u8));
    }
}

/// Index keys are all alike; only the records themselves tell where slabs may be cut.
#[test]
fn keys_that_agree_for_longer_than_the_index_keeps() {
    let agreeing = [
        (INDEX_KEY_MAX, 250),
        (INDEX_KEY_MAX + 1, 256),
        (300, 290),
        (KEPT_KEY_MAX + 9, KEPT_KEY_MAX - 4),
        (KEPT_KEY_MAX + 9, KEPT_KEY_MAX + 1),
    ];
    for (key_bytes, agreed) in agreeing {
        check_all(key_bytes + 12, key_bytes, |random, key| {
            let width = (key.len() - agreed).min(8);
            key[agreed..agreed + width].copy_from_slice(&random.to_be_bytes()[..width]);
        });
    }
}

/// Runs that do not overlap: most slabs are of one run, and the order of runs does not matter.
#[test]
fn runs_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let (length, key) = (100, key_of("0..8", 100));
    let data = [3, 0, 2, 1].map(|place: u64| {
        sorted_records(&key, (20_000, length, 8), place, |random, key| {
            key.copy_from_slice(&(place << 60 | random >> 8).to_be_bytes());
        })
    });
    let framing = Framing::Fixed(length);
    let opened = open(folder.path(), key.encoder(), framing, data.to_vec());
    with_encoder!(&key, |key| check(key, &opened, framing, (12 * BLOCK, 1000)));
    let readers: Vec<&RunReader> = opened.iter().map(|run| &run.reader).collect();
    let mut planner = Planner::new(key.encoder(), &readers, &[0; 4], 12 * BLOCK, 1000).unwrap();
    let (mut slabs, mut single) = (0, 0);
    while let Some(slab) = planner.next_slab().unwrap() {
        slabs += 1;
        single += usize::from(slab.blocks.iter().filter(|blocks| !blocks.is_empty()).count() == 1);
    }
    assert!(single * 2 > slabs, "{single} of {slabs} slabs are of one run");
}

/// Every number of runs, to a power of two and past it: trees of every shape.
#[test]
fn many_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (length, key) = (5000, key_of("0..2", 5000));
    let data = (0..70)
        .map(|run| {
            let count = 1 + mixed(run) as usize % 60;
            sorted_records(&key, (count, length, 2), run, |random, key| {
                key.copy_from_slice(&((random % 300) as u16).to_be_bytes());
            })
        })
        .collect();
    let framing = Framing::Fixed(length);
    let mut opened = open(folder.path(), key.encoder(), framing, data);
    for runs in (1..20).chain([31, 32, 33, 64, 70]).rev() {
        opened.truncate(runs);
        let capacity = least_capacity(&opened);
        with_encoder!(&key, |key| check(key, &opened, framing, (capacity, 0)));
    }
}

#[test]
fn no_runs_make_no_slab() {
    let key = key_of("0..8", 100);
    let mut planner = Planner::new(key.encoder(), &[], &[], 1 << 20, 0).unwrap();
    assert_eq!(planner.next_slab().unwrap(), None);
}

/// A sort in place gives merged records back to the file system. They read as zeros.
#[test]
fn what_was_merged_is_not_read_again() {
    let (length, key_bytes) = (KEPT_KEY_MAX + 20, KEPT_KEY_MAX + 8);
    let folder = tempfile::tempdir().unwrap();
    let key = key_of(&format!("0..{key_bytes}"), length);
    let data = (0..3).map(|run| {
        sorted_records(&key, (400, length, key_bytes), run, |random, key| {
            key[KEPT_KEY_MAX..].copy_from_slice(&random.to_be_bytes());
        })
    });
    let framing = Framing::Fixed(length);
    let opened = open(folder.path(), key.encoder(), framing, data.collect());
    let readers: Vec<&RunReader> = opened.iter().map(|run| &run.reader).collect();
    let (capacity, mut starts) = (least_capacity(&opened), vec![0; 3]);
    let plan = |starts: &[u64]| Planner::new(key.encoder(), &readers, starts, capacity, 0).unwrap();
    let mut undisturbed = plan(&starts);
    let mut slab = undisturbed.next_slab().unwrap();
    let mut slabs = 0;
    while let Some(last) = slab {
        slabs += 1;
        starts = with_encoder!(&key, |key| ends(key, &opened, framing, &last, &starts));
        slab = undisturbed.next_slab().unwrap();
        let Some(next) = &slab else { break };
        for (run, bytes) in opened.iter().zip(&next.bytes) {
            let file = std::fs::File::options().write(true).open(run.reader.path()).unwrap();
            let freed = bytes.start as usize / BLOCK * BLOCK;
            file.write_all_at(&vec![0; freed], DATA_START).unwrap();
        }
        let mut gone_on = plan(&starts);
        assert_eq!(gone_on.next_bound(), last.end);
        assert_eq!(gone_on.next_slab().unwrap().as_ref(), Some(next));
    }
    assert!(slabs > 5, "{slabs} slabs");
}
