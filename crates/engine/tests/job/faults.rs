//! What the world does wrong: a clear error, the input as it was, the old output as it was, and
//! nothing left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use sortwell_engine::format::Format;
use sortwell_engine::io::{Direct, Engine};
use sortwell_engine::job::{Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::random::Random;
use crate::trial::{Folder, Trial, engines};

/// A job over one small input, and an output that is there already.
fn small() -> (Folder, SortJob, Vec<u8>) {
    let data = records(Order::Random, 1000, 100, (0, 10), &mut Random::new(31));
    let trial = Trial::new(100, Vec::new(), data.clone());
    let folder = trial.folder();
    trial.lay_out(&folder);
    fs::write(folder.output(), "old").expect("write");
    let job = trial.job(&folder);
    (folder, job, data)
}

fn is_config(error: &Error) -> bool {
    matches!(error, Error::Config(_))
}

fn is_malformed(error: &Error) -> bool {
    matches!(error, Error::Malformed { .. })
}

fn is_io(error: &Error) -> bool {
    matches!(error, Error::Io { .. })
}

/// Runs a job that must fail, and asserts that it changed nothing.
fn fails(folder: &Folder, job: &SortJob, is_kind: fn(&Error) -> bool, words: &[&str]) -> Error {
    let input = fs::read(folder.input(0)).ok();
    let error = job.run(&Progress::new()).expect_err("a fault");
    let said = error.to_string();
    assert!(is_kind(&error), "{said}");
    for word in words {
        assert!(said.contains(word), "'{word}' is missing: {said}");
    }
    assert_eq!(fs::read(folder.output()).expect("read"), b"old");
    assert_eq!(fs::read(folder.input(0)).ok(), input);
    folder.assert_clean(true);
    error
}

fn named(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

#[test]
fn an_input_that_is_missing() {
    let (folder, mut job, _) = small();
    let missing = folder.at("nowhere");
    job.inputs.push(Input::File(missing.clone()));
    fails(&folder, &job, is_io, &["open", named(&missing)]);
}

#[test]
fn an_input_that_is_a_directory() {
    let (folder, mut job, _) = small();
    job.inputs.push(Input::File(folder.at("spill")));
    fails(&folder, &job, is_io, &[named(&folder.at("spill"))]);
}

#[test]
fn an_input_that_may_not_be_read() {
    let (folder, job, _) = small();
    fs::set_permissions(folder.input(0), fs::Permissions::from_mode(0o000)).expect("a mode");
    if fs::read(folder.input(0)).is_ok() {
        println!("LEFT OUT: this user may read everything");
        return;
    }
    fails(&folder, &job, is_io, &["open", named(&folder.input(0))]);
}

/// Refused at the start: the input, which is missing, is not even looked for.
#[test]
fn an_output_name_that_no_file_can_have() {
    let (folder, mut job, _) = small();
    job.inputs = vec![Input::File(folder.at("nowhere"))];
    for resume in [Resume::Off, Resume::On] {
        let job = SortJob { resume, sync: true, ..job.clone() };
        for (name, is_kind) in
            [("new/", is_config as fn(&Error) -> bool), (&*"x".repeat(256), is_io)]
        {
            let path = folder.at("out").join(name);
            let job = SortJob { output: Output::File(path.clone()), ..job.clone() };
            fails(&folder, &job, is_kind, &[named(&path)]);
            let merge = MergeJob { resume, ..MergeJob::new(job.inputs, job.output, job.format) };
            let error = merge.run(&Progress::new()).expect_err("a fault");
            assert!(is_kind(&error) && error.to_string().contains(named(&path)), "{error}");
        }
    }
}

#[test]
fn an_input_of_broken_records() {
    let (folder, mut job, data) = small();
    job.inputs.push(Input::File(folder.input(1)));
    fs::write(folder.input(1), &data[..4321]).expect("write");
    fails(
        &folder,
        &job,
        is_malformed,
        &[named(&folder.input(1)), "4321 bytes", "length 100", "record 43"],
    );
}

#[test]
fn a_key_beyond_the_record() {
    let (folder, mut job, _) = small();
    job.keys = vec!["98..102".parse().expect("a key")];
    fails(&folder, &job, is_config, &["98..102", "100 bytes"]);
}

#[test]
fn a_record_of_nothing() {
    let (folder, mut job, _) = small();
    job.format = Format::Fixed { length: 0 };
    fails(&folder, &job, is_config, &["length is 0"]);
}

#[test]
fn a_budget_that_is_too_small_names_one_that_is_not() {
    let mut random = Random::fresh();
    for length in random.some([1, 16, 100, 70_000, 1 << 20]) {
        // Of the shortest records, that is tens of millions, of which half are more than enough.
        let bytes = if length == 1 { 32 << 20 } else { 64 << 20 };
        let trial = Trial::new(length, Vec::new(), vec![1; bytes / length * length]);
        let folder = trial.folder();
        trial.lay_out(&folder);
        fs::write(folder.output(), "old").expect("write");
        let mut job = trial.job(&folder);
        job.memory = Budget::Bytes(ByteSize::mib(2));
        let error = fails(&folder, &job, is_config, &["2 MiB is too small", "memory"]);
        let said = error.to_string();
        let named = said.split("at least ").nth(1).and_then(|rest| rest.split(" with").next());
        let least: ByteSize = named.expect("a number").parse().expect("a size");
        assert!(least.bytes() < bytes as u64, "{said}");
        job.memory = Budget::Bytes(least);
        let statistics = job.run(&Progress::new()).unwrap_or_else(|e| panic!("{said}; but {e}"));
        assert_eq!(statistics.records, trial.bytes() / length as u64);
    }
}

#[test]
fn an_output_in_no_directory() {
    let (folder, mut job, _) = small();
    let nowhere: PathBuf = folder.at("nowhere").join("out");
    job.output = Output::File(nowhere.clone());
    job.temp = Vec::new();
    fails(&folder, &job, is_io, &[named(&nowhere)]);
    assert!(!nowhere.exists());
}

#[test]
fn an_output_that_is_a_directory() {
    let (folder, mut job, _) = small();
    job.output = Output::File(folder.at("spill"));
    fails(&folder, &job, is_io, &[named(&folder.at("spill"))]);
}

#[test]
fn an_output_directory_that_may_not_be_written() {
    let (folder, job, _) = small();
    let place = folder.at("out");
    let allow = |mode| fs::set_permissions(&place, fs::Permissions::from_mode(mode));
    allow(0o500).expect("a mode");
    if fs::write(place.join("probe"), "").is_ok() {
        println!("LEFT OUT: this user may write everywhere");
        fs::remove_file(place.join("probe")).expect("a file");
        allow(0o700).expect("a mode");
        return;
    }
    fails(&folder, &job, is_io, &[named(&folder.output())]);
    allow(0o700).expect("a mode");
}

/// An input whose spilling job will run at a modest budget.
fn spilling() -> (Folder, SortJob) {
    let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.modest_memory();
    let data = records(Order::Random, 200_000, 100, (0, 10), &mut Random::new(32));
    trial.inputs = vec![data];
    assert!(!trial.plan().is_one_pass());
    let folder = trial.folder();
    trial.lay_out(&folder);
    fs::write(folder.output(), "old").expect("write");
    let job = trial.job(&folder);
    (folder, job)
}

#[test]
fn a_spill_directory_that_is_missing() {
    let (folder, mut job) = spilling();
    job.temp = vec![folder.at("nowhere")];
    fails(&folder, &job, is_io, &[named(&folder.at("nowhere"))]);
}

#[test]
fn a_missing_spill_directory_that_is_not_checked_matters_where_something_spills() {
    let (folder, mut job) = spilling();
    job.temp = vec![folder.at("spill"), folder.at("nowhere")];
    job.check_temp = false;
    fails(&folder, &job, is_io, &[named(&folder.at("nowhere"))]);
    let (folder, mut job, _) = small();
    job.temp = vec![folder.at("nowhere")];
    fails(&folder, &job, is_io, &[named(&folder.at("nowhere"))]);
    job.check_temp = false;
    job.run(&Progress::new()).expect("nothing to spill");
}

#[test]
fn a_spill_directory_that_is_a_file() {
    let (folder, mut job) = spilling();
    job.temp = vec![folder.input(0)];
    fails(&folder, &job, is_io, &[named(&folder.input(0))]);
}

/// A file that shrinks between the look at it and the reading of it: the engines say so. All but
/// `mmap`, which no care keeps from dying of a mapping whose file is cut short under its hands.
#[test]
fn an_input_that_shrinks_while_it_is_read() {
    for engine in engines().into_iter().filter(|engine| *engine != Engine::Mmap) {
        for direct in [Direct::Auto, Direct::Off] {
            let (folder, mut job) = spilling();
            (job.engine, job.direct) = (engine, direct.into());
            let path = folder.input(0);
            let progress = Progress::new();
            let error = std::thread::scope(|scope| {
                let running = scope.spawn(|| job.run(&progress));
                // Shrinks it as soon as anything was moved.
                while progress.bytes().0 == 0 && !running.is_finished() {
                    std::thread::sleep(std::time::Duration::from_micros(50));
                }
                let file = fs::OpenOptions::new().write(true).open(&path).expect("open");
                file.set_len(4096 * 25).expect("shrink");
                running.join().expect("no panic")
            });
            match error {
                Err(Error::Malformed { path: named, message }) => {
                    assert_eq!(named, path);
                    assert!(message.to_string().contains("shorter"), "{message}");
                }
                Ok(_) => {
                    println!("left out: {engine} had read all before the file shrank");
                    continue;
                }
                Err(e) => panic!("{engine}: {e}"),
            }
            assert_eq!(fs::read(folder.output()).expect("read"), b"old");
            folder.assert_clean(true);
        }
    }
}
