//! Records that are left out where they fill whole loads: a load without a record that takes part
//! is not one that a record is too long for.

use std::fs;

use sortwell_engine::ByteSize;
use sortwell_engine::predicate::RecordFilter;
use sortwell_engine::stats::Progress;

use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::trial::Folder;

/// Runs a sort that leaves out lines with an `x` in them, and holds it against the others.
fn check(input: &str, mib: u64, is_streamed: bool) {
    let memory = ByteSize::mib(mib);
    let is_streamed = (is_streamed, false);
    let lines = Lines { memory, is_streamed, ..Lines::new(vec![input.as_bytes().to_vec()]) };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let mut job = lines.job(&folder);
    let without = "2 contains \"x\"".parse().expect("a condition");
    job.filter = RecordFilter { exclude: vec![without], ..RecordFilter::default() };
    let statistics = job.run(&Progress::new()).unwrap_or_else(|e| panic!("{mib} MiB: {e}"));
    assert!(statistics.passes > 1, "{statistics:?}");
    let mut left: Vec<&str> = input.lines().filter(|line| !line.contains('x')).collect();
    left.sort_unstable();
    let expected: String = left.iter().flat_map(|line| [*line, "\n"]).collect();
    let found = fs::read(folder.output()).expect("read");
    assert_same(&found, expected.as_bytes(), "without those left out");
    folder.assert_clean(true);
}

/// Lines of `length` bytes with a number, and an `x` if they are to be left out.
fn lines(count: usize, length: usize, is_out: bool) -> String {
    let mark = if is_out { "x" } else { "y" };
    let line = |number: usize| {
        let number = number * 7919 % 100_003;
        format!("{number:06} {}\n", mark.repeat(length - 8))
    };
    (0..count).map(line).collect()
}

/// Several loads of long lines in a row, none of which takes part.
#[test]
fn loads_of_long_lines_that_are_left_out() {
    let part = |is_out| lines(400, 65_536, is_out);
    let input = [part(false), part(true), part(true), part(false), part(true)].concat();
    for is_streamed in [false, true] {
        check(&input, 32, is_streamed);
    }
}

/// One that takes all memory there is, at every place, also where no other follows it.
#[test]
fn a_line_of_a_load_that_is_left_out() {
    let long = lines(1, 10 << 20, true);
    let part = lines(300_000, 60, false);
    let inputs = [[&long[..], &part, &part], [&part, &long, &part], [&part, &part, &long]];
    for input in Random::fresh().some(inputs) {
        check(&input.concat(), 32, false);
        check(&input.concat(), 32, true);
    }
}
