//! Sorts and merges whose runs lie striped over several directories: the same to the byte as with
//! one, whatever goes wrong on the way, and nothing left in any of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::io::{Direct, Direction};
use sortwell_engine::job::{
    Budget, Input, MergeJob, Output, Resume, SortJob, leftovers, remove_leftovers,
};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::Algorithm;
use sortwell_engine::plan::levers::{Levers, Overlap};
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::stripe::{Definition, Member, Stride};
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::kept::{spilling, stop_with_something_done};
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::resuming::{Resumed, run_for, run_in_pieces};
use crate::striped::{members, set};
use crate::trial::{Folder, Trial, engines};

fn run(job: &SortJob) -> Statistics {
    job.run(&Progress::new()).unwrap_or_else(|e| panic!("{e}: {e:?}"))
}

/// The directories of a set's members.
fn directories(set: &Path) -> Vec<PathBuf> {
    let places = Definition::read(set).expect("read").places(set);
    places.iter().map(|place| place.parent().expect("a directory").to_owned()).collect()
}

/// Files called `run-…` in the spill directories of a directory.
fn runs_in(directory: &Path) -> Vec<PathBuf> {
    let below = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).expect("read").map(|entry| entry.expect("an entry").path()).collect()
    };
    let is_run = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("run-"))
    };
    let mut runs: Vec<PathBuf> = below(directory).iter().flat_map(|own| below(own)).collect();
    runs.retain(is_run);
    runs.sort();
    runs
}

#[test]
fn runs_over_one_to_many_members() {
    let mut random = Random::fresh();
    for count in random.some([1, 2, 3, 7, 36]) {
        let data = records(Order::Random, 150_000, 100, (0, 8), &mut random);
        let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
        trial.memory = trial.modest_memory();
        (trial.engine, trial.direct) =
            (random.pick(&engines()), random.pick(&[Direct::Auto, Direct::Off]));
        let folder = Folder::on_disk();
        trial.lay_out(&folder);
        let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
        let temp = set(&folder, "temp", count, &mut random);
        let before = fs::read(&temp).expect("read");
        for algorithm in [Algorithm::Auto, Algorithm::ReplacementSelection] {
            let job = SortJob { algorithm, ..trial.job(&folder) };
            let plain = run(&job);
            let striped = run(&SortJob { temp: vec![temp.clone()], ..job });
            let words = format!("{count} members, {algorithm:?}, {:?}", trial.engine);
            assert_same(&fs::read(folder.output()).expect("read"), &expected, &words);
            assert_eq!((striped.runs, striped.passes), (plain.runs, plain.passes), "{words}");
            assert!(striped.passes > 1 && striped.runs > 1, "{words}: {striped:?}");
            assert_eq!(striped.streams.spill_written, plain.streams.spill_written, "{words}");
            assert_eq!((members(&temp), folder.names("spill")), (0, Vec::new()), "{words}");
        }
        assert_eq!(fs::read(&temp).expect("read"), before, "the set itself is left alone");
    }
}

/// Where a stride is longer than what is written at once, the other disks have nothing to do.
#[test]
fn long_strides_are_advised_against() {
    let mut random = Random::new(4);
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], Vec::new());
    trial.inputs = vec![records(Order::Random, 200_000, 100, (0, 2), &mut random)];
    trial.memory = trial.modest_memory();
    let folder = Folder::on_disk();
    trial.lay_out(&folder);
    for (stride, is_long) in [(64 << 10, false), (64 << 20, true)] {
        let member = |number: usize| {
            let path = folder.at(&format!("{stride}-{number}"));
            fs::create_dir(&path).expect("a directory");
            Member { path: path.join("member"), stride: Stride::Bytes(stride), checksum: None }
        };
        let set = folder.at(&format!("{stride}.str"));
        let definition = Definition::new((0..2).map(member).collect(), None).expect("a set");
        definition.write(&set, false).expect("written");
        let told = run(&SortJob { temp: vec![set], ..trial.job(&folder) });
        assert!(told.runs > 1, "{told:?}");
        let is_told =
            told.advice.iter().any(|advice| advice.to_string().contains("disks take turns"));
        assert_eq!(is_told, is_long, "{:?}", told.advice);
    }
}

/// Runs are merged in between, their lengths are not known beforehand, or a set shares them with a
/// directory.
#[test]
fn runs_of_every_kind() {
    let mut random = Random::fresh();
    let text = |random: &mut Random| -> Vec<u8> {
        let lines = (0..500_000).map(|_| format!("{:x}\n", random.below(400_000)));
        lines.collect::<String>().into_bytes()
    };
    let (memory, overlap) = (ByteSize::mib(24), Overlap::Pipelined);
    let lines = Lines { memory, overlap, ..Lines::new(vec![text(&mut random)]) };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let temp = set(&folder, "temp", 3, &mut random);
    let unique = Select { unique: Some(Unique::First), ..Select::default() };
    let cases = [(Select::default(), Some(2)), (unique.clone(), None), (unique, Some(2))];
    for (select, width) in random.some(cases) {
        let mut job = SortJob { select, ..lines.job(&folder) };
        job.levers.merge_width = width;
        let plain = run(&job);
        let expected = fs::read(folder.output()).expect("read");
        for temp in [vec![temp.clone()], vec![temp.clone(), folder.at("spill")]] {
            let striped = run(&SortJob { temp, ..job.clone() });
            assert_same(&fs::read(folder.output()).expect("read"), &expected, "lines");
            assert_eq!((striped.runs, striped.passes), (plain.runs, plain.passes));
            assert!(width.is_none() || striped.passes > 2, "{striped:?}");
            assert_eq!((members(&temp_of(&folder)), folder.names("spill")), (0, Vec::new()));
        }
    }
}

fn temp_of(folder: &Folder) -> PathBuf {
    folder.at("temp.str")
}

#[test]
fn merges_in_between() {
    let mut random = Random::fresh();
    let folder = Folder::on_disk();
    let inputs: Vec<Input> = (0..40)
        .map(|number| {
            let mut lines: Vec<u64> = (0..3000).map(|_| random.next()).collect();
            lines.sort_unstable();
            let text: String = lines.iter().map(|line| format!("{line:016x}\n")).collect();
            fs::write(folder.input(number), text).expect("write");
            Input::File(folder.input(number))
        })
        .collect();
    let job = MergeJob {
        memory: Budget::Bytes(ByteSize::mib(24)),
        levers: Levers { merge_width: Some(5), ..Levers::default() },
        temp: vec![folder.at("spill")],
        ..MergeJob::new(inputs, Output::File(folder.output()), Format::Lines { terminator: b'\n' })
    };
    job.run(&Progress::new()).expect("merged");
    let expected = fs::read(folder.output()).expect("read");
    let temp = set(&folder, "temp", 4, &mut random);
    let statistics = MergeJob { temp: vec![temp.clone()], ..job }.run(&Progress::new());
    assert!(statistics.expect("merged").passes > 1);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "merged");
    assert_eq!(members(&temp), 0);
}

/// Stopped again and again, also where the input goes as it is read.
#[test]
fn striped_runs_in_pieces() {
    let mut random = Random::fresh();
    let mut resumed_in_all = Resumed::default();
    for (count, in_place) in [(2, false), (7, false), (3, true)] {
        let (folder, trial, expected) = spilling();
        let temp = set(&folder, "temp", count, &mut random);
        let output = if in_place { folder.input(0) } else { folder.output() };
        let job = |random: &mut Random| SortJob {
            temp: vec![temp.clone()],
            resume: random.pick(&[Resume::On, Resume::Often]),
            output: Output::File(output.clone()),
            in_place,
            sync: true,
            ..trial.job(&folder)
        };
        let (resumed, _) = run_in_pieces(job, (&folder, 30 << 20), &mut random);
        println!("{count} members, in place {in_place}: {resumed:?}");
        resumed_in_all += resumed;
        assert_same(&fs::read(&output).expect("read"), &expected, "resumed");
        assert_eq!(members(&temp), 0);
    }
    assert!(resumed_in_all.times > 2, "{resumed_in_all:?}");
}

/// What is kept is kept in all directories, listed with its size, and removed together.
#[test]
fn directories_are_kept_and_removed_together() {
    let (folder, trial, expected) = spilling();
    let temp = set(&folder, "temp", 3, &mut Random::fresh());
    let job = SortJob { temp: vec![temp.clone()], resume: Resume::On, ..trial.job(&folder) };
    for is_removed in [true, false] {
        let directory = stop_with_something_done(&job);
        let found = leftovers(&temp).expect("listed");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, directory);
        let own = directories(&temp);
        let runs: Vec<Vec<PathBuf>> = own.iter().map(|own| runs_in(own)).collect();
        assert!(runs.iter().all(|files| !files.is_empty() && files.len() == runs[0].len()));
        let bytes = |path: &PathBuf| fs::metadata(path).expect("a run").len();
        let noted: u64 = runs.iter().flatten().map(bytes).sum();
        assert!(found[0].bytes >= ByteSize(noted), "{found:?}, {noted} in runs");
        if is_removed {
            assert_eq!(remove_leftovers(&temp, false).expect("removed"), 1);
        } else {
            run(&job);
            assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
        }
        assert_eq!(members(&temp), 0);
        assert_eq!(leftovers(&temp).expect("listed"), []);
    }
    // Killed before anything was noted, and swept in part before it was said what goes with what.
    let directory = stop_with_something_done(&job);
    let manifest = fs::read(directory.join("manifest")).expect("read");
    let first = manifest.split_inclusive(|byte| *byte == b'\n').next().expect("a line");
    fs::write(directory.join("manifest"), first).expect("write");
    let own = fs::read_dir(&directories(&temp)[1]).expect("read").next().expect("one");
    fs::remove_dir_all(own.expect("an entry").path()).expect("removed");
    run(&job);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "begun anew");
    assert_eq!(members(&temp), 0);
    folder.assert_clean(true);
}

/// Whatever becomes of a member is told with its name.
#[test]
fn members_that_are_gone_cut_or_others() {
    let mut random = Random::fresh();
    let (folder, trial, expected) = spilling();
    let temp = set(&folder, "temp", 3, &mut random);
    let job = SortJob { temp: vec![temp.clone()], resume: Resume::On, ..trial.job(&folder) };
    let stop = || {
        stop_with_something_done(&job);
        runs_in(&directories(&temp)[random_member()])[0].clone()
    };
    let fail = |words: &str, member: &Path| {
        let error = job.run(&Progress::new()).expect_err(words);
        let said = error.to_string();
        assert!(said.contains(words), "{said}");
        assert!(said.contains(member.file_name().expect("a name").to_str().expect("text")));
        error
    };
    let gone = stop();
    let content = fs::read(&gone).expect("read");
    fs::remove_file(&gone).expect("removed");
    assert!(matches!(fail("a file of the saved work, is missing", &gone), Error::Config(_)));
    fs::write(&gone, &content).expect("write");
    run(&job);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "back again");

    let cut = stop();
    let length = fs::metadata(&cut).expect("a run").len();
    let file = fs::OpenOptions::new().write(true).open(&cut).expect("open");
    file.set_len(length - 1).expect("cut");
    let error = fail(&format!("{} bytes instead of {length}", length - 1), &cut);
    assert!(matches!(error, Error::Corrupt { path, .. } if path == cut));
    assert_eq!(members(&temp), 0, "it will not do the next time either");

    let other = stop();
    let mut content = fs::read(&other).expect("read");
    content.iter_mut().skip(5000).for_each(|byte| *byte ^= 1);
    fs::write(&other, &content).expect("write");
    assert!(matches!(fail("is damaged", &other), Error::Corrupt { .. }));
    assert_eq!(members(&temp), 0);

    let kept = stop();
    let home = directories(&temp)[0].clone();
    let home = fs::read_dir(home).expect("read").next().expect("one").expect("an entry").path();
    let stripes = home.join("stripes");
    let good = fs::read(&stripes).expect("read");
    fs::write(&stripes, &good[..good.len() / 2]).expect("write");
    let error = job.run(&Progress::new()).expect_err("half a text");
    assert!(
        error.to_string().contains("stripes") && matches!(error, Error::Corrupt { .. }),
        "{error}"
    );
    assert!(kept.exists(), "nothing is removed for that");
    fs::write(&stripes, good).expect("write");
    run(&job);
    assert_eq!(members(&temp), 0);
}

/// Not the first: it is home, and what its path says holds for it already.
fn random_member() -> usize {
    1 + Random::fresh().below(2)
}

/// A member that becomes shorter while the run is read is damage, and no fault of the input.
#[test]
fn a_member_that_is_cut_while_it_is_read() {
    let (folder, trial, _) = spilling();
    let temp = set(&folder, "temp", 2, &mut Random::new(3));
    let own = directories(&temp)[1].clone();
    let late = InjectedFault::BeginsLate(Duration::from_millis(300));
    let script = Script::new(&own, 0..1, late).of(Direction::Read).from_bytes(65_536);
    let job = SortJob { temp: vec![temp.clone()], ..trial.job(&folder) };
    let installed = script.install();
    let result = std::thread::scope(|scope| {
        let running = scope.spawn(|| job.run(&Progress::new()));
        while !installed.has_struck() && !running.is_finished() {
            std::thread::sleep(Duration::from_micros(50));
        }
        for run in runs_in(&own) {
            let file = fs::OpenOptions::new().write(true).open(run).expect("open");
            file.set_len(4096).expect("cut");
        }
        running.join().expect("no panic")
    });
    match result {
        Err(Error::Corrupt { path, .. }) => assert!(path.starts_with(&own), "{}", path.display()),
        other => panic!("{other:?}"),
    }
    assert_eq!(members(&temp), 0);
    folder.assert_clean(false);
}

/// Writes that a member refuses end the job, and leave nothing in the others.
#[test]
fn a_member_that_refuses() {
    let (folder, trial, expected) = spilling();
    let temp = set(&folder, "temp", 3, &mut Random::new(4));
    let own = directories(&temp)[2].clone();
    let job = SortJob { temp: vec![temp.clone()], ..trial.job(&folder) };
    for (operation, number) in [(Direction::Write, 0), (Direction::Write, 9), (Direction::Read, 3)]
    {
        let fault = InjectedFault::Fails(rustix::io::Errno::IO);
        let installed = Script::new(&own, number..number + 1, fault).of(operation).install();
        let error = job.run(&Progress::new()).expect_err("a fault");
        assert!(matches!(&error, Error::Io { path, .. } if path.starts_with(&own)), "{error}");
        drop(installed);
        assert_eq!(members(&temp), 0);
        folder.assert_clean(false);
    }
    run(&job);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "at last");
}

/// What a limit counts are the bytes in all directories together.
#[test]
fn limits_count_all_members() {
    let (folder, trial, _) = spilling();
    let temp = set(&folder, "temp", 3, &mut Random::new(5));
    let job = SortJob { temp: vec![temp.clone()], ..trial.job(&folder) };
    let limited = |bytes| SortJob { temp_limit: Some(ByteSize(bytes)), ..job.clone() };
    let needed = match limited(1 << 20).run(&Progress::new()) {
        Err(Error::OverLimit { needed: Some(needed), .. }) => needed.bytes(),
        other => panic!("{other:?}"),
    };
    run(&limited(needed));
    let resumed = SortJob { resume: Resume::On, ..limited(needed) };
    let kept = (0..40)
        .any(|round| matches!(run_for(&resumed, (12 + round) << 20), Err(Error::Kept { .. })));
    assert!(kept, "never stopped with something done");
    run(&resumed);
    assert_eq!(members(&temp), 0);
}
