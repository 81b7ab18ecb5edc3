//! Samples of lines: buckets of even size whatever the order of the file, from whole lines alone.

use super::*;
use crate::format::Format;
use crate::incore::Item;
use crate::io::Direct;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, with_encoder};

const LINE_FEED: Framing = Framing::Terminated(b'\n');

/// Records that are wanted in a bucket of a stream.
const BUCKET_RECORDS: usize = 1000;

/// Buckets that are asked for.
const WANTED: usize = 40;

/// A classifier made of a sample of files with these contents, and how many of their lines fall
/// into each of its buckets.
fn sampled(contents: &[Vec<u8>], skip: u64) -> Vec<usize> {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    sampled_by(&key, LINE_FEED, (contents, skip))
}

/// Samples records of any framing by a key of theirs.
fn sampled_by(
    key: &CompiledKey,
    framing: Framing,
    (contents, skip): (&[Vec<u8>], u64),
) -> Vec<usize> {
    let folder = tempfile::tempdir().unwrap();
    let open = |(number, content): (usize, &Vec<u8>)| {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, content).unwrap();
        File::open_read(&path, Direct::Off).unwrap()
    };
    let files: Vec<Arc<File>> = contents.iter().enumerate().map(open).collect();
    let left = contents.iter().enumerate().map(|(number, content)| {
        let skipped = if number == 0 { skip } else { 0 };
        (InputPlace { source: number, offset: skipped }, content.len() as u64 - skipped)
    });
    let bytes = contents.iter().map(Vec::len).sum::<usize>() as u64;
    let load = ComingLoad { files: &files, left, bytes };
    with_encoder!(key, |key| {
        let mut sampler = Sampler::of(Engine::Sync, framing, &[]).unwrap();
        let depth = sampler.free.len();
        let sort = sort_of(key, framing, 4 * WANTED);
        let classifier = sampler.classifier(&sort, load, WANTED).unwrap();
        assert!(sampler.free.len() == depth, "every buffer comes back");
        let mut counts = vec![0; classifier.buckets()];
        for content in contents {
            for (number, record) in (0..).zip(framing.records(content)) {
                counts[classifier.bucket(key, record, number) as usize] += 1;
            }
        }
        counts
    })
}

fn sort_of<K>(key: &K, framing: Framing, buckets_max: usize) -> IncoreSort<'_, K> {
    let (item, bucket_records) = (Item::Entry, BUCKET_RECORDS);
    IncoreSort { key, item, framing, bucket_records, buckets_max, runs: None }
}

/// Lines of numbers, some of them long.
fn numbers(count: u64, number: impl Fn(u64) -> u64) -> Vec<u8> {
    let line = |at| format!("{:08}{}\n", number(at), "-".repeat((at % 50) as usize));
    (0..count).flat_map(|at| line(at).into_bytes()).collect()
}

#[test]
fn buckets_are_even_whatever_the_order() {
    let count = 60_000;
    let orders: [&dyn Fn(u64) -> u64; 4] =
        [&|at| at, &|at| count - at, &|at| at * 7919 % count, &|at| at % 1000 * 60 + at / 1000];
    for (number, order) in orders.iter().enumerate() {
        let data = numbers(count, order);
        let halves = vec![data[..data.len() / 3].to_vec(), Vec::new(), data.clone()];
        for contents in [vec![data], halves] {
            let counts = sampled(&contents, 0);
            let total: usize = counts.iter().sum();
            let largest = *counts.iter().max().unwrap();
            assert!(counts.len() >= WANTED / 2, "order {number}: {} buckets", counts.len());
            assert!(largest < 8 * total / WANTED, "order {number}: {largest} of {total}");
        }
    }
}

/// Records of one length are sampled wherever they lie in a page, from one file and from many that
/// are smaller than what lies between two places.
#[test]
fn records_of_one_length_make_even_buckets() {
    for length in [13, 100, 5000] {
        let count = 2_000_000 / length;
        let record = |at: usize| {
            let mut record = vec![b'-'; length];
            record[..8].copy_from_slice(format!("{:08}", at * 7919 % count).as_bytes());
            record
        };
        let all: Vec<u8> = (0..count).flat_map(record).collect();
        let format = Format::Fixed { length: length as u32 };
        let key = CompiledKey::of_keys(&["0..8".parse().unwrap()], format).unwrap();
        let many: Vec<Vec<u8>> = all.chunks(4 * length).map(<[u8]>::to_vec).take(500).collect();
        for contents in [vec![all], many] {
            let counts = sampled_by(&key, Framing::Fixed(length), (&contents, 0));
            let total: usize = counts.iter().sum();
            let largest = *counts.iter().max().unwrap();
            assert!(counts.len() >= WANTED / 4, "{length}: {} buckets", counts.len());
            assert!(largest < 12 * total / WANTED, "{length}: {largest} of {total}");
        }
    }
}

/// Pages without the end of a line, or with one only, show no whole line: one bucket will do.
#[test]
fn pages_without_a_whole_line_are_passed_over() {
    for content in [vec![b'x'; 300_000], Vec::new(), vec![b'x'; 10], b"x\n".to_vec()] {
        assert_eq!(sampled(&[content], 0).len(), 1);
    }
    let long: Vec<u8> = (0..40_u8).flat_map(|n| [&vec![n; 20_000][..], b"\n"].concat()).collect();
    assert!(!sampled(&[long], 0).is_empty());
}

#[test]
fn a_place_within_a_file_to_begin_at() {
    let data = numbers(60_000, |at| at * 7919 % 60_000);
    for skip in [0, 1, 4096, 5000, data.len() as u64 - 1, data.len() as u64] {
        let counts = sampled(std::slice::from_ref(&data), skip);
        assert_eq!(counts.iter().sum::<usize>(), 60_000);
    }
}

/// The first block of a stream may be hundreds of thousands of records: some will do, and what they
/// make divides all of them as evenly.
#[test]
fn few_of_a_streams_first_records_are_taken() {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    let first: Vec<u8> = numbers(200_000, |at| at * 7919 % 200_000);
    with_encoder!(&key, |key| {
        let wanted = 200_000 / BUCKET_RECORDS;
        let sort = sort_of(key, LINE_FEED, 4 * wanted);
        let classifier = of_first(&sort, &first, first.len());
        let mut counts = vec![0; classifier.buckets()];
        for (number, line) in (0..).zip(LINE_FEED.records(&first)) {
            counts[classifier.bucket(key, line, number) as usize] += 1;
        }
        let largest = *counts.iter().max().unwrap();
        assert!(counts.len() >= wanted / 2 && largest < 3000, "{}: {largest}", counts.len());
    });
}

#[test]
fn the_average_length_of_lines() {
    let folder = tempfile::tempdir().unwrap();
    let average = |contents: &[&[u8]]| {
        let open = |(number, content): (usize, &&[u8])| {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, content).unwrap();
            File::open_read(&path, Direct::Off).unwrap()
        };
        let files: Vec<Arc<File>> = contents.iter().enumerate().map(open).collect();
        average_length(&files, LINE_FEED).unwrap()
    };
    assert_eq!(average(&[b""]), 1);
    assert_eq!(average(&[b"\n\n\n"]), 1);
    assert_eq!(average(&[b"123456789\n123456789\n", b""]), 10);
    assert!((45..60).contains(&average(&[
        &b"123456789 123456789 123456789 123456789 123456789\n".repeat(10_000)
    ])));
}
