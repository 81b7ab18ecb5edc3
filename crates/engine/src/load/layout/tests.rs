//! Property: whatever the files, the loads hold every record exactly once, in order, where the
//! spans put it. Files are played in memory, and spans are carried out on them naively. Loads of
//! lines hold every byte once, with room for terminators.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;

/// Lengths that divide a page, that share a factor with it, that do not, and that exceed it.
const LENGTHS: [usize; 11] = [1, 3, 8, 13, 16, 100, 4095, 4096, 5000, 8192, 20_000];

#[derive(Clone, Debug)]
struct Case {
    record_length: usize,
    sources: Vec<LayoutInput>,
    block: usize,
    /// Bytes beyond what one record takes at worst.
    capacity: usize,
    records_max: u32,
}

impl Case {
    fn framing(&self) -> Framing {
        Framing::Fixed(self.record_length)
    }
}

fn source(record_length: usize) -> impl Strategy<Value = LayoutInput> {
    let records = prop_oneof![3 => 0..5_u64, 3 => 0..100_u64, 1 => 0..2000_u64];
    (records, any::<bool>()).prop_map(move |(records, is_direct)| {
        let bytes = (records * record_length as u64).min(300_000);
        let bytes = bytes / record_length as u64 * record_length as u64;
        LayoutInput { bytes, is_direct, skip: 0 }
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
fn read(load: &LoadLayout, files: &[Vec<u8>]) -> Vec<u8> {
    let mut memory = vec![0; end(load)];
    for span in &load.spans {
        let from = &files[span.source][span.offset as usize..];
        let got = from.len().min(span.length);
        assert!(got >= span.wanted, "the file has what is wanted: {span:?}");
        memory[span.at..span.at + got].copy_from_slice(&from[..got]);
    }
    memory
}

/// Returns the bytes of memory that a load takes.
fn end(load: &LoadLayout) -> usize {
    load.spans.last().map_or(0, |span| span.at + span.length)
}

fn assert_spans(case: &Case, load: &LoadLayout, block: usize) {
    let mut free = 0;
    for span in &load.spans {
        assert!(span.at >= free, "spans are disjoint and ascend: {span:?}");
        free = span.at + span.length;
        assert!(span.wanted > 0 && span.wanted <= span.length && span.length <= block, "{span:?}");
        if case.sources[span.source].is_direct {
            let places = [span.offset as usize, span.at, span.length];
            assert!(places.iter().all(|place| place.is_multiple_of(PAGE)), "{span:?}");
        }
    }
    assert!(free <= case.capacity, "{free} of {}", case.capacity);
    assert!((load.bytes() / case.record_length) as u64 <= u64::from(case.records_max));
}

/// The bytes of a load that are wanted, as they lie in `memory`. Each comes from where the layout
/// says.
fn wanted_bytes(load: &LoadLayout, memory: &[u8], files: &[Vec<u8>]) -> Vec<u8> {
    let mut wanted = Vec::new();
    for span in &load.spans {
        let here = &memory[span.at..span.at + span.wanted][span.skip..];
        let origin = load.origin(span.at + span.skip);
        assert_eq!(origin.source, span.source);
        assert_eq!(here, &files[origin.source][origin.offset as usize..][..here.len()]);
        wanted.extend_from_slice(here);
    }
    wanted
}

/// Returns how many records lie in no span whole.
fn straddlers(load: &LoadLayout, length: usize) -> usize {
    let whole = load.spans.iter().map(|span| {
        let begin = (span.offset as usize + span.skip).next_multiple_of(length);
        (span.offset as usize + span.wanted).saturating_sub(begin) / length
    });
    load.bytes() / length - whole.sum::<usize>()
}

fn check(case: &Case) {
    let files: Vec<Vec<u8>> =
        (0..).zip(&case.sources).map(|(file, source)| content(file, source.bytes)).collect();
    let mut cutter = Cutter::new(case.sources.clone(), case.framing(), case.block);
    let block = cutter.block();
    assert!(block <= 2 * case.block);
    let mut seen = Vec::new();
    while !cutter.is_over() {
        let left = cutter.bytes_left();
        let load = cutter.next_load(case.capacity, case.records_max, CarriedBytes::default());
        assert!(load.bytes() as u64 <= left);
        assert!(load.bytes() > 0 && load.bytes().is_multiple_of(case.record_length), "{load:?}");
        assert_spans(case, &load, block);
        seen.extend(wanted_bytes(&load, &read(&load, &files), &files));
    }
    assert!(seen == files.concat(), "every record is in one load");
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
        let mut cutter = Cutter::new(case.sources.clone(), case.framing(), case.block);
        let capacity = padded.next_multiple_of(PAGE as u64) as usize;
        let load = cutter.next_load(capacity, u32::MAX, CarriedBytes::default());
        assert_eq!(load.bytes() as u64, bytes);
        assert!(cutter.is_over());
    }
}

#[test]
fn no_files_and_empty_files_make_no_load() {
    for framing in [Framing::Fixed(100), Framing::Terminated(b'\n')] {
        for sources in [Vec::new(), vec![LayoutInput { bytes: 0, is_direct: true, skip: 0 }; 3]] {
            let mut cutter = Cutter::new(sources, framing, 1 << 20);
            assert!(cutter.is_over());
            assert_eq!(cutter.next_load(1 << 20, 1000, CarriedBytes::default()).spans, []);
        }
    }
}

/// The case most sorts have: spans hold whole records only, so that there are no straddlers.
#[test]
fn common_lengths_have_no_straddlers() {
    for record_length in [1, 7, 8, 10, 16, 64, 100, 128, 1000, 4096] {
        let length = record_length as u64;
        let bytes = (50_000_000 / length) * length;
        let source = LayoutInput { bytes, is_direct: true, skip: 0 };
        let mut cutter = Cutter::new(vec![source], Framing::Fixed(record_length), 1 << 20);
        let mut seen = 0;
        while !cutter.is_over() {
            let load = cutter.next_load(10_000_000, u32::MAX, CarriedBytes::default());
            assert_eq!(straddlers(&load, record_length), 0, "records of {record_length}");
            seen += load.bytes() as u64;
        }
        assert_eq!(seen, bytes);
    }
}

#[test]
fn a_record_longer_than_a_span_straddles() {
    let source = LayoutInput { bytes: 3 << 20, is_direct: true, skip: 0 };
    let mut cutter = Cutter::new(vec![source], Framing::Fixed(1 << 20), 256 << 10);
    let load = cutter.next_load(8 << 20, u32::MAX, CarriedBytes::default());
    assert_eq!(straddlers(&load, 1 << 20), 3);
    assert_eq!(load.spans.len(), 12);
    assert!(load.spans.iter().all(|span| span.skip <= span.length), "{load:?}");
}

/// A load of records of one length may begin in the page that the one before ended in, which is
/// read again.
#[test]
fn the_next_load_skips_what_it_shares_of_a_page() {
    for is_direct in [true, false] {
        let source = LayoutInput { bytes: 100_000, is_direct, skip: 0 };
        let mut cutter = Cutter::new(vec![source], Framing::Fixed(5000), PAGE);
        assert_eq!(cutter.next_load(1 << 20, 3, CarriedBytes::default()).bytes(), 15_000);
        assert_eq!(cutter.place(), InputPlace { source: 0, offset: 15_000 });
        let first = cutter.next_load(1 << 20, 3, CarriedBytes::default()).spans[0];
        let skip = if is_direct { 15_000 % PAGE } else { 0 };
        assert_eq!((first.offset, first.skip), (15_000 - skip as u64, skip));
    }
}

fn lines(sizes: &[u64]) -> Vec<LayoutInput> {
    sizes.iter().map(|&bytes| LayoutInput { bytes, is_direct: true, skip: 0 }).collect()
}

const LINE_FEED: Framing = Framing::Terminated(b'\n');

fn carried(bytes: usize) -> CarriedBytes {
    CarriedBytes { bytes, origins: Vec::new() }
}

/// Checks the loads of lines that inputs of `sizes` are cut into, with room for terminators.
fn check_lines(sizes: &[u64], block: usize, capacity: usize, carry: usize) {
    let mut cutter = Cutter::new(lines(sizes), LINE_FEED, block);
    let mut seen = vec![0; sizes.len()];
    let mut loads = 0;
    while !cutter.is_over() {
        let load = cutter.next_load(capacity, 1, carried(carry));
        assert!(load.start >= carry && load.start < carry + PAGE);
        let mut free = load.start;
        for span in &load.spans {
            assert_eq!(span.offset, seen[span.source], "spans follow each other");
            assert!(span.at >= free && span.at.is_multiple_of(PAGE) && span.wanted <= block);
            assert!(span.offset.is_multiple_of(PAGE as u64), "requests past the page cache");
            seen[span.source] += span.wanted as u64;
            assert_eq!(span.is_end, seen[span.source] == sizes[span.source]);
            free = span.at + span.wanted + usize::from(span.is_end);
            assert!(free <= capacity && span.at + span.length <= capacity);
        }
        assert!(!load.spans.is_empty(), "every load gets on");
        loads += 1;
        assert!(loads < 1000);
    }
    assert_eq!(seen, sizes);
}

#[test]
fn every_byte_of_lines_is_read_once_and_in_order() {
    for sizes in [&[0][..], &[1], &[4096], &[4095, 1, 0, 8192], &[1 << 20, 3, 123_456]] {
        for (block, capacity) in [(4096, 12_288), (8192, 100_000), (1 << 20, 4 << 20)] {
            for carry in [0, 1, 4096] {
                check_lines(sizes, block, capacity, carry);
            }
        }
    }
}

#[test]
fn what_is_left_is_known_by_input() {
    let mut cutter = Cutter::new(lines(&[0, 10_000, 5]), LINE_FEED, 4096);
    let place = |source, offset| InputPlace { source, offset };
    assert_eq!(cutter.place(), place(1, 0));
    cutter.next_load(5000, 0, CarriedBytes::default());
    assert_eq!(cutter.left().collect::<Vec<_>>(), [(place(1, 4096), 5904), (place(2, 0), 5)]);
    assert_eq!(cutter.bytes_left(), 5909);
}

#[test]
fn the_start_of_an_input_may_be_left_out() {
    let source = |bytes, skip| LayoutInput { bytes, is_direct: true, skip };
    let sources = vec![source(10, 10), source(9000, 5000), source(3, 1)];
    let mut cutter = Cutter::new(sources, LINE_FEED, 4096);
    let load = cutter.next_load(1 << 20, 0, CarriedBytes::default());
    let spans: Vec<_> = load.spans.iter().map(|s| (s.source, s.offset, s.skip, s.wanted)).collect();
    assert_eq!(spans, [(1, 4096, 904, 4096), (1, 8192, 0, 808), (2, 0, 1, 3)]);
    assert!(cutter.is_over());
}

#[test]
fn carried_bytes_have_their_own_origins() {
    let place = |source, offset| InputPlace { source, offset };
    let mut cutter = Cutter::new(lines(&[0, 0, 9000]), LINE_FEED, 4096);
    let carry = CarriedBytes { bytes: 30, origins: vec![(0, place(0, 70)), (20, place(1, 5))] };
    let load = cutter.next_load(1 << 20, 0, carry);
    assert_eq!((load.begin(), load.start), (PAGE - 30, PAGE));
    let origins = [0, 19, 20, 29, 30, 4126].map(|at| load.origin(load.begin() + at));
    let wanted = [(0, 70), (0, 89), (1, 5), (1, 14), (2, 0), (2, 4096)];
    assert_eq!(origins, wanted.map(|(source, offset)| place(source, offset)));
    // Bytes that are carried on have an origin for each input that they are of.
    let begin = load.begin();
    let carried = |range: Range<usize>| load.origins(&(begin + range.start..begin + range.end));
    let (first, second, third) = ((0, place(0, 70)), (20, place(1, 5)), (30, place(2, 0)));
    assert_eq!(carried(0..20), [first]);
    assert_eq!(carried(0..5000), [first, second, third], "spans of one input follow each other");
    assert_eq!(carried(25..40), [(0, place(1, 10)), (5, place(2, 0))]);
    assert_eq!(carried(35..9000), [(0, place(2, 5))]);
}
