//! Work that is kept of a job that can be continued: in several directories, through the deaths of
//! others, for as long as it is of use and no longer.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sortwell_engine::ByteSize;
use sortwell_engine::io::faulty::{InjectedFault, Script};
use sortwell_engine::io::{Direction, sweep};
use sortwell_engine::job::{Budget, Input, Output, Resume, SortJob, leftovers, remove_leftovers};
use sortwell_engine::manifest::{LogEntry, Manifest};
use sortwell_engine::operator::{Select, Split};
use sortwell_engine::stats::Progress;
use sortwell_engine::{Error, Result};

use crate::csv_shapes::{table, tricky_row};
use crate::csv_trial::Table;
use crate::data::{Order, records};
use crate::line_trial::{Lines, assert_same};
use crate::prefixed_trial::{FORMATS, Prefixed, record};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::resuming::{run_for, run_in_pieces};
use crate::trial::{Folder, Trial};

/// Records that take some runs, and their order.
pub fn spilling() -> (Folder, Trial, Vec<u8>) {
    let mut random = Random::new(78);
    let data = records(Order::Random, 250_000, 100, (0, 8), &mut random);
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
    trial.memory = trial.modest_memory();
    let folder = trial.folder();
    trial.lay_out(&folder);
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    (folder, trial, expected)
}

/// Runs a job until it is stopped with something done; the directory of its manifest.
pub fn stop_with_something_done(job: &SortJob) -> PathBuf {
    for round in 0..40 {
        match run_for(job, (12 + round) << 20) {
            Err(Error::Kept { directory, .. }) => return directory,
            Err(Error::Interrupted) => {}
            other => panic!("{other:?}"),
        }
    }
    panic!("never stopped with something done");
}

fn run(job: &SortJob) -> Result<()> {
    job.run(&Progress::new()).map(drop)
}

/// Runs lie in all directories by turns; none of these is litter to anybody.
#[test]
fn several_spill_directories_are_kept_together() {
    let (folder, trial, expected) = spilling();
    for in_place in [false, true] {
        let temp: Vec<PathBuf> = ["a", "b", "c"].map(|name| folder.at(name)).to_vec();
        temp.iter().for_each(|place| fs::create_dir_all(place).expect("create"));
        let mut job = SortJob { temp: temp.clone(), resume: Resume::Often, ..trial.job(&folder) };
        if in_place {
            job = SortJob { output: Output::File(folder.input(0)), in_place, sync: true, ..job };
        }
        stop_with_something_done(&job);
        for place in &temp {
            assert_eq!(sweep(place).expect("swept"), 0, "{}", place.display());
            if *place != temp[0] {
                assert_eq!(remove_leftovers(place, true).expect("removed"), 0, "it is of use");
            }
        }
        run(&job).expect("sorted");
        let Output::File(output) = &job.output else { unreachable!() };
        assert_same(&fs::read(output).expect("read"), &expected, "from three directories");
        for place in &temp {
            assert_eq!(fs::read_dir(place).expect("read").count(), 0, "{}", place.display());
        }
    }
}

/// Without the directory of its manifest another is litter, but not where that could be for now.
#[test]
fn a_directory_without_its_manifest_is_removed_when_asked() {
    let (folder, trial, _) = spilling();
    let temp: Vec<PathBuf> = ["a", "b"].map(|name| folder.at(name)).to_vec();
    temp.iter().for_each(|place| fs::create_dir(place).expect("create"));
    let job = SortJob { temp: temp.clone(), resume: Resume::On, ..trial.job(&folder) };
    let directory = stop_with_something_done(&job);
    fs::remove_dir_all(directory).expect("removed");
    assert_eq!(sweep(&temp[1]).expect("swept"), 0);
    assert_eq!(remove_leftovers(&temp[1], false).expect("removed"), 1);
    assert_eq!(fs::read_dir(&temp[1]).expect("read").count(), 0);
}

/// A damaged manifest of another job does not concern a job; a damaged one of its own does.
#[test]
fn a_damaged_manifest_stops_its_own_job_alone() {
    let (folder, trial, expected) = spilling();
    let job = SortJob { resume: Resume::On, ..trial.job(&folder) };
    let directory = stop_with_something_done(&job);
    let path = directory.join("manifest");
    let mut manifest = fs::read(&path).expect("read");
    manifest[0] = b'x';
    fs::write(&path, manifest).expect("write");
    let error = job.run(&Progress::new()).expect_err("its own");
    assert!(matches!(error, Error::Corrupt { .. }), "{error}");
    let other = SortJob { output: Output::File(folder.at("other")), ..job.clone() };
    stop_with_something_done(&other);
    run(&other).expect("sorted");
    assert_same(&fs::read(folder.at("other")).expect("read"), &expected, "beside damage");
    let sync = true;
    let output = Output::File(folder.input(0));
    let in_place = SortJob { output, in_place: true, sync, resume: Resume::Off, ..job };
    run(&in_place).expect("sorted");
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "in place");
    assert!(path.exists());
}

/// A job that was killed before it had noted anything is begun again.
#[test]
fn a_job_that_noted_nothing_begins_anew_with_other_inputs() {
    let (folder, mut trial, _) = spilling();
    let job = SortJob { resume: Resume::On, ..trial.job(&folder) };
    let directory = stop_with_something_done(&job);
    let path = directory.join("manifest");
    let mut manifest = fs::read(&path).expect("read");
    manifest.truncate(manifest.iter().position(|byte| *byte == b'\n').expect("a line") + 1);
    fs::write(&path, manifest).expect("write");
    trial.inputs[0].truncate(100_000);
    fs::write(folder.input(0), &trial.inputs[0]).expect("write");
    run(&job).expect("sorted");
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "the other input");
    folder.assert_clean(true);
}

/// Where the output is whole and has no name yet, its file is the only one with the records.
#[test]
fn a_whole_output_without_its_name_is_not_removed_unasked() {
    let (folder, trial, expected) = spilling();
    let output = Output::File(folder.input(0));
    let job = SortJob { output, in_place: true, sync: true, ..trial.job(&folder) };
    let directory = stop_with_something_done(&job);
    Manifest::open(&directory).expect("read").0.append(&LogEntry::Whole {}).expect("noted");
    let before = fs::read_dir(&directory).expect("read").count();
    assert_eq!(remove_leftovers(&folder.at("spill"), false).expect("looked at"), 0);
    assert_eq!(fs::read_dir(&directory).expect("read").count(), before);
    run(&job).expect("sorted");
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "in place");
}

/// An output that is an input, too, and has its name, must not be sorted once more.
#[test]
fn a_finished_output_that_is_an_input_is_not_taken_again() {
    let (folder, trial, expected) = spilling();
    fs::write(folder.input(1), &expected).expect("write");
    let inputs: Vec<Input> = (0..2).map(|input| Input::File(folder.input(input))).collect();
    let output = Output::File(folder.input(0));
    let job = SortJob { inputs, output, resume: Resume::On, sync: true, ..trial.job(&folder) };
    let directory = stop_with_something_done(&job);
    // As a kill leaves it after the output got its name.
    let Ok(Some(LogEntry::Job(entry))) = Manifest::first(&directory) else { panic!("no job") };
    Manifest::open(&directory).expect("read").0.append(&LogEntry::Whole {}).expect("noted");
    let finished = expected.repeat(2);
    fs::write(&entry.part, &finished).expect("write");
    fs::rename(&entry.part, folder.input(0)).expect("renamed");
    let said = run(&job).expect_err("refused").to_string();
    assert!(said.contains("an input of this job and its output"), "{said}");
    assert!(fs::read(folder.input(0)).expect("read") == finished);
    assert_eq!(remove_leftovers(&folder.at("spill"), false).expect("removed"), 1);
    run(&job).expect("sorted again");
}

/// A job that noted nothing has no manifest that says whose its output on the way is.
#[test]
fn a_small_job_whose_output_gets_no_name_leaves_nothing() {
    let data = records(Order::Random, 1000, 100, (0, 8), &mut Random::new(79));
    let trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = SortJob { resume: Resume::On, ..trial.job(&folder) };
    let late = InjectedFault::BeginsLate(Duration::from_millis(500));
    let script = Script::new(&folder.at("out"), 0..u64::MAX, late).of(Direction::Write);
    let _late = script.install();
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&job));
        while folder.names("out").is_empty() && !running.is_finished() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // A directory takes the name while the output is written.
        fs::create_dir(folder.output()).expect("created");
        running.join().expect("no panic")
    });
    assert!(matches!(outcome, Err(Error::Io { .. })), "{outcome:?}");
    fs::remove_dir(folder.output()).expect("removed");
    folder.assert_clean(false);
}

#[test]
fn a_job_that_cannot_be_planned_leaves_nothing() {
    let (folder, trial, _) = spilling();
    let memory = Budget::Bytes(ByteSize::mib(1));
    let job = SortJob { memory, resume: Resume::On, ..trial.job(&folder) };
    assert!(matches!(run(&job), Err(Error::Config(_))));
    folder.assert_clean(false);
    let nowhere = Output::File(folder.at("nowhere").join("out"));
    let job = SortJob { output: nowhere, resume: Resume::On, ..trial.job(&folder) };
    assert!(run(&job).is_err());
    folder.assert_clean(false);
}

/// Killed when the output had its name and its runs were about to be removed.
#[test]
fn what_is_left_of_a_job_that_was_done_is_removed() {
    let (folder, trial, expected) = spilling();
    let in_place = SortJob { output: Output::File(folder.input(0)), ..trial.job(&folder) };
    let in_place = SortJob { in_place: true, sync: true, ..in_place };
    for job in [SortJob { resume: Resume::On, ..trial.job(&folder) }, in_place] {
        let directory = stop_with_something_done(&job);
        let (mut manifest, entries) = Manifest::open(&directory).expect("opened");
        manifest.append(&LogEntry::Whole {}).expect("noted");
        let Some(LogEntry::Job(entry)) = entries.first() else { panic!("{entries:?}") };
        let Output::File(output) = &job.output else { unreachable!() };
        fs::write(&entry.part, &expected).expect("write");
        fs::rename(&entry.part, output).expect("rename");
        run(&job).expect("sorted once more");
        assert_same(&fs::read(output).expect("read"), &expected, "sorted twice");
        assert_eq!(leftovers(&folder.at("spill")).expect("read"), []);
        assert_eq!(folder.names("spill"), [""; 0]);
    }
}

/// Stops a small job when its output has its name: it has noted nothing but itself.
fn stop_when_named(job: &SortJob, content: &[u8], output: &Path) {
    let directory = stop_with_something_done(job);
    let (manifest, entries) = Manifest::open(&directory).expect("opened");
    let Some(LogEntry::Job(entry)) = entries.first() else { panic!("{entries:?}") };
    fs::remove_file(manifest.path()).expect("removed");
    drop(Manifest::create(&directory, entry).expect("a manifest"));
    fs::write(&entry.part, content).expect("write");
    fs::rename(&entry.part, output).expect("rename");
}

/// Killed when the output had replaced the input, and nothing but the job itself was noted.
#[test]
fn a_small_job_in_place_that_was_done_is_done_again() {
    let (folder, trial, expected) = spilling();
    let job = SortJob { output: Output::File(folder.input(0)), ..trial.job(&folder) };
    let job = SortJob { in_place: true, sync: true, ..job };
    stop_when_named(&job, &expected, &folder.input(0));
    run(&job).expect("sorted once more");
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "sorted twice");
    assert_eq!(leftovers(&folder.at("spill")).expect("read"), []);
}

/// Killed when the output had replaced an input, and nothing but the job itself was noted.
#[test]
fn a_small_job_that_was_done_does_not_take_its_output() {
    let (folder, trial, expected) = spilling();
    let job = SortJob { output: Output::File(folder.input(0)), ..trial.job(&folder) };
    let job = SortJob { resume: Resume::On, ..job };
    stop_when_named(&job, &expected, &folder.input(0));
    let error = run(&job).expect_err("it would take records twice").to_string();
    assert!(error.contains("may be finished") && error.contains("twice"), "{error}");
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "it stays as it is");
}

/// Stops a job when it has noted slabs; its output on its way.
fn stop_behind_a_slab(job: &SortJob) -> PathBuf {
    let mut random = Random::fresh();
    let mut part = || {
        let Err(Error::Kept { directory, .. }) = run_for(job, random.next() % (40 << 20)) else {
            return None;
        };
        let entries = Manifest::look(&directory).expect("read");
        let has_slab = entries.iter().any(|entry| matches!(entry, LogEntry::Slab(_)));
        match entries.into_iter().next() {
            Some(LogEntry::Job(entry)) if has_slab => Some(entry.part),
            _ => None,
        }
    };
    (0..300).find_map(|_| part()).expect("stopped behind a slab")
}

/// Records that were merged in place are in the output on its way, and nowhere else.
#[test]
fn an_output_on_its_way_that_is_cut_off_in_place() {
    let (folder, trial, expected) = spilling();
    let job = SortJob { output: Output::File(folder.input(0)), ..trial.job(&folder) };
    let job = SortJob { in_place: true, sync: true, ..job };
    let part = stop_behind_a_slab(&job);
    let whole = fs::read(&part).expect("read");
    let file = fs::OpenOptions::new().write(true).open(&part).expect("open");
    file.set_len(100).expect("cut");
    for _ in 0..2 {
        assert!(matches!(run(&job), Err(Error::Malformed { path, .. }) if path == part));
    }
    fs::write(&part, whole).expect("write");
    run(&job).expect("sorted");
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "gone on with");
}

#[test]
fn an_output_on_its_way_that_lost_its_end_is_made_again() {
    let (folder, trial, expected) = spilling();
    let job = SortJob { resume: Resume::Often, ..trial.job(&folder) };
    let part = stop_behind_a_slab(&job);
    fs::OpenOptions::new().write(true).open(&part).expect("open").set_len(100).expect("cut");
    run(&job).expect("sorted");
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "made again");
    folder.assert_clean(true);
}

/// Tables with quotes in every place, with empty lines, and in order.
fn some_tables(bytes: usize, random: &mut Random) -> [(&'static str, Vec<u8>); 3] {
    [
        ("tricky", table("a,b,c", bytes, |_| tricky_row(random, 3, 9, (b',', b'"')))),
        ("empty lines among rows", {
            let row = |random: &mut Random| if random.one_in(2) { "" } else { "x,\"y\n\"" };
            // Rows as short as these fill memory with what is known of them.
            table("a,b", bytes / 2, |_| row(random).into())
        }),
        ("sorted", table("a,b", bytes, |n| format!("\"{n:09}\",\"\n\"").into_bytes())),
    ]
}

/// Rows go on at the beginning of a row, whatever stands in quotes, and prefixed records at a
/// prefix.
#[test]
fn rows_and_prefixed_records_in_pieces() {
    let mut random = Random::fresh();
    let resume = Resume::Often;
    let tables = some_tables(18_000_000, &mut random);
    for (name, input) in random.some(tables) {
        let half = Table { memory: ByteSize::mib(36), ..Table::new(vec![input]) };
        let (expected, count) = half.expected();
        let folder = Folder::on_disk();
        fs::write(folder.input(0), &half.inputs[0]).expect("write");
        let job = |_: &mut Random| SortJob { resume, ..half.job(&folder) };
        let (resumed, statistics) = run_in_pieces(job, (&folder, 20 << 20), &mut random);
        println!("{name}: {resumed:?}");
        assert_same(&fs::read(folder.output()).expect("read"), &expected, name);
        assert_eq!(statistics.records, count);
    }
    for width in random.some([FORMATS[0], FORMATS[3], FORMATS[8]]) {
        let body = |random: &mut Random| vec![random.next() as u8; random.below(90)];
        let records = (0..400_000).flat_map(|_| record(width, &body(&mut random)));
        let input: Vec<u8> = records.collect();
        let prefixed = Prefixed { memory: ByteSize::mib(36), ..Prefixed::new(width, vec![input]) };
        let folder = Folder::on_disk();
        fs::write(folder.input(0), &prefixed.inputs[0]).expect("write");
        let job = |_: &mut Random| SortJob { resume, ..prefixed.job(&folder) };
        let (resumed, _) = run_in_pieces(job, (&folder, 30 << 20), &mut random);
        println!("{width:?}: {resumed:?}");
        let (expected, _) = prefixed.expected();
        assert_same(&fs::read(folder.output()).expect("read"), &expected, "prefixed");
    }
}

/// Lines that are suddenly short crowd load after load: what has no room is carried on, of many
/// inputs at once, and carried on again.
#[test]
fn lines_of_many_inputs_are_carried_on_in_pieces() {
    let mut random = Random::fresh();
    let long = |_| (0..3000).map(|n: u32| format!("{n:0999}\n")).collect::<String>().into_bytes();
    let short = |of: u32| {
        let line = |n: u32| format!("{:09}\n", n.wrapping_mul(7919) ^ of);
        (0..40_000).map(line).collect::<String>().into_bytes()
    };
    let inputs = (0..6).map(long).chain((0..60).map(short)).collect();
    let lines = Lines { memory: ByteSize::mib(36), ..Lines::new(inputs) };
    let folder = Folder::on_disk();
    lines.lay_out(&folder);
    let (expected, count) = lines.expected();
    let job = |_: &mut Random| SortJob { resume: Resume::Often, ..lines.job(&folder) };
    let (resumed, statistics) = run_in_pieces(job, (&folder, 12 << 20), &mut random);
    println!("{resumed:?}, {} runs", statistics.runs);
    assert_same(&fs::read(folder.output()).expect("read"), &expected, "carried on");
    assert_eq!(statistics.records, count);
}

/// Others may do with an output what they may do with any new file.
#[test]
fn outputs_in_several_files_are_as_open_as_others() {
    let (folder, trial, _) = spilling();
    let plain = SortJob { inputs: vec![Input::File(folder.input(0))], ..trial.job(&folder) };
    run(&plain).expect("sorted");
    let mode = |name: &str| {
        let data = fs::metadata(folder.at("out").join(name)).expect("a file");
        data.permissions().mode() & 0o777
    };
    let usual = mode("out");
    let select = Select { split: Some(Split::Count(2)), ..Select::default() };
    run(&SortJob { select, ..plain }).expect("sorted");
    let names = folder.names("out");
    assert!(names.len() > 2, "{names:?}");
    names.iter().for_each(|name| assert_eq!(mode(name), usual, "{name}"));
    fs::write(folder.at("out").join("new"), "").expect("write");
    assert_eq!(mode("new"), usual);
}
