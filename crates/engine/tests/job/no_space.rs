//! Disks that are full: refused beforehand with numbers, found out on the way, nothing left behind.
//!
//! A small file system of its own is mounted for each case. Where that is forbidden the cases say
//! so and are left out; the command's tests have some that need no rights.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use sortwell_engine::error::Setting;
use sortwell_engine::job::{Output, SortJob};
use sortwell_engine::stats::Progress;
use sortwell_engine::{ByteSize, Error};

use crate::data::{Order, records};
use crate::random::Random;
use crate::trial::{Folder, Trial, drain};

/// A small file system in memory, unmounted when dropped.
pub struct Small {
    pub folder: Folder,
}

impl Small {
    /// So many KiB at `small`, or `None` where mounts are forbidden.
    pub fn new(kib: u32) -> Option<Self> {
        let folder = Folder::on_disk();
        fs::create_dir(folder.at("small")).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "none"]).arg(folder.at("small"));
        let is_mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        if !is_mounted {
            // Past what holds back the words of tests that pass.
            let test = std::thread::current().name().unwrap_or("a test").to_owned();
            let why = "this user may not mount a file system";
            let _ = writeln!(std::io::stderr(), "LEFT OUT: {why} (test {test})");
            return None;
        }
        Some(Self { folder })
    }

    pub fn place(&self) -> std::path::PathBuf {
        self.folder.at("small")
    }

    pub fn assert_empty(&self) {
        assert_eq!(self.folder.names("small"), [""; 0], "left behind");
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.place()).status();
    }
}

/// A job over `count` records of 100 bytes that spills, in the folder of a small file system.
fn job(small: &Small, count: usize) -> (Trial, SortJob) {
    let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.modest_memory();
    trial.inputs = vec![records(Order::Random, count, 100, (0, 10), &mut Random::new(51))];
    assert!(!trial.plan().is_one_pass());
    trial.lay_out(&small.folder);
    let job = trial.job(&small.folder);
    (trial, job)
}

/// Asserts that the job was refused for want of space in `place`, before it wrote anything.
fn assert_refused(job: &SortJob, place: &Path, setting: Setting) {
    match job.run(&Progress::new()) {
        Err(Error::NoSpace { path, needed, available, setting: named, .. }) => {
            assert_eq!((path.as_path(), named), (place, Some(setting)));
            assert!(available < needed && needed > ByteSize::mib(19), "{needed} of {available}");
        }
        other => panic!("refused, but {other:?}"),
    }
}

#[test]
fn an_output_that_cannot_fit_is_refused() {
    let Some(small) = Small::new(4096) else { return };
    let (_, mut job) = job(&small, 200_000);
    job.output = Output::File(small.place().join("out"));
    assert_refused(&job, &small.place(), Setting::Output);
    small.assert_empty();
    assert_eq!(small.folder.names("spill"), [""; 0]);
}

#[test]
fn runs_that_cannot_fit_are_refused() {
    let Some(small) = Small::new(4096) else { return };
    let (_, mut job) = job(&small, 200_000);
    job.temp = vec![small.place()];
    assert_refused(&job, &small.place(), Setting::Temp);
    small.assert_empty();
    assert_eq!(small.folder.names("out"), [""; 0]);
}

/// Of a stream nobody knows beforehand whether it fits.
#[test]
fn runs_of_a_stream_that_do_not_fit() {
    let Some(small) = Small::new(9 << 10) else { return };
    let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
    trial.memory = trial.modest_memory();
    trial.is_streamed_in = true;
    trial.inputs = vec![records(Order::Random, 300_000, 100, (0, 10), &mut Random::new(52))];
    trial.lay_out(&small.folder);
    let mut job = trial.job(&small.folder);
    job.temp = vec![small.place()];
    let error = job.run(&Progress::new()).expect_err("a full disk");
    assert!(matches!(error, Error::Io { .. } | Error::NoSpace { .. }), "{error}");
    assert!(error.to_string().contains(small.place().to_str().expect("a name")), "{error}");
    small.assert_empty();
    assert_eq!(small.folder.names("out"), [""; 0]);
}

#[test]
fn an_output_of_a_stream_that_does_not_fit() {
    for count in [100_000, 300_000] {
        let Some(small) = Small::new(4096) else { return };
        let mut trial = Trial { threads: 2, ..Trial::new(100, Vec::new(), Vec::new()) };
        trial.memory = if count == 100_000 { ByteSize::mib(256) } else { trial.modest_memory() };
        trial.is_streamed_in = true;
        trial.inputs = vec![records(Order::Random, count, 100, (0, 10), &mut Random::new(53))];
        trial.lay_out(&small.folder);
        let mut job = trial.job(&small.folder);
        job.output = Output::File(small.place().join("out"));
        let error = job.run(&Progress::new()).expect_err("a full disk");
        assert!(matches!(error, Error::Io { .. } | Error::NoSpace { .. }), "{error}");
        small.assert_empty();
        assert_eq!(small.folder.names("spill"), [""; 0]);
    }
}

/// Space for the runs that just suffices does suffice: the estimate is no larger than it must be.
#[test]
fn runs_that_just_fit() {
    let Some(small) = Small::new(24 << 10) else { return };
    let (trial, mut job) = job(&small, 200_000);
    job.temp = vec![small.place()];
    job.output = Output::File(small.folder.output());
    let reader = drain(&small.folder);
    let statistics = job.run(&Progress::new()).expect("it fits");
    assert_eq!(reader.join().expect("the reader").len() as u64, trial.bytes());
    assert!(statistics.runs > 1);
    small.assert_empty();
}
