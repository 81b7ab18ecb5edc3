//! Files that change or go under a job's hands, and descriptors that run out.
//!
//! The moment of a change is known: the first request on the file begins late, after it was made.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use sortwell_engine::format::Format;
use sortwell_engine::io::Direction;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::job::{Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::data::{Order, records};
use crate::random::Random;
use crate::subject::Subject;
use crate::trial::{Folder, Trial};

/// Runs a job; `change` is made before request `number` of its place is carried out.
fn run_and(
    subject: &Subject,
    (place, operation, number): (&str, Direction, u64),
    change: impl FnOnce() + Send,
) -> Result<Statistics> {
    let late = InjectedFault::BeginsLate(Duration::from_millis(300));
    let script = Script::new(&subject.folder.at(place), number..number + 1, late).of(operation);
    let words = format!("{}, changed in {script:?}", subject.words);
    let installed = script.install();
    let result = std::thread::scope(|scope| {
        let running = scope.spawn(|| subject.run_watched(&words));
        while !installed.has_struck() && !running.is_finished() {
            std::thread::sleep(Duration::from_micros(50));
        }
        change();
        running.join().expect("no panic")
    });
    subject.assert_ended_well(&result, &words);
    result
}

fn subjects() -> [Subject; 5] {
    [
        Subject::fixed(1, 2),
        Subject::fixed(2, 2),
        Subject::lines(1, 2, false),
        Subject::lines(2, 2, true),
        Subject::merge(1, false),
    ]
}

/// An input is what it was when it was opened: what others add to it meanwhile has no part in the
/// output.
#[test]
fn an_input_that_grows_while_it_is_read() {
    for subject in subjects() {
        let path = subject.folder.input(0);
        run_and(&subject, ("in", Direction::Read, 0), || {
            let mut file = OpenOptions::new().append(true).open(&path).expect("open");
            file.write_all(&[b'\n'; 12_345]).expect("write");
        })
        .unwrap_or_else(|e| panic!("{e}: {}", subject.words));
    }
}

#[test]
fn an_input_that_shrinks_while_it_is_read() {
    for subject in subjects() {
        let path = subject.folder.input(0);
        let error = run_and(&subject, ("in", Direction::Read, 0), || {
            let file = OpenOptions::new().write(true).open(&path).expect("open");
            file.set_len(4096 * 25).expect("shrink");
        });
        let error = error.expect_err("not all of it is there");
        let Error::Malformed { path: named, message } = &error else { panic!("{error}") };
        assert_eq!(*named, path, "{}", subject.words);
        assert!(message.to_string().contains("shorter"), "{message}: {}", subject.words);
    }
}

/// Somebody tidies up in the spill directory, at any time.
#[test]
fn a_spill_directory_that_is_removed() {
    for subject in [Subject::fixed(2, 2), Subject::lines(3, 2, false), Subject::merge(2, false)] {
        let spill = subject.folder.at("spill");
        let at = |operation| Script::new(&spill, 0..0, InjectedFault::Ends).of(operation);
        let both = [Direction::Write, Direction::Read];
        for (operation, count) in both.into_iter().zip(subject.counts(both.map(at))) {
            for number in [0, count / 2, count - 1] {
                let result = run_and(&subject, ("spill", operation, number), || {
                    for entry in fs::read_dir(&spill).expect("a folder") {
                        let path = entry.expect("an entry").path();
                        let _ = fs::remove_dir_all(path); // The job may be done by now.
                    }
                });
                // Runs that are open do not need their names any more.
                if let Err(error) = result {
                    let Error::Io { path, .. } = &error else { panic!("{error}") };
                    assert!(path.starts_with(&spill), "{error}: {}", subject.words);
                }
            }
        }
    }
}

/// The job to run in a process of its own, as words: kind, descriptors, folder.
const TOLD: &str = "SORTWELL_TEST_DESCRIPTORS";

/// Inputs of a merge, more than a process has descriptors for.
const MANY: usize = 200;

/// Runs a job in a process of its own that may have few files open; what it says.
fn run_with(kind: &str, descriptors: u64, folder: &Folder) -> String {
    let told = format!("{kind} {descriptors} {}", folder.at("").display());
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["vanishing::runs_as_told", "--exact", "--nocapture", "--test-threads=1"]);
    let output = command.env(TOLD, told).output().expect("run");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    folder.assert_clean(said.contains("done"));
    said
}

/// The other process.
#[test]
fn runs_as_told() {
    let Ok(told) = std::env::var(TOLD) else { return };
    let words: Vec<&str> = told.splitn(3, ' ').collect();
    let descriptors = words[1].parse().ok();
    let limit = Rlimit { current: descriptors, maximum: descriptors };
    setrlimit(Resource::Nofile, limit).expect("fewer are always allowed");
    let folder = Path::new(words[2]);
    let input = |index: usize| Input::File(folder.join("in").join(index.to_string()));
    let output = Output::File(folder.join("out").join("out"));
    let temp = vec![folder.join("spill")];
    let many = (0..MANY).map(input).collect();
    let result = match words[0] {
        "merge" => {
            let job = MergeJob::new(many, output, Format::LINES);
            let memory = Budget::Bytes(ByteSize::mib(256));
            MergeJob { memory, temp, sync: false, ..job }.run(&Progress::new())
        }
        "inputs" | "resumed" => {
            let resume = if words[0] == "resumed" { Resume::On } else { Resume::Off };
            let job = SortJob::new(many, output, Format::LINES);
            SortJob { temp, resume, sync: false, ..job }.run(&Progress::new())
        }
        _ => {
            let memory = Budget::Bytes(words[0].parse().expect("a size"));
            let job = SortJob::new(vec![input(0)], output, Format::Fixed { length: 100 });
            SortJob { memory, temp, threads: Some(2), sync: false, ..job }.run(&Progress::new())
        }
    };
    match result {
        Ok(statistics) => println!("done in {} passes", statistics.passes),
        Err(error) => println!("failed: {error}"),
    }
}

fn lay_out_many() -> Folder {
    let folder = Folder::on_disk();
    for index in 0..MANY {
        let lines: String = (0..100).map(|line| format!("{:05}\n", line * MANY + index)).collect();
        fs::write(folder.input(index), lines).expect("write");
    }
    folder
}

#[test]
fn a_merge_of_more_inputs_than_may_be_open() {
    let folder = lay_out_many();
    let said = run_with("merge", 64, &folder);
    assert!(said.contains("done in"), "{said}");
    assert_all_are_there(&folder);
}

fn assert_all_are_there(folder: &Folder) {
    let found = fs::read(folder.output()).expect("read");
    let expected: String = (0..100 * MANY).map(|line| format!("{line:05}\n")).collect();
    assert!(found == expected.into_bytes());
}

#[test]
fn a_sort_of_more_inputs_than_may_be_open() {
    let folder = lay_out_many();
    let said = run_with("inputs", 64, &folder);
    assert!(said.contains("done in"), "{said}");
    assert_all_are_there(&folder);
}

/// What is resumed has to be found unchanged, so that inputs stay open.
#[test]
fn a_resumed_sort_of_more_inputs_than_may_be_open_says_so() {
    let folder = lay_out_many();
    let said = run_with("resumed", 64, &folder);
    for part in ["failed", "but of 200 only", "ulimit -n", "leave resume out"] {
        assert!(said.contains(part), "'{part}' is missing: {said}");
    }
    let said = run_with("resumed", 1024, &folder);
    assert!(said.contains("done in"), "{said}");
    assert_all_are_there(&folder);
}

#[test]
fn a_sort_with_more_runs_than_may_be_open() {
    let mut trial = Trial::new(100, Vec::new(), Vec::new());
    trial.memory = trial.modest_memory();
    trial.inputs = vec![records(Order::Random, 300_000, 100, (0, 10), &mut Random::new(84))];
    for descriptors in [64, 32, 24, 20, 18, 16, 12] {
        let folder = Folder::on_disk();
        trial.lay_out(&folder);
        let said = run_with(&trial.memory.bytes().to_string(), descriptors, &folder);
        println!("{descriptors}: {said}");
        let is_refused = said.contains("failed") && said.contains("ulimit -n");
        assert!(said.contains("done in") || (descriptors < 13 && is_refused), "{said}");
    }
}
