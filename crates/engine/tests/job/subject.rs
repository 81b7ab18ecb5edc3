//! Jobs that faults are made for: one of each way through the library, with what must come out
//! where nothing goes wrong, and what must hold where something does.

use std::fs;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use sortwell_engine::format::Format;
use sortwell_engine::io::Engine;
use sortwell_engine::io::faulty::Script;
use sortwell_engine::job::{Budget, MergeJob, SortJob};
use sortwell_engine::operator::Unique;
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::{Progress, Statistics};
use sortwell_engine::{ByteSize, Error, Result};

use crate::data::{Order, records};
use crate::line_trial::Lines;
use crate::random::Random;
use crate::trial::{Folder, Trial};

/// No job here takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is called to sort or to merge.
#[derive(Clone)]
pub enum Job {
    Sort(Box<SortJob>),
    Merge(Box<MergeJob>),
}

impl Job {
    fn run(&self) -> Result<Statistics> {
        match self {
            Self::Sort(job) => job.run(&Progress::new()),
            Self::Merge(job) => job.run(&Progress::new()),
        }
    }
}

/// A job in a folder of its own.
pub struct Subject {
    pub words: String,
    pub folder: Folder,
    pub job: Job,
    inputs: Vec<Vec<u8>>,
    /// What comes out where nothing goes wrong.
    expected: Vec<u8>,
}

/// What a job came to that a script was in force for.
pub struct Outcome {
    pub result: Result<Statistics>,
    pub has_struck: bool,
}

impl Subject {
    /// A job whose inputs lie in place; it is done once, in so many passes.
    fn new(words: &str, folder: Folder, job: Job, inputs: Vec<Vec<u8>>, passes: u32) -> Self {
        let statistics = job.run().unwrap_or_else(|e| panic!("{e}: {words}"));
        let (found, runs) = (statistics.passes, statistics.runs);
        println!("{words}: {found} passes, {runs} runs, {} bytes", statistics.bytes);
        assert_eq!(found, passes, "{words}");
        let expected = fs::read(folder.output()).expect("read");
        Self { words: words.to_owned(), folder, job, inputs, expected }
    }

    /// Records of fixed length, sorted in so many passes.
    pub fn fixed(passes: u32, threads: usize) -> Self {
        Self::records(passes, threads, false)
    }

    /// Records of fixed length; of equal ones, only the first is kept if `is_unique`.
    fn records(passes: u32, threads: usize, is_unique: bool) -> Self {
        let mut trial = Trial { threads, ..Trial::new(100, Vec::new(), Vec::new()) };
        let count = match passes {
            1 => 30_000,
            2 => 100_000,
            _ => 33_000,
        };
        // Otherwise three passes become two.
        trial.overlap = if passes > 2 { Overlap::Pipelined } else { Overlap::Auto };
        trial.memory = match passes {
            1 => ByteSize::mib(64),
            2 => trial.modest_memory(),
            _ => trial.least_memory(),
        };
        trial.inputs = vec![records(Order::Random, count, 100, (0, 10), &mut Random::new(81))];
        let folder = trial.folder();
        trial.lay_out(&folder);
        let mut job = trial.job(&folder);
        job.select.unique = is_unique.then_some(Unique::First);
        let words = format!("{passes} passes over records, {threads} threads, unique {is_unique}");
        Self::new(&words, folder, Job::Sort(Box::new(job)), trial.inputs, passes)
    }

    /// Long records of which only the first of equal ones is kept, so that tables have many pages.
    pub fn long_records() -> Self {
        let mut trial = Trial::new(20_000, Vec::new(), Vec::new());
        trial.memory = ByteSize::mib(48);
        let order = Order::Random;
        trial.inputs = vec![records(order, 2500, 20_000, (0, 20_000), &mut Random::new(86))];
        let folder = trial.folder();
        trial.lay_out(&folder);
        let mut job = trial.job(&folder);
        job.select.unique = Some(Unique::First);
        Self::new("long records, unique", folder, Job::Sort(Box::new(job)), trial.inputs, 2)
    }

    /// Lines, sorted in so many passes; of equal ones, only the first is kept if `is_unique`.
    pub fn lines(passes: u32, threads: usize, is_unique: bool) -> Self {
        let bytes = [3 << 20, 12 << 20, 9 << 20][passes as usize - 1];
        let input = some_lines(bytes, &mut Random::new(82));
        Self::of_lines(input, (passes, threads, is_unique))
    }

    /// Lines of a few bytes.
    pub fn short_lines(passes: u32, threads: usize) -> Self {
        let mut random = Random::new(85);
        let line = |_| format!("{:03x}\n", random.below(4096));
        let input: String = (0..400_000 * passes * passes).map(line).collect();
        Self::of_lines(input.into_bytes(), (passes, threads, false))
    }

    fn of_lines(input: Vec<u8>, (passes, threads, is_unique): (u32, usize, bool)) -> Self {
        let mut lines = Lines::new(vec![input]);
        lines.memory = ByteSize::mib([64, 30, 24][passes as usize - 1]);
        (lines.threads, lines.select.unique) = (threads, is_unique.then_some(Unique::First));
        lines.overlap = if passes > 2 { Overlap::Pipelined } else { Overlap::Auto };
        let folder = Folder::on_disk();
        lines.lay_out(&folder);
        let job = Job::Sort(Box::new(lines.job(&folder)));
        let words = format!("{passes} passes over lines, {threads} threads, unique {is_unique}");
        Self::new(&words, folder, job, lines.inputs, passes)
    }

    /// Inputs of sorted lines, merged in so many passes.
    pub fn merge(passes: u32, is_unique: bool) -> Self {
        let folder = Folder::on_disk();
        let mut random = Random::new(83);
        let inputs: Vec<Vec<u8>> = (0..7)
            .map(|_| {
                let input = some_lines(1 << 20, &mut random);
                let mut lines: Vec<&[u8]> = input.split_inclusive(|byte| *byte == b'\n').collect();
                lines.sort_unstable();
                lines.concat()
            })
            .collect();
        let lines = Lines::new(inputs);
        lines.lay_out(&folder);
        let SortJob { inputs: places, output, temp, .. } = lines.job(&folder);
        let mut job = MergeJob::new(places, output, Format::LINES);
        (job.temp, job.sync) = (temp, false);
        job.select.unique = is_unique.then_some(Unique::First);
        job.memory = Budget::Bytes(ByteSize::mib(32));
        job.levers.merge_width = (passes > 1).then_some(3);
        let words = format!("{passes} passes of a merge, unique {is_unique}");
        Self::new(&words, folder, Job::Merge(Box::new(job)), lines.inputs, passes)
    }

    /// Some of the ways through the library, each time other ones.
    pub fn some(random: &mut Random) -> impl Iterator<Item = Self> + use<> {
        let all: [fn() -> Self; 12] = [
            || Self::fixed(1, 2),
            || Self::fixed(2, 1),
            || Self::fixed(3, 2),
            || Self::records(2, 2, true),
            || Self::lines(1, 2, false),
            || Self::lines(1, 2, true),
            || Self::lines(2, 2, false),
            || Self::lines(2, 2, true),
            || Self::lines(3, 2, false),
            || Self::lines(3, 2, true),
            || Self::merge(1, false),
            || Self::merge(2, true),
        ];
        random.some(all).into_iter().map(|make| make())
    }

    /// Returns the subject with this engine.
    pub fn with_engine(mut self, engine: Engine) -> Self {
        match &mut self.job {
            Job::Sort(job) => job.engine = engine,
            Job::Merge(job) => job.engine = engine,
        }
        self
    }

    /// Returns the subject with compressed runs.
    pub fn with_compressed_runs(mut self, compression: &str) -> Self {
        if let Job::Sort(job) = &mut self.job {
            job.levers.compress_runs = compression.parse().expect("a compression");
            self.words = format!("{}, {compression}", self.words);
        }
        self
    }

    /// Runs the job under a script, and asserts what must hold whatever happens: it ends; it is
    /// done and right, or has failed and changed nothing; nothing is left behind.
    pub fn run(&self, script: Script) -> Outcome {
        let words = format!("{}, {script:?}", self.words);
        let installed = script.install();
        let result = self.run_watched(&words);
        let has_struck = installed.has_struck();
        drop(installed);
        self.assert_ended_well(&result, &words);
        Outcome { result, has_struck }
    }

    /// Asserts that the output is right or as it was, and nothing is left behind.
    pub fn assert_ended_well(&self, result: &Result<Statistics>, words: &str) {
        match result {
            Ok(_) => {
                let found = fs::read(self.folder.output()).expect("read");
                assert!(found == self.expected, "another output, and no word of it: {words}");
            }
            Err(_) => {
                assert_eq!(fs::read(self.folder.output()).expect("read"), b"old", "{words}");
            }
        }
        self.folder.assert_clean(true);
    }

    /// Runs the job on a thread of its own, for a limited time, over an old output.
    pub fn run_watched(&self, words: &str) -> Result<Statistics> {
        fs::write(self.folder.output(), "old").expect("write");
        let (sender, receiver) = channel();
        let job = self.job.clone();
        let thread = std::thread::spawn(move || {
            let _ = sender.send(job.run());
        });
        match receiver.recv_timeout(PATIENCE) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => panic!("it hangs: {words}"),
            Err(RecvTimeoutError::Disconnected) => {
                println!("a panic: {words}");
                resume_unwind(thread.join().expect_err("no answer"))
            }
        }
    }

    /// Requests that each of these scripts would be about.
    pub fn counts<const N: usize>(&self, scripts: [Script; N]) -> [u64; N] {
        let installed = scripts.map(|script| Script { numbers: 0..0, ..script }.install());
        self.run_watched(&self.words).unwrap_or_else(|e| panic!("{e}: {}", self.words));
        installed.map(|installed| installed.seen())
    }

    /// Asserts that the inputs are as they were.
    pub fn assert_inputs_untouched(&self) {
        for (index, content) in self.inputs.iter().enumerate() {
            let found = fs::read(self.folder.input(index)).expect("read");
            assert!(found == *content, "input touched: {}", self.words);
        }
    }

    /// Asserts that an error names a file of this folder, and what is in order besides.
    pub fn assert_names_a_file(&self, error: &Error) {
        let said = error.to_string();
        let folder = self.folder.at("");
        let folder = folder.to_str().expect("a plain name").trim_end_matches('/');
        assert!(said.contains(folder), "no file is named: {said}: {}", self.words);
        assert!(!said.contains(".tmp"), "a name nobody knows: {said}: {}", self.words);
    }
}

/// About so many bytes of lines, one in four of which occur several times.
fn some_lines(bytes: usize, random: &mut Random) -> Vec<u8> {
    let mut lines = Vec::with_capacity(bytes + 100);
    while lines.len() < bytes {
        let number = if random.one_in(4) { random.below(1000) as u64 } else { random.next() };
        lines.extend_from_slice(format!("{number:x}").as_bytes());
        lines.resize(lines.len() + (number % 90) as usize, b'.');
        lines.push(b'\n');
    }
    lines
}
