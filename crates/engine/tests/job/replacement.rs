//! Run generation by replacement selection: the same output as any other, in runs as long as the
//! order of the input allows.

use sortwell_engine::ByteSize;
use sortwell_engine::Error;
use sortwell_engine::io::Engine;
use sortwell_engine::job::{Algorithm, Resume};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::predicate::RecordFilter;
use sortwell_engine::stats::{Progress, Statistics};

use crate::csv_shapes::{table, tricky_row};
use crate::csv_trial::Table;
use crate::data::{ORDERS, Order, records};
use crate::line_trial::{Lines, assert_same};
use crate::prefixed_trial::{FORMATS, Prefixed, record};
use crate::random::Random;
use crate::reference::Part;
use crate::trial::{Folder, Trial};

const ALGORITHM: Algorithm = Algorithm::ReplacementSelection;

/// A budget in which memory holds little.
const SMALL: ByteSize = ByteSize::mib(28);

/// A trial of records of `length` bytes by the first eight of them, or all, and how many of them
/// memory holds.
fn trial(length: usize) -> (Trial, usize) {
    let parts = vec![Part::bytes(0, length.min(8))];
    let trial = Trial { algorithm: ALGORITHM, ..Trial::new(length, parts, Vec::new()) };
    let trial = Trial { memory: trial.least_memory().max(SMALL), is_streamed_in: true, ..trial };
    let plan = trial.plan();
    let external = plan.external().expect("more than memory holds");
    let memory = external.replacement().expect("selection");
    (Trial { is_streamed_in: false, ..trial }, memory.records as usize)
}

fn run(trial: &Trial) -> Statistics {
    let statistics = trial.run();
    assert!(statistics.runs > 0, "{statistics:?}");
    assert_eq!(statistics.algorithm, Some("replacement-selection"));
    statistics
}

/// One of the orders that have to make one run, and some of the others.
#[test]
fn every_order_of_records_of_fixed_length() {
    let mut random = Random::fresh();
    for length in random.some([16, 100, 5000]) {
        let (plain, held) = trial(length);
        // More than both loads hold, which have more room for short records.
        let least = (held * 2).max(plain.memory.bytes() as usize / length);
        let is_one = |order: &Order| matches!(order, Order::AllEqual | Order::Sorted);
        let (one, more): (Vec<Order>, Vec<Order>) = ORDERS.into_iter().partition(is_one);
        for order in [random.some(one), random.some(more)].concat() {
            let count = least + random.below(held);
            let data = records(order, count, length, (0, length.min(8)), &mut random);
            let threads = 1 + random.below(3);
            let statistics = run(&Trial { inputs: vec![data], threads, ..plain.clone() });
            assert!(!is_one(&order) || statistics.runs == 1, "{order:?}: {} runs", statistics.runs);
        }
    }
}

/// Keys of numbers, keys in the middle and backwards, many equal, over several inputs and engines.
#[test]
fn equal_records_stay_in_order() {
    let mut random = Random::fresh();
    let (plain, held) = trial(40);
    for engine in crate::trial::engines() {
        let parts = [Part::number(30, "i16be"), Part::bytes(7, 8).descending(), Part::bytes(3, 20)];
        for part in random.some(parts) {
            let mut data = records(Order::Random, held * 3, 40, (0, 40), &mut random);
            data.iter_mut().for_each(|byte| *byte &= 3);
            let inputs = crate::differential::in_pieces(&data, 40, &mut random);
            let parts = vec![part];
            run(&Trial { inputs, parts, engine, ..plain.clone() });
        }
    }
}

#[test]
fn nearly_sorted_input_makes_one_run() {
    let mut random = Random::fresh();
    let (plain, held) = trial(100);
    let mut data = records(Order::Random, held * 5, 100, (0, 8), &mut random);
    for (place, record) in data.chunks_exact_mut(100).enumerate() {
        // No record is further from its place than memory holds.
        let key = (place + random.below(held * 9 / 10)) as u64;
        record[..8].copy_from_slice(&key.to_be_bytes());
    }
    let statistics = run(&Trial { inputs: vec![data], ..plain });
    assert_eq!((statistics.runs, statistics.passes), (1, 2));
}

#[test]
fn runs_of_random_records_are_twice_as_long_as_memory() {
    let mut random = Random::fresh();
    let (plain, held) = trial(40);
    let count = held * 20;
    let data = records(Order::Random, count, 40, (0, 8), &mut random);
    let statistics = run(&Trial { inputs: vec![data], ..plain });
    // The first run is shorter, as memory is filled before it, and so are the last two.
    let share = count as f64 / statistics.runs as f64 / held as f64;
    println!("{held} in memory, {} runs: {share:.2}", statistics.runs);
    assert!((1.7..=2.3).contains(&share), "{share}");
}

#[test]
fn streams_in_and_out() {
    let mut random = Random::fresh();
    let (plain, held) = trial(50);
    let plain = Trial { is_streamed_in: true, is_streamed_out: true, ..plain };
    for count in [1, 1000, held, held * 3] {
        let data = records(Order::Random, count, 50, (0, 8), &mut random);
        let inputs = crate::differential::in_pieces(&data, 50, &mut random);
        run(&Trial { inputs, ..plain.clone() });
    }
    let statistics = Trial { inputs: vec![Vec::new()], ..plain }.run();
    assert_eq!(statistics.runs, 0);
}

/// A plan of one pass has no runs.
#[test]
fn what_fits_in_memory_is_sorted_there() {
    let data = records(Order::Random, 10_000, 100, (0, 8), &mut Random::new(1));
    let trial = Trial { algorithm: ALGORITHM, ..Trial::new(100, Vec::new(), data) };
    let statistics = trial.run();
    assert_eq!((statistics.passes, statistics.algorithm), (1, Some("radix")));
}

/// Lines of up to `longest` bytes, some of which are equal.
fn lines(bytes: usize, longest: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes + longest);
    while out.len() < bytes {
        let mut line = vec![0; random.below(longest + 1)];
        random.fill(&mut line);
        for (place, byte) in line.iter_mut().enumerate() {
            *byte = if place < 3 { b'a' + *byte % 6 } else { b"0 1"[usize::from(*byte % 3)] };
        }
        out.append(&mut line);
        out.push(b'\n');
    }
    out
}

fn of_lines(inputs: Vec<Vec<u8>>) -> Lines {
    Lines { memory: SMALL, algorithm: ALGORITHM, ..Lines::new(inputs) }
}

#[test]
fn lines_of_every_length() {
    let mut random = Random::fresh();
    for longest in random.some([1, 30, 300, 60_000]) {
        let unit = if longest == 1 { 1 << 20 } else { 4 << 20 };
        let parts = [2 * unit, 0, unit].map(|bytes| lines(bytes, longest, &mut random));
        let [mut first, second, mut third] = parts;
        // Lines that lack their ends.
        first.pop();
        third.pop();
        let plain = of_lines(vec![first, second, third]);
        let expected = plain.expected();
        for is_streamed in random.some([(false, false), (true, true)]) {
            let statistics = Lines { is_streamed, ..plain.clone() }.run_against(&expected);
            assert!(statistics.runs > 0, "{statistics:?}");
        }
        Lines { header_lines: 2, threads: 1, ..plain }.run();
    }
}

fn by_second_field(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    // Six digits behind nine and a tab.
    a[10..16].cmp(&b[10..16])
}

/// Selections, some of which are made of runs already, and some of whose records are not wanted.
#[test]
fn selections() {
    let mut random = Random::fresh();
    let line = |number: usize, random: &mut Random| {
        format!("{number:09}\t{:06}\t{}\n", random.below(200_000), "x".repeat(random.below(40)))
    };
    let input: String = (0..300_000).map(|number| line(number, &mut random)).collect();
    let plain = Lines {
        separator: Some(b'\t'),
        keys: vec!["2"],
        compare: by_second_field,
        ..of_lines(vec![input.into_bytes()])
    };
    let none = Select::default();
    for select in random.some([
        none.clone(),
        Select { unique: Some(Unique::First), ..none.clone() },
        Select { unique: Some(Unique::Last), ..none.clone() },
        Select { unique: Some(Unique::First), count: true, ..none.clone() },
        Select { limit: Some(10), ..none.clone() },
        Select { limit: Some(200_000), skip: 7, ..none.clone() },
        Select { limit: Some(20), unique: Some(Unique::First), ..none.clone() },
    ]) {
        let statistics = Lines { select, ..plain.clone() }.run();
        assert!(statistics.runs > 0, "{statistics:?}");
    }
    // Whole lines, which otherwise would be dropped as they are read.
    let input = lines(8 << 20, 5, &mut random);
    let select = Select { unique: Some(Unique::First), ..none };
    let statistics = Lines { select, ..of_lines(vec![input]) }.run();
    assert!(statistics.runs > 0, "{statistics:?}");
}

#[test]
fn records_that_are_left_out() {
    for is_streamed in [(false, false), (true, false)] {
        let line = |number: u64| format!("{:07} {}\n", number * 7919 % 1_000_003, number % 7);
        let input: String = (0..600_000).map(line).collect();
        let lines = Lines { is_streamed, ..of_lines(vec![input.clone().into_bytes()]) };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let mut job = lines.job(&folder);
        let wanted = "2:int < 3".parse().expect("a condition");
        job.filter = RecordFilter { include: vec![wanted], ..RecordFilter::default() };
        let statistics = job.run(&Progress::new()).expect("sorted");
        let wanted = |line: &&str| line[8..9].parse::<u32>().is_ok_and(|number| number < 3);
        let mut left: Vec<&str> = input.split_inclusive('\n').filter(wanted).collect();
        assert_eq!(statistics.records, left.len() as u64);
        left.sort_unstable();
        let found = std::fs::read(folder.output()).expect("read");
        assert_same(&found, left.concat().as_bytes(), "those that take part");
        folder.assert_clean(true);
    }
}

#[test]
fn rows_under_a_header() {
    let mut random = Random::fresh();
    let mut rows =
        |longest| table("a,b,c", 12 << 20, |_| tricky_row(&mut random, 3, longest, (b',', b'"')));
    let inputs = vec![rows(9), rows(200)];
    let plain = Table { memory: SMALL, algorithm: ALGORITHM, ..Table::new(inputs) };
    for is_streamed in random.some([(false, false), (true, true)]) {
        let keys = vec![(2, false), (1, true)];
        let statistics = Table { keys, is_streamed, ..plain.clone() }.run();
        assert!(statistics.runs > 0, "{statistics:?}");
    }
}

/// What is wrong with a row is told where it is.
#[test]
fn a_row_that_must_not_be() {
    let mut random = Random::fresh();
    let mut input = table("a,b", 16 << 20, |_| tricky_row(&mut random, 2, 9, (b',', b'"')));
    let before = input.iter().filter(|byte| **byte == b'\n').count();
    input.extend_from_slice(b"one cell\nx,y\n");
    for is_streamed in random.some([(false, false), (true, false)]) {
        let plain = Table::new(vec![input.clone()]);
        let job = Table { memory: SMALL, algorithm: ALGORITHM, is_streamed, ..plain };
        let (_, said) = job.fails();
        let is_told = said.contains(&format!("line {}", before + 1)) || is_streamed.0;
        assert!(is_told && said.contains("1 cell"), "{said}");
    }
}

#[test]
fn records_behind_their_length() {
    let mut random = Random::fresh();
    for format in random.some([FORMATS[1], FORMATS[8]]) {
        for (longest, bytes) in random.some([(20, 8 << 20), (20_000, 16 << 20)]) {
            let mut input = Vec::new();
            while input.len() < bytes {
                let mut body = vec![0; random.below(longest + 1)];
                random.fill(&mut body);
                body.iter_mut().take(6).for_each(|byte| *byte %= 3);
                input.extend(record(format, &body));
            }
            let plain = Prefixed::new(format, vec![input]);
            let plain = Prefixed { memory: SMALL, algorithm: ALGORITHM, ..plain };
            let keys = vec![(0..4, true)];
            let statistics = Prefixed { keys, ..plain.clone() }.run();
            assert!(statistics.runs > 0, "{statistics:?}");
            Prefixed { is_streamed: (true, true), ..plain }.run();
        }
    }
}

#[test]
fn long_lines_are_taken_or_told() {
    let mut random = Random::fresh();
    let long = |length: usize| {
        let mut line = vec![b'l'; length];
        line[length - 1] = b'\n';
        line
    };
    let short = lines(8 << 20, 80, &mut random);
    let input = [&short[..], &long(1 << 20), &short, &long(700_000), &long(3), &short].concat();
    let statistics = of_lines(vec![input]).run();
    assert!(statistics.runs > 0, "{statistics:?}");
    for is_streamed in [(false, false), (true, false)] {
        let lines = of_lines(vec![[&short[..], &long(9 << 20), &short].concat()]);
        let lines = Lines { is_streamed, ..lines };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        match lines.job(&folder).run(&Progress::new()) {
            Err(error @ Error::BudgetExceeded { .. }) => {
                let said = error.to_string();
                assert!(
                    said.contains("more with memory") && said.contains("algorithm radix"),
                    "{said}"
                );
            }
            other => panic!("{other:?}"),
        }
        folder.assert_clean(false);
    }
}

#[test]
fn what_is_to_be_gone_on_with_is_refused() {
    let (plain, _) = trial(10);
    let plain = Trial { inputs: vec![vec![0; 1000]], engine: Engine::Auto, ..plain };
    for in_place in [false, true] {
        let folder = plain.folder();
        plain.lay_out(&folder);
        let mut job = plain.job(&folder);
        if in_place {
            job.in_place = true;
        } else {
            job.resume = Resume::On;
        }
        match job.run(&Progress::new()) {
            Err(Error::Config(said)) => {
                assert!(said.to_string().contains("algorithm radix"), "{said}");
            }
            other => panic!("{other:?}"),
        }
        folder.assert_clean(false);
    }
}
