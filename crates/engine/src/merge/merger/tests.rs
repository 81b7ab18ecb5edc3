//! Merging against a stable sort: all small inputs, then random ones with interruptions.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::format::Format;
use crate::key::text::{LastResort, TextOrder, TextSpec, Translation};
use crate::key::{CompiledKey, with_encoder};
use crate::run::tests::WholeRecord;

/// Bytes per record: one of key, one that tells where it came from.
const LENGTH: usize = 2;

fn key_of(text: &str, record_length: usize) -> CompiledKey {
    CompiledKey::of_keys(&[text.parse().unwrap()], Format::Fixed { length: record_length as u32 })
        .unwrap()
}

/// Merges into `out`, and holds the sum against that of what came out.
fn merge_summed<K: KeyEncoder>(
    merger: &mut Merger<'_, K>,
    out: &mut [u8],
    framing: Framing,
) -> usize {
    let (mut sum, mut expected) = (Sum::default(), Sum::default());
    let filled = merger.merge_into(out, Some(&mut sum));
    expected.add_all(framing, &out[..filled]);
    assert_eq!(sum, expected);
    assert!(!merger.check().is_disordered(), "in order");
    filled
}

/// Merges into room for `batch` records and a bit, again and again.
fn merged(key: &CompiledKey, length: usize, sources: &[Vec<u8>], batch: &[usize]) -> Vec<u8> {
    let sources = sources.iter().map(Vec::as_slice);
    with_encoder!(key, |key| {
        let mut merger =
            Merger::new(key, Framing::Fixed(length), sources, OrderCheck::new(key, true));
        let mut whole = Vec::new();
        for records in batch.iter().cycle() {
            let mut out = vec![0xee; records * length + length - 1];
            let filled = merge_summed(&mut merger, &mut out, Framing::Fixed(length));
            assert_eq!(filled % length, 0, "whole records only");
            assert!(out[filled..].iter().all(|byte| *byte == 0xee), "nothing beyond is touched");
            whole.extend_from_slice(&out[..filled]);
            if filled < records * length {
                assert_eq!(merger.merge_into(&mut out, None), 0, "the end is the end");
                return whole;
            }
        }
        whole
    })
}

/// A stable sort of all sources, the first one first.
fn expected(sources: &[Vec<u8>], length: usize, key_bytes: usize) -> Vec<u8> {
    let all = sources.concat();
    let mut records: Vec<&[u8]> = all.chunks_exact(length).collect();
    records.sort_by_key(|record| &record[..key_bytes]);
    records.concat()
}

/// Every sorted source of up to three records with keys 0 to 2.
fn small_sources() -> Vec<Vec<u8>> {
    let mut sources = vec![Vec::new()];
    for a in 0..3 {
        sources.push(vec![a]);
        for b in a..3 {
            sources.push(vec![a, b]);
            sources.extend((b..3).map(|c| vec![a, b, c]));
        }
    }
    sources
}

/// Marks the records of each source with their origin.
fn marked(sources: &[&Vec<u8>]) -> Vec<Vec<u8>> {
    let mark = |(source, keys): (u8, &&Vec<u8>)| {
        let places = (source * 16)..;
        keys.iter().zip(places).flat_map(|(key, place)| [*key, place]).collect()
    };
    (0..).zip(sources).map(mark).collect()
}

#[test]
fn all_small_inputs() {
    let key = key_of("0..1", LENGTH);
    let small = small_sources();
    let assert_merged = |sources: &[&Vec<u8>]| {
        let sources = marked(sources);
        for batch in [1, 2, 100] {
            assert_eq!(
                merged(&key, LENGTH, &sources, &[batch]),
                expected(&sources, LENGTH, 1),
                "{sources:?} in batches of {batch}"
            );
        }
    };
    assert_merged(&[]);
    for a in &small {
        assert_merged(&[a]);
        for b in &small {
            assert_merged(&[a, b]);
            for c in &small {
                assert_merged(&[a, b, c]);
            }
        }
    }
}

#[test]
fn every_width_with_empty_sources_anywhere() {
    let key = key_of("0..1", LENGTH);
    for width in 0..=9_usize {
        for empty in 0..1_u32 << width {
            let held = |source: usize| if empty >> source & 1 == 1 { 0 } else { 1 + source % 3 };
            let sources: Vec<Vec<u8>> = (0..width).map(|source| vec![7; held(source)]).collect();
            let sources = marked(&sources.iter().collect::<Vec<_>>());
            assert_eq!(merged(&key, LENGTH, &sources, &[3]), sources.concat(), "ties are stable");
        }
    }
}

/// The prefix of an exhausted source is the largest there is, and a record may have the same.
#[test]
fn the_largest_key_is_no_end() {
    for text in ["0..8", "0..9"] {
        let key = key_of(text, 10);
        let largest = |mark: u8| [&[0xff; 9][..], &[mark]].concat();
        let sources: Vec<Vec<u8>> =
            vec![largest(1), [largest(2), largest(3)].concat(), Vec::new(), largest(4)];
        assert_eq!(merged(&key, 10, &sources, &[1]), sources.concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0013),
        ..ProptestConfig::default()
    })]

    /// Keys that tie in their first word, and go on in their second; room of any size.
    #[test]
    fn random_against_naive(
        sources in prop::collection::vec(
            prop::collection::vec((0..3_u8, 0..3_u8, any::<u16>()), 0..60), 0..40),
        batch in prop::collection::vec(1..50_usize, 1..5),
    ) {
        let key = key_of("0..12", 16);
        let sources: Vec<Vec<u8>> = sources
            .into_iter()
            .map(|mut source| {
                source.sort_by_key(|(first, second, _)| (*first, *second));
                let record = |(first, second, mark): (u8, u8, u16)| {
                    let mut record = [0; 16];
                    (record[3], record[10]) = (first, second);
                    record[12..14].copy_from_slice(&mark.to_le_bytes());
                    record
                };
                source.into_iter().flat_map(record).collect()
            })
            .collect();
        assert_eq!(merged(&key, 16, &sources, &batch), expected(&sources, 16, 12));
    }
}

/// Records that end with this byte.
const END: u8 = b'.';

/// Merges records of any length into room of `rooms` bytes, one after the other; what does not fit
/// is taken as it lies.
fn merged_terminated(sources: &[Vec<u8>], rooms: &[usize]) -> Vec<u8> {
    let key = WholeRecord(END);
    let sources = sources.iter().map(Vec::as_slice);
    let framing = Framing::Terminated(END);
    let mut merger = Merger::new(&key, framing, sources, OrderCheck::new(&key, true));
    let mut whole = Vec::new();
    for room in rooms.iter().cycle() {
        let mut out = vec![0xee; *room];
        let filled = merge_summed(&mut merger, &mut out, Framing::Terminated(END));
        assert!(filled == 0 || out[filled - 1] == END, "whole records only");
        assert!(out[filled..].iter().all(|byte| *byte == 0xee), "nothing beyond is touched");
        whole.extend_from_slice(&out[..filled]);
        if filled > 0 {
            continue;
        }
        let Some(record) = merger.take_next() else { return whole };
        assert!(record.len() > *room, "it would have fitted");
        whole.extend_from_slice(record);
    }
    whole
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x5eed_0030),
        ..ProptestConfig::default()
    })]

    /// Empty records, zeros, words that agree and differ in length only, records too long for room.
    #[test]
    fn records_of_any_length_against_naive(
        sources in prop::collection::vec(
            prop::collection::vec("[\0a]{0,3}|a{8}[\0b]{0,12}", 0..40), 0..12),
        rooms in prop::collection::vec(0..40_usize, 1..4),
    ) {
        let sources: Vec<Vec<u8>> = sources
            .into_iter()
            .map(|mut source| {
                source.sort();
                source.iter().flat_map(|text| [text.as_bytes(), &[END]].concat()).collect()
            })
            .collect();
        let all = sources.concat();
        let mut expected: Vec<&[u8]> = Framing::Terminated(END).records(&all).collect();
        expected.sort_by_key(|record| &record[..record.len() - 1]);
        assert_eq!(merged_terminated(&sources, &rooms), expected.concat());
    }
}

/// Lines with keys that have to be made: without regard to case, then as bytes.
fn costly_key() -> CompiledKey {
    let folds = Translation { folds_case: true, ..Translation::default() };
    let specs = vec![TextSpec { translation: folds, ..TextSpec::default() }];
    let then_whole = Some(LastResort::default());
    let order = TextOrder { specs, ..TextOrder::by_bytes(b'\n') };
    CompiledKey::new(&order.with(|options| options.then_whole = then_whole)).unwrap()
}

#[test]
fn keys_that_are_made_agree_to_any_depth() {
    let key = costly_key();
    let framing = Framing::Terminated(b'\n');
    with_encoder!(&key, |key| {
        assert!(key.is_costly());
        for equal in [0, 6, 7, 8, 55, 56, 57, 61, 62, 63, 64, 65, 69, 70, 71, 200] {
            // Each source: lines that agree in so many letters, then in case only, or are equal.
            let lines = |source: u32| {
                let line = |number: u32| {
                    let letters = |bits: u32| (0..3).map(move |bit| (bits >> bit & 1) as usize);
                    let mut line = vec![b'x'; equal];
                    line.extend(letters(number * 5 + source).map(|bit| b"aA"[bit]));
                    line.extend(letters(number).map(|bit| b"bc"[bit]));
                    line.truncate(equal + (number + source) as usize % 7);
                    line.push(b'\n');
                    line
                };
                let mut lines: Vec<Vec<u8>> = (0..40).map(line).collect();
                lines.sort_by(|a, b| key.compare_from(a, b, 0));
                lines
            };
            let sources: Vec<Vec<Vec<u8>>> = (0..5).map(lines).collect();
            let mut expected: Vec<&[u8]> = sources.iter().flatten().map(Vec::as_slice).collect();
            expected.sort_by(|a, b| key.compare_from(a, b, 0));
            let texts: Vec<Vec<u8>> = sources.iter().map(|lines| lines.concat()).collect();
            let mut merger = {
                let sources = texts.iter().map(Vec::as_slice);
                Merger::new(key, framing, sources, OrderCheck::new(key, true))
            };
            let mut out = vec![0; texts.iter().map(Vec::len).sum()];
            assert_eq!(merger.merge_into(&mut out, None), out.len());
            assert!(out == expected.concat(), "{equal} letters are equal");
        }
    });
}

/// Of the only source that is left, records are copied, and taken where they are too long to be:
/// the order is looked at across both.
#[test]
fn records_of_the_last_source_are_copied_and_taken_in_turn() {
    let key = WholeRecord(END);
    let line = |letter: u8, length: usize| [vec![letter; length], vec![END]].concat();
    let lengths = [3, 3, 60, 3, 60, 60, 3];
    let lines: Vec<Vec<u8>> = (b'b'..).zip(lengths).map(|(l, length)| line(l, length)).collect();
    let (first, last) = (line(b'a', 3), lines.concat());
    let framing = Framing::Terminated(END);
    let sources = [&first[..], &last[..]];
    let mut merger = Merger::new(&key, framing, sources, OrderCheck::new(&key, true));
    let mut whole = Vec::new();
    let mut out = vec![0; 20];
    loop {
        let filled = merger.merge_into(&mut out, None);
        whole.extend_from_slice(&out[..filled]);
        if filled == 0 {
            let Some(record) = merger.take_next() else { break };
            whole.extend_from_slice(record);
        }
        assert!(!merger.check().is_disordered(), "in order so far: {} bytes", whole.len());
    }
    assert_eq!(whole, [first, last].concat());
}
