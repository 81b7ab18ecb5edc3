//! One job over rows of cells, held against a reader that goes byte by byte and a stable sort.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

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

/// A row as the naive reader sees it: its bytes with an end, and its first cells by number.
struct Row<'a> {
    bytes: &'a [u8],
    cells: Range<usize>,
}

/// Contents of inputs as the naive reader finds them. The bytes of all cells lie in one place.
#[derive(Default)]
struct Read<'a> {
    rows: Vec<Row<'a>>,
    cells: Vec<Range<usize>>,
    said: Vec<u8>,
}

impl Read<'_> {
    /// Returns what a cell says. Empty cells say nothing; a row that is too short has one there.
    fn cell(&self, row: &Row<'_>, column: usize) -> Option<&[u8]> {
        let cell = self.cells[row.cells.clone()].get(column - 1)?;
        if cell.is_empty() { None } else { Some(&self.said[cell.clone()]) }
    }
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
fn read<'a>(dialect: csv::Dialect, columns: usize, bytes: &'a [u8], found: &mut Read<'a>) {
    let Read { rows, cells, said } = found;
    let (mut first, mut begin) = (cells.len(), said.len());
    let mut keep = |cells: &mut Vec<Range<usize>>, said: &mut Vec<u8>, first: usize| {
        if cells.len() - first < columns {
            cells.push(begin..said.len());
        } else {
            said.truncate(begin);
        }
        begin = said.len();
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
            Place::Quoted => said.push(byte),
            Place::Closed if is_quote => {
                said.push(byte);
                place = Place::Quoted;
            }
            _ if byte == b'\n' => {
                // A carriage return before it is part of the end.
                if place == Place::Plain && said.last() == Some(&b'\r') {
                    said.pop();
                }
                keep(cells, said, first);
                rows.push(Row { bytes: &bytes[row_start..at], cells: first..cells.len() });
                (place, row_start, first) = (Place::Begin, at, cells.len());
            }
            _ if byte == dialect.separator => {
                keep(cells, said, first);
                place = Place::Begin;
            }
            Place::Closed if byte == b'\r' && matches!(bytes.get(at), None | Some(b'\n')) => {}
            Place::Closed => {
                assert!(dialect.is_lenient, "byte {at} stands behind a closing quote");
                said.truncate(cells.last().map_or(0, |cell| cell.end));
                said.extend_from_slice(&bytes[cell_start..at]);
                place = Place::Plain;
            }
            Place::Begin | Place::Plain => {
                said.push(byte);
                place = Place::Plain;
            }
        }
        if place == Place::Begin {
            cell_start = at;
        }
    }
    assert_eq!(row_start, bytes.len(), "a quote is not closed");
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

    fn compare(&self, read: &Read<'_>, a: &Row<'_>, b: &Row<'_>) -> Ordering {
        if self.keys.is_empty() {
            return csv::without_end(a.bytes).cmp(csv::without_end(b.bytes));
        }
        let mut orders = self.keys.iter().map(|&(column, is_descending)| {
            // Empty cells come last either way.
            match (read.cell(a, column), read.cell(b, column)) {
                (Some(a), Some(b)) if is_descending => b.cmp(a),
                (Some(a), Some(b)) => a.cmp(b),
                (a, b) => a.is_none().cmp(&b.is_none()),
            }
        });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// What the output must be, and how many rows are sorted for it.
    pub fn expected(&self) -> (Vec<u8>, u64) {
        let (mut top, mut found): (Option<Vec<u8>>, Read<'_>) = (None, Read::default());
        let columns = self.keys.iter().map(|(column, _)| *column).max().unwrap_or(0);
        // One with a mark alone is as empty as one with nothing.
        let is_empty = |input: &Vec<u8>| input.is_empty() || input == b"\xef\xbb\xbf";
        let inputs = self.inputs.iter().filter(|input| !is_empty(input));
        let inputs: Vec<Cow<'_, [u8]>> = inputs.map(|input| ended(input)).collect();
        for input in &inputs {
            let text = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
            let (mark, before) = (&input[..input.len() - text.len()], found.rows.len());
            read(self.format.dialect, columns, text, &mut found);
            let mut own_top = mark.to_vec();
            if self.format.has_header && found.rows.len() > before {
                own_top.extend(found.rows.remove(before).bytes);
            }
            top.get_or_insert(own_top);
        }
        let mut rows = std::mem::take(&mut found.rows);
        let count = rows.len() as u64;
        rows.sort_by(|a, b| self.compare(&found, a, b));
        if self.select.groups() {
            rows.dedup_by(|next, kept| self.compare(&found, next, kept).is_eq());
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
