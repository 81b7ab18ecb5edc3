//! Where bounds fall, against a count of all records that come before.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::format::csv::Quoting;
use crate::run::tests::{WholeRecord, key_of};

/// Bytes per record: one of key, one of nothing.
const LENGTH: usize = 2;

fn records(keys: &[u8]) -> Vec<u8> {
    keys.iter().flat_map(|key| [*key, 0xbb]).collect()
}

/// Every bound of every run, over all of the runs or a part of each.
fn check(runs: &[Vec<u8>], skip: usize) {
    let data: Vec<Vec<u8>> = runs.iter().map(|keys| records(keys)).collect();
    // Only records from `skip` on are in memory, with their numbers in the run.
    let skipped = |run: usize| skip.min(runs[run].len());
    let pieces: Vec<Piece<'_>> = data
        .iter()
        .enumerate()
        .map(|(run, bytes)| Piece {
            bytes: &bytes[skipped(run) * LENGTH..],
            first_offset: (skipped(run) * LENGTH) as u64,
            known: &[],
        })
        .collect();
    let ranges: Vec<(u64, u64)> = runs
        .iter()
        .enumerate()
        .map(|(run, keys)| ((skipped(run) * LENGTH) as u64, (keys.len() * LENGTH) as u64))
        .collect();
    let key = key_of("0..1", LENGTH);
    let crate::key::CompiledKey::Slice(key) = &key else { panic!("a key of bytes") };
    for (bound_run, keys) in runs.iter().enumerate() {
        for bound_record in skipped(bound_run)..keys.len() {
            let bound = (keys[bound_record], bound_run, bound_record);
            let place = (bound_run, (bound_record * LENGTH) as u64);
            let found = positions(key, Framing::Fixed(LENGTH), &pieces, &ranges, place.0, place.1);
            for (run, keys) in runs.iter().enumerate() {
                let numbered = keys.iter().enumerate().skip(skip);
                let before = numbered.filter(|(at, key)| (**key, run, *at) < bound).count();
                let expected = ((skipped(run) + before) * LENGTH) as u64;
                assert_eq!(found[run], expected, "{bound:?} in run {run}");
            }
        }
    }
}

/// Every record of every run as the bound, over lines from line `skip` of each run on.
fn check_lines(runs: &[Vec<String>], skip: usize) {
    let line = |text: &String| [text.as_bytes(), b"\n"].concat();
    let data: Vec<Vec<u8>> = runs.iter().map(|run| run.iter().flat_map(line).collect()).collect();
    let bytes_before = |run: usize, lines: usize| -> usize {
        runs[run].iter().take(lines).map(|text| text.len() + 1).sum()
    };
    let ranges: Vec<(u64, u64)> = (0..runs.len())
        .map(|run| (bytes_before(run, skip) as u64, data[run].len() as u64))
        .collect();
    let piece = |(bytes, (start, _)): (&'_ Vec<u8>, &(u64, u64))| bytes[*start as usize..].to_vec();
    let held: Vec<Vec<u8>> = data.iter().zip(&ranges).map(piece).collect();
    let pieces: Vec<Piece<'_>> = held
        .iter()
        .zip(&ranges)
        .map(|(bytes, (start, _))| Piece { bytes, first_offset: *start, known: &[] })
        .collect();
    for (bound_run, texts) in runs.iter().enumerate() {
        for (number, text) in texts.iter().enumerate().skip(skip) {
            let place = (bound_run, bytes_before(bound_run, number) as u64);
            let framing = Framing::Terminated(b'\n');
            let found = positions(&WholeRecord(b'\n'), framing, &pieces, &ranges, place.0, place.1);
            for (run, texts) in runs.iter().enumerate() {
                let numbered = texts.iter().enumerate();
                let before = numbered
                    .filter(|(at, other)| (*other, run, *at) < (text, bound_run, number))
                    .count();
                let expected = bytes_before(run, before.max(skip.min(texts.len())));
                assert_eq!(found[run], expected as u64, "{place:?} in run {run} of {runs:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0015),
        ..ProptestConfig::default()
    })]

    #[test]
    fn bounds_count_what_comes_before(
        mut runs in prop::collection::vec(prop::collection::vec(0..4_u8, 0..12), 1..6),
        skip in 0..4_usize,
    ) {
        runs.iter_mut().for_each(|keys| keys.sort_unstable());
        check(&runs, skip);
    }

    #[test]
    fn bounds_fall_between_lines(
        mut runs in prop::collection::vec(prop::collection::vec("[\0a]{0,3}|b{20}", 0..12), 1..6),
        skip in 0..4_usize,
    ) {
        runs.iter_mut().for_each(|lines| lines.sort());
        check_lines(&runs, skip);
    }
}

/// Records that are cut in order, fewer and more than are cut before one is compared.
#[test]
fn places_are_found_among_records_that_are_cut_in_order() {
    let framing = Framing::Quoted(Quoting::Strict { quote: b'"' });
    for count in (0..3).chain([STEP - 1, STEP, STEP + 1, 3 * STEP, 3 * STEP + 7]) {
        let (mut rows, mut starts) = (Vec::new(), vec![0]);
        for number in 0..count {
            let rest = ["", ",x", ",\"\n\""][number % 3];
            rows.extend_from_slice(format!("{number:03}{rest}\n").as_bytes());
            starts.push(rows.len());
        }
        for (before, start) in starts.iter().enumerate() {
            let bound = format!("{before:03}");
            let is_before = |row: &[u8]| &row[..3] < bound.as_bytes();
            assert_eq!(partition_point(framing, &rows, is_before), *start, "{before} of {count}");
        }
    }
}
