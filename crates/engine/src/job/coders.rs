//! Compression in a job: inputs become streams, the output passes through threads, and both
//! take a part of the budget. So do the names of inputs, where there are many.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use super::Input;
use super::contents::{Instead, Look};
use crate::codec::{
    Appetite, Codec, Compression, Decoding, Decompress, EncodingAppetite, OUTPUT_SHARE, Origin,
};
use crate::error::{Error, Result, config};
use crate::format::Format;
use crate::key::text::TextOrder;
use crate::operator::Select;
use crate::output::OpenOutput;
use crate::pipeline::Columns;
use crate::plan::besides::{Besides, Reservation};
use crate::plan::scratch::{Lengths, ScratchMemory};
use crate::predicate::RecordFilter;
use crate::stats::Statistics;
use crate::units::ByteSize;

/// The threads that expand and compress for a job, and their memory.
#[derive(Debug)]
pub struct Coders {
    budget: ByteSize,
    threads: usize,
    /// Parts of the budget that are already taken.
    besides: Besides,
    /// True if keys or conditions may take memory in proportion to a record.
    may_take_scratch: bool,
    decoding: Option<Arc<Decoding>>,
    /// True if the expanded files are noted.
    keeps_files: bool,
    /// These, by their numbers, which ascend.
    packed_files: Vec<(usize, PathBuf, Codec)>,
}

impl Coders {
    /// Returns no coders yet, for a job with this number of workers.
    pub fn new(budget: ByteSize, threads: usize, inputs: &[Input], order: &TextOrder) -> Self {
        let mut besides = Besides::default();
        let keys = order.list_bytes() + KEY_BYTES * order.specs.len();
        let keys = keys.saturating_sub(FEW_VALUES_BYTES);
        besides.add(Reservation::fixed(names_bytes(inputs).bytes() + keys as u64));
        let may_take_scratch = order.may_take_memory();
        let (decoding, packed_files) = (None, Vec::new());
        let keeps_files = false;
        Self { budget, threads, besides, may_take_scratch, decoding, keeps_files, packed_files }
    }

    /// Keeps which files are expanded, where their tops are read before their turn: where columns
    /// of inputs of `format` are found by their names.
    #[must_use]
    pub fn with_files_of(self, format: Format) -> Self {
        let keeps_files = matches!(format, Format::Csv(csv) if csv.union_by_name);
        Self { keeps_files, ..self }
    }

    /// Adds the conditions that a job asks of records of `format`.
    #[must_use]
    pub fn with_conditions(self, filter: &RecordFilter, format: Format) -> Self {
        // Cells may have quotes, values of JSON escapes, and short records are padded.
        let is_copied = matches!(format, Format::Csv(_) | Format::JsonLines | Format::Prefixed(_));
        let may_take = !filter.is_all() && (is_copied || !filter.looks_at_bytes_as_written());
        Self { may_take_scratch: self.may_take_scratch || may_take, ..self }
    }

    /// Adds what is folded of groups.
    #[must_use]
    pub fn with_folds(self, select: &Select) -> Self {
        Self { may_take_scratch: self.may_take_scratch || select.may_take_memory(), ..self }
    }

    /// Returns the inputs as they are to be read, one after the other.
    pub fn in_turn<'i>(
        &mut self,
        inputs: &'i [Input],
        look: &Look<'_>,
    ) -> Result<Cow<'i, [Input]>> {
        let (instead, packed) = looked_at(inputs, look)?;
        let appetite = match packed.is_empty() {
            true => None,
            false => Some(Appetite::in_turn(&packed, self.budget, self.threads)?),
        };
        self.replaced(inputs, instead, packed, appetite)
    }

    /// Returns the inputs as they are to be read, all at once, and how many that may be.
    pub fn at_once<'i>(
        &mut self,
        inputs: &'i [Input],
        look: &Look<'_>,
        width: Option<usize>,
    ) -> Result<(Cow<'i, [Input]>, Option<usize>)> {
        let (instead, packed) = looked_at(inputs, look)?;
        if packed.is_empty() {
            return Ok((self.replaced(inputs, instead, packed, None)?, width));
        }
        let appetite = Appetite::at_once(&packed, self.budget, self.threads)?;
        let width = width.unwrap_or(usize::MAX).min(appetite.width);
        Ok((self.replaced(inputs, instead, packed, Some(appetite))?, Some(width)))
    }

    /// Returns the inputs with the replacements of some. Packed inputs are expanded, as `appetite`
    /// requires.
    fn replaced<'i>(
        &mut self,
        inputs: &'i [Input],
        instead: Vec<(usize, Option<Input>)>,
        packed: Vec<(Origin, Codec)>,
        appetite: Option<Appetite>,
    ) -> Result<Cow<'i, [Input]>> {
        if instead.is_empty() {
            return Ok(Cow::Borrowed(inputs));
        }
        let numbers = instead.iter().filter(|(_, stream)| stream.is_none()).map(|(at, _)| *at);
        let files = numbers.zip(&packed).filter(|_| self.keeps_files).filter_map(
            |(number, (origin, codec))| match origin {
                Origin::File(path) => Some((number, path.clone(), *codec)),
                Origin::Stdin | Origin::Begun(_) => None,
            },
        );
        self.packed_files = files.collect();
        let mut expanded = Vec::new().into_iter();
        if let Some(appetite) = appetite {
            self.besides.add(Reservation::fixed(packed_bytes(&packed)));
            let (decoding, streams) = Decoding::start(packed, &appetite)?;
            self.decoding = Some(decoding);
            for (bytes, share) in appetite.parts() {
                self.besides.add(Reservation::growing(bytes, share));
            }
            expanded = streams.into_iter();
        }
        let mut inputs = inputs.to_vec();
        for (number, stream) in instead {
            let stream = stream.or_else(|| expanded.next().map(Input::Supplied));
            inputs[number] = stream.unwrap_or_else(|| unreachable!("a stream of each"));
        }
        Ok(Cow::Owned(inputs))
    }

    /// Returns the file that is expanded in place of input `number`, if one is.
    pub fn packed_file(&self, number: usize) -> Option<(PathBuf, Codec)> {
        let found = self.packed_files.binary_search_by_key(&number, |(number, ..)| *number);
        let (_, path, codec) = &self.packed_files[found.ok()?];
        Some((path.clone(), *codec))
    }

    /// Counts what rewriting the rows of tables takes, and their columns.
    pub fn note_union(&mut self, rows: Reservation, columns: Reservation) {
        self.besides.add(rows);
        self.besides.add(columns);
    }

    /// Returns the output, compressed if that is wanted.
    pub fn output(&mut self, output: OpenOutput, how: Option<Compression>) -> Result<OpenOutput> {
        let Some(how) = how else { return Ok(output) };
        output.compressed(how, self.note_output(how))
    }

    /// Counts what compressing the output takes. Returns the number of threads for it.
    pub fn note_output(&mut self, how: Compression) -> usize {
        let appetite = EncodingAppetite::new(how, self.budget, self.threads);
        let part = Reservation::growing(appetite.bytes, OUTPUT_SHARE);
        self.besides.add(part.between(appetite.least, appetite.most, appetite.each));
        appetite.threads
    }

    /// Counts what is noted of these inputs, where a merge is kept.
    pub fn note_inputs(&mut self, inputs: &[Input]) {
        let bytes = inputs.iter().skip(FEW_NAMES).map(|input| kept_bytes(input) as u64).sum();
        self.besides.add(Reservation::fixed(bytes));
    }

    /// Counts the names of columns, and `list_bytes` bytes of lists of values in conditions.
    pub fn note_held(&mut self, columns: Option<&Columns>, list_bytes: usize) {
        let bytes = |cell: &Vec<u8>| COLUMN_BYTES + COLUMN_COPIES * cell.len();
        let columns = columns.map_or(0, |columns| columns.cells.iter().map(bytes).sum::<usize>());
        let bytes = (columns + list_bytes).saturating_sub(FEW_VALUES_BYTES);
        self.besides.add(Reservation::fixed(bytes as u64));
    }

    /// Returns whether inputs are expanded.
    pub fn expand(&self) -> bool {
        self.decoding.is_some()
    }

    /// Returns the whole budget.
    pub fn budget(&self) -> ByteSize {
        self.budget
    }

    /// Returns the memory for keys and values of long records, if they may take any.
    pub fn scratch(&self, lengths: Lengths) -> Option<ScratchMemory> {
        self.may_take_scratch.then(|| ScratchMemory::new(self.budget, lengths))
    }

    /// Returns what is taken of the budget, for records of such lengths.
    pub fn besides(&self, lengths: Lengths) -> Besides {
        let mut besides = self.besides;
        if let Some(scratch) = self.scratch(lengths) {
            besides.add(scratch.part());
        }
        besides
    }

    /// Returns an error about the budget, with what of it is taken.
    pub fn explain(&self, error: Error) -> Error {
        let taken = ByteSize(self.besides.bytes());
        match error {
            Error::Config(error) if taken > ByteSize(0) => config!(
                error.kind(),
                "{} ({} of it are taken by the names of inputs, lists of values and compressed \
                 files)",
                error.message(),
                taken
            ),
            _ => error,
        }
    }

    /// Returns the account of the job, with how much all was in the files.
    pub fn noted(&self, mut statistics: Statistics, written: Option<u64>) -> Statistics {
        statistics.streams.compressed_read =
            self.decoding.as_ref().map(|decoding| ByteSize(decoding.bytes()));
        statistics.streams.compressed_written = written.map(ByteSize);
        statistics
    }
}

/// Bytes of lists of values that are negligible, compared with the rest of the process.
const FEW_VALUES_BYTES: usize = 256 << 10;

/// The most memory of a column's name: where it was found, and in the places that keys and
/// outputs have it.
const COLUMN_BYTES: usize = 128;
const COLUMN_COPIES: usize = 3;

/// Number of inputs whose names take almost no memory, compared with the rest of the process.
const FEW_NAMES: usize = 1000;

/// Largest memory for the name of a file: the caller's copy, the list that a sort or a merge makes,
/// and the list of places where its records begin.
const NAME_BYTES: usize = 136;
const NAME_COPIES: usize = 2;

/// Additional memory of a compressed input, until its turn comes and after that.
const PACKED_BYTES: usize = 1100;
const PACKED_COPIES: usize = 4;

/// Additional memory of an input whose state is noted: its state before and now, and the line that
/// records it.
const KEPT_BYTES: usize = 900;
const KEPT_COPIES: usize = 6;

/// Returns what the names of inputs take of a budget, if they are many: whether they are read or
/// not, they are all in memory as long as the job runs.
pub fn names_bytes(inputs: &[Input]) -> ByteSize {
    let bytes = |input: &Input| (NAME_BYTES + NAME_COPIES * name_length(input)) as u64;
    ByteSize(inputs.iter().skip(FEW_NAMES).map(bytes).sum())
}

/// Returns the number of bytes noted of an input.
fn kept_bytes(input: &Input) -> usize {
    KEPT_BYTES + KEPT_COPIES * name_length(input)
}

/// Bytes of memory that a key takes: its text, and what it means, as read, bound and compiled.
const KEY_BYTES: usize = 1500;

/// Returns the number of bytes of an input's name.
fn name_length(input: &Input) -> usize {
    match input {
        Input::File(path) | Input::Striped(path) => path.as_os_str().len(),
        Input::Stdin | Input::Supplied(_) => 0,
    }
}

/// Returns the additional memory of compressed inputs, if there are many.
fn packed_bytes(packed: &[(Origin, Codec)]) -> u64 {
    let bytes = |(origin, _): &(Origin, Codec)| {
        let length = if let Origin::File(path) = origin { path.as_os_str().len() } else { 0 };
        (PACKED_BYTES + PACKED_COPIES * length) as u64
    };
    packed.iter().skip(FEW_NAMES).map(bytes).sum()
}

/// Returns whether any input is compressed, as far as it is said.
pub fn are_any(inputs: &[Input], how: Decompress) -> bool {
    inputs.iter().any(|input| match input {
        Input::File(path) => how.of_file(path).is_some(),
        Input::Stdin => how.of_stream().is_some(),
        Input::Striped(_) | Input::Supplied(_) => false,
    })
}

/// The streams that replace inputs, by number; `None` for the next input that is packed.
type Replacements = (Vec<(usize, Option<Input>)>, Vec<(Origin, Codec)>);

fn looked_at(inputs: &[Input], look: &Look<'_>) -> Result<Replacements> {
    let mut packed = Vec::new();
    let mut instead = Vec::new();
    for (number, found) in look.at(inputs)? {
        instead.push(match found {
            Instead::Stream(stream) => (number, Some(Input::Supplied(stream))),
            Instead::Expanded(origin, codec) => {
                packed.push((origin, codec));
                (number, None)
            }
        });
    }
    Ok((instead, packed))
}
