//! Jobs that are stopped again and again and go on where they were: the output is the same to the
//! byte as if they had not been, and what they kept is gone in the end. What cannot be gone on with
//! says so.

use std::fs;
use std::path::{Path, PathBuf};

use sortwell_engine::job::{Budget, Input, MergeJob, Output, Resume, SortJob};
use sortwell_engine::manifest::{Manifest, Past};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::stats::{Progress, Statistics, Stream};
use sortwell_engine::{ByteSize, Error, Result};

use crate::data::{Order, records};
use crate::line_shapes::text;
use crate::line_trial::{Lines, assert_same};
use crate::random::Random;
use crate::reference::{self, Part};
use crate::trial::{Folder, Trial};

/// What can be stopped and gone on with.
pub trait Job: Sync {
    /// Does it.
    fn carry_out(&self, progress: &Progress) -> Result<Statistics>;
}

impl Job for SortJob {
    fn carry_out(&self, progress: &Progress) -> Result<Statistics> {
        self.run(progress)
    }
}

impl Job for MergeJob {
    fn carry_out(&self, progress: &Progress) -> Result<Statistics> {
        self.run(progress)
    }
}

/// Runs a job until it has moved so many bytes more.
pub fn run_for(job: &impl Job, bytes: u64) -> Result<Statistics> {
    run_until(job, |progress| progress.bytes().0 >= bytes)
}

/// Runs a job until its progress is enough.
fn run_until(job: &impl Job, is_enough: impl Fn(&Progress) -> bool) -> Result<Statistics> {
    let progress = Progress::new();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| job.carry_out(&progress));
        while !running.is_finished() {
            if is_enough(&progress) {
                progress.request_stop();
                break;
            }
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        running.join().expect("no panic")
    })
}

/// How often a job went on where it had been, and how often in the middle of the output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resumed {
    pub times: usize,
    pub behind_slabs: usize,
}

impl std::ops::AddAssign for Resumed {
    fn add_assign(&mut self, other: Self) {
        self.times += other.times;
        self.behind_slabs += other.behind_slabs;
    }
}

/// Whether the job that left this directory has some of its output done.
pub fn is_behind_a_slab(directory: &Path) -> bool {
    let entries = Manifest::look(directory).expect("a manifest");
    let (_, past) = Past::of(directory, entries).expect("no contradiction");
    past.slab.is_some()
}

/// Stops a job again and again until it is done. A stop comes after some bytes of all streams, or
/// after some bytes of the output: jobs that write few would rarely be stopped there otherwise.
pub fn run_in_pieces<J: Job>(
    job: impl Fn(&mut Random) -> J,
    (folder, piece): (&Folder, u64),
    random: &mut Random,
) -> (Resumed, Statistics) {
    let mut resumed = Resumed::default();
    for round in 0..200 {
        // What takes longer than a piece has to get done at last.
        let longer = 1 + round / 4;
        let result = if random.one_in(2) {
            run_for(&job(random), random.next() % piece * longer)
        } else {
            let bytes = random.next() % (1 << 20) * longer;
            run_until(&job(random), |progress| progress.bytes_of(Stream::OutputWritten) > bytes)
        };
        match result {
            Ok(statistics) => return (resumed, statistics),
            Err(Error::Kept { directory, error, .. }) => {
                assert!(matches!(*error, Error::Interrupted), "{error}");
                resumed.times += 1;
                resumed.behind_slabs += usize::from(is_behind_a_slab(&directory));
            }
            Err(Error::Interrupted) => {
                assert_eq!(resumed.times, 0, "what was kept once is kept");
                folder.assert_clean(false);
            }
            Err(e) => panic!("{e}"),
        }
    }
    panic!("never done");
}

/// Does a job in pieces until that is enough, or was not too often.
pub fn until(is_enough: fn(&Resumed) -> bool, mut in_pieces: impl FnMut() -> Resumed) {
    let mut resumed = Resumed::default();
    for _ in 0..12 {
        resumed += in_pieces();
        if is_enough(&resumed) {
            return;
        }
    }
    panic!("{resumed:?}");
}

#[test]
fn records_of_fixed_length_in_pieces() {
    let mut random = Random::fresh();
    for length in random.some([100, 16, 4999]) {
        let mut trial = Trial::new(length, vec![Part::bytes(0, 8)], Vec::new());
        trial.memory = trial.modest_memory();
        let data = records(Order::Random, (40 << 20) / length, length, (0, 2), &mut random);
        let third = data.len() / length / 3 * length;
        trial.inputs = vec![data[..third].to_vec(), Vec::new(), data[third..].to_vec()];
        let expected = reference::sorted(&data, length, &trial.parts);
        for resume in random.some([Resume::On, Resume::Often]) {
            let folder = trial.folder();
            trial.lay_out(&folder);
            let job = |random: &mut Random| {
                // Other memory and threads make other runs and slabs, and the same output.
                let more = if random.one_in(3) { 8 << 20 } else { 0 };
                let memory = Budget::Bytes(ByteSize(trial.memory.bytes() + more));
                let threads = Some(1 + random.below(3));
                SortJob { resume, memory, threads, ..trial.job(&folder) }
            };
            until(
                |resumed| resumed.times > 2,
                || {
                    let (resumed, statistics) =
                        run_in_pieces(job, (&folder, 20 << 20), &mut random);
                    println!("{length}, {resume:?}: {resumed:?}");
                    let found = fs::read(folder.output()).expect("read");
                    assert_same(&found, &expected, "resumed");
                    assert_eq!(
                        statistics.proof.map(|proof| proof.records),
                        Some(statistics.records)
                    );
                    assert_eq!(statistics.records, (data.len() / length) as u64);
                    folder.assert_clean(true);
                    fs::remove_file(folder.output()).expect("removed");
                    resumed
                },
            );
        }
    }
}

/// Stops a sort of lines again and again until it is done, and looks at what came of it, given the
/// output and how many lines are sorted for it.
pub fn sort_in_pieces(
    expected: &(Vec<u8>, u64),
    job: impl Fn(&mut Random) -> SortJob,
    (folder, piece): (&Folder, u64),
    random: &mut Random,
) -> Resumed {
    let (expected, count) = expected;
    let (resumed, statistics) = run_in_pieces(job, (folder, piece), random);
    println!("{resumed:?}");
    assert_same(&fs::read(folder.output()).expect("read"), expected, "resumed");
    assert_eq!(statistics.records, *count);
    folder.assert_clean(true);
    fs::remove_file(folder.output()).expect("removed");
    resumed
}

/// Lines end anywhere, inputs in the middle of loads, some are long, some alike.
#[test]
fn lines_in_pieces() {
    let mut random = Random::fresh();
    let selects = [
        Select::default(),
        Select { unique: Some(Unique::Last), ..Select::default() },
        Select { count: true, skip: 100, ..Select::default() },
        Select { limit: Some(5000), ..Select::default() },
    ];
    for select in random.some(selects) {
        let long = random.pick(&[0, 300_000]);
        let inputs: Vec<Vec<u8>> = [9_000_000, 0, 200, 21_000_000, 1]
            .into_iter()
            .map(|bytes| {
                let mut input = text(bytes, |_| match random.below(20_000) {
                    0 => vec![b'm'; long],
                    other => format!("{:x}{}", other % 9000, "-".repeat(other % 50)).into_bytes(),
                });
                input.pop();
                input
            })
            .collect();
        let lines = Lines { select, memory: ByteSize::mib(36), ..Lines::new(inputs) };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let header_lines = u64::from(random.one_in(2));
        let lines = Lines { header_lines, ..lines };
        let job = |random: &mut Random| {
            let resume = random.pick(&[Resume::On, Resume::Often]);
            SortJob { resume, threads: Some(1 + random.below(3)), ..lines.job(&folder) }
        };
        let expected = lines.expected();
        println!("{:?}", lines.select);
        until(
            |resumed| resumed.times > 0,
            || sort_in_pieces(&expected, job, (&folder, 30 << 20), &mut random),
        );
    }
}

/// A job that was stopped with some runs done, and the directory of its manifest.
fn stopped() -> (Folder, Trial, PathBuf) {
    let mut random = Random::new(77);
    let data = records(Order::Random, 200_000, 100, (0, 8), &mut random);
    let mut trial = Trial::new(100, vec![Part::bytes(0, 8)], data);
    trial.memory = trial.modest_memory();
    let folder = trial.folder();
    trial.lay_out(&folder);
    for _ in 0..20 {
        match run_for(&job(&trial, &folder), 24 << 20) {
            Err(Error::Kept { directory, .. }) => return (folder, trial, directory),
            Err(Error::Interrupted) => {}
            other => panic!("{other:?}"),
        }
    }
    panic!("never stopped with something done");
}

fn job(trial: &Trial, folder: &Folder) -> SortJob {
    SortJob { resume: Resume::Often, ..trial.job(folder) }
}

fn fails(job: &SortJob, words: &[&str]) -> Error {
    let error = job.run(&Progress::new()).expect_err("it cannot go on");
    let said = error.to_string();
    for word in words {
        assert!(said.contains(word), "'{word}' is missing in: {said}");
    }
    error
}

#[test]
fn what_has_changed_is_not_gone_on_with() {
    let (folder, trial, directory) = stopped();
    let kept = || fs::read_dir(&directory).expect("read").count();
    let before = kept();
    let other = SortJob { keys: vec!["0..9".parse().expect("a key")], ..job(&trial, &folder) };
    fails(&other, &["another order", "a cleanup of spill directories"]);
    let mut more = job(&trial, &folder);
    more.inputs.push(Input::File(folder.input(0)));
    fails(&more, &["input has changed", "a cleanup of spill directories"]);
    let mut changed = trial.inputs[0].clone();
    changed[50] ^= 1;
    fs::write(folder.input(0), &changed).expect("write");
    let error =
        fails(&job(&trial, &folder), &["input has changed", "a cleanup of spill directories"]);
    assert!(matches!(error, Error::Malformed { .. }), "{error:?}");
    assert_eq!(kept(), before, "nothing was touched");
}

#[test]
fn what_cannot_be_gone_on_with_is_refused_beforehand() {
    let (folder, trial, _) = stopped();
    let streamed = SortJob { inputs: vec![Input::Stdin], ..job(&trial, &folder) };
    fails(&streamed, &["resume needs", "files"]);
    fails(&SortJob { output: Output::Stdout, ..job(&trial, &folder) }, &["resume needs", "a name"]);
}

#[test]
fn a_job_that_is_running_is_left_alone() {
    let (folder, trial, directory) = stopped();
    let lock = fs::File::open(directory.join("lock")).expect("a lock");
    lock.lock().expect("free");
    fails(&job(&trial, &folder), &["is running"]);
    drop(lock);
    job(&trial, &folder).run(&Progress::new()).expect("sorted");
    folder.assert_clean(true);
}

/// Whatever is lost of the end of a manifest is done once more.
#[test]
fn a_manifest_cut_off_anywhere() {
    let (folder, trial, directory) = stopped();
    let expected = reference::sorted(&trial.inputs[0], 100, &trial.parts);
    let manifest = fs::read(directory.join("manifest")).expect("read");
    let first = manifest.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let mut random = Random::fresh();
    for _ in 0..4 {
        let kept = folder.at("kept");
        copy(&directory, &kept);
        let length = first + random.below(manifest.len() - first);
        fs::write(directory.join("manifest"), &manifest[..length]).expect("write");
        job(&trial, &folder).run(&Progress::new()).expect("sorted");
        assert_same(&fs::read(folder.output()).expect("read"), &expected, "resumed");
        folder.assert_clean(true);
        copy(&kept, &directory);
    }
}

/// A bit that is flipped in what was kept is found, wherever it is; nothing is made of it.
#[test]
fn a_flipped_bit_in_what_was_kept() {
    let (folder, trial, directory) = stopped();
    let mut random = Random::fresh();
    let names: Vec<PathBuf> = fs::read_dir(&directory)
        .expect("read")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.file_name() != Some("lock".as_ref()))
        .collect();
    assert!(names.len() > 2, "{names:?}");
    for path in names {
        let kept = folder.at("kept");
        copy(&directory, &kept);
        let mut bytes = fs::read(&path).expect("read");
        let at = random.below(bytes.len().min(1 << 20));
        bytes[at] ^= 1 << random.below(8);
        fs::write(&path, &bytes).expect("write");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match job(&trial, &folder).run(&Progress::new()) {
            Err(Error::Corrupt { path: named, .. }) => {
                assert!(named.ends_with(&name), "{} for {name}", named.display());
            }
            // A byte of a page that is not used, or of the end of the manifest's last line.
            Ok(_) => println!("byte {at} of {name} is of no use"),
            Err(e) => panic!("byte {at} of {name}: {e}"),
        }
        let _ = fs::remove_dir_all(&directory);
        copy(&kept, &directory);
    }
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).expect("create");
    fs::set_permissions(to, std::os::unix::fs::PermissionsExt::from_mode(0o700)).expect("mode");
    for entry in fs::read_dir(from).expect("read") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, to.join(path.file_name().expect("a name"))).expect("copy");
    }
}
