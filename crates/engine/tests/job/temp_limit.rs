//! A limit on temporary files: refused beforehand where more is known to be needed, kept to where
//! nobody knows, and no hindrance where it is enough.

use std::fs;

use sortwell_engine::format::Format;
use sortwell_engine::job::{Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::random::Random;
use crate::reference;
use crate::resuming::run_for;
use crate::room::watched;
use crate::trial::{Folder, Trial, assert_same};

/// Records of 100 bytes in a folder of their own, and a job that spills all of them.
fn spilling(is_streamed_in: bool) -> (Trial, Folder) {
    let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.modest_memory();
    trial.inputs = vec![records(Order::Random, 200_000, 100, (0, 10), &mut Random::new(95))];
    trial.is_streamed_in = is_streamed_in;
    let folder = trial.folder();
    trial.lay_out(&folder);
    (trial, folder)
}

/// The job of a trial, whose run files may have so many bytes together.
fn limited(trial: &Trial, folder: &Folder, limit: u64) -> SortJob {
    SortJob { temp_limit: Some(ByteSize(limit)), ..trial.job(folder) }
}

#[test]
fn more_than_allowed_is_refused_beforehand() {
    let (trial, folder) = spilling(false);
    let needed = trial.plan().volume(trial.bytes()).run_space();
    let mut enough = 0;
    for limit in [0, needed / 2, needed] {
        let progress = Progress::new();
        match limited(&trial, &folder, limit).run(&progress) {
            Err(error @ Error::OverLimit { needed: Some(said), limit: ByteSize(named) }) => {
                assert!(named == limit && (needed..needed * 21 / 20).contains(&said.bytes()));
                enough = said.bytes();
                let words = error.to_string();
                assert!(words.contains("the limit of") && words.contains("more memory"), "{words}");
            }
            other => panic!("refused, but {other:?}"),
        }
        assert_eq!(progress.bytes().0, 0, "read before it was refused");
        folder.assert_clean(false);
    }
    limited(&trial, &folder, enough).run(&Progress::new()).expect("as much as is needed");
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
    folder.assert_clean(true);
}

#[test]
fn one_pass_needs_no_allowance() {
    let (trial, folder) = spilling(false);
    let memory = Budget::Bytes(ByteSize::mib(256));
    let job = SortJob { memory, ..limited(&trial, &folder, 0) };
    assert_eq!(job.run(&Progress::new()).expect("nothing spilled").runs, 0);
}

#[test]
fn streams_end_before_they_take_more() {
    for limit in [1 << 20, 7 << 20, 19 << 20] {
        let (trial, folder) = spilling(true);
        let job = limited(&trial, &folder, limit);
        let (result, most) = watched(&folder.at("spill"), || job.run(&Progress::new()));
        match result {
            Err(Error::OverLimit { needed: None, limit: ByteSize(named) }) => {
                assert_eq!(named, limit);
            }
            other => panic!("ended, but {other:?}"),
        }
        assert!(most < limit + (64 << 10), "{most} bytes of {limit}"); // and a lock, perhaps
        folder.assert_clean(false);
    }
    let (trial, folder) = spilling(true);
    let statistics = limited(&trial, &folder, 20 << 20).run(&Progress::new()).expect("enough");
    assert!(statistics.runs > 2);
    folder.assert_clean(true);
}

/// What is merged in between counts beside what it is merged from, and no longer.
#[test]
fn merges_in_between_give_back_what_they_merged() {
    let (threads, overlap) = (1, Overlap::Pipelined);
    let mut trial = Trial { threads, overlap, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.least_memory();
    trial.inputs = vec![records(Order::Random, 50_000, 100, (0, 10), &mut Random::new(96))];
    let volume = trial.plan().volume(trial.bytes());
    assert!(volume.passes > 2, "{volume:?}");
    trial.is_streamed_in = true;
    // Short runs have more around them than the hundredth part.
    let enough = volume.run_space() + (volume.runs as u64 + 2) * (80 << 10);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = limited(&trial, &folder, enough);
    let (result, most) = watched(&folder.at("spill"), || job.run(&Progress::new()));
    let passes = result.expect("enough").passes;
    assert!(passes > 2 && most <= enough + (64 << 10), "{passes} passes, {most} of {enough}");
    folder.assert_clean(true);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = limited(&trial, &folder, volume.generated_bytes + volume.twice_bytes / 2);
    assert!(matches!(job.run(&Progress::new()), Err(Error::OverLimit { needed: None, .. })));
    folder.assert_clean(false);
}

/// Of what is dropped while runs are written nobody knows beforehand how much it will be.
#[test]
fn what_is_dropped_needs_no_allowance() {
    let (mut trial, folder) = spilling(false);
    trial.inputs = vec![records(Order::Skewed, 200_000, 100, (0, 10), &mut Random::new(97))];
    trial.inputs[0].chunks_mut(100).for_each(|record| record[..9].fill(7));
    trial.parts = vec![reference::Part::bytes(0, 10)];
    trial.lay_out(&folder);
    let select = Select { unique: Some(Unique::First), ..Select::default() };
    let job = SortJob { select, ..limited(&trial, &folder, 3 << 20) };
    let statistics = job.run(&Progress::new()).expect("few records are left");
    assert!(statistics.runs > 1, "{statistics:?}");
    folder.assert_clean(true);
    let job = SortJob { temp_limit: Some(ByteSize(80 << 10)), ..job };
    fs::remove_file(folder.output()).expect("removed");
    assert!(matches!(job.run(&Progress::new()), Err(Error::OverLimit { needed: None, .. })));
    folder.assert_clean(false);
}

#[test]
fn merges_keep_to_a_limit() {
    for (is_piped, limit, is_enough) in [
        (false, 1 << 20, false),
        (true, 1 << 20, false),
        (false, 8 << 20, true),
        (true, 8 << 20, true),
    ] {
        let folder = Folder::on_disk();
        let input = records(Order::Sorted, 10_000, 100, (0, 10), &mut Random::new(98));
        let mut trial = Trial::new(100, Vec::new(), Vec::new());
        (trial.inputs, trial.is_streamed_in) = (vec![input; 5], is_piped);
        trial.lay_out(&folder);
        let inputs = (0..5).map(|index| Input::File(folder.input(index))).collect();
        let format = Format::Fixed { length: 100 };
        let mut job = MergeJob::new(inputs, Output::File(folder.output()), format);
        (job.temp, job.levers.merge_width) = (vec![folder.at("spill")], Some(2));
        (job.temp_limit, job.memory) = (Some(ByteSize(limit)), Budget::Bytes(ByteSize::mib(32)));
        let (result, most) = watched(&folder.at("spill"), || job.run(&Progress::new()));
        assert!(most <= limit + (64 << 10), "{most} bytes of {limit}");
        match result {
            Ok(statistics) => assert!(is_enough && statistics.passes > 1),
            Err(Error::OverLimit { needed, .. }) => {
                assert_eq!((is_enough, needed.is_some()), (false, !is_piped));
            }
            Err(e) => panic!("{e}"),
        }
        folder.assert_clean(is_enough);
    }
}

/// What was kept counts, and another limit lets the job go on.
#[test]
fn kept_runs_count() {
    let (trial, folder) = spilling(false);
    let job = |limit| SortJob { resume: Resume::On, ..limited(&trial, &folder, limit) };
    let stopped = (0..40).find_map(|round| match run_for(&job(30 << 20), (12 + round) << 20) {
        Err(Error::Kept { .. }) => Some(()),
        _ => None,
    });
    stopped.expect("stopped with something done");
    for _ in 0..2 {
        match job(19 << 20).run(&Progress::new()) {
            Err(Error::Kept { error, .. }) => {
                assert!(matches!(*error, Error::OverLimit { needed: Some(_), .. }), "{error}");
            }
            other => panic!("refused, but {other:?}"),
        }
    }
    job(30 << 20).run(&Progress::new()).expect("gone on with");
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, 100);
    folder.assert_clean(true);
}
