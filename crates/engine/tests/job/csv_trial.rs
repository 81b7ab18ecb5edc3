//! One job over rows of cells, held against a reader that goes byte by byte and a stable sort.

use std::borrow::Cow;
use std::cmp::Ordering;

use sortwell_engine::ByteSize;
use sortwell_engine::format::{CsvFormat, Format, csv};
use sortwell_engine::io::Engine;
use sortwell_engine::job::{Algorithm, Budget, Input, Output, SortJob};
use sortwell_engine::operator::Select;
use sortwell_engine::plan::levers::Overlap;
use sortwell_engine::stats::Statistics;

use crate::held::Held;
use crate::trial::Folder;

/// A job over rows and what it is held against.
#[derive(Clone)]
pub struct Table {
    pub inputs: Vec<Vec<u8>>,
    pub format: CsvFormat,
    /// Columns by number, from 1, and whether the largest comes first.
    pub keys: Vec<(usize, bool)>,
    pub select: Select,
    pub memory: ByteSize,
    pub threads: usize,
    pub algorithm: Algorithm,
    pub overlap: Overlap,
    pub engine: Engine,
    /// Whether inputs and output are pipes.
    pub is_streamed: (bool, bool),
    /// The most bytes that are written to a pipe at once.
    pub piece: usize,
}

/// A row as the naive reader sees it: its bytes with an end, and what its first cells say.
struct Row<'a> {
    bytes: &'a [u8],
    cells: Vec<Vec<u8>>,
}

/// What the input says to the naive reader.
struct Read<'a> {
    mark: &'a [u8],
    rows: Vec<Row<'a>>,
}

/// Where in a cell the naive reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Begin,
    Plain,
    Quoted,
    /// Behind a quote that closes, or is the first of two.
    Closed,
}

/// The input with a line end behind its last row.
fn ended(input: &[u8]) -> Cow<'_, [u8]> {
    if input.ends_with(b"\n") { input.into() } else { [input, b"\n"].concat().into() }
}

/// Reads a well-formed input, which ends with a line end, byte by byte, keeping the first so many
/// cells of each row. A cell with more behind its closing quote counts as it is written.
fn read(dialect: csv::Dialect, columns: usize, input: &[u8]) -> Read<'_> {
    let bytes = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
    let mut found = Read { mark: &input[..input.len() - bytes.len()], rows: Vec::new() };
    let (mut cell, mut cells) = (Vec::new(), Vec::with_capacity(columns));
    // Room that a cell was gathered in is used again.
    let keep = |cells: &mut Vec<Vec<u8>>, cell: &mut Vec<u8>| {
        cells.extend((cells.len() < columns).then(|| cell.clone()));
        cell.clear();
    };
    let (mut place, mut row_start, mut cell_start) = (Place::Begin, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        at += 1;
        let is_quote = dialect.quote == Some(byte);
        match place {
            Place::Begin if is_quote => place = Place::Quoted,
            Place::Quoted if is_quote => place = Place::Closed,
            Place::Quoted => cell.push(byte),
            Place::Closed if is_quote => {
                cell.push(byte);
                place = Place::Quoted;
            }
            _ if byte == b'\n' => {
                // A carriage return before it is part of the end.
                if place != Place::Closed && cell.last() == Some(&b'\r') {
                    cell.pop();
                }
                keep(&mut cells, &mut cell);
                let kept = std::mem::replace(&mut cells, Vec::with_capacity(columns));
                found.rows.push(Row { bytes: &bytes[row_start..at], cells: kept });
                (place, row_start) = (Place::Begin, at);
            }
            _ if byte == dialect.separator => {
                keep(&mut cells, &mut cell);
                place = Place::Begin;
            }
            Place::Closed if byte == b'\r' && matches!(bytes.get(at), None | Some(b'\n')) => {}
            Place::Closed => {
                assert!(dialect.is_lenient, "byte {at} stands behind a closing quote");
                cell = bytes[cell_start..at].to_vec();
                place = Place::Plain;
            }
            Place::Begin | Place::Plain => {
                cell.push(byte);
                place = Place::Plain;
            }
        }
        if place == Place::Begin {
            cell_start = at;
        }
    }
    assert_eq!(row_start, bytes.len(), "a quote is not closed");
    found
}

impl Table {
    /// A plain job with plenty of memory, by the first column.
    pub fn new(inputs: Vec<Vec<u8>>) -> Self {
        Self {
            inputs,
            format: CsvFormat::separated_by(b','),
            keys: vec![(1, false)],
            select: Select::default(),
            memory: ByteSize::mib(128),
            threads: 2,
            algorithm: Algorithm::Auto,
            overlap: Overlap::Auto,
            engine: Engine::Auto,
            is_streamed: (false, false),
            piece: usize::MAX,
        }
    }

    pub fn job(&self, folder: &Folder) -> SortJob {
        let inputs = (0..self.inputs.len()).map(|index| Input::File(folder.input(index)));
        let format = Format::Csv(self.format);
        let mut job = SortJob::new(inputs.collect(), Output::File(folder.output()), format);
        let key = |&(column, is_descending): &(usize, bool)| {
            let direction = if is_descending { ":desc" } else { "" };
            format!("{column}{direction}").parse().expect("a key")
        };
        job.keys = self.keys.iter().map(key).collect();
        job.select = self.select.clone();
        (job.memory, job.threads) = (Budget::Bytes(self.memory), Some(self.threads));
        (job.algorithm, job.levers.overlap) = (self.algorithm, self.overlap);
        (job.engine, job.temp, job.sync) = (self.engine, vec![folder.at("spill")], false);
        job
    }

    fn compare(&self, a: &Row<'_>, b: &Row<'_>) -> Ordering {
        if self.keys.is_empty() {
            return csv::without_end(a.bytes).cmp(csv::without_end(b.bytes));
        }
        let mut orders = self.keys.iter().map(|&(column, is_descending)| {
            // Empty cells come last either way, and a row that is too short has one there.
            let [a, b] =
                [a, b].map(|row| row.cells.get(column - 1).filter(|cell| !cell.is_empty()));
            match (a, b) {
                (Some(a), Some(b)) if is_descending => b.cmp(a),
                (Some(a), Some(b)) => a.cmp(b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// What the output must be, and how many rows are sorted for it.
    pub fn expected(&self) -> (Vec<u8>, u64) {
        let (mut top, mut rows): (Option<Vec<u8>>, Vec<Row<'_>>) = (None, Vec::new());
        let columns = self.keys.iter().map(|(column, _)| *column).max().unwrap_or(0);
        // One with a mark alone is as empty as one with nothing.
        let is_empty = |input: &Vec<u8>| input.is_empty() || input == b"\xef\xbb\xbf";
        let inputs = self.inputs.iter().filter(|input| !is_empty(input));
        let inputs: Vec<Cow<'_, [u8]>> = inputs.map(|input| ended(input)).collect();
        for input in &inputs {
            let mut found = read(self.format.dialect, columns, input);
            let mut own_top = found.mark.to_vec();
            if self.format.has_header && !found.rows.is_empty() {
                own_top.extend(found.rows.remove(0).bytes);
            }
            top.get_or_insert(own_top);
            rows.extend(found.rows);
        }
        let count = rows.len() as u64;
        rows.sort_by(|a, b| self.compare(a, b));
        if self.select.groups() {
            rows.dedup_by(|next, kept| self.compare(next, kept).is_eq());
        }
        rows.truncate(self.select.limit.map_or(usize::MAX, |limit| limit as usize));
        let mut out = top.unwrap_or_default();
        rows.iter().for_each(|row| out.extend_from_slice(row.bytes));
        (out, count)
    }

    /// What is said of it when it fails.
    fn words(&self) -> String {
        let sizes: Vec<usize> = self.inputs.iter().map(Vec::len).collect();
        let Self { keys, select, memory, threads, engine, is_streamed, format, .. } = self;
        format!(
            "{sizes:?} by {keys:?}, {format:?}, {select:?}, {memory}, {threads} threads, {engine}, \
             streams {is_streamed:?}"
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
