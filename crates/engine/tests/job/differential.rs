//! Any job equals a stable sort of the keys: lengths, keys, orders, engines, threads, by chance and
//! by name. Jobs that spill are in `spilling`, pipes in `streams`.

use sortwell_engine::ByteSize;
use sortwell_engine::io::Direct;
use sortwell_engine::plan::levers::Overlap;

use crate::data::{ORDERS, Order, records};
use crate::random::Random;
use crate::reference::{Part, width};
use crate::trial::{Trial, engines};

/// Record lengths: around a word, around what is dealt whole, around a page, around a block.
const LENGTHS: [usize; 15] =
    [1, 2, 7, 8, 13, 16, 17, 24, 100, 333, 1000, 4096, 5000, 70_000, 1 << 20];

const NUMBERS: [&str; 11] = [
    "u8", "u16le", "i16be", "i32le", "i32be", "u64le", "u64be", "i64le", "f32be", "f64le", "f64be",
];

/// A key of any kind over records of `length` bytes, and the bytes its most significant part is in.
pub fn any_key(length: usize, random: &mut Random) -> (Vec<Part>, (usize, usize)) {
    if random.one_in(4) {
        return (Vec::new(), (0, length));
    }
    let mut parts = Vec::new();
    let count = random.pick(&[1, 1, 1, 2, 3, 5]);
    for _ in 0..count {
        let fitting: Vec<&str> = NUMBERS.into_iter().filter(|kind| width(kind) <= length).collect();
        let part = if random.one_in(2) && !fitting.is_empty() {
            let kind = random.pick(&fitting);
            Part::number(random.below(length - width(kind) + 1), kind)
        } else {
            // Short ones mostly, and some beyond 8, 128 and 256 bytes.
            let wanted = random.pick(&[1, 3, 8, 9, 10, 16, 40, 129, 200, 257, 700]);
            let start = random.below(length);
            Part::bytes(start, (start + wanted).min(length))
        };
        parts.push(if random.one_in(3) { part.descending() } else { part });
    }
    let first = (parts[0].start, parts[0].end);
    (parts, first)
}

/// Cuts an input in several files, some of them empty.
pub fn in_pieces(data: &[u8], length: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let count = data.len() / length;
    let mut cuts: Vec<usize> =
        (0..random.pick(&[0, 0, 1, 2, 9])).map(|_| random.below(count + 1)).collect();
    if random.one_in(2) {
        cuts.extend_from_slice(&cuts.clone()); // a cut made twice is an empty file
    }
    cuts.extend([0, count]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| data[cut[0] * length..cut[1] * length].to_vec()).collect()
}

/// Any job over about `bytes` bytes.
pub fn any_trial(bytes: usize, random: &mut Random) -> Trial {
    let length = random.pick(&LENGTHS);
    let count = (bytes / length).clamp(3, 100_000);
    let (parts, first) = any_key(length, random);
    let order = random.pick(&ORDERS);
    println!("{order:?}");
    let data = records(order, count, length, first, random);
    Trial {
        inputs: in_pieces(&data, length, random),
        threads: random.pick(&[1, 2, 3, 8]),
        overlap: random.pick(&[Overlap::Pipelined, Overlap::Pipelined, Overlap::Sync]),
        engine: random.pick(&engines()),
        direct: random.pick(&[Direct::Auto, Direct::Auto, Direct::Off]),
        is_in_memory: random.one_in(2),
        is_streamed_in: random.one_in(4),
        is_streamed_out: random.one_in(4),
        verify: !random.one_in(4),
        sync: random.one_in(20),
        ..Trial::new(length, parts, Vec::new())
    }
}

#[test]
fn jobs_by_chance() {
    let mut random = Random::fresh();
    for _ in random.some(0..600) {
        let bytes = random.pick(&[100, 3000, 60_000, 500_000, 2_000_000]);
        any_trial(bytes, &mut random).run();
    }
}

#[test]
#[ignore = "slow: thousands of jobs, minutes"]
fn many_jobs_by_chance() {
    let mut random = Random::fresh();
    for _ in 0..3000 {
        let bytes = random.pick(&[100, 3000, 60_000, 500_000, 3_000_000, 20_000_000]);
        any_trial(bytes, &mut random).run();
    }
}

#[test]
fn every_length_by_whole_record() {
    let mut random = Random::new(1);
    for length in LENGTHS {
        for count in [0, 1, 2, 3, 257] {
            let count = count.min((4 << 20) / length);
            let data = records(Order::Random, count, length, (0, length), &mut random);
            Trial::new(length, Vec::new(), data).run();
        }
    }
}

#[test]
fn every_order_of_short_and_longer_records() {
    let mut random = Random::fresh();
    for order in random.some(ORDERS) {
        for (length, key) in [(10, Part::bytes(0, 10)), (16, Part::number(8, "u64be"))] {
            let data = records(order, 150_000, length, (key.start, key.end), &mut random);
            Trial::new(length, vec![key], data).run();
        }
        let data = records(order, 80_000, 40, (0, 20), &mut random);
        Trial::new(40, vec![Part::bytes(0, 20)], data).run();
    }
}

/// More equal keys than a bucket may hold, and keys that agree further than one classifier looks
/// (16 words, 128 bytes) and further than an index keeps (256 bytes).
#[test]
fn keys_that_agree_for_long() {
    let mut random = Random::new(3);
    for key_bytes in [127, 128, 129, 136, 255, 257, 300] {
        for order in [Order::CommonPrefix, Order::Nested, Order::AllEqual] {
            let length = key_bytes + 4;
            let data = records(order, 3000, length, (0, key_bytes), &mut random);
            Trial::new(length, vec![Part::bytes(0, key_bytes)], data).run();
        }
    }
    let data = records(Order::CommonPrefix, 100_000, 140, (0, 138), &mut random);
    Trial::new(140, vec![Part::bytes(0, 138)], data).run();
}

#[test]
fn every_engine_place_and_thread_count() {
    let mut random = Random::fresh();
    let data = records(Order::Skewed, 30_011, 100, (0, 10), &mut random);
    for engine in engines() {
        for direct in [Direct::Auto, Direct::Off] {
            for is_in_memory in [false, true] {
                for threads in random.some([1, 2, 3, 8]) {
                    let parts = vec![Part::bytes(0, 10)];
                    let plain = Trial::new(100, parts, data.clone());
                    Trial { engine, direct, is_in_memory, threads, ..plain }.run();
                }
            }
        }
    }
}

#[test]
fn direct_on_bypasses_the_page_cache_where_it_can() {
    let mut random = Random::new(5);
    let data = records(Order::Random, 10_000, 100, (0, 10), &mut random);
    let trial = Trial { direct: Direct::On, ..Trial::new(100, vec![Part::bytes(0, 10)], data) };
    let folder = trial.folder();
    let probe = folder.at("probe");
    if let Err(refused) = sortwell_engine::io::File::create(&probe, Direct::On) {
        println!("LEFT OUT: {refused}");
        return;
    }
    let statistics = trial.run();
    assert!(statistics.direct_input && statistics.direct_output);
    let statistics = Trial { direct: Direct::Off, ..trial }.run();
    assert!(!statistics.direct_input && !statistics.direct_output);
}

#[test]
fn several_inputs_are_one_in_their_order() {
    let mut random = Random::new(6);
    // Equal keys everywhere: any mix-up of files shows.
    for length in [13, 16, 100, 5000] {
        let key = vec![Part::bytes(0, 1)];
        let data =
            records(Order::TwoValues, 3000.min((8 << 20) / length), length, (0, 1), &mut random);
        let pieces = |bytes: usize| data.chunks(bytes * length).map(<[u8]>::to_vec).collect();
        for inputs in [pieces(1), pieces(7), pieces(1000)] {
            let inputs: Vec<Vec<u8>> = inputs;
            let inputs = inputs.into_iter().take(300).collect();
            Trial { inputs, ..Trial::new(length, key.clone(), Vec::new()) }.run();
        }
    }
    let empty = vec![Vec::new(); 3];
    Trial { inputs: empty, ..Trial::new(8, Vec::new(), Vec::new()) }.run();
}

#[test]
fn an_output_that_is_an_input_replaces_it() {
    let mut random = Random::new(7);
    let data = records(Order::Random, 20_000, 100, (0, 10), &mut random);
    let parts = vec![Part::bytes(0, 10)];
    let trial = Trial::new(100, parts.clone(), data.clone());
    let folder = trial.folder();
    std::fs::write(folder.output(), &data).expect("write");
    let mut job = trial.job(&folder);
    job.inputs = vec![sortwell_engine::job::Input::File(folder.output())];
    let statistics = job.run(&sortwell_engine::stats::Progress::new()).expect("sort");
    assert_eq!(statistics.bytes, ByteSize(data.len() as u64));
    let found = std::fs::read(folder.output()).expect("read");
    crate::trial::assert_same(&found, &crate::reference::sorted(&data, 100, &parts), 100);
    folder.assert_clean(true);
}
