//! Jobs over lines: inputs of every shape, files and pipes, every engine, budgets from the least
//! up; and what can go wrong with lines alone.

use std::cmp::Reverse;
use std::fs;

use sortwell_engine::job::{Algorithm, Input};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::line_shapes::{SHAPES, letters, shape, text};
use crate::line_trial::{Comparator, Lines, assert_same};
use crate::random::Random;
use crate::trial::{Folder, engines};

/// The least budget of one worker.
const LEAST: ByteSize = ByteSize::mib(28);

#[test]
fn inputs_of_a_few_bytes() {
    let inputs: [&[u8]; 12] = [
        b"",
        b"\n",
        b"\n\n",
        b"a",
        b"a\n",
        b"b\na",
        b"b\na\n",
        b"a\n\n",
        b"\r\n",
        b"b\r\na",
        b"\0",
        b"a\0\na\0\0\na\n",
    ];
    for input in inputs {
        for is_streamed in [(false, false), (true, false), (false, true), (true, true)] {
            Lines { is_streamed, ..Lines::new(vec![input.to_vec()]) }.run();
        }
        let thrice = vec![input.to_vec(), b"m".to_vec(), input.to_vec()];
        Lines::new(thrice.clone()).run();
        Lines { is_streamed: (true, true), ..Lines::new(thrice) }.run();
    }
}

#[test]
fn every_shape_in_one_pass() {
    let mut random = Random::fresh();
    for name in random.some(SHAPES) {
        println!("{name}");
        let input = shape(name, 1_500_000, &mut random);
        let threads = 1 + random.below(5);
        let lines = Lines { threads, ..Lines::new(vec![input]) };
        let expected = lines.expected();
        assert_eq!(lines.run_against(&expected).runs, 0);
        Lines { is_streamed: (true, true), ..lines }.run_against(&expected);
    }
}

/// A budget in which a megabyte already counts, so that most of them spill, or a stream that is
/// sorted in little more.
#[test]
fn every_shape_in_little_memory() {
    let mut random = Random::fresh();
    for name in random.some(SHAPES) {
        println!("{name}");
        let input = shape(name, 16_000_000, &mut random);
        let is_stream = random.one_in(2);
        let (threads, memory) = match is_stream {
            true => random.pick(&[(1, 28), (2, 30), (3, 32), (5, 36)].map(mebibytes)),
            false => (1, LEAST),
        };
        let (engine, is_streamed) = (random.pick(&engines()), (is_stream, random.one_in(2)));
        let lines = Lines { memory, threads, engine, is_streamed, ..Lines::new(vec![input]) };
        let runs = lines.run().runs;
        let is_spilled = is_stream || lines.inputs[0].len() < 12_000_000 || runs > 1;
        assert!(is_spilled && runs < 300, "{name}: {runs} runs");
    }
}

fn mebibytes((threads, mib): (usize, u64)) -> (usize, ByteSize) {
    (threads, ByteSize::mib(mib))
}

/// Ends of inputs fall on ends of pages and blocks, and just beside them, with and without a line
/// end there.
#[test]
fn several_inputs_that_end_anywhere() {
    let mut random = Random::fresh();
    let ends = [0, 1, 4095, 4096, 4097, 8191, 8192, 262_143, 262_144, 262_145, 3_000_000];
    for round in random.some(0..6) {
        let (shape, order) = (random.below(3), random.next());
        let mut inputs: Vec<Vec<u8>> = ends
            .iter()
            .map(|end| {
                let mut input = text(*end, |_| match shape {
                    0 => Vec::new(),
                    1 => letters(&mut random.fork(), 1 + random.below(30)),
                    _ => vec![b'q'; random.below(4000)],
                });
                input.truncate(*end);
                input
            })
            .collect();
        inputs
            .sort_by_key(|input| (input.len() as u64 ^ order).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let threads = 1 + random.below(5);
        let memory = if round < 3 { ByteSize::mib(40) } else { LEAST };
        let lines = Lines { memory, threads, ..Lines::new(inputs) };
        let expected = lines.expected();
        lines.run_against(&expected);
        Lines { is_streamed: (true, round == 2), ..lines }.run_against(&expected);
    }
}

#[test]
fn other_terminators() {
    let mut random = Random::fresh();
    for terminator in random.some([0, b';', 0xff]) {
        let mut input = text(20_000_000, |_| {
            let mut line = vec![0; random.below(40)];
            random.fill(&mut line);
            line
        });
        for byte in &mut input {
            *byte = if *byte == b'\n' { terminator } else { *byte };
        }
        let lines = Lines { terminator, memory: LEAST, ..Lines::new(vec![input]) };
        let expected = lines.expected();
        lines.run_against(&expected);
        let (is_streamed, memory) = ((true, false), ByteSize::mib(128));
        Lines { is_streamed, memory, ..lines }.run_against(&expected);
    }
}

/// A small table: a word, a number and a word, divided by tabs.
fn table(bytes: usize, random: &mut Random) -> Vec<u8> {
    text(bytes, |number| {
        let word = random.below(40);
        let value = random.below(2000) as i64 - 1000;
        format!("w{word}\t{value}.50\tline {number}").into_bytes()
    })
}

fn field(line: &[u8], number: usize) -> &[u8] {
    let mut rest = line;
    for _ in 0..number {
        let Some(end) = memchr::memchr(b'\t', rest) else { return &[] };
        rest = &rest[end + 1..];
    }
    &rest[..memchr::memchr(b'\t', rest).unwrap_or(rest.len())]
}

/// The number in hundredths: digits behind the point count away from zero.
fn value(line: &[u8]) -> i64 {
    let digits = field(line, 1);
    let digit = |byte: &u8| i64::from(char::from(*byte).to_digit(10).expect("a digit"));
    let digits_alone = digits.iter().filter(|byte| !b"-.".contains(byte));
    let size = digits_alone.fold(0, |number, byte| number * 10 + digit(byte));
    if digits.starts_with(b"-") { -size } else { size }
}

const ORDERS: [(&[&str], Comparator); 4] = [
    (&["1"], |a, b| field(a, 0).cmp(field(b, 0))),
    (&["2:decimal"], |a, b| value(a).cmp(&value(b))),
    (&["2:decimal:desc", "1"], |a, b| {
        let key = |line| Reverse(value(line));
        key(a).cmp(&key(b)).then_with(|| field(a, 0).cmp(field(b, 0)))
    }),
    (&["..:desc"], |a, b| b.cmp(a)),
];

#[test]
fn fields_and_numbers() {
    let mut random = Random::fresh();
    for (keys, compare) in random.some(ORDERS) {
        for (bytes, memory) in [(300_000, 128), (13_000_000, 30)] {
            let lines = Lines {
                keys: keys.to_vec(),
                compare,
                separator: Some(b'\t'),
                memory: ByteSize::mib(memory),
                threads: 1 + random.below(3),
                ..Lines::new(vec![table(bytes, &mut random)])
            };
            let expected = lines.expected();
            assert_eq!(lines.run_against(&expected).runs > 0, memory == 30);
            Lines { is_streamed: (true, random.one_in(2)), ..lines }.run_against(&expected);
        }
    }
}

#[test]
fn selections() {
    let mut random = Random::fresh();
    let some = [None, Some(0), Some(1), Some(33), Some(1_000_000)];
    for (bytes, memory) in [(500_000, 128), (15_000_000, 30)] {
        let data = table(bytes, &mut random);
        let uniques = [None, Some(Unique::First), Some(Unique::Last)];
        let uniques = uniques.iter().flat_map(|unique| [(unique, false), (unique, true)]);
        for (unique, count) in random.some(uniques) {
            let (keys, compare) = ORDERS[random.below(ORDERS.len())];
            let lines = Lines {
                keys: keys.to_vec(),
                compare,
                separator: Some(b'\t'),
                select: Select {
                    unique: *unique,
                    count,
                    skip: random.pick(&[0, 0, 1, 2000, 1_000_000]),
                    limit: random.pick(&some),
                    ..Select::default()
                },
                memory: ByteSize::mib(memory),
                threads: 1 + random.below(5),
                engine: random.pick(&engines()),
                ..Lines::new(vec![data.clone()])
            };
            let expected = lines.expected();
            lines.run_against(&expected);
            let is_streamed = (random.one_in(2), random.one_in(2));
            Lines { is_streamed, ..lines }.run_against(&expected);
        }
    }
}

/// Of lines that are equal in the first key, the one that comes first by all keys.
#[test]
fn groups_by_the_first_of_the_keys() {
    let mut random = Random::fresh();
    let (keys, compare) = ORDERS[2];
    let group: Comparator = |a, b| value(a).cmp(&value(b));
    let algorithms = [Algorithm::Auto, Algorithm::Auto, Algorithm::ReplacementSelection];
    for (bytes, memory) in [(2_000_000, 128), (15_000_000, 30)] {
        let uniques = [(Unique::First, false), (Unique::Last, false), (Unique::Last, true)];
        for (unique, count) in random.some(uniques) {
            let lines = Lines {
                keys: keys.to_vec(),
                compare,
                group: Some(group),
                separator: Some(b'\t'),
                select: Select {
                    unique: Some(unique),
                    unique_by: Some(1),
                    count,
                    skip: random.pick(&[0, 0, 3]),
                    limit: random.pick(&[None, Some(500)]),
                    ..Select::default()
                },
                memory: ByteSize::mib(memory),
                threads: 1 + random.below(4),
                algorithm: random.pick(&algorithms),
                engine: random.pick(&engines()),
                ..Lines::new(vec![table(bytes, &mut random)])
            };
            let expected = lines.expected();
            let streams = [(false, false), (true, random.one_in(2))];
            for is_streamed in random.some(streams) {
                let lines = Lines { is_streamed, ..lines.clone() };
                let runs = lines.run_against(&expected).runs;
                assert!(is_streamed.0 || (runs > 0) == (memory == 30), "{runs} runs");
            }
        }
    }
}

/// Many small inputs are read one after the other; some are empty, or lack their last line end.
#[test]
fn thousands_of_small_inputs() {
    let mut random = Random::fresh();
    for header_lines in random.some([0, 1]) {
        let input = |_| {
            let mut input = text(random.below(300), |_| letters(&mut random.fork(), 5));
            input.truncate(input.len().saturating_sub(random.below(2)));
            input
        };
        let mut inputs: Vec<Vec<u8>> = (0..3000).map(input).collect();
        inputs[0] = b"top\nfirst\n".to_vec();
        let lines = Lines { header_lines, memory: LEAST, threads: 1, ..Lines::new(inputs) };
        lines.run();
        let select = Select { unique: Some(Unique::Last), ..Select::default() };
        Lines { select, threads: 3, memory: ByteSize::mib(128), ..lines }.run();
    }
}

/// With nine of ten lines the same as others, a tenth or little more is spilled, and what is left
/// is the same as in memory.
#[test]
fn duplicates_are_dropped_early() {
    let mut random = Random::fresh();
    let all: Vec<u8> = (0..300_000)
        .flat_map(|_| {
            format!("{:04}\tof some length, as lines are\n", random.below(4000)).into_bytes()
        })
        .collect();
    let input_bytes = all.len() as u64;
    let cases = [(Unique::First, 1), (Unique::Last, 2), (Unique::First, 3)];
    for (unique, threads) in random.some(cases) {
        let select = Select { unique: Some(unique), ..Select::default() };
        let inputs = vec![all.clone()];
        let memory = ByteSize::mib(30);
        let lines = Lines { select, memory, threads, ..Lines::new(inputs) };
        let statistics = lines.run();
        let spilled = statistics.streams.spill_written.bytes();
        assert!(statistics.runs > 1 && spilled < input_bytes / 4, "{spilled} of {input_bytes}");
    }
}

#[test]
fn keys_that_must_be_unique() {
    let mut random = Random::fresh();
    for (lines, memory) in [(1000, 128), (600_000, 30)] {
        let select = Select { unique: Some(Unique::Error), ..Select::default() };
        let memory = ByteSize::mib(memory);
        let mut numbers: Vec<usize> = (0..lines).collect();
        numbers.sort_by_cached_key(|_| random.below(lines));
        let text = |numbers: &[usize]| -> Vec<u8> {
            numbers.iter().flat_map(|n| format!("{n:07} and what follows\n").into_bytes()).collect()
        };
        let alone = Lines { select, memory, threads: 2, ..Lines::new(vec![text(&numbers)]) };
        alone.run();
        numbers.extend([lines - 1, 555, 777]);
        let twice = Lines { inputs: vec![text(&numbers)], ..alone };
        let folder = Folder::on_disk();
        twice.lay_out(&folder);
        let said = twice.job(&folder).run(&Progress::new()).expect_err("a duplicate").to_string();
        let expected = "record 557 of the sorted order has the same key as the one before it: \
                        '0000555 and what follows'";
        assert!(said.contains(expected), "{said}");
        folder.assert_clean(false);
    }
}

#[test]
fn headers() {
    let mut random = Random::fresh();
    for bytes in [0, 1, 60, 5000, 14_000_000] {
        for header_lines in random.some([1, 2, 700]) {
            let mut inputs: Vec<Vec<u8>> = (0..3).map(|_| table(bytes, &mut random)).collect();
            inputs[1].pop_if(|_| random.one_in(2));
            inputs[2].truncate(random.below(bytes + 1));
            let lines = Lines { header_lines, memory: ByteSize::mib(30), ..Lines::new(inputs) };
            let expected = lines.expected();
            for is_streamed in random.some([(false, false), (true, bytes == 60)]) {
                Lines { is_streamed, ..lines.clone() }.run_against(&expected);
            }
        }
    }
}

#[test]
fn an_output_that_is_an_input() {
    let mut random = Random::fresh();
    for (bytes, memory) in [(200_000, 128), (20_000_000, 30)] {
        let memory = ByteSize::mib(memory);
        let lines = Lines { memory, ..Lines::new(vec![table(bytes, &mut random)]) };
        let folder = Folder::on_disk();
        fs::write(folder.output(), &lines.inputs[0]).expect("write");
        let mut job = lines.job(&folder);
        job.inputs = vec![Input::File(folder.output())];
        job.run(&Progress::new()).expect("sort");
        let found = fs::read(folder.output()).expect("read");
        assert_same(&found, &lines.expected().0, "in place");
        folder.assert_clean(true);
    }
}

/// Stopped all along its way, a job says so, or had been done already, and leaves nothing.
#[test]
fn stopped_anywhere() {
    let mut random = Random::fresh();
    let lines = Lines { memory: LEAST, ..Lines::new(vec![table(24_000_000, &mut random)]) };
    let expected = lines.expected().0;
    let mut stopped = 0;
    for share in [0.0, 0.1, 0.4, 0.6, 0.9] {
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        fs::write(folder.output(), "old").expect("write");
        let (job, progress) = (lines.job(&folder), Progress::new());
        let outcome = std::thread::scope(|scope| {
            let running = scope.spawn(|| job.run(&progress));
            while !running.is_finished() {
                let (done, total) = progress.bytes();
                if total.is_some_and(|total| done as f64 >= total as f64 * share) {
                    progress.request_stop();
                    break;
                }
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
            running.join().expect("no panic")
        });
        let found = fs::read(folder.output()).expect("read");
        match outcome {
            Err(Error::Interrupted) => assert_eq!(found, b"old"),
            Ok(_) => assert_same(&found, &expected, "done before"),
            Err(e) => panic!("{e} at {share}"),
        }
        stopped += u32::from(found == b"old");
        folder.assert_clean(true);
    }
    assert!(stopped > 1, "{stopped} of 5 stopped");
}

/// Runs a job that must fail as malformed; its words.
fn fails(lines: &Lines, folder: &Folder) -> String {
    let error = lines.job(folder).run(&Progress::new()).expect_err("a fault");
    assert!(matches!(error, Error::Malformed { .. } | Error::BudgetExceeded { .. }), "{error:?}");
    folder.assert_clean(false);
    error.to_string()
}

/// The error says which file, at which byte the line begins, and what to do; whatever came before.
#[test]
fn a_line_that_memory_cannot_hold() {
    let mut random = Random::fresh();
    for is_streamed in [(false, false), (true, false)] {
        for before in [0, 1, 5000, 9_000_000] {
            let first = table(before.min(70_000), &mut random);
            let mut second = table(before, &mut random);
            let begins = second.len();
            second.resize(begins + 60_000_000, b'x');
            let inputs = vec![first, second, b"z\ny\n".to_vec()];
            let lines = Lines { memory: LEAST, is_streamed, ..Lines::new(inputs) };
            let folder = Folder::on_disk();
            lines.lay_out(&folder);
            let said = fails(&lines, &folder);
            let place = format!("line at byte {begins} has ");
            // How long a line of a pipe is, nobody knows before it is read.
            let advice = match is_streamed.0 {
                true => "give more with memory",
                false => "57.2 MiB, more than fits in the memory budget; give at least 140 MiB",
            };
            for part in [folder.input(1).to_str().expect("a name"), &place, advice] {
                assert!(said.contains(part), "'{part}' is missing: {said}");
            }
        }
    }
}

/// A file cut short while its job runs: the job says so, or had read it before.
#[test]
fn an_input_that_becomes_shorter() {
    let mut random = Random::fresh();
    let lines = Lines { memory: LEAST, ..Lines::new(vec![table(24_000_000, &mut random)]) };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let (job, progress) = (lines.job(&folder), Progress::new());
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| job.run(&progress));
        while !running.is_finished() && progress.bytes().0 == 0 {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        let file = fs::OpenOptions::new().write(true).open(folder.input(0)).expect("open");
        file.set_len(1_000_000).expect("shorten");
        running.join().expect("no panic")
    });
    match outcome {
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("became shorter"), "{said}");
            folder.assert_clean(false);
        }
        Ok(_) => assert_same(&fs::read(folder.output()).expect("read"), &lines.expected().0, ""),
    }
}
