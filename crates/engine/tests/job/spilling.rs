//! Jobs that do not fit: two passes, three and more, by length, key, order, engine and threads, at
//! the smallest budget there is and a little above.

use std::fs;
use std::time::Duration;

use sortwell_engine::ByteSize;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::io::{Direct, Direction};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::{Progress, Statistics};

use crate::data::{ORDERS, Order, records};
use crate::differential::{any_key, in_pieces};
use crate::random::Random;
use crate::reference::Part;
use crate::trial::{Trial, engines};

/// How much more than one load the input of a spilling job has.
const LOADS: u64 = 3;

/// A job that spills some `loads` runs, at a modest budget for its record length and threads.
fn spilling(
    length: usize,
    parts: Vec<Part>,
    threads: usize,
    loads: u64,
    (order, random): (Order, &mut Random),
) -> Trial {
    let mut trial = Trial { threads, ..Trial::new(length, parts, Vec::new()) };
    trial.memory = trial.modest_memory();
    let first = trial.parts.first().map_or((0, length), |part| (part.start, part.end));
    trial.inputs = vec![records(order, enough(&trial, loads), length, first, random)];
    trial
}

/// Records that make some `loads` runs.
fn enough(trial: &Trial, loads: u64) -> usize {
    // The plan of a stream is that of a job of any size.
    let endless = Trial { inputs: vec![Vec::new()], is_streamed_in: true, ..trial.clone() }.plan();
    (loads * u64::from(endless.load.records_max)) as usize
}

fn assert_two_passes(statistics: &Statistics) {
    assert_eq!(statistics.passes, 2);
    assert!(statistics.runs >= LOADS, "{} runs", statistics.runs);
}

#[test]
fn every_length() {
    let mut random = Random::fresh();
    for length in random.some([1, 7, 8, 16, 17, 24, 100, 1000, 4096, 5000, 70_000, 1 << 20]) {
        let order = (Order::Random, &mut random);
        assert_two_passes(&spilling(length, Vec::new(), 1, LOADS, order).run());
    }
}

/// As little memory as a plan can be made for: many small loads, and merges of two.
#[test]
fn every_length_at_its_least_budget() {
    let mut random = Random::fresh();
    for length in random.some([1, 8, 16, 17, 100, 5000, 70_000, 1 << 20]) {
        let mut trial = Trial { threads: 1, ..Trial::new(length, Vec::new(), Vec::new()) };
        trial.memory = trial.least_memory();
        let mut loads = LOADS;
        while trial.inputs[0].is_empty() || trial.plan().is_one_pass() {
            loads *= 2; // one load alone may be many times as large as one of two
            let (count, key) = (enough(&trial, loads), (0, length));
            trial.inputs = vec![records(Order::Random, count, length, key, &mut random)];
        }
        let statistics = trial.run();
        assert!(statistics.passes > 1, "{statistics:?}");
    }
}

#[test]
fn every_order_spilled() {
    let mut random = Random::fresh();
    for order in random.some(ORDERS) {
        let key = vec![Part::bytes(3, 23)];
        assert_two_passes(&spilling(100, key, 2, LOADS, (order, &mut random)).run());
    }
    for order in random.some([Order::AllEqual, Order::Skewed, Order::Sorted, Order::OddFloats]) {
        let key = vec![Part::number(0, "f64le").descending(), Part::bytes(8, 9)];
        assert_two_passes(&spilling(16, key, 2, LOADS, (order, &mut random)).run());
    }
}

/// The index of a run keeps 256 bytes of a key; slabs must be cut right where keys go on.
#[test]
fn keys_longer_than_an_index_keeps() {
    let mut random = Random::new(13);
    for order in [Order::CommonPrefix, Order::Nested, Order::AllEqual, Order::Random] {
        let trial = spilling(300, vec![Part::bytes(4, 296)], 2, LOADS, (order, &mut random));
        assert_two_passes(&trial.run());
    }
}

#[test]
fn every_engine_and_thread_count_spilled() {
    let mut random = Random::fresh();
    let key = || vec![Part::bytes(0, 10)];
    for engine in engines() {
        let ways = [(Direct::Auto, 1), (Direct::Auto, 3), (Direct::Off, 2)];
        for (direct, threads) in random.some(ways) {
            let order = (Order::Skewed, &mut random);
            let trial = spilling(100, key(), threads, LOADS, order);
            for is_in_memory in [false, true] {
                let trial = Trial { engine, direct, is_in_memory, ..trial.clone() };
                assert_two_passes(&trial.run());
            }
        }
    }
}

/// Enough runs that they cannot be merged at once.
#[test]
fn three_passes() {
    let mut random = Random::new(15);
    let trial = spilling(100, vec![Part::bytes(0, 10)], 1, 1 + LOADS, (Order::Random, &mut random));
    let loads = trial.plan().external().expect("runs").merge_width as u64 + 3;
    let mut trial = spilling(100, vec![Part::bytes(0, 10)], 1, loads, (Order::Nested, &mut random));
    trial.overlap = Overlap::Pipelined;
    let statistics = trial.run();
    assert_eq!(statistics.passes, 3);
    assert!(statistics.runs > statistics.merge_width);
    let streams = &statistics.streams;
    assert!(streams.spill_written > ByteSize(trial.bytes()), "{streams:?}");
    assert!(streams.spill_written < ByteSize(2 * trial.bytes()), "not all runs, {streams:?}");
}

#[test]
fn spilling_jobs_by_chance() {
    let mut random = Random::fresh();
    for _ in random.some(0..36) {
        any_spilling(&mut random).run();
    }
}

#[test]
#[ignore = "slow: gigabytes"]
fn many_spilling_jobs_by_chance() {
    let mut random = Random::fresh();
    for _ in 0..200 {
        any_spilling(&mut random).run();
    }
}

fn any_spilling(random: &mut Random) -> Trial {
    let length = random.pick(&[2, 8, 13, 16, 20, 100, 300, 1000, 5000, 70_000]);
    let (parts, first) = any_key(length, random);
    let order = random.pick(&ORDERS);
    let threads = random.pick(&[1, 1, 2, 3, 8]);
    println!("{order:?}");
    let mut trial = Trial { threads, ..Trial::new(length, parts, Vec::new()) };
    trial.memory = trial.modest_memory();
    let data = records(order, enough(&trial, LOADS), length, first, random);
    trial.inputs = in_pieces(&data, length, random);
    trial.engine = random.pick(&engines());
    trial.direct = random.pick(&[Direct::Auto, Direct::Auto, Direct::Off]);
    trial.is_in_memory = random.one_in(2);
    trial.is_streamed_in = random.one_in(4);
    trial.is_streamed_out = random.one_in(4);
    trial.verify = !random.one_in(4);
    trial
}

/// Runs are shared by the directories given.
#[test]
fn several_spill_directories() {
    let mut random = Random::new(16);
    let trial = spilling(100, vec![Part::bytes(0, 10)], 2, LOADS, (Order::Random, &mut random));
    let folder = trial.folder();
    trial.lay_out(&folder);
    let mut job = trial.job(&folder);
    job.temp = vec![folder.at("spill").join("a"), folder.at("spill").join("b")];
    for place in &job.temp {
        fs::create_dir(place).expect("a folder");
    }
    let statistics = job.run(&Progress::new()).expect("sort");
    assert_two_passes(&statistics);
    let expected = crate::reference::sorted(&trial.inputs[0], 100, &trial.parts);
    crate::trial::assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
    for place in &job.temp {
        assert_eq!(fs::read_dir(place).expect("a folder").count(), 0);
        fs::remove_dir(place).expect("an empty folder");
    }
    folder.assert_clean(true);
}

/// Where writes take long, few runs go, once enough were written to tell.
#[test]
fn a_slow_spill_directory_takes_less() {
    let order = (Order::Random, &mut Random::new(19));
    let mut trial = spilling(100, vec![Part::bytes(0, 10)], 2, 36, order);
    (trial.is_in_memory, trial.overlap) = (true, Overlap::Pipelined);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let mut job = trial.job(&folder);
    job.temp = ["slow", "fast"].map(|name| folder.at("spill").join(name)).to_vec();
    job.temp.iter().for_each(|place| fs::create_dir(place).expect("a folder"));
    let writes = |place, numbers, delay| {
        let script =
            Script::new(place, numbers, InjectedFault::Stalls(Duration::from_millis(delay)));
        script.of(Direction::Write).install()
    };
    let slow = writes(&job.temp[0], 0..u64::MAX, 40);
    let fast = writes(&job.temp[1], 0..0, 0);
    assert!(job.run(&Progress::new()).expect("sort").runs > 30);
    let (slow, fast) = (slow.seen(), fast.seen());
    println!("{slow} and {fast} writes");
    assert!(slow > 0 && fast > slow * 3 / 2, "{slow} and {fast}");
    let expected = crate::reference::sorted(&trial.inputs[0], 100, &trial.parts);
    crate::trial::assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
}

/// The fraction done that a progress line shows must arrive at one, through all passes.
#[test]
fn progress_arrives_where_it_said() {
    let mut random = Random::new(17);
    let width = spilling(100, Vec::new(), 1, 1 + LOADS, (Order::Random, &mut random));
    let most = width.plan().external().expect("runs").merge_width as u64 + 2;
    for loads in [LOADS, most] {
        let trial = spilling(100, Vec::new(), 1, loads, (Order::Random, &mut random));
        let folder = trial.folder();
        trial.lay_out(&folder);
        let progress = Progress::new();
        trial.job(&folder).run(&progress).expect("sort");
        let (done, total) = progress.bytes();
        let ratio = done as f64 / total.expect("known for files") as f64;
        assert!((0.9..1.15).contains(&ratio), "{ratio} of what was said, {loads} loads");
    }
}
