//! One job over records that begin with their length, held against a naive walk and a stable sort.

use std::cmp::Ordering;
use std::ops::Range;

use sortwell_engine::ByteSize;
use sortwell_engine::format::Format;
use sortwell_engine::io::Engine;
use sortwell_engine::job::{Algorithm, Budget, Input, Output, SortJob};
use sortwell_engine::key::text::{Invalid, InvalidPlace};
use sortwell_engine::operator::Select;
use sortwell_engine::stats::Statistics;

use crate::held::Held;
use crate::trial::Folder;

/// A format by name, the bytes of its prefix, and what it counts besides the record's own bytes.
pub type Width = (&'static str, usize, usize);

/// Every prefix.
pub const FORMATS: [Width; 9] = [
    ("u16le", 2, 0),
    ("u16be", 2, 0),
    ("u32le", 4, 0),
    ("u32be", 4, 0),
    ("u16le:self", 2, 2),
    ("u16be:self", 2, 2),
    ("u32le:self", 4, 4),
    ("u32be:self", 4, 4),
    ("rdw", 4, 4),
];

/// A job over prefixed records and what it is held against.
#[derive(Clone)]
pub struct Prefixed {
    /// One of [`FORMATS`].
    pub format: Width,
    pub inputs: Vec<Vec<u8>>,
    /// Ranges of bytes of the record without its prefix, and whether the largest comes first.
    pub keys: Vec<(Range<usize>, bool)>,
    pub select: Select,
    pub memory: ByteSize,
    pub threads: usize,
    pub algorithm: Algorithm,
    pub engine: Engine,
    pub is_streamed: (bool, bool),
    /// The most bytes that are written to a pipe at once.
    pub piece: usize,
}

/// A prefix and the bytes behind it.
pub fn record(format: Width, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 4);
    put(format, body, &mut out);
    out
}

/// Appends a prefix and the bytes behind it.
fn put((name, width, counted): Width, body: &[u8], out: &mut Vec<u8>) {
    let number = (body.len() + counted) as u32;
    match name {
        "rdw" => out.extend_from_slice(&(number << 16).to_be_bytes()),
        _ if name.contains("le") => out.extend_from_slice(&number.to_le_bytes()[..width]),
        _ => out.extend_from_slice(&number.to_be_bytes()[4 - width..]),
    }
    out.extend_from_slice(body);
}

/// The bodies of the records in `input`.
fn bodies((name, width, counted): Width, input: &[u8]) -> Vec<&[u8]> {
    let (mut bodies, mut at) = (Vec::new(), 0);
    while at < input.len() {
        let prefix = &input[at..at + width];
        let join = |number, byte: &u8| number * 256 + usize::from(*byte);
        let number = match name {
            "rdw" => prefix[..2].iter().fold(0, join),
            _ if name.contains("le") => prefix.iter().rev().fold(0, join),
            _ => prefix.iter().fold(0, join),
        };
        let end = at + width + number - counted;
        bodies.push(&input[at + width..end]);
        at = end;
    }
    bodies
}

impl Prefixed {
    /// A plain job with plenty of memory, by the whole record.
    pub fn new(format: Width, inputs: Vec<Vec<u8>>) -> Self {
        Self {
            format,
            inputs,
            keys: Vec::new(),
            select: Select::default(),
            memory: ByteSize::mib(128),
            threads: 2,
            algorithm: Algorithm::Auto,
            engine: Engine::Auto,
            is_streamed: (false, false),
            piece: usize::MAX,
        }
    }

    pub fn job(&self, folder: &Folder) -> SortJob {
        let inputs = (0..self.inputs.len()).map(|index| Input::File(folder.input(index)));
        let format: Format = self.format.0.parse().expect("a format");
        let mut job = SortJob::new(inputs.collect(), Output::File(folder.output()), format);
        let key = |(range, is_descending): &(Range<usize>, bool)| {
            let end = if range.end == usize::MAX { String::new() } else { range.end.to_string() };
            let direction = if *is_descending { ":desc" } else { "" };
            let text = format!("{}..{end}{direction}", range.start);
            text.parse().expect("a key")
        };
        job.keys = self.keys.iter().map(key).collect();
        job.order.invalid = Some(Invalid::Placed(InvalidPlace::First));
        job.select = self.select.clone();
        (job.memory, job.threads) = (Budget::Bytes(self.memory), Some(self.threads));
        job.algorithm = self.algorithm;
        (job.engine, job.temp, job.sync) = (self.engine, vec![folder.at("spill")], false);
        job
    }

    /// What the output must be, and how many records are sorted for it.
    pub fn expected(&self) -> (Vec<u8>, u64) {
        // Records that are too short for any of the keys come before all others.
        fn part<'a>(body: &'a [u8], range: &Range<usize>) -> Option<&'a [u8]> {
            let end = if range.end == usize::MAX { body.len() } else { range.end };
            body.get(range.start..end)
        }
        let has_all = |body: &[u8]| self.keys.iter().all(|(range, _)| part(body, range).is_some());
        let compare = |a: &&[u8], b: &&[u8]| {
            let apart = has_all(a).cmp(&has_all(b));
            let mut orders = self.keys.iter().map(|(range, is_descending)| {
                match (part(a, range), part(b, range)) {
                    (Some(a), Some(b)) if *is_descending => b.cmp(a),
                    (a, b) => a.cmp(&b),
                }
            });
            let whole = || if self.keys.is_empty() { a.cmp(b) } else { Ordering::Equal };
            apart.then_with(|| orders.find(|order| order.is_ne()).unwrap_or_else(whole))
        };
        let mut found: Vec<&[u8]> =
            self.inputs.iter().flat_map(|input| bodies(self.format, input)).collect();
        let count = found.len() as u64;
        found.sort_by(compare);
        if self.select.groups() {
            found.dedup_by(|next, kept| compare(next, kept).is_eq());
        }
        found.truncate(self.select.limit.map_or(usize::MAX, |limit| limit as usize));
        let mut out = Vec::new();
        found.iter().for_each(|body| put(self.format, body, &mut out));
        (out, count)
    }

    /// What is said of it when it fails.
    fn words(&self) -> String {
        let sizes: Vec<usize> = self.inputs.iter().map(Vec::len).collect();
        let Self { format, keys, select, memory, threads, engine, is_streamed, .. } = self;
        format!(
            "{} {sizes:?} by {keys:?}, {select:?}, {memory}, {threads} threads, {engine}, streams \
             {is_streamed:?}",
            format.0
        )
    }

    fn held(&self) -> Held<'_> {
        let Self { inputs, select, is_streamed, .. } = self;
        let (is_streamed, words) = (*is_streamed, self.words());
        Held { inputs, select, is_streamed, piece: self.piece, words }
    }

    /// Runs the job and asserts all that must hold for any job.
    pub fn run(&self) -> Statistics {
        self.run_against(&self.expected())
    }

    /// The same, given what must come out.
    pub fn run_against(&self, expected: &(Vec<u8>, u64)) -> Statistics {
        self.held().run(|folder| self.job(folder), expected)
    }

    /// Runs a job that must fail as malformed; which input it names, and its words.
    pub fn fails(&self) -> (usize, String) {
        self.held().fails(|folder| self.job(folder))
    }
}
