//! Property: whatever the files, the loads hold every record exactly once, in order, where the
//! spans put it. Files are played in memory, and spans are carried out on them naively.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::format::Framing;
use crate::load::Records;

/// Lengths that divide a page, that share a factor with it, that do not, and that exceed it.
const LENGTHS: [usize; 11] = [1, 3, 8, 13, 16, 100, 4095, 4096, 5000, 8192, 20_000];

#[derive(Clone, Debug)]
struct Case {
    record_length: usize,
    sources: Vec<Source>,
    block: usize,
    /// Bytes beyond what one record takes at worst.
    capacity: usize,
    records_max: u32,
}

fn source(record_length: usize) -> impl Strategy<Value = Source> {
    let records = prop_oneof![3 => 0..5_u64, 3 => 0..100_u64, 1 => 0..2000_u64];
    (records, any::<bool>()).prop_map(move |(records, is_direct)| {
        let bytes = (records * record_length as u64).min(300_000);
        Source { bytes: bytes / record_length as u64 * record_length as u64, is_direct }
    })
}

fn case() -> impl Strategy<Value = Case> {
    prop::sample::select(LENGTHS.to_vec()).prop_flat_map(|record_length| {
        let sources = prop::collection::vec(source(record_length), 0..12);
        let block = prop::sample::select(vec![PAGE, 2 * PAGE, 5 * PAGE, 16 * PAGE]);
        let most = prop_oneof![1..5_u32, 1..300_u32, Just(u32::MAX)];
        let capacity = prop_oneof![0..PAGE, 0..100_000_usize, Just(1 << 30)];
        (sources, block, capacity, most).prop_map(move |(sources, block, spare, records_max)| {
            let capacity = spare + record_length + 3 * PAGE;
            Case { record_length, sources, block, capacity, records_max }
        })
    })
}

/// The file's bytes: no two records of a test are alike.
fn content(file: usize, bytes: u64) -> Vec<u8> {
    let mixed = |at: u64| (at ^ (file as u64) << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (0..bytes).map(|at| mixed(at) as u8).collect()
}

/// Carries out a load's spans.
fn read(load: &Layout, files: &[Vec<u8>]) -> Vec<u8> {
    let mut memory = vec![0; load.bytes];
    for span in &load.spans {
        let from = &files[span.source][span.offset as usize..];
        let got = from.len().min(span.length);
        assert!(got >= span.wanted, "the file has what is wanted: {span:?}");
        memory[span.at..span.at + got].copy_from_slice(&from[..got]);
    }
    memory
}

fn assert_spans(case: &Case, load: &Layout, block: usize) {
    let mut end = 0;
    for span in &load.spans {
        assert!(span.at >= end, "spans are disjoint and ascend: {span:?}");
        end = span.at + span.length;
        assert!(span.wanted > 0 && span.wanted <= span.length && span.length <= block, "{span:?}");
        if case.sources[span.source].is_direct {
            let places = [span.offset as usize, span.at, span.length];
            assert!(places.iter().all(|place| place.is_multiple_of(PAGE)), "{span:?}");
        }
    }
    assert_eq!(end, load.bytes);
    assert!(load.bytes <= case.capacity, "{} of {}", load.bytes, case.capacity);
    assert!(load.records <= case.records_max);
}

/// Every record lies whole in exactly one span, at its place, or is a straddler.
fn assert_whole_records(load: &Layout, memory: &[u8], length: usize) {
    let records = Records::new(memory, Framing::Fixed(length), &load.segments);
    let mut is_seen = vec![false; load.records as usize];
    for span in &load.spans {
        let inside = &memory[span.at..span.at + span.length][span.skip..];
        let inside = inside.chunks_exact(length).take(span.records as usize);
        assert_eq!(inside.len(), span.records as usize, "{span:?}");
        for (number, record) in (span.first_record..).zip(inside) {
            assert_eq!(record, records.get(u64::from(number)), "record {number} of {span:?}");
            assert!(!std::mem::replace(&mut is_seen[number as usize], true));
        }
    }
    for number in load.straddlers() {
        assert!(!std::mem::replace(&mut is_seen[number as usize], true));
    }
    assert!(is_seen.iter().all(|is_seen| *is_seen), "{load:?}");
}

fn check(case: &Case) {
    let files: Vec<Vec<u8>> =
        (0..).zip(&case.sources).map(|(file, source)| content(file, source.bytes)).collect();
    let all = files.concat();
    let mut expected = all.chunks_exact(case.record_length);
    let mut cutter = Cutter::new(case.sources.clone(), case.record_length, case.block);
    let block = cutter.block();
    assert!(block <= 2 * case.block);
    loop {
        let left = cutter.bytes_left();
        let Some(load) = cutter.next_load(case.capacity, case.records_max) else { break };
        assert!(load.bytes as u64 <= left);
        assert!(load.records > 0);
        assert_spans(case, &load, block);
        let memory = read(&load, &files);
        assert_whole_records(&load, &memory, case.record_length);
        let records = Records::new(&memory, Framing::Fixed(case.record_length), &load.segments);
        for number in 0..load.records {
            assert_eq!(Some(records.get(u64::from(number))), expected.next(), "record {number}");
        }
    }
    assert_eq!(expected.next(), None, "all records are in some load");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0012),
        ..ProptestConfig::default()
    })]

    #[test]
    fn loads_hold_every_record_once(case in case()) {
        check(&case);
    }

    /// What a plan of one pass relies on: two pages a file are all that alignment ever adds.
    #[test]
    fn one_load_holds_all_with_two_pages_a_file(case in case()) {
        let bytes: u64 = case.sources.iter().map(|source| source.bytes).sum();
        let padded = bytes + 2 * PAGE as u64 * case.sources.len() as u64;
        let mut cutter = Cutter::new(case.sources.clone(), case.record_length, case.block);
        let capacity = padded.next_multiple_of(PAGE as u64) as usize;
        let load = cutter.next_load(capacity, u32::MAX).unwrap_or_default();
        assert_eq!(u64::from(load.records) * case.record_length as u64, bytes);
        assert_eq!(cutter.next_load(capacity, u32::MAX), None);
    }
}

#[test]
fn no_files_and_empty_files_make_no_load() {
    for sources in [Vec::new(), vec![Source { bytes: 0, is_direct: true }; 3]] {
        assert_eq!(Cutter::new(sources, 100, 1 << 20).next_load(1 << 20, 1000), None);
    }
}

/// The case most sorts have: spans hold whole records only, so that there are no straddlers.
#[test]
fn common_lengths_have_no_straddlers() {
    for record_length in [1, 7, 8, 10, 16, 64, 100, 128, 1000, 4096] {
        let length = record_length as u64;
        let bytes = (50_000_000 / length) * length;
        let source = Source { bytes, is_direct: true };
        let mut cutter = Cutter::new(vec![source], record_length, 1 << 20);
        let mut records = 0;
        while let Some(load) = cutter.next_load(10_000_000, u32::MAX) {
            assert_eq!(load.straddlers().next(), None, "records of {record_length}");
            records += u64::from(load.records);
        }
        assert_eq!(records * length, bytes);
    }
}

#[test]
fn a_record_longer_than_a_span_straddles() {
    let source = Source { bytes: 3 << 20, is_direct: true };
    let mut cutter = Cutter::new(vec![source], 1 << 20, 256 << 10);
    let load = cutter.next_load(8 << 20, u32::MAX).unwrap();
    assert_eq!(load.straddlers().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(load.spans.len(), 12);
    assert!(load.spans.iter().all(|span| span.skip <= span.length), "{load:?}");
}
