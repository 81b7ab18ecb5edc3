//! Copies of lines that are dropped while they are read: inputs large enough for that, with few and
//! many of them, that fit memory and do not, with lines that are too long for it.

use std::cmp::Reverse;

use sortwell_engine::ByteSize;
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::levers::Overlap;

use crate::line_shapes::text;
use crate::line_trial::Lines;
use crate::random::Random;
use crate::trial::engines;

/// A job that keeps one of equal lines.
fn unique(inputs: Vec<Vec<u8>>, memory: u64, random: &mut Random) -> Lines {
    let unique = Some(random.pick(&[Unique::First, Unique::Last]));
    Lines {
        select: Select { unique, ..Select::default() },
        memory: ByteSize::mib(memory),
        threads: 1 + random.below(3),
        overlap: random.pick(&[Overlap::Pipelined, Overlap::Sync]),
        engine: random.pick(&engines()),
        ..Lines::new(inputs)
    }
}

/// Lines of which about `distinct` are different, some of them empty.
fn repeated(bytes: usize, distinct: usize, random: &mut Random) -> Vec<u8> {
    text(bytes, |_| match random.below(distinct) {
        0 => Vec::new(),
        which => format!("{:x} {}", which * 7919, "-".repeat(which % 80)).into_bytes(),
    })
}

/// Half the memory that the input takes is enough where a tenth of it is left.
#[test]
fn what_is_left_of_an_input_larger_than_memory_is_sorted_in_one_pass() {
    let mut random = Random::fresh();
    let input = repeated(45_000_000, 70_000, &mut random);
    let expected = unique(vec![input.clone()], 64, &mut random).expected();
    for _ in 0..2 {
        let statistics = unique(vec![input.clone()], 64, &mut random).run_against(&expected);
        assert_eq!((statistics.runs, statistics.passes), (0, 1), "{statistics:?}");
    }
    let lines = Lines {
        keys: vec!["..:desc"],
        compare: |a, b| Reverse(a).cmp(&Reverse(b)),
        ..unique(vec![input], 64, &mut random)
    };
    assert_eq!(lines.run().runs, 0);
}

#[test]
fn several_inputs_with_headers_and_without_last_line_ends() {
    let mut random = Random::fresh();
    let mut inputs: Vec<Vec<u8>> = [1, 0, 9_000_000, 5, 4096, 16_000_000, 20_000]
        .into_iter()
        .map(|bytes| repeated(bytes, 20_000, &mut random))
        .collect();
    inputs.iter_mut().for_each(|input| input.truncate(input.len().saturating_sub(1)));
    let plain = unique(inputs, 64, &mut random);
    let select = Select { skip: 100, limit: Some(5000), ..plain.select.clone() };
    let headed = Lines { header_lines: 1, ..plain.clone() };
    let selected = Lines { select, ..plain.clone() };
    let ended_otherwise = Lines { terminator: b'-', ..plain };
    let all = [(headed, true), (selected, true), (ended_otherwise, false)];
    for (lines, is_one_pass) in random.some(all) {
        let expected = lines.expected();
        for memory in [64, 256] {
            let (threads, engine) = (1 + random.below(3), random.pick(&engines()));
            let memory = ByteSize::mib(memory);
            let lines = Lines { memory, threads, engine, ..lines.clone() };
            assert!(lines.run_against(&expected).runs == 0 || !is_one_pass);
        }
    }
}

/// What is left does not fit either: runs are written of it.
#[test]
fn what_is_left_may_be_more_than_memory() {
    let mut random = Random::fresh();
    let input = repeated(80_000_000, 600_000, &mut random);
    let statistics = unique(vec![input.clone()], 64, &mut random).run();
    assert!((1..=10).contains(&statistics.runs), "{statistics:?}");
    // How much hangs on the workers, whose buffers leave less to the sieve.
    let spilled = statistics.streams.spill_written.bytes();
    assert!(spilled < input.len() as u64 * 9 / 10, "{statistics:?}");
}

/// Dropping nothing, or hardly anything, is given up; what was read until then is read again.
#[test]
fn lines_that_do_not_repeat() {
    let mut random = Random::fresh();
    let different = text(30_000_000, |_| format!("{:030}", random.next()).into_bytes());
    // All copies lie at the beginning, or at the end.
    let copies = repeated(34_000_000, 1000, &mut random);
    let others = text(20_000_000, |number| format!("{:x}", number * 77).into_bytes());
    let first = vec![copies.clone(), others.clone()];
    for inputs in random.some([vec![vec![different]], vec![first, vec![others, copies]]]) {
        // Whole lines that are equal are the same bytes, wherever they lie and whichever is kept.
        let expected = unique(inputs[0].clone(), 64, &mut random).expected();
        for inputs in inputs {
            for memory in random.some([64, 512]) {
                unique(inputs.clone(), memory, &mut random).run_against(&expected);
            }
        }
    }
}

/// A line that lies across many blocks has no place in a sieve; nor have lines of which more are
/// different than the rest of them let expect.
#[test]
fn lines_of_unexpected_lengths() {
    let mut random = Random::fresh();
    let lengths = [(60_000, 64), (70_000, 64), (400_000, 512), (3_000_000, 128)];
    for (length, memory) in random.some(lengths) {
        let mut input = repeated(25_000_000, 5000, &mut random);
        for _ in 0..3 {
            let at = random.below(input.len());
            input.splice(at..at, std::iter::repeat_n(b'z', length));
        }
        unique(vec![input], memory, &mut random).run();
    }
    let long = text(30_000_000, |_| format!("{:500}", random.below(5000)).into_bytes());
    let short = text(9_000_000, |number| format!("{number:x}").into_bytes());
    unique(vec![long.clone(), short, long], 64, &mut random).run();
}
