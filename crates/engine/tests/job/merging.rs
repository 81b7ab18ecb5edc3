//! Merging and checking inputs that are sorted: beside a stable sort, and what goes wrong.

use std::fs;

use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, CheckJob, Input, MergeJob, Output};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::random::Random;
use crate::trial::Folder;

/// A merge of these inputs, laid out as files, in little memory.
pub fn job(folder: &Folder, inputs: &[Vec<u8>], format: Format) -> MergeJob {
    let input = |(index, content): (usize, &Vec<u8>)| {
        fs::write(folder.input(index), content).expect("write");
        Input::File(folder.input(index))
    };
    let inputs = inputs.iter().enumerate().map(input).collect();
    let mut job = MergeJob::new(inputs, Output::File(folder.output()), format);
    job.memory = Budget::Bytes(ByteSize::mib(24));
    job.temp = vec![folder.at("spill")];
    job.sync = false;
    job
}

/// More inputs than this have no memory at once in the least budget here.
const FIT: usize = 30;

/// Sorted lines, of up to `length_max` bytes, the last without its end.
fn lines(count: u64, length_max: usize, random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = (0..count)
        .map(|_| (0..random.below(length_max + 1)).map(|_| b'a' + random.below(3) as u8).collect())
        .collect();
    lines.sort();
    lines.join(&b'\n')
}

/// All lines of all inputs, sorted, each ended.
fn merged(inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let ended = |input: &Vec<u8>| {
        let end = if input.is_empty() || input.ends_with(b"\n") { "" } else { "\n" };
        [input, end.as_bytes()].concat()
    };
    let all: Vec<u8> = inputs.iter().flat_map(ended).collect();
    let mut lines: Vec<Vec<u8>> = all
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| line[..line.len() - 1].to_vec())
        .collect();
    lines.sort();
    lines.into_iter().map(|line| [&line[..], b"\n"].concat()).collect()
}

#[test]
fn merges_are_stable_sorts_of_all() {
    let mut random = Random::new(71);
    for (inputs, count, length_max, width) in [
        (0, 0, 0, None),
        (1, 100, 5, None),
        (7, 2000, 9, Some(2)),
        (40, 50, 3, Some(3)),
        (3, 20, 600_000, None),
        (200, 10, 4, None),
    ] {
        let inputs: Vec<Vec<u8>> =
            (0..inputs).map(|_| lines(count, length_max, &mut random)).collect();
        let folder = Folder::on_disk();
        let mut job = job(&folder, &inputs, Format::LINES);
        (job.levers.merge_width, job.check) = (width, true);
        let mut expected = merged(&inputs);
        let statistics = job.run(&Progress::new()).expect("merged");
        assert!(fs::read(folder.output()).expect("read") == expected.concat());
        assert_eq!(statistics.records, expected.len() as u64);
        assert_eq!(statistics.passes > 1, inputs.len() > width.unwrap_or(FIT));
        folder.assert_clean(true);
        job.select.unique = Some(Unique::First);
        expected.dedup();
        job.run(&Progress::new()).expect("merged");
        assert!(fs::read(folder.output()).expect("read") == expected.concat());
        folder.assert_clean(true);
    }
}

/// Sorted lines of 100 bytes with few keys of two letters, each marked with its input and number;
/// the last without its end.
fn marked_lines(count: usize, input: usize, random: &mut Random) -> Vec<u8> {
    let letter = |random: &mut Random| b'a' + random.below(16) as u8;
    let mut keys: Vec<[u8; 2]> = (0..count).map(|_| [letter(random), letter(random)]).collect();
    keys.sort_unstable();
    let line = |(number, [first, second]): (usize, [u8; 2])| {
        let key = format!("{}{}", char::from(first), char::from(second));
        format!("{key} {input:02} {number:092}")
    };
    keys.into_iter().enumerate().map(line).collect::<Vec<_>>().join("\n").into_bytes()
}

/// Large inputs are cut at keys, and all workers merge; what they bring is the same, and a record
/// that is out of order or too long shows as if one had merged.
#[test]
fn several_workers_merge_as_one_does() {
    let mut random = Random::new(72);
    let counts = [170_000, 0, 100_000, 90_000, 1];
    let mut inputs: Vec<Vec<u8>> =
        (0..counts.len()).map(|input| marked_lines(counts[input], input, &mut random)).collect();
    let folder = Folder::on_disk();
    let by_key = |inputs: &[Vec<u8>], threads| {
        let mut job = job(&folder, inputs, Format::LINES);
        job.keys = vec!["1:bytes".parse().expect("a key")];
        (job.check, job.threads) = (true, Some(threads));
        job.memory = Budget::Bytes(ByteSize::mib(256));
        job
    };
    let mut expected: Vec<&[u8]> =
        inputs.iter().flat_map(|all| all.split(|b| *b == b'\n')).collect();
    expected.retain(|line| !line.is_empty());
    expected.sort_by_key(|line| [line[0], line[1]]);
    let expected = [expected.join(&b'\n'), b"\n".to_vec()].concat();
    for threads in Random::fresh().some([1, 2, 3, 8]) {
        let statistics = by_key(&inputs, threads).run(&Progress::new()).expect("merged");
        assert!(fs::read(folder.output()).expect("read") == expected, "{threads} threads");
        assert_eq!(statistics.records, 360_001);
        assert_eq!(statistics.threads > 1, threads > 1, "{threads} threads");
        folder.assert_clean(true);
    }
    let said = |inputs: &[Vec<u8>], threads| {
        by_key(inputs, threads).run(&Progress::new()).expect_err("a disorder").to_string()
    };
    // The ranges before it have been merged and proven then.
    let mut late = inputs.clone();
    late[0].extend(b"\naa");
    assert!(said(&late, 2).contains("record 170001"), "{}", said(&late, 2));
    assert_eq!(said(&late, 1), said(&late, 2));
    let long = [b"zz ".to_vec(), vec![b'l'; 20 << 20]].concat();
    inputs[2].extend([b"\n", &long[..]].concat());
    by_key(&inputs, 2).run(&Progress::new()).expect("one worker has room for it");
    let written = fs::read(folder.output()).expect("read");
    assert!(written.len() == expected.len() + long.len() + 1);
    assert!(written.windows(4).any(|bytes| bytes == b"zz l"));
    inputs[2].extend(b"\nyy");
    inputs[3].extend(b"\naa");
    let words = said(&inputs, 2);
    assert!(words.contains("in/3") && words.contains("record 90001"), "{words}");
    assert_eq!(said(&inputs, 1), words);
    folder.assert_clean(true);
}

/// Records of all inputs are counted, with a proof or without one; those that come out are counted
/// by themselves. A merge that ends early counts what it wrote.
#[test]
fn statistics_tell_merged_records_from_selected_ones() {
    let inputs: Vec<Vec<u8>> = (0..9).map(|_| b"a\nb\nb\nc".to_vec()).collect();
    let folder = Folder::on_disk();
    for (verify, width) in [(true, None), (false, None), (true, Some(2)), (false, Some(3))] {
        let counts = |select: Select| {
            let mut job = job(&folder, &inputs, Format::LINES);
            (job.verify, job.levers.merge_width) = (verify, width);
            job.select = select;
            let of = job.run(&Progress::new()).expect("merged");
            (of.records, of.bytes.0, of.records_selected, of.bytes_selected.map(|bytes| bytes.0))
        };
        assert_eq!(counts(Select::default()), (36, 72, None, None));
        let unique = Select { unique: Some(Unique::First), ..Select::default() };
        // The bytes are those of the files, whose last lines have no end.
        assert_eq!(counts(unique), (36, 63, Some(3), Some(6)), "{width:?}");
        let limited = Select { limit: Some(5), ..Select::default() };
        assert_eq!(counts(limited), (5, 10, Some(5), Some(10)));
    }
}

/// Two records have changed places, wherever inputs are cut: the error is that of one worker.
#[test]
fn a_disorder_at_any_place_is_found_by_several_workers() {
    const COUNT: u32 = 200;
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let numbers = |first: u32| (0..COUNT).map(move |number| 2 * number + first);
    let bytes = |numbers: &[u32]| -> Vec<u8> {
        numbers.iter().flat_map(|number| [&number.to_be_bytes()[..], &[0; 12]].concat()).collect()
    };
    let sorted: [Vec<u32>; 2] = [numbers(0).collect(), numbers(1).collect()];
    for input in 0..2 {
        for place in random.some(0..COUNT as usize - 1) {
            let mut inputs = sorted.clone();
            inputs[input].swap(place, place + 1);
            let said = |threads| {
                let inputs = [bytes(&inputs[0]), bytes(&inputs[1])];
                let mut job = job(&folder, &inputs, Format::Fixed { length: 16 });
                (job.check, job.verify, job.threads) = (true, false, Some(threads));
                job.memory = Budget::Bytes(ByteSize::mib(256));
                job.run(&Progress::new()).expect_err("a disorder").to_string()
            };
            let alone = said(1);
            assert!(alone.contains(&format!("record {}", place + 2)), "{alone}");
            assert_eq!(said(2), alone, "record {place} of input {input}");
        }
    }
}

#[test]
fn equal_keys_stay_in_the_order_of_the_inputs() {
    let input = |mark: u8| [[1, mark, 0], [1, mark, 1], [2, mark, 2]].concat();
    let inputs: Vec<Vec<u8>> = (0..9).map(input).collect();
    let folder = Folder::on_disk();
    let mut job = job(&folder, &inputs, Format::Fixed { length: 3 });
    job.keys = vec!["0..1".parse().expect("a key")];
    job.levers.merge_width = Some(2);
    job.run(&Progress::new()).expect("merged");
    let mut expected: Vec<Vec<u8>> = inputs.concat().chunks(3).map(<[u8]>::to_vec).collect();
    expected.sort_by_key(|record| record[0]);
    assert_eq!(fs::read(folder.output()).expect("read"), expected.concat());
}

#[test]
fn faults_leave_the_output_as_it_was() {
    let folder = Folder::on_disk();
    let inputs = [b"a\nc\n".to_vec(), b"a\nbb\nb\n".to_vec()];
    let good = MergeJob { check: true, ..job(&folder, &inputs, Format::LINES) };
    fs::write(folder.output(), "old").expect("write");
    let fails = |job: &MergeJob, progress: &Progress, words: &[&str]| {
        let error = job.run(progress).expect_err("a fault");
        let said = error.to_string();
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        assert_eq!(fs::read(folder.output()).expect("read"), b"old");
        folder.assert_clean(true);
        error
    };
    fails(&good, &Progress::new(), &["in/1", "record 3", "offset 5", "out of order"]);
    let mut missing = good.clone();
    missing.inputs.push(Input::File(folder.at("nowhere")));
    fails(&missing, &Progress::new(), &["open", "nowhere"]);
    let mut cut = good.clone();
    cut.format = Format::Fixed { length: 3 };
    fails(&cut, &Progress::new(), &["not a multiple"]);
    let mut tight = good.clone();
    tight.memory = Budget::Bytes(ByteSize::mib(4));
    fails(&tight, &Progress::new(), &["too little memory"]);
    fs::write(folder.input(0), vec![b'x'; 30 << 20]).expect("write");
    fails(&good, &Progress::new(), &["in/0", "record 1 at offset 0", "memory"]);
    let stopped = Progress::new();
    stopped.request_stop();
    assert!(matches!(fails(&good, &stopped, &[]), Error::Interrupted));
}

#[test]
fn an_output_may_be_an_input() {
    let folder = Folder::on_disk();
    let mut job = job(&folder, &[b"b\n".to_vec()], Format::LINES);
    fs::write(folder.output(), "a\nc").expect("write");
    job.inputs.push(Input::File(folder.output()));
    job.run(&Progress::new()).expect("merged");
    assert_eq!(fs::read(folder.output()).expect("read"), b"a\nb\nc\n");
}

#[test]
fn checks_find_the_first_disorder() {
    let mut random = Random::new(72);
    for length_max in [3, 40, 300_000] {
        let mut content = lines(40, length_max, &mut random);
        content.extend_from_slice(b"\nzz\nzz\ny");
        let folder = Folder::on_disk();
        fs::write(folder.input(0), &content).expect("write");
        let mut check = CheckJob::new(vec![Input::File(folder.input(0))], Format::LINES);
        check.memory = Budget::Bytes(ByteSize::mib(24));
        let checked = check.run(&Progress::new()).expect("checked");
        let disorder = checked.disorder.expect("out of order");
        assert_eq!((disorder.record_number, disorder.offset), (43, content.len() as u64 - 1));
        assert_eq!((disorder.path, disorder.record), (folder.input(0), b"y\n".to_vec()));
        fs::write(folder.input(0), &content[..content.len() - 2]).expect("write");
        assert_eq!(check.run(&Progress::new()).expect("checked").disorder, None);
        check.unique = true;
        let disorder = check.run(&Progress::new()).expect("checked").disorder;
        assert!(disorder.is_some_and(|found| found.record_number <= 42));
    }
}
