//! Lines of up to a third of the memory budget, in inputs that do not fit it; and longer ones.

use std::fs;

use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, Input, MergeJob, Output};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::line_shapes::letters;
use crate::line_trial::{Lines, assert_same};
use crate::overlap::FORMS;
use crate::random::Random;
use crate::trial::{Folder, engines};

/// Some budget in which a third is not too much for the disks of tests.
const BUDGET: ByteSize = ByteSize::mib(64);

/// A third of it, with the byte that ends the line.
const THIRD: usize = (64 << 20) / 3;

/// A line of `length` bytes with its end: its beginning says where it belongs, and what follows,
/// that it is whole.
fn long_line(random: &mut Random, length: usize) -> Vec<u8> {
    let part = letters(random, 1021.min(length));
    let mut line: Vec<u8> = part.iter().copied().cycle().take(length).collect();
    line[length - 1] = b'\n';
    line
}

/// Thousands of short lines, `short_bytes` in all, with `long` lines of `length` bytes at random
/// places, neighbours too. The last line has no end.
fn mixed(random: &mut Random, short_bytes: usize, (long, length): (usize, usize)) -> Vec<u8> {
    let mut places: Vec<usize> = (0..long).map(|_| random.below(short_bytes)).collect();
    places.sort_unstable();
    let mut text = Vec::with_capacity(short_bytes + long * length + 100);
    let mut shorts = 0;
    let mut add_shorts = |text: &mut Vec<u8>, place: usize, random: &mut Random| {
        while shorts < place {
            let length = random.below(80);
            text.extend(letters(random, length));
            text.push(b'\n');
            shorts += length + 1;
        }
    };
    for place in places {
        add_shorts(&mut text, place, random);
        text.extend(long_line(random, length));
    }
    add_shorts(&mut text, short_bytes, random);
    text.pop();
    text
}

#[test]
fn lines_of_a_third_of_the_budget() {
    let mut random = Random::fresh();
    let all = [(1, (false, true)), (2, (false, false)), (3, (true, false))];
    for (threads, is_streamed) in random.some(all) {
        let input = mixed(&mut random, 15_000_000, (5, THIRD));
        let inputs = if is_streamed.0 { vec![input] } else { vec![b"m\nn".to_vec(), input] };
        let engine = random.pick(&engines());
        let lines = Lines { memory: BUDGET, threads, engine, is_streamed, ..Lines::new(inputs) };
        let lines = Lines { overlap: random.pick(&FORMS), ..lines };
        let statistics = lines.run();
        assert!(statistics.passes > 1, "{statistics:?}");
    }
}

/// From lines that slabs hold to lines that only streams do, on every side of the borders.
#[test]
fn long_lines_of_every_length() {
    let mut random = Random::fresh();
    for length in random.some([400_000, 1_500_000, 3_000_000, 5_000_000, 7_500_000]) {
        let input = mixed(&mut random, 8_000_000, (40_000_000 / length, length));
        let memory = ByteSize::mib(random.pick(&[32, 36, 40]));
        let threads = 1 + random.below(2);
        let lines = Lines { memory, threads, ..Lines::new(vec![input]) };
        let expected = lines.expected();
        for overlap in FORMS {
            assert!(Lines { overlap, ..lines.clone() }.run_against(&expected).passes > 1);
        }
        let lines = Lines { overlap: random.pick(&FORMS), ..lines };
        Lines { is_streamed: (true, true), ..lines }.run_against(&expected);
    }
}

#[test]
fn selections_of_long_lines() {
    let mut random = Random::fresh();
    let mut input = mixed(&mut random, 8_000_000, (5, 4_000_000));
    input.push(b'\n');
    let again = [&input[..], &mixed(&mut random, 2_000_000, (3, 4_000_000)), b"\n", &input];
    let input = again.concat();
    for select in random.some([
        Select { unique: Some(Unique::First), ..Select::default() },
        Select { count: true, ..Select::default() },
        Select { limit: Some(7), ..Select::default() },
        Select { limit: Some(20_000), ..Select::default() },
        Select { unique: Some(Unique::First), limit: Some(30_000), ..Select::default() },
    ]) {
        let memory = ByteSize::mib(34);
        let lines = Lines { memory, select, threads: 2, ..Lines::new(vec![input.clone()]) };
        let expected = lines.expected();
        assert!(lines.run_against(&expected).passes > 1);
        Lines { is_streamed: (false, true), ..lines }.run_against(&expected);
    }
}

/// Equal keys stay in the order of the input, long lines and short.
#[test]
fn long_lines_with_equal_keys_stay_in_order() {
    let mut random = Random::fresh();
    let mut input = Vec::new();
    for number in 0..20_000 {
        let length = if number % 1300 == 650 { 3_500_000 } else { random.below(60) };
        let line = format!("{}\t{number:06}\t", random.below(4));
        input.extend([line.as_bytes(), &vec![b'x'; length], b"\n"].concat());
    }
    let keys = vec!["1"];
    let lines = Lines { memory: ByteSize::mib(32), keys, ..Lines::new(vec![input]) };
    let lines = Lines { compare: |a, b| a[0].cmp(&b[0]), threads: 1, ..lines };
    assert!(lines.run().passes > 1);
}

/// The error names the file, the line's first byte and its length, and a budget that would do.
#[test]
fn lines_too_long_to_be_merged() {
    let mut random = Random::fresh();
    for is_streamed in random.some([(false, false), (true, false)]) {
        for before in random.some([0, 3_000_000, 40_000_000]) {
            let first = mixed(&mut random, 2_000_000, (0, 0));
            let mut second: Vec<u8> = mixed(&mut random, before.max(1), (0, 0));
            second.push(b'\n');
            let (begins, length) = (second.len(), 17 << 20);
            second.extend(long_line(&mut random, length));
            second.extend(mixed(&mut random, 30_000_000, (0, 0)));
            let inputs = vec![first, second];
            let memory = ByteSize::mib(48);
            let lines = Lines { memory, is_streamed, threads: 2, ..Lines::new(inputs) };
            let folder = Folder::on_disk();
            lines.lay_out(&folder);
            let job = lines.job(&folder);
            let error = job.run(&Progress::new()).expect_err("too long");
            let Error::BudgetExceeded { least: Some(memory), .. } = error else {
                panic!("{error:?}")
            };
            folder.assert_clean(false);
            let said = error.to_string();
            let place = format!("the line at byte {begins} has 17 MiB");
            for part in [folder.input(1).to_str().expect("a name"), &place, "with memory"] {
                assert!(said.contains(part), "'{part}' is missing: {said}");
            }
            let named = format!("at least {} MiB with memory", memory.bytes() >> 20);
            assert!(said.contains(&named), "{said}");
            assert!(memory < ByteSize::mib(64), "{said}");
            Lines { memory, ..lines }.run();
        }
    }
}

/// Sorted inputs with long lines, merged two at a time, as streams all the way. Where neighbours
/// are compared, a copy of each input's last line is kept: four of 5 MiB may be there at once.
#[test]
fn merges_of_long_lines() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let mut all = Vec::new();
    let input = |index: usize| {
        let length = 1 + random.below(5 << 20);
        let text = mixed(&mut random, 100_000, (3, length));
        let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        lines.sort_unstable();
        fs::write(folder.input(index), lines.join(&b'\n')).expect("write");
        all.extend(lines.into_iter().map(<[u8]>::to_vec));
        Input::File(folder.input(index))
    };
    let inputs: Vec<Input> = (0..5).map(input).collect();
    all.sort_unstable();
    let mut job = MergeJob::new(inputs, Output::File(folder.output()), Format::LINES);
    job.temp = vec![folder.at("spill")];
    (job.sync, job.levers.merge_width) = (false, Some(2));
    for (unique, check, mib) in [(false, false, 28), (true, false, 40), (false, true, 40)] {
        job.select.unique = unique.then_some(Unique::First);
        (job.check, job.memory) = (check, Budget::Bytes(ByteSize::mib(mib)));
        let statistics = job.run(&Progress::new()).unwrap_or_else(|e| panic!("{mib} MiB: {e}"));
        let mut expected = all.clone();
        if unique {
            expected.dedup();
        }
        expected.push(Vec::new());
        let found = fs::read(folder.output()).expect("read");
        assert_same(&found, &expected.join(&b'\n'), "merged");
        assert!(statistics.passes > 2, "{statistics:?}");
        folder.assert_clean(true);
    }
}
