//! Nanoseconds a record of every step between arrival and departure, on one thread: summing,
//! dealing, sorting a bucket, gathering, merging. Run with `make bench`; `results/time-by-step.md`
//! and `docs/design` have earlier figures.

#![expect(missing_docs, reason = "criterion makes a function of each group")]
#![expect(clippy::expect_used, reason = "a benchmark without memory or key is no benchmark")]

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use sortwell_engine::format::Format;
use sortwell_engine::format::Framing;
use sortwell_engine::incore::sort::{bucket_records, buckets_max};
use sortwell_engine::incore::{IncoreSort, Item, Method, Pool, gather};
use sortwell_engine::io::{Arena, Region};
use sortwell_engine::key::{CompiledKey, KeyEncoder};
use sortwell_engine::load::Records;
use sortwell_engine::merge::Merger;
use sortwell_engine::order::OrderCheck;
use sortwell_engine::proof::Sum;
use sortwell_engine::units::ByteSize;

/// Bytes of records in a measured load: beyond every cache.
const LOAD_BYTES: usize = 256 << 20;

/// Bytes of records that are merged.
const BLOCK_BYTES: usize = 4 << 20;

/// Bytes gathered at a time, as in a job.
const BATCH_BYTES: usize = 16 << 10;

/// Fills a buffer with pseudo-random bytes (splitmix64).
fn fill_random(bytes: &mut [u8]) {
    let mut state = 1_u64;
    for word in bytes.as_chunks_mut::<8>().0 {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *word = (z ^ (z >> 31)).to_le_bytes();
    }
}

fn arena(bytes: usize) -> Region {
    let mut region = Arena::new(ByteSize(bytes as u64)).expect("memory for the benchmark");
    region.touch();
    region
}

fn random_arena(bytes: usize) -> Region {
    let mut region = arena(bytes);
    fill_random(&mut region);
    region
}

fn slice_key(length: usize) -> CompiledKey {
    let spec = if length >= 10 { "0..10" } else { "0.." };
    CompiledKey::of_keys(&[spec.parse().expect("a key")], Format::Fixed { length: length as u32 })
        .expect("a key")
}

/// Deals a whole load into as many buckets as a job would.
fn deal(c: &mut Criterion) {
    let mut group = c.benchmark_group("deal");
    let load = random_arena(LOAD_BYTES);
    for (length, key) in [(16, "0..8:u64be"), (100, "0..10"), (100, "0..8:u64le")] {
        let records = LOAD_BYTES / length;
        let key = CompiledKey::of_keys(
            &[key.parse().expect("a key")],
            Format::Fixed { length: length as u32 },
        )
        .expect("a key");
        let item = Item::for_length(length);
        let buckets = buckets_max(records as u64, length);
        let pool = Pool::bytes_needed(records as u64, item.bytes(), buckets, 1);
        let mut pool = Some(arena(pool as usize));
        group.throughput(Throughput::Elements(records as u64));
        let name = format!(
            "{length} bytes by {}",
            match key {
                CompiledKey::Slice(_) => "slice",
                _ => "number",
            }
        );
        group.bench_function(name, |b| {
            b.iter(|| match &key {
                CompiledKey::Slice(key) => deal_all(key, &load, length, &mut pool),
                CompiledKey::Composite(key) => deal_all(key, &load, length, &mut pool),
                CompiledKey::Line(key) => deal_all(key, &load, length, &mut pool),
                CompiledKey::Text(key) => deal_all(key, &load, length, &mut pool),
                CompiledKey::Compared(key) => deal_all(key, &load, length, &mut pool),
            });
        });
    }
}

fn deal_all<K: KeyEncoder>(key: &K, load: &[u8], length: usize, memory: &mut Option<Region>) {
    let whole = &load[..load.len() / length * length];
    let sort = IncoreSort {
        key,
        item: Item::for_length(length),
        framing: Framing::Fixed(length),
        bucket_records: bucket_records(length),
        buckets_max: buckets_max((whole.len() / length) as u64, length),
        runs: None,
    };
    let pool = Arc::new(Pool::new(memory.take().expect("memory")));
    drop(black_box(sort.deal_whole(whole, &pool)));
    *memory = Arc::into_inner(pool).map(Pool::into_region);
}

/// Sorts the entries of one bucket.
fn sort(c: &mut Criterion) {
    let mut group = c.benchmark_group("sort bucket");
    let mut spare = vec![0; 64 << 10];
    for count in [1_usize << 10, 24 << 10, 64 << 10] {
        let mut bytes = vec![0; count * size_of::<u64>()];
        fill_random(&mut bytes);
        let entries: Vec<u64> =
            bytes.as_chunks().0.iter().map(|bytes| u64::from_ne_bytes(*bytes)).collect();
        group.throughput(Throughput::Elements(count as u64));
        for method in [Method::Radix, Method::Quicksort, Method::Mergesort] {
            group.bench_function(format!("{} {count}", method.name()), |b| {
                b.iter_batched_ref(
                    || entries.clone(),
                    |e| method.sort(e, &mut spare),
                    BatchSize::LargeInput,
                );
            });
        }
        group.bench_function(format!("sort_unstable {count}"), |b| {
            b.iter_batched_ref(|| entries.clone(), |e| e.sort_unstable(), BatchSize::LargeInput);
        });
    }
}

/// Gathers a bucket's records from all over a load.
fn gathering(c: &mut Criterion) {
    let mut group = c.benchmark_group("gather");
    let load = random_arena(LOAD_BYTES);
    for length in [32, 100, 1000] {
        let records = Records::new(&load, Framing::Fixed(length));
        let total = (LOAD_BYTES / length) as u64;
        let count = BATCH_BYTES / length;
        // Each time others, so that no cache has them.
        let entries: Vec<u64> = (0..total)
            .map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % total * length as u64)
            .collect();
        let mut out = vec![0; count * length];
        group.throughput(Throughput::Elements(count as u64));
        let CompiledKey::Slice(key) = slice_key(length) else { unreachable!("one range of bytes") };
        for (is_summed, is_ordered) in [(false, false), (true, false), (true, true)] {
            let summed = if is_summed { ", summed" } else { "" };
            let ordered = if is_ordered { ", order proven" } else { "" };
            let name = format!("{length} bytes{summed}{ordered}");
            let mut begins = (0..entries.len() - count).step_by(count).cycle();
            let mut sum = Sum::default();
            group.bench_function(name, |b| {
                b.iter(|| {
                    let rest = &entries[begins.next().expect("without end")..];
                    let (sum, out) = (is_summed.then_some(&mut sum), black_box(&mut out));
                    gather(rest, &records, out, sum, &mut OrderCheck::new(&key, is_ordered))
                });
            });
        }
    }
}

/// Sums records as the proof does.
fn summing(c: &mut Criterion) {
    let mut group = c.benchmark_group("sum");
    let mut block = vec![0; 16 << 10];
    fill_random(&mut block);
    for length in [8, 16, 100, 1000] {
        let bytes = &block[..block.len() / length * length];
        group.throughput(Throughput::Elements((bytes.len() / length) as u64));
        group.bench_function(format!("{length} bytes"), |b| {
            b.iter(|| {
                let mut sum = Sum::default();
                sum.add_all(Framing::Fixed(length), black_box(bytes));
                sum
            });
        });
    }
}

/// Merges sorted pieces of 100-byte records.
fn merge(c: &mut Criterion) {
    let mut group = c.benchmark_group("merge");
    let length = 100;
    let CompiledKey::Slice(key) = slice_key(length) else { unreachable!("one range of bytes") };
    let mut out = vec![0; 160 * length];
    for width in [2_usize, 12, 44] {
        let piece = (BLOCK_BYTES / width / length).max(1) * length;
        let mut load = vec![0; piece * width];
        fill_random(&mut load);
        for piece in load.chunks_mut(piece) {
            let mut records: Vec<Vec<u8>> = piece.chunks(length).map(<[u8]>::to_vec).collect();
            records.sort_by(|a, b| a[..10].cmp(&b[..10]));
            piece.copy_from_slice(&records.concat());
        }
        group.throughput(Throughput::Elements((load.len() / length) as u64));
        for is_ordered in [false, true] {
            let ordered = if is_ordered { ", order proven" } else { "" };
            group.bench_function(format!("{width} runs of 100 bytes{ordered}"), |b| {
                b.iter(|| {
                    let check = OrderCheck::new(&key, is_ordered);
                    let framing = Framing::Fixed(length);
                    let mut merger = Merger::new(&key, framing, load.chunks(piece), check);
                    while merger.merge_into(black_box(&mut out), None) > 0 {}
                });
            });
        }
    }
}

criterion_group! {
    name = incore;
    config = Criterion::default().sample_size(10);
    targets = summing, deal, sort, gathering, merge
}
criterion_main!(incore);
