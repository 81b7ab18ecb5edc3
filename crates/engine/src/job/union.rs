//! Inputs whose columns are found by their names: what all of them have together, and which of them
//! have to be rewritten for it.
//!
//! The tops of all inputs are read before anything is planned. Files that have the columns of the
//! union in its order are read as ever; if all do, nothing else is different. Where one has to be
//! rewritten, it becomes a stream, and a sort reads all of them one after the other.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::coders::Coders;
use super::{Input, SortJob, open};
use crate::codec::{Appetite, Codec, Decoding, Origin};
use crate::error::{ConfigErrorKind, Error, Message, Result, Setting, config, message};
use crate::format::CsvFormat;
use crate::format::csv::union::{ColumnOrder, Union};
use crate::format::csv::{BYTE_ORDER_MARK, without_end};
use crate::io::{BegunStream, Direct, Supplied, pipe};
use crate::pipeline::rewriting::{AfterTop, Rewritten, RowMemory};
use crate::pipeline::sorted::SortedPlace;
use crate::pipeline::{self, Columns, Header, Heading, InputStream, TOP_MAX, Top, TopSize};
use crate::plan::besides::Reservation;
use crate::stats::Progress;
use crate::units::ByteSize;

/// Divisor of the budget that gives the part for rows that are rewritten.
const SHARE: u64 = 8;

/// Bytes of a window where inputs are read one after the other, and where they are merged.
const WINDOW_BYTES: usize = 256 << 10;
const MERGED_WINDOW_BYTES: usize = 64 << 10;

/// Divisor of the budget that gives the limit for names and orders of columns.
const COLUMNS_SHARE: u64 = 4;

/// Bytes of an input that is rewritten, or read after its top, until its turn comes.
const INPUT_BYTES: u64 = 1000;

/// Number of inputs for which that is negligible, compared with the rest of the process.
const FEW_INPUTS: usize = 1000;

/// Reading of inputs: in turn or at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turns {
    /// One after the other.
    InTurn,
    /// Up to this number of inputs at once.
    AtOnce(Option<usize>),
}

/// The input of a sort, and its header.
type OpenInput = (pipeline::JobInput, (Header, Option<Columns>));

/// Inputs after their tops.
struct United {
    /// The header of the output.
    top: Option<Top>,
    /// The most inputs that may be read at once.
    width: Option<usize>,
}

/// The tops of inputs that are merged or checked.
pub struct Tops {
    /// The header of the output.
    pub header: Vec<u8>,
    /// The columns that it shows.
    pub columns: Option<Columns>,
    /// The most inputs that may be read at once.
    pub width: Option<usize>,
}

/// Passes the tops of inputs that are merged or checked.
pub fn tops(
    heading: &Heading,
    places: &mut [SortedPlace],
    coders: &mut Coders,
    turns: Turns,
    progress: &Progress,
) -> Result<Tops> {
    if let Some(csv) = asked_for(heading) {
        let United { top, width } = unite(csv, places, coders, turns, progress)?;
        let columns = top.as_ref().and_then(|top| top.columns(heading));
        return Ok(Tops { header: top.map(|top| top.bytes).unwrap_or_default(), columns, width });
    }
    let (header, columns) = open::tops(heading, places, progress)?;
    Ok(Tops { header, columns, width: turns.width() })
}

impl Turns {
    fn width(self) -> Option<usize> {
        match self {
            Self::InTurn => None,
            Self::AtOnce(width) => width,
        }
    }
}

/// Returns the format of rows whose columns are found by their names, if a heading is of such rows.
fn asked_for(heading: &Heading) -> Option<CsvFormat> {
    match heading {
        Heading::Row(csv) => Some(*csv).filter(|csv| csv.union_by_name),
        Heading::Nothing | Heading::Lines { .. } => None,
    }
}

/// Returns the input of a sort, as one stream after the tops, and the tops; `None` where the inputs
/// can be opened as usual.
pub fn of_sort(
    job: &SortJob,
    inputs: &[Input],
    heading: &Heading,
    coders: &mut Coders,
    progress: &Progress,
) -> Result<Option<OpenInput>> {
    let Some(csv) = asked_for(heading) else { return Ok(None) };
    let inputs = open::look(inputs, progress)?.inputs;
    let framing = job.format.framing();
    let mut places = open::sorted_places(&inputs, framing, progress)?;
    let United { top, .. } = unite(csv, &mut places, coders, Turns::InTurn, progress)?;
    if places.iter().all(|place| matches!(place, SortedPlace::File { .. })) {
        return Ok(None);
    }
    let columns = top.as_ref().and_then(|top| top.columns(heading));
    let sizes: Vec<TopSize> = places.iter().map(SortedPlace::top).collect();
    let readers = places.into_iter().map(|place| {
        pipe::PipeReader::supplied(match place {
            SortedPlace::Supplied { stream, .. } => stream,
            SortedPlace::File { ref path, .. } => {
                let (path, source) = (path.clone(), place.source());
                Supplied::new(&path, AfterTop::File(place)).made_from(source)
            }
            other => unreachable!("the top of {other:?} was read"),
        })
    });
    let stream = InputStream::new(readers, framing, heading.clone());
    let stream = stream.behind_tops(top.unwrap_or_default(), sizes);
    let input = pipeline::JobInput::Stream(Arc::new(Mutex::new(stream)));
    Ok(Some((input, (Header::default(), columns))))
}

/// Passes the tops of `places`, and rewrites those whose columns are not those of the union, in its
/// order.
///
/// # Errors
///
/// [`Error::Malformed`] for a column that is named twice in an input; those of reading tops.
fn unite(
    csv: CsvFormat,
    places: &mut [SortedPlace],
    coders: &mut Coders,
    turns: Turns,
    progress: &Progress,
) -> Result<United> {
    let heading = Heading::Row(csv);
    let mut tables = Tables::new(csv, coders.budget());
    let mut found = Vec::with_capacity(places.len());
    for (number, place) in places.iter_mut().enumerate() {
        let packed =
            coders.packed_file(number).filter(|_| matches!(place, SortedPlace::Supplied { .. }));
        let top = top_of(&heading, place, packed, coders.budget(), progress)?;
        found.push(tables.add(&top)?);
    }
    let width = tables.union.width();
    let is_moved = |order: &Arc<ColumnOrder>| !order.is_of_union(width);
    let is_rewritten = found.iter().flatten().any(is_moved);
    if let Some(blank) = tables.blank.take().filter(|_| is_rewritten) {
        let message = message!(
            "its header is an empty row, and {} needs the names of columns; write them there",
            Setting::UnionByName,
        );
        return Err(Error::Malformed { path: blank, message });
    }
    let held = tables.bytes as u64 + later(places.len()) * INPUT_BYTES;
    let mut at_once = None;
    if is_rewritten {
        let (memory, most) = memory(coders, turns, held);
        at_once = Some(most);
        let rewritten = found.iter().zip(places.iter_mut());
        for (order, place) in rewritten.filter_map(|(order, place)| Some((order.as_ref()?, place)))
        {
            if is_moved(order) {
                rewrite(place, csv, Arc::clone(order), width, &memory);
            }
        }
    }
    Ok(United { top: tables.top()?, width: turns.width().into_iter().chain(at_once).min() })
}

/// Returns the memory of rows that are rewritten, and how many inputs may be read at once; counts
/// it, and what else is `held`.
fn memory(coders: &mut Coders, turns: Turns, held: u64) -> (Arc<RowMemory>, usize) {
    let bytes = coders.budget().bytes() / SHARE;
    let (window_bytes, most) = match turns {
        Turns::InTurn => (WINDOW_BYTES, 1),
        Turns::AtOnce(_) => {
            let half = bytes / 2 / MERGED_WINDOW_BYTES as u64;
            (MERGED_WINDOW_BYTES, half.clamp(2, 1 << 20) as usize)
        }
    };
    let spare = bytes.saturating_sub((window_bytes * most) as u64) as usize;
    coders.note_union(Reservation::growing(bytes, SHARE), Reservation::fixed(held));
    (Arc::new(RowMemory::new(window_bytes, spare, SHARE)), most)
}

fn later(inputs: usize) -> u64 {
    inputs.saturating_sub(FEW_INPUTS) as u64
}

/// Reads the top of an input, which then begins after it. A compressed file is opened for it and
/// closed again, because not all of them may be open at once.
fn top_of(
    heading: &Heading,
    place: &mut SortedPlace,
    packed: Option<(PathBuf, Codec)>,
    budget: ByteSize,
    progress: &Progress,
) -> Result<Top> {
    let mut reader = match place {
        SortedPlace::File { .. } => {
            let top = open::top_of(heading, &*place.open_file(Direct::Off)?)?;
            place.pass(top.size);
            return Ok(top);
        }
        SortedPlace::Supplied { stream, .. } => match packed {
            Some((path, codec)) => {
                let top = packed_top(heading, path, codec, budget, progress)?;
                let reader = pipe::PipeReader::supplied(stream.clone());
                let rest = AfterTop::Stream(reader, top.size.bytes);
                let stream = Supplied::new(&top.path, rest).made_from(stream.source());
                *place = SortedPlace::Supplied { stream, top: top.size };
                return Ok(top);
            }
            None => pipe::PipeReader::supplied(stream.clone()),
        },
        SortedPlace::Stdin => pipe::PipeReader::stdin()?,
        SortedPlace::Stream(path) => pipe::PipeReader::open(path)?,
        SortedPlace::Spilled(_) => unreachable!("inputs are no runs of ours"),
    };
    let name = reader.name().to_owned();
    let (top, rest) = heading.read(&name, |buffer| reader.fill_some(buffer, progress))?;
    let stream = Supplied::new(&name, BegunStream::new(rest, Some(reader)));
    *place = SortedPlace::Supplied { stream, top: top.size };
    Ok(top)
}

/// Reads the top of a compressed file.
fn packed_top(
    heading: &Heading,
    path: PathBuf,
    codec: Codec,
    budget: ByteSize,
    progress: &Progress,
) -> Result<Top> {
    let packed = vec![(Origin::File(path), codec)];
    let appetite = Appetite::in_turn(&packed, budget, 1)?;
    let (_decoding, streams) = Decoding::start(packed, &appetite)?;
    let Some(stream) = streams.into_iter().next() else { unreachable!("a stream of each") };
    let mut reader = pipe::PipeReader::supplied(stream);
    let name = reader.name().to_owned();
    heading.read(&name, |buffer| reader.fill_some(buffer, progress)).map(|(top, _)| top)
}

/// Makes the rows of an input, which is after its top, rows of the union.
fn rewrite(
    place: &mut SortedPlace,
    csv: CsvFormat,
    order: Arc<ColumnOrder>,
    width: usize,
    memory: &Arc<RowMemory>,
) {
    let (top, source) = (place.top(), place.source());
    let (name, rest) = match place {
        SortedPlace::File { path, .. } => (path.clone(), AfterTop::File(place.clone())),
        SortedPlace::Supplied { stream, .. } => {
            let reader = pipe::PipeReader::supplied(stream.clone());
            (stream.name().to_owned(), AfterTop::Stream(reader, 0))
        }
        other => unreachable!("the top of {other:?} was read"),
    };
    let rewritten = Rewritten::new(rest, name, top.bytes, csv, order, width, Arc::clone(memory));
    *place = SortedPlace::Supplied { stream: rewritten.supplied().made_from(source), top };
}

/// The columns of all inputs, put together.
struct Tables {
    union: Union,
    /// The orders of columns by the header rows that have them.
    orders: HashMap<Vec<u8>, Arc<ColumnOrder>>,
    /// The first top that is not empty.
    first: Option<Top>,
    /// The first input whose header is an empty row.
    blank: Option<PathBuf>,
    /// Bytes of the orders, and the most that these and the union may have.
    bytes: usize,
    budget: ByteSize,
}

impl Tables {
    fn new(csv: CsvFormat, budget: ByteSize) -> Self {
        Self {
            union: Union::new(csv.dialect),
            orders: HashMap::new(),
            first: None,
            blank: None,
            bytes: 0,
            budget,
        }
    }

    /// Adds the top of an input; returns the order of its columns, if it has any.
    fn add(&mut self, top: &Top) -> Result<Option<Arc<ColumnOrder>>> {
        if top.first_row.is_empty() {
            return Ok(None);
        }
        let row = without_end(&top.first_row);
        if row.is_empty() {
            self.blank.get_or_insert_with(|| top.path.clone());
        }
        if self.first.is_none() {
            self.first = Some(top.clone());
        }
        let order = match self.orders.entry(row.to_vec()) {
            Entry::Occupied(known) => Arc::clone(known.get()),
            Entry::Vacant(new) => {
                let malformed = |message: Message| Error::malformed(&top.path, message);
                let order = Arc::new(self.union.add(row).map_err(malformed)?);
                self.bytes += 2 * row.len() + order.bytes();
                Arc::clone(new.insert(order))
            }
        };
        self.check_size(&top.path)?;
        Ok(Some(order))
    }

    /// Makes sure that the columns do not take more memory than they may.
    fn check_size(&self, path: &Path) -> Result<()> {
        if self.union.header().len() >= TOP_MAX {
            let message = format!(
                "with its columns, the header of all inputs exceeds the limit of {TOP_MAX} bytes; \
                 join fewer tables"
            );
            return Err(Error::Malformed { path: path.to_owned(), message: message.into() });
        }
        let taken = (self.bytes + self.union.bytes()) as u64;
        if taken <= self.budget.bytes() / COLUMNS_SHARE {
            return Ok(());
        }
        let least = (2 * COLUMNS_SHARE * taken).div_ceil(1 << 20);
        Err(config!(
            ConfigErrorKind::BudgetTooSmall { least: Some(ByteSize::mib(least)) },
            "the columns of the inputs up to {} take {} of memory, more than {} has room for \
             within the memory budget; give at least {} MiB with {}",
            path.display(),
            ByteSize(taken),
            Setting::UnionByName,
            least,
            Setting::Memory,
        ))
    }

    /// Returns what stays on top of the output: the row of all columns in place of the first one.
    fn top(self) -> Result<Option<Top>> {
        let Some(mut top) = self.first else { return Ok(None) };
        let row = without_end(&top.first_row);
        if row == self.union.header() {
            return Ok(Some(top));
        }
        let end = &top.first_row[row.len()..];
        let end = if end.is_empty() { b"\n" } else { end };
        let mark = if top.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK } else { b"" };
        let malformed = |message: Message| {
            Error::malformed(&top.path, message!("the header of all inputs: {}", message))
        };
        top.first_row = self.union.header_row(end).map_err(malformed)?;
        top.bytes = [mark, &top.first_row].concat();
        Ok(Some(top))
    }
}

#[cfg(test)]
mod tests;
