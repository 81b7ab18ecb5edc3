//! Files sorted in place: beside them hardly anything needs room, whatever happens their records
//! are somewhere, and what could lose some is refused.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sortwell_engine::error::ConfigErrorKind;
use sortwell_engine::io::pipe::Outlet;
use sortwell_engine::io::{Direct, File, Supplied, Supply};
use sortwell_engine::job::{Input, Output, SortJob, leftovers, remove_leftovers};
use sortwell_engine::operator::Select;
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::line_shapes::text;
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::resuming::run_for;
use crate::room::watched;
use crate::trial::{Folder, Trial};

fn job(job: SortJob, folder: &Folder) -> SortJob {
    let inputs = vec![Input::File(folder.input(0))];
    let output = Output::File(folder.input(0));
    SortJob { inputs, output, in_place: true, sync: true, ..job }
}

#[test]
fn hardly_anything_needs_room_beside_the_file() {
    let mut random = Random::fresh();
    let data = records(Order::Random, 1_200_000, 100, (0, 8), &mut random);
    for overlap in random.some([Overlap::Pipelined, Overlap::Sync]) {
        let trial = Trial { overlap, ..Trial::new(100, vec![Part::bytes(0, 8)], data.clone()) };
        hardly_needs_room(&Trial { memory: ByteSize::mib(56), ..trial }); // All runs at once.
    }
}

fn hardly_needs_room(trial: &Trial) {
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = job(trial.job(&folder), &folder);
    let (outcome, most) = watched(&folder.at(""), || job.run(&Progress::new()));
    let statistics = outcome.expect("sorted");
    let plan = trial.plan();
    assert!(statistics.runs > 2, "{statistics:?}");
    let size = trial.inputs[0].len() as u64;
    let (load, slab) = (plan.load.records_bytes, plan.external().expect("runs").slab_bytes as u64);
    println!("{size} bytes took {most} at most: {plan:?}");
    assert!(most < size + (5 * load).max(3 * slab) + (4 << 20), "{most} bytes of {size}");
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "in place");
    assert_eq!((folder.names("in"), folder.names("spill")), (vec!["0".to_owned()], vec![]));
}

/// Stopped anywhere, again and again, no record is lost.
#[test]
fn stopped_and_gone_on_with() {
    let mut random = Random::fresh();
    for round in random.some(0..3) {
        let data =
            text(30_000_000, |number| format!("{:x} {number}", random.below(50_000)).into_bytes());
        let memory = ByteSize::mib(36);
        let overlap = if round == 1 { Overlap::Sync } else { Overlap::Pipelined };
        let lines = Lines { memory, overlap, ..Lines::new(vec![data[..data.len() - 1].to_vec()]) };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let mut stopped = 0;
        let statistics = loop {
            let threads = Some(1 + random.below(3));
            let job = SortJob { threads, ..job(lines.job(&folder), &folder) };
            let bytes = random.next() % (40 << 20) * (1 + stopped / 4);
            match run_for(&job, bytes) {
                Ok(statistics) => break statistics,
                Err(Error::Kept { is_in_place: true, error, .. }) => {
                    assert!(matches!(*error, Error::Interrupted), "{error}");
                    let left = leftovers(&folder.at("spill")).expect("read");
                    assert_eq!(left.len(), 1);
                    remove_leftovers(&folder.at("spill"), false).expect("removed");
                    refuses_what_is_not_whole(&lines, &folder);
                    assert_eq!(leftovers(&folder.at("spill")).expect("read").len(), 1, "stays");
                }
                Err(Error::Interrupted) => {
                    assert_eq!(fs::read(folder.input(0)).expect("read"), lines.inputs[0]);
                }
                Err(e) => panic!("{e}"),
            }
            stopped += 1;
        };
        println!("round {round}: stopped {stopped} times");
        let (expected, count) = lines.expected();
        assert_same(&fs::read(folder.input(0)).expect("read"), &expected, "in place");
        assert_eq!(statistics.proof.map(|proof| proof.records), Some(count));
        assert_eq!((folder.names("in"), folder.names("spill")), (vec!["0".to_owned()], vec![]));
    }
}

/// Nobody takes what is left of the file for the file.
fn refuses_what_is_not_whole(lines: &Lines, folder: &Folder) {
    let elsewhere = vec![folder.at("out")];
    let jobs = [lines.job(folder), SortJob { temp: elsewhere, ..job(lines.job(folder), folder) }];
    for job in jobs {
        let error = job.run(&Progress::new()).expect_err("it is not whole");
        let said = error.to_string();
        assert!(matches!(error, Error::Malformed { .. }), "{said}");
        assert!(said.contains("unfinished sort in place") && said.contains("spill"), "{said}");
    }
    let other = SortJob { verify: false, ..job(lines.job(folder), folder) };
    let said = other.run(&Progress::new()).expect_err("another proof").to_string();
    assert!(said.ends_with("as some records of the file are in the saved work alone"), "{said}");
}

/// Two sorts in place of one file would each read the holes of the other.
#[test]
fn one_job_at_a_time_has_the_file() {
    let trial = Trial::new(100, vec![Part::bytes(0, 8)], vec![b'x'; 1000]);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let job = job(trial.job(&folder), &folder);
    let other = File::reopen(&folder.input(0), Direct::Off).expect("a file");
    assert!(other.lock());
    let error = job.run(&Progress::new()).expect_err("it is locked");
    assert_eq!(error.config_kind(), Some(ConfigErrorKind::InUse), "{error}");
    assert_eq!(fs::read(folder.input(0)).expect("read"), trial.inputs[0]);
    drop(other);
    job.run(&Progress::new()).expect("sorted");
}

/// A job that opened the file before it was marked may have read holes.
#[test]
fn a_mark_that_is_set_meanwhile_is_seen() {
    let mark = |folder: &Folder| {
        let file = File::reopen(&folder.input(0), Direct::Off).expect("a file");
        file.mark(&folder.at("spill")).expect("marked");
    };
    // A pipe holds a MiB at most, so the job waits until the file is marked.
    let trial = Trial::new(100, vec![Part::bytes(0, 8)], vec![b'x'; 3_000_000]);
    let folder = Arc::new(trial.folder());
    // The records come when all of them were read, and those of a stream before the file is read.
    for is_stream in [false, true] {
        trial.lay_out(&folder);
        let own = Arc::clone(&folder);
        let mut job = trial.job(&folder);
        if is_stream {
            let marking = Supplied::new(Path::new("marking"), Marking(move || mark(&own)));
            job.inputs.insert(0, Input::Supplied(marking));
        } else {
            let (mut end, to) = std::io::pipe().expect("a pipe");
            job.output = Output::Pipe(Outlet::new(to, Path::new("records")));
            std::thread::spawn(move || {
                end.read_exact(&mut [0]).expect("a record");
                mark(&own);
                std::io::copy(&mut end, &mut std::io::sink())
            });
        }
        let error = job.run(&Progress::new()).expect_err("it was marked");
        assert!(error.to_string().contains("unfinished sort in place"), "{error}");
        fs::remove_file(folder.input(0)).expect("remove");
    }
}

/// A stream without records, which does something when it is read.
struct Marking<F>(F);

impl<F: FnMut() + Send> Supply for Marking<F> {
    fn fill(&mut self, _: &mut [u8], _: &Progress) -> sortwell_engine::Result<usize> {
        (self.0)();
        Ok(0)
    }
}

#[test]
fn what_could_lose_a_record_is_refused() {
    let trial = Trial::new(100, vec![Part::bytes(0, 8)], vec![b'x'; 1000]);
    let folder = trial.folder();
    trial.lay_out(&folder);
    let plain = job(trial.job(&folder), &folder);
    let refused = |job: &SortJob, words: &str| {
        let error = job.run(&Progress::new()).expect_err("refused");
        assert!(matches!(error, Error::Config(_)), "{error:?}");
        assert!(error.to_string().contains(words), "'{words}' is missing in: {error}");
        assert_eq!(fs::read(folder.input(0)).expect("read"), trial.inputs[0]);
    };
    refused(&SortJob { output: Output::File(folder.output()), ..plain.clone() }, "one input");
    refused(&SortJob { sync: false, ..plain.clone() }, "durable");
    let twice = vec![Input::File(folder.input(0)), Input::File(folder.input(0))];
    refused(&SortJob { inputs: twice, ..plain.clone() }, "one input");
    let select = Select { limit: Some(3), ..Select::default() };
    refused(&SortJob { select, ..plain.clone() }, "all records");
    refused(&SortJob { format: "csv".parse().expect("csv"), ..plain.clone() }, "malformed");
    fs::hard_link(folder.input(0), folder.at("other")).expect("link");
    refused(&plain, "other hard links");
    fs::remove_file(folder.at("other")).expect("remove");
    plain.run(&Progress::new()).expect("sorted");
    std::os::unix::fs::symlink(folder.input(0), folder.at("in").join("1")).expect("link");
    let path = folder.input(1);
    let inputs = vec![Input::File(path.clone())];
    refused(&SortJob { inputs, output: Output::File(path), ..plain }, "not a link");
}
