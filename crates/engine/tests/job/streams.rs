//! Pipes in and out: read once and in order, of a length nobody knows, written in order.

use std::fs;
use std::io::Read;

use sortwell_engine::Error;
use sortwell_engine::job::Input;
use sortwell_engine::stats::Progress;

use crate::data::{Order, records};
use crate::random::Random;
use crate::reference::Part;
use crate::trial::{Trial, assert_same, drain};

#[test]
fn pipes_of_every_length() {
    let mut random = Random::fresh();
    for length in random.some([1, 8, 13, 16, 17, 100, 5000, 70_000, 1 << 20]) {
        for bytes in [0, length, 3 * length, 700_000, 6 << 20] {
            let data = records(Order::Random, bytes / length, length, (0, length), &mut random);
            let plain = Trial::new(length, Vec::new(), data);
            let trial =
                Trial { is_streamed_in: true, is_streamed_out: bytes > 1000, threads: 3, ..plain };
            assert_eq!(trial.run().runs, 0);
        }
    }
}

/// The first block of a stream is all the sample there is: here it says nothing of what comes.
#[test]
fn streams_whose_beginning_misleads() {
    let mut random = Random::new(22);
    for (length, order) in [
        (16, Order::Sorted),
        (16, Order::Reversed),
        (40, Order::Sorted),
        (40, Order::Reversed),
        (40, Order::OrganPipe),
    ] {
        let data = records(order, 400_000, length, (0, 8), &mut random);
        let plain = Trial::new(length, vec![Part::bytes(0, 8)], data);
        Trial { is_streamed_in: true, ..plain }.run();
    }
    // A first megabyte of one value only, and then all others.
    for length in [16, 50] {
        let mut data = records(Order::AllEqual, 100_000, length, (0, 10), &mut random);
        data.extend(records(Order::Random, 300_000, length, (0, 10), &mut random));
        let plain = Trial::new(length, vec![Part::bytes(0, 10)], data);
        Trial { is_streamed_in: true, ..plain }.run();
    }
}

#[test]
fn streams_that_spill() {
    let mut random = Random::fresh();
    for length in random.some([16, 100, 70_000, 1 << 20]) {
        let mut trial = Trial { threads: 2, ..Trial::new(length, Vec::new(), Vec::new()) };
        trial.memory = trial.modest_memory();
        trial.is_streamed_in = true;
        let plan = trial.plan();
        let records_max = plan.load.records_max as usize;
        let first_max = trial.first_load(&plan).records_max as usize;
        // Ends within a load, and exactly where one ends, whatever loads are rounded to.
        let rounded = records_max / 4096 * 4096;
        let first_ends = [first_max, first_max + 1, first_max + records_max];
        let load_ends =
            [3 * records_max + 1, 2 * records_max, rounded, records_max, records_max + 1];
        for count in random.some([&load_ends[..], &first_ends].concat()) {
            trial.inputs = vec![records(Order::Random, count, length, (0, length), &mut random)];
            let statistics = trial.run();
            assert!(statistics.runs > 1 || count <= first_max, "{count} of {first_max}");
            assert!(statistics.runs == 0 || count > records_max, "{count} of {records_max}");
        }
        trial.is_streamed_out = true;
        trial.run();
    }
}

#[test]
fn files_among_pipes_are_read_in_turn() {
    let mut random = Random::new(24);
    let data = records(Order::TwoValues, 9000, 100, (0, 1), &mut random);
    let thirds: Vec<Vec<u8>> = data.chunks(300_000).map(<[u8]>::to_vec).collect();
    let trial = Trial {
        inputs: thirds,
        is_streamed_in: true,
        ..Trial::new(100, vec![Part::bytes(0, 1)], Vec::new())
    };
    let folder = trial.folder();
    trial.lay_out(&folder);
    let file = folder.at("in").join("file");
    fs::write(&file, &data[..50_000]).expect("write");
    let mut job = trial.job(&folder);
    job.inputs.insert(1, Input::File(file));
    job.run(&Progress::new()).expect("sort");
    let whole = [&data[..300_000], &data[..50_000], &data[300_000..]].concat();
    let expected = crate::reference::sorted(&whole, 100, &trial.parts);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
    folder.assert_clean(true);
}

#[test]
fn a_stream_that_ends_within_a_record() {
    for (length, bytes) in [(16, 161), (100, 250), (70_000, 69_999), (100, 3_000_001)] {
        let plain = Trial::new(length, Vec::new(), vec![7; bytes]);
        let trial = Trial { is_streamed_in: true, ..plain };
        let folder = trial.folder();
        trial.lay_out(&folder);
        let error = trial.job(&folder).run(&Progress::new()).expect_err("a broken record");
        assert!(matches!(&error, Error::Malformed { .. }), "{error}");
        let (whole, left) = (bytes / length, bytes % length);
        let said = error.to_string();
        assert!(said.contains(&format!("record {}", whole + 1)), "{said}");
        assert!(said.contains(&format!("{left} left over")), "{said}");
        folder.assert_clean(false);
    }
}

/// Whoever reads the output goes away: the others must not wait for their turn for ever.
#[test]
fn a_reader_that_goes_away_ends_the_job() {
    let mut random = Random::new(25);
    let data = records(Order::Random, 200_000, 100, (0, 10), &mut random);
    for threads in [1, 2, 8] {
        let plain = Trial::new(100, vec![Part::bytes(0, 10)], data.clone());
        let trial = Trial { threads, is_streamed_out: true, ..plain };
        let folder = trial.folder();
        trial.lay_out(&folder);
        folder.make_pipe(&folder.output());
        let path = folder.output();
        let reader = std::thread::spawn(move || {
            let mut pipe = fs::File::open(path).expect("a pipe");
            pipe.read_exact(&mut [0; 1000]).expect("ten records");
        });
        let error = trial.job(&folder).run(&Progress::new()).expect_err("a broken pipe");
        reader.join().expect("the reader");
        assert!(
            matches!(&error, Error::Io { source, .. }
                if source.kind() == std::io::ErrorKind::BrokenPipe),
            "{error}"
        );
        assert_eq!(folder.names("spill"), [""; 0]);
    }
}

#[test]
fn a_pipe_to_a_pipe_of_a_job_that_spills() {
    let mut random = Random::new(26);
    let mut trial = Trial { threads: 3, ..Trial::new(100, vec![Part::bytes(0, 4)], Vec::new()) };
    trial.memory = trial.modest_memory();
    trial.is_streamed_in = true;
    let count = 5 * trial.plan().load.records_max as usize + 17;
    let data = records(Order::Clumps, count, 100, (0, 4), &mut random);
    trial.inputs = vec![data.clone()];
    let folder = trial.folder();
    trial.lay_out(&folder);
    let reader = drain(&folder);
    let statistics = trial.job(&folder).run(&Progress::new()).expect("sort");
    assert!(statistics.runs >= 5);
    let found = reader.join().expect("the reader");
    assert_same(&found, &crate::reference::sorted(&data, 100, &trial.parts), 100);
}
