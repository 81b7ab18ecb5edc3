//! Dealing: every item comes back once, from the bucket it belongs to, records in the order of the
//! input, whoever dealt which block when.

use super::*;
use crate::format::Format;
use crate::format::Framing;
use crate::incore::item::{RECORD_ITEM_MAX, location};
use crate::incore::{Sample, gather};
use crate::io::Arena;
use crate::key::text::TextOrder;
use crate::key::{CompiledKey, with_encoder};
use crate::load::Loaded;
use crate::order::OrderCheck;
use crate::proof::Sum;
use crate::units::ByteSize;

/// Records of `length` bytes with keys in their first byte, many of them equal.
fn records(count: usize, length: usize) -> Vec<u8> {
    let mixed = |at: usize| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let mut data: Vec<u8> = (0..count * length).map(|at| mixed(at) as u8).collect();
    for (index, record) in data.chunks_exact_mut(length).enumerate() {
        record[0] = (mixed(index * 31) % 23) as u8;
        if length > 4 {
            record[1..5].copy_from_slice(&(index as u32).to_le_bytes());
        }
    }
    data
}

fn pool(items: usize, item: Item, buckets: usize, workers: usize) -> Arc<Pool> {
    let bytes = Pool::bytes_needed(items as u64, item.bytes(), buckets, workers);
    Arc::new(Pool::new(Arena::new(ByteSize(bytes)).unwrap()))
}

/// About twenty buckets, by the first byte.
fn classifier<K: KeyEncoder>(key: &K, data: &[u8], length: usize) -> Classifier {
    let mut sample = Sample::new(key, 0);
    for (number, record) in (0..).zip(data.chunks_exact(length)).step_by(3) {
        sample.push(key, record, number * length as u64);
    }
    Classifier::build(&sample, (sample.len() / 20).max(1))
}

/// Deals blocks of uneven sizes, the last first, to the workers in turn.
fn dealt<K: KeyEncoder>(
    key: &K,
    (data, length): (&[u8], usize),
    (item, workers): (Item, usize),
    (classifier, pool): (&Classifier, &Arc<Pool>),
) -> Dealt {
    let new = || Dealer::new(Arc::clone(pool), item, classifier.buckets());
    let mut dealers: Vec<Dealer> = (0..workers).map(|_| new()).collect();
    let mut blocks = Vec::new();
    let mut rest = data;
    let mut first = 0;
    for size in [1, 700, 0, 33, 5000, 2].into_iter().cycle() {
        let (block, more) = rest.split_at((size * length).min(rest.len()));
        blocks.push((first, block));
        (first, rest) = (first + block.len() as u64, more);
        if rest.is_empty() {
            break;
        }
    }
    for (turn, (first, block)) in blocks.into_iter().rev().enumerate() {
        let dealer = &mut dealers[turn * 7 % workers];
        dealer.deal(classifier, key, block, Framing::Fixed(length), first, None);
    }
    Dealt::new(dealers)
}

/// The bytes of a bucket, as shown.
fn shown(dealt: &Dealt, bucket: usize, is_last_time: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let take = |items: &[u8]| bytes.extend_from_slice(items);
    if is_last_time {
        dealt.drain(bucket, take);
    } else {
        dealt.each(bucket, take);
    }
    bytes
}

#[test]
fn records_come_back_once_and_in_order() {
    let key =
        CompiledKey::of_keys(&["0..1".parse().unwrap()], Format::Fixed { length: 1 }).unwrap();
    // Some lengths divide a line, and others do not divide a chunk.
    for length in 1..=RECORD_ITEM_MAX {
        let count = [20_000, 3, 999, 9000][length % 4];
        let key = match length {
            1 => key.clone(),
            _ => CompiledKey::of_keys(
                &["0..1".parse().unwrap()],
                Format::Fixed { length: length as u32 },
            )
            .unwrap(),
        };
        let data = records(count, length);
        for workers in [1, 5] {
            with_encoder!(&key, |key| {
                let item = Item::for_length(length);
                assert_eq!(item, Item::Record(length));
                let classifier = classifier(key, &data, length);
                let pool = pool(count, item, classifier.buckets(), workers);
                let dealt = dealt(key, (&data, length), (item, workers), (&classifier, &pool));
                for bucket in 0..classifier.buckets() {
                    let belongs = |(number, record): &(u64, &[u8])| {
                        let location = *number * length as u64;
                        classifier.bucket(key, record, location) as usize == bucket
                    };
                    let numbered = (0..).zip(data.chunks_exact(length));
                    let expected: Vec<&[u8]> =
                        numbered.filter(belongs).map(|(_, record)| record).collect();
                    assert_eq!(dealt.count(bucket), expected.len());
                    assert!(shown(&dealt, bucket, false) == expected.concat());
                }
            });
        }
    }
}

#[test]
fn entries_come_back_once() {
    let length = 40;
    let key =
        CompiledKey::of_keys(&["0..10".parse().unwrap()], Format::Fixed { length: length as u32 })
            .unwrap();
    for (count, workers) in [(1, 1), (254, 2), (20_000, 1), (20_000, 5)] {
        let data = records(count, length);
        with_encoder!(&key, |key| {
            let item = Item::for_length(length);
            assert_eq!(item, Item::Entry);
            let classifier = classifier(key, &data, length);
            let pool = pool(count, item, classifier.buckets(), workers);
            let dealt = dealt(key, (&data, length), (item, workers), (&classifier, &pool));
            let mut is_seen = vec![false; count];
            for bucket in 0..classifier.buckets() {
                let bytes = shown(&dealt, bucket, false);
                assert_eq!(bytes.len(), 8 * dealt.count(bucket));
                for bytes in bytes.as_chunks::<8>().0 {
                    let found = u64::from_ne_bytes(*bytes);
                    let begun = location(found);
                    let record = &data[begun as usize..][..length];
                    let (belongs, digest) = classifier.classify(key, record, begun);
                    assert_eq!((belongs as usize, found), (bucket, entry(digest, begun)));
                    assert!(!std::mem::replace(&mut is_seen[begun as usize / length], true));
                }
            }
            assert!(is_seen.into_iter().all(|is_seen| is_seen));
        });
    }
}

/// Buckets drained make room for the same items dealt again, in the same pool, many times over.
#[test]
fn drained_chunks_are_used_again() {
    for length in [16, 40] {
        let key = CompiledKey::of_keys(
            &["0..1".parse().unwrap()],
            Format::Fixed { length: length as u32 },
        )
        .unwrap();
        let data = records(30_000, length);
        with_encoder!(&key, |key| {
            let item = Item::for_length(length);
            let classifier = classifier(key, &data, length);
            let pool = pool(30_000, item, classifier.buckets(), 2);
            for _ in 0..20 {
                let dealt = dealt(key, (&data, length), (item, 2), (&classifier, &pool));
                for bucket in 0..classifier.buckets() {
                    let before = shown(&dealt, bucket, false);
                    assert!(shown(&dealt, bucket, true) == before);
                }
            }
        });
    }
}

#[test]
fn nothing_dealt_is_nothing_shown() {
    for item in [Item::Entry, Item::Record(5), Item::Record(31)] {
        let pool = pool(0, item, 3, 2);
        let new = || Dealer::new(Arc::clone(&pool), item, 3);
        let dealt = Dealt::new(vec![new(), new()]);
        assert!((0..3).all(|bucket| dealt.count(bucket) == 0));
        assert!(shown(&dealt, 1, true).is_empty());
    }
}

/// Lines are named by where they begin. Each comes back once, from its bucket, with the bytes of
/// all of them counted; and gathering copies each whole, or not at all.
#[test]
fn lines_come_back_once_and_are_gathered_whole() {
    let key = CompiledKey::new(&TextOrder::by_bytes(b'\n')).unwrap();
    let framing = Framing::Terminated(b'\n');
    let mut data = Vec::new();
    for number in 0..20_000_usize {
        let length = if number % 500 == 3 { 5000 } else { number * number % 41 };
        data.extend((0..length).map(|at| b'a' + ((number + at) % 23) as u8));
        data.push(b'\n');
    }
    let starts = framing.records(&data).scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start as u64, line))
    });
    let lines: Vec<(u64, &[u8])> = starts.collect();
    with_encoder!(&key, |key| {
        let mut sample = Sample::new(key, 0);
        lines.iter().step_by(7).for_each(|(at, line)| sample.push(key, line, *at));
        let classifier = Classifier::build(&sample, 100);
        let pool = pool(lines.len(), Item::Entry, classifier.buckets(), 3);
        let new = || Dealer::new(Arc::clone(&pool), Item::Entry, classifier.buckets());
        let mut dealers = vec![new(), new(), new()];
        let mut summed = Sum::default();
        for (turn, block) in lines.chunks(1234).rev().enumerate() {
            let (start, (last, line)) = (block[0].0, block[block.len() - 1]);
            let bytes = &data[start as usize..last as usize + line.len()];
            let (dealer, sum) = (&mut dealers[turn % 3], Some(&mut summed));
            let dealt = dealer.deal(&classifier, key, bytes, framing, start, sum);
            assert_eq!(dealt, block.len() as u64);
        }
        let mut whole = Sum::default();
        whole.add_all(framing, &data);
        assert_eq!(summed, whole);
        let dealt = Dealt::new(dealers);
        assert_eq!(dealt.longest_bytes(), 5001);
        let mut region = Arena::new(ByteSize(data.len() as u64)).unwrap();
        region[..data.len()].copy_from_slice(&data);
        let loaded = Loaded { region: Some(region), framing };
        for bucket in 0..classifier.buckets() {
            let belongs =
                |(at, line): &&(u64, &[u8])| classifier.bucket(key, line, *at) as usize == bucket;
            let expected: Vec<&[u8]> =
                lines.iter().filter(belongs).map(|(_, line)| *line).collect();
            let items = shown(&dealt, bucket, false);
            let entries: Vec<u64> =
                items.as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect();
            assert_eq!(entries.len(), expected.len());
            let whole = expected.concat();
            assert_eq!(dealt.bytes(bucket, framing), whole.len() as u64);
            for room in [whole.len(), whole.len() / 2, whole.len().saturating_sub(1), 0] {
                let mut out = vec![0; room];
                let mut sum = Sum::default();
                let (records, check) = (loaded.records(), &mut OrderCheck::new(key, false));
                let gathered = gather(&entries, &records, &mut out, Some(&mut sum), check);
                let fits = expected.iter().scan(0, |end, line| {
                    *end += line.len();
                    Some(*end)
                });
                let fits: Vec<usize> = fits.take_while(|end| *end <= room).collect();
                assert_eq!(gathered.records, fits.len());
                assert_eq!(gathered.bytes, fits.last().copied().unwrap_or(0));
                assert!(out[..gathered.bytes] == whole[..gathered.bytes]);
                let mut wanted = Sum::default();
                wanted.add_all(framing, &whole[..gathered.bytes]);
                assert_eq!(sum, wanted);
            }
        }
    });
}
