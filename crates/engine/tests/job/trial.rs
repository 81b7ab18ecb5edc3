//! One job in a folder of its own, held against the naive sort, the plan, and a clean floor.
//!
//! ```text
//!     in/0 in/1 ...    inputs: files or named pipes
//!     out/out          the output: a file or a named pipe
//!     spill/           where runs go
//! ```
//!
//! [`Trial::run`] asserts all that must hold for any job whatever: the output is the stable sort of
//! the input, the proof says so, the path taken is the one planned, nothing else is left anywhere.

use std::fmt;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use sortwell_engine::format::Format;
use sortwell_engine::io::{Direct, Engine};
use sortwell_engine::job::{Budget, Input, Output, SortJob};
use sortwell_engine::load::layout::PAGE;
use sortwell_engine::plan::besides::Besides;
use sortwell_engine::plan::levers::{Levers, Overlap};
use sortwell_engine::plan::memory::LoadMemory;
use sortwell_engine::plan::open_files::OpenFiles;
use sortwell_engine::plan::passes::intermediate_groups;
use sortwell_engine::plan::{Algorithm, LoadLimit, Need, Plan};
use sortwell_engine::stats::{Phase, Progress, Statistics};
use sortwell_engine::{ByteSize, Result};
use tempfile::TempDir;

use crate::reference::{self, Part};

/// Engines that work on this machine; of those that map, one.
pub fn engines() -> Vec<Engine> {
    let all = [Engine::Uring, Engine::Threads, Engine::Mmap, Engine::Sync];
    all.into_iter().filter(|engine| engine.probe().is_ok()).collect()
}

/// A folder for one job.
pub struct Folder(TempDir);

impl Folder {
    pub fn on_disk() -> Self {
        Self::inside(&std::env::temp_dir())
    }

    /// In memory, where there is such a place.
    pub fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::inside(memory) } else { Self::on_disk() }
    }

    pub fn inside(parent: &Path) -> Self {
        let mut builder = tempfile::Builder::new();
        let folder = Self(builder.prefix("sortwell-job-").tempdir_in(parent).expect("a folder"));
        for name in ["in", "out", "spill"] {
            fs::create_dir(folder.at(name)).expect("a folder");
        }
        folder
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn input(&self, index: usize) -> PathBuf {
        self.at("in").join(index.to_string())
    }

    pub fn output(&self) -> PathBuf {
        self.at("out").join("out")
    }

    /// Names in one of the three folders, in order.
    pub fn names(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.at(name)).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn make_pipe(&self, path: &Path) {
        mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).expect("a named pipe");
    }

    /// Asserts that a job left nothing behind but an output, if `has_output`.
    pub fn assert_clean(&self, has_output: bool) {
        assert_eq!(self.names("spill"), [""; 0], "left in the spill folder");
        let expected: &[&str] = if has_output { &["out"] } else { &[] };
        assert_eq!(self.names("out"), expected, "left beside the output");
    }
}

/// A job and what it is held against.
#[derive(Clone)]
pub struct Trial {
    pub length: usize,
    pub parts: Vec<Part>,
    /// Contents of the inputs.
    pub inputs: Vec<Vec<u8>>,
    pub memory: ByteSize,
    pub threads: usize,
    pub algorithm: Algorithm,
    pub overlap: Overlap,
    pub engine: Engine,
    pub direct: Direct,
    /// Whether files live in memory instead of on the disk.
    pub is_in_memory: bool,
    /// Whether inputs are pipes.
    pub is_streamed_in: bool,
    /// Whether the output is a pipe.
    pub is_streamed_out: bool,
    pub verify: bool,
    pub sync: bool,
}

impl fmt::Debug for Trial {
    /// All but the data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let keys: Vec<String> = self.parts.iter().map(Part::text).collect();
        let sizes: Vec<usize> = self.inputs.iter().map(Vec::len).collect();
        let Self { length, memory, threads, engine, direct, overlap, .. } = self;
        write!(f, "records of {length}, keys {keys:?}, inputs {sizes:?}, {memory}, ")?;
        write!(
            f,
            "{threads} threads, {overlap:?}, {engine}, direct {direct}, in memory {}, ",
            self.is_in_memory
        )?;
        write!(f, "streams {:?}, ", (self.is_streamed_in, self.is_streamed_out))?;
        write!(f, "verify {}, sync {}", self.verify, self.sync)
    }
}

impl Trial {
    /// A plain job with plenty of memory over one input.
    pub fn new(length: usize, parts: Vec<Part>, input: Vec<u8>) -> Self {
        Self {
            length,
            parts,
            inputs: vec![input],
            memory: ByteSize::mib(128),
            threads: 2,
            algorithm: Algorithm::Auto,
            overlap: Overlap::Auto,
            engine: Engine::Auto,
            direct: Direct::Auto,
            is_in_memory: false,
            is_streamed_in: false,
            is_streamed_out: false,
            verify: true,
            sync: false,
        }
    }

    pub fn bytes(&self) -> u64 {
        self.inputs.iter().map(|input| input.len() as u64).sum()
    }

    fn need(&self, memory: ByteSize) -> Need {
        Need {
            levers: Levers { overlap: self.overlap, ..Levers::default() },
            input_bytes: (!self.is_streamed_in).then(|| self.bytes()),
            inputs: self.inputs.len(),
            record_length: self.length,
            varies: false,
            is_key_wide: false,
            wanted: None,
            drops_copies: false,
            algorithm: self.algorithm,
            budget: memory,
            besides: Besides::default(),
            files: OpenFiles { left: 1 << 20, per_file: 2, per_queue: 1 },
            run_members: 1,
            selects: false,
            threads: self.threads,
        }
    }

    /// The plan it must follow.
    pub fn plan(&self) -> Plan {
        Plan::new(&self.need(self.memory)).expect("a plan")
    }

    /// The smallest budget, in whole MiB, that is enough for any amount of data of this kind.
    pub fn least_memory(&self) -> ByteSize {
        self.memory_for(|_| true)
    }

    /// The smallest budget, in whole MiB, at which loads and merges begin to be worth their name.
    pub fn modest_memory(&self) -> ByteSize {
        self.memory_for(|plan| {
            let merges_six = plan.external().is_none_or(|external| external.merge_width >= 6);
            plan.load.records_bytes >= 3 << 20 && merges_six
        })
    }

    fn memory_for(&self, will_do: impl Fn(&Plan) -> bool) -> ByteSize {
        let endless = |memory| Need { input_bytes: None, ..self.need(memory) };
        let plan = |memory: &ByteSize| Plan::new(&endless(*memory));
        let mut sizes = (1..=1024).map(ByteSize::mib);
        sizes.find(|memory| plan(memory).is_ok_and(|p| will_do(&p))).expect("some budget will do")
    }

    /// The job itself.
    pub fn job(&self, folder: &Folder) -> SortJob {
        let inputs = (0..self.inputs.len()).map(|index| Input::File(folder.input(index)));
        let format = Format::Fixed { length: self.length as u32 };
        let mut job = SortJob::new(inputs.collect(), Output::File(folder.output()), format);
        job.keys = self.parts.iter().map(|part| part.text().parse().expect("a key")).collect();
        job.memory = Budget::Bytes(self.memory);
        job.threads = Some(self.threads);
        job.algorithm = self.algorithm;
        job.levers.overlap = self.overlap;
        job.temp = vec![folder.at("spill")];
        job.engine = self.engine;
        job.direct = self.direct.into();
        job.verify = self.verify;
        job.sync = self.sync;
        job
    }

    pub fn folder(&self) -> Folder {
        if self.is_in_memory { Folder::in_memory() } else { Folder::on_disk() }
    }

    /// Puts the inputs in place: files at once, pipes with a thread each that fills them.
    pub fn lay_out(&self, folder: &Folder) {
        for (index, content) in self.inputs.iter().enumerate() {
            let path = folder.input(index);
            if self.is_streamed_in {
                folder.make_pipe(&path);
                let content = content.clone();
                std::thread::spawn(move || {
                    let mut pipe = fs::OpenOptions::new().write(true).open(path).expect("a pipe");
                    // A job that fails closes its end; its error is what the test looks at.
                    let _ = pipe.write_all(&content);
                });
            } else {
                fs::write(path, content).expect("write");
            }
        }
    }

    /// Runs the job and asserts all that must hold for any job.
    pub fn run(&self) -> Statistics {
        println!("{self:?}");
        let folder = self.folder();
        self.lay_out(&folder);
        let (progress, reader) = (Progress::new(), self.is_streamed_out.then(|| drain(&folder)));
        let outcome: Result<Statistics> = self.job(&folder).run(&progress);
        let statistics = outcome.unwrap_or_else(|e| panic!("{e}: {e:?}"));
        let found = match reader {
            Some(reader) => reader.join().expect("the reader"),
            None => fs::read(folder.output()).expect("read"),
        };
        let data = self.inputs.concat();
        assert_same(&found, &reference::sorted(&data, self.length, &self.parts), self.length);
        self.assert_statistics(&statistics, &data);
        assert_eq!(progress.phase(), Phase::Finishing);
        folder.assert_clean(true);
        if !self.is_streamed_in {
            for (index, content) in self.inputs.iter().enumerate() {
                assert!(fs::read(folder.input(index)).expect("read") == *content, "input touched");
            }
        }
        statistics
    }

    fn assert_statistics(&self, statistics: &Statistics, data: &[u8]) {
        let (plan, bytes) = (self.plan(), self.bytes());
        assert_eq!(statistics.records, bytes / self.length as u64);
        assert_eq!(statistics.bytes, ByteSize(bytes));
        assert_eq!(statistics.threads, plan.threads);
        assert_eq!(statistics.memory_budget, self.memory);
        assert_eq!(statistics.engine, self.engine.probe().expect("probed").name());
        assert_eq!(statistics.proof.is_some(), self.verify);
        if let Some(proof) = statistics.proof {
            assert_eq!(proof.records, statistics.records);
            let hashes = data.chunks_exact(self.length).map(reference::hash);
            assert_eq!(proof.checksum, hashes.fold(0, u128::wrapping_add));
        }
        let streams = &statistics.streams;
        let within = |found: ByteSize, slack: u64| (bytes..=bytes + slack).contains(&found.bytes());
        let ends = statistics.loads + self.inputs.len() as u64;
        assert!(within(streams.input_read, 2 * 4096 * ends), "{streams:?}");
        assert!(within(streams.output_written, (64 << 10) - 1), "{streams:?}");
        if statistics.runs == 0 {
            assert_one_pass(statistics);
        } else {
            self.assert_spilled(statistics, &plan);
        }
        if !self.is_streamed_in {
            assert_eq!(statistics.runs == 0, plan.is_one_pass(), "{plan:?}");
        }
    }

    /// The memory of the first load. Of a stream, it gets the memory of all loads, as it may be the
    /// only one.
    pub fn first_load(&self, plan: &Plan) -> LoadMemory {
        let external = plan.external().filter(|_| self.is_streamed_in);
        match external.filter(|external| external.load_reason == LoadLimit::Memory) {
            Some(external) => {
                plan.sizes.load_within(external.load_areas * (external.slab_bytes + PAGE))
            }
            None => plan.load,
        }
    }

    fn assert_spilled(&self, statistics: &Statistics, plan: &Plan) {
        let bytes = self.bytes();
        let runs = statistics.runs;
        assert_eq!(statistics.loads, runs);
        let external = plan.external().expect("a plan with runs");
        let first = self.first_load(plan).records_bytes;
        let is_selected = external.replacement().is_some();
        let later = bytes.saturating_sub(first).div_ceil(plan.load.records_bytes);
        let least = if is_selected { 1 } else { 1 + later };
        assert!(runs >= least, "{runs} runs: {plan:?}");
        assert_eq!(statistics.merge_width, runs.min(external.merge_width as u64));
        let more = intermediate_passes(runs as usize, external.merge_width);
        assert_eq!(statistics.passes, 2 + more, "{runs} runs: {plan:?}");
        let streams = &statistics.streams;
        for spilled in [streams.spill_written, streams.spill_read] {
            let least = bytes..=bytes * u64::from(1 + 2 * more) + (256 << 10) * (runs + 1) * 64;
            assert!(least.contains(&spilled.bytes()), "{streams:?}");
        }
    }
}

fn assert_one_pass(statistics: &Statistics) {
    let streams = &statistics.streams;
    assert_eq!((statistics.passes, statistics.merge_width), (1, 0));
    assert!(statistics.loads <= 1);
    assert_eq!((streams.spill_written, streams.spill_read), (ByteSize(0), ByteSize(0)));
}

/// Rounds of merges that `runs` runs need before the last.
pub fn intermediate_passes(mut runs: usize, width: usize) -> u32 {
    let mut passes = 0;
    while runs > width {
        let groups = intermediate_groups(runs, width);
        runs -= groups.iter().map(|group| group.len() - 1).sum::<usize>();
        passes += 1;
    }
    passes
}

/// Reads a piped output to its end.
pub fn drain(folder: &Folder) -> JoinHandle<Vec<u8>> {
    folder.make_pipe(&folder.output());
    let path = folder.output();
    std::thread::spawn(move || {
        let mut found = Vec::new();
        let mut pipe = fs::File::open(path).expect("a pipe");
        pipe.read_to_end(&mut found).expect("read");
        found
    })
}

/// Asserts that two outputs are equal, and says where they are not.
pub fn assert_same(found: &[u8], expected: &[u8], length: usize) {
    if found == expected {
        return;
    }
    assert_eq!(found.len(), expected.len(), "bytes of output");
    let differs = found.chunks(length).zip(expected.chunks(length)).position(|(a, b)| a != b);
    if let Some(record) = differs {
        let at = |data: &[u8]| data[record * length..][..length.min(64)].to_vec();
        panic!("record {record} is {:02x?} where {:02x?} belongs", at(found), at(expected));
    }
}
