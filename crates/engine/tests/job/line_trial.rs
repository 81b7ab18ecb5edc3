//! One job over lines in a folder of its own, held against a stable sort of vectors of bytes.

use std::cmp::Ordering;

use sortwell_engine::ByteSize;
use sortwell_engine::format::{Format, HeaderLines};
use sortwell_engine::io::Engine;
use sortwell_engine::job::{Algorithm, Budget, Input, Output, SortJob};
use sortwell_engine::operator::{Select, Unique};
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::Statistics;

use crate::held::Held;
use crate::trial::Folder;

/// How two lines without their ends compare.
pub type Comparator = fn(&[u8], &[u8]) -> Ordering;

/// A job over lines and what it is held against.
#[derive(Clone)]
pub struct Lines {
    pub inputs: Vec<Vec<u8>>,
    pub terminator: u8,
    pub separator: Option<u8>,
    /// Keys as a person writes them, and what they mean.
    pub keys: Vec<&'static str>,
    pub compare: Comparator,
    /// By what lines are of one group, where that is not by all keys.
    pub group: Option<Comparator>,
    pub select: Select,
    pub header_lines: u64,
    pub memory: ByteSize,
    pub threads: usize,
    pub algorithm: Algorithm,
    pub overlap: Overlap,
    pub engine: Engine,
    /// Whether inputs and output are pipes.
    pub is_streamed: (bool, bool),
}

impl Lines {
    pub fn new(inputs: Vec<Vec<u8>>) -> Self {
        Self {
            inputs,
            terminator: b'\n',
            separator: None,
            keys: Vec::new(),
            compare: Ord::cmp,
            group: None,
            select: Select::default(),
            header_lines: 0,
            memory: ByteSize::mib(128),
            threads: 2,
            algorithm: Algorithm::Auto,
            overlap: Overlap::Auto,
            engine: Engine::Auto,
            is_streamed: (false, false),
        }
    }

    pub fn job(&self, folder: &Folder) -> SortJob {
        let inputs = (0..self.inputs.len()).map(|index| Input::File(folder.input(index)));
        let format = Format::Lines { terminator: self.terminator };
        let mut job = SortJob::new(inputs.collect(), Output::File(folder.output()), format);
        job.keys = self.keys.iter().map(|key| key.parse().expect("a key")).collect();
        job.order.separator = self.separator;
        job.select = self.select.clone();
        job.header = HeaderLines::Count(self.header_lines);
        (job.memory, job.threads) = (Budget::Bytes(self.memory), Some(self.threads));
        (job.algorithm, job.levers.overlap) = (self.algorithm, self.overlap);
        (job.engine, job.temp, job.sync) = (self.engine, vec![folder.at("spill")], false);
        job
    }

    /// The inputs' lines without their ends: those at the top, and those to be sorted.
    fn lines(&self) -> (Vec<&[u8]>, Vec<&[u8]>) {
        let (mut top, mut sorted) = (Vec::new(), Vec::new());
        for (number, input) in self.inputs.iter().enumerate() {
            let (mut lines, mut start): (Vec<&[u8]>, usize) = (Vec::new(), 0);
            for end in memchr::memchr_iter(self.terminator, input) {
                lines.push(&input[start..end]);
                start = end + 1;
            }
            lines.extend((start < input.len()).then(|| &input[start..]));
            let rest = lines.split_off((self.header_lines as usize).min(lines.len()));
            if number == 0 {
                top = lines;
            }
            sorted.extend(rest);
        }
        (top, sorted)
    }

    /// What the output must be, and how many lines are sorted for it.
    pub fn expected(&self) -> (Vec<u8>, u64) {
        let (top, mut lines) = self.lines();
        let count = lines.len() as u64;
        lines.sort_by(|a, b| (self.compare)(a, b));
        let mut out = Vec::new();
        let mut put = |prefix: &str, line: &[u8]| {
            out.extend_from_slice(prefix.as_bytes());
            out.extend_from_slice(line);
            out.push(self.terminator);
        };
        top.iter().for_each(|line| put("", line));
        let groups: Vec<&[&[u8]]> = match self.select.groups() {
            true => {
                let group = self.group.unwrap_or(self.compare);
                lines.chunk_by(|a, b| group(a, b).is_eq()).collect()
            }
            false => lines.chunks(1).collect(),
        };
        let limit = self.select.limit.map_or(usize::MAX, |limit| limit as usize);
        for group in groups.into_iter().skip(self.select.skip as usize).take(limit) {
            let is_last = self.select.unique == Some(Unique::Last);
            let kept = group[if is_last { group.len() - 1 } else { 0 }];
            let prefix = self.select.count.then(|| format!("{:7} ", group.len()));
            put(&prefix.unwrap_or_default(), kept);
        }
        (out, count)
    }

    pub fn lay_out(&self, folder: &Folder) {
        self.held().lay_out(folder);
    }

    /// What is said of it when it fails.
    fn words(&self) -> String {
        let sizes: Vec<usize> = self.inputs.iter().map(Vec::len).collect();
        let Self { keys, select, header_lines, memory, threads, engine, is_streamed, .. } = self;
        format!(
            "{sizes:?} by {keys:?}, {select:?}, header {header_lines}, {memory}, {threads} \
             threads, {:?}, {engine}, streams {is_streamed:?}",
            self.overlap
        )
    }

    fn held(&self) -> Held<'_> {
        let Self { inputs, select, is_streamed, .. } = self;
        let (is_streamed, words) = (*is_streamed, self.words());
        Held { inputs, select, is_streamed, piece: usize::MAX, words }
    }

    /// Runs the job and asserts all that must hold for any job.
    pub fn run(&self) -> Statistics {
        self.run_against(&self.expected())
    }

    /// The same, given what must come out.
    pub fn run_against(&self, expected: &(Vec<u8>, u64)) -> Statistics {
        self.held().run(|folder| self.job(folder), expected)
    }
}

pub fn assert_same(found: &[u8], expected: &[u8], words: &str) {
    if found == expected {
        return;
    }
    let differs = found.iter().zip(expected).position(|(a, b)| a != b);
    let around = |bytes: &[u8], at: usize| {
        let part = &bytes[at.saturating_sub(20)..(at + 40).min(bytes.len())];
        String::from_utf8_lossy(part).into_owned()
    };
    if let Some(at) = differs {
        let (found, expected) = (around(found, at), around(expected, at));
        panic!("byte {at}: {found:?} where {expected:?} belongs: {words}");
    }
    assert_eq!(found.len(), expected.len(), "{words}");
}
