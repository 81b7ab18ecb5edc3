//! Opening what a job reads, and looking at it; the engine and the memory budget.

use std::borrow::Cow;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::asked::Asked;
use super::coders::Coders;
use super::contents::Look;
use super::{Budget, Input, Resume, SortJob, destinations, union};
use crate::error::{ConfigErrorKind, Error, Message, RecordPosition, Result, Setting, config};
use crate::format::Framing;
use crate::io::{
    BegunStream, Direct, Engine, Extent, File, InputKind, Supplied, check_whole_at, pipe, redirect,
};
use crate::key::text::TextOrder;
use crate::pipeline::rewriting::AfterTop;
use crate::pipeline::sorted::SortedPlace;
use crate::pipeline::{self, Columns, Header, Heading, Names, Top, TopSize};
use crate::plan::marks::file_least;
use crate::stats::Progress;
use crate::sys::limits;
use crate::units::ByteSize;

/// Assumed bytes of a line before any was seen.
const LINE_LENGTH: usize = 64;

/// Number of inputs from which they may be small, so that the sort looks at them first.
const MANY_INPUTS: usize = 256;

/// Inputs smaller than this, on average, are small. In large loads, the limit is higher.
const SMALL_INPUT: u64 = 64 << 10;

/// A machine that has less is not measured.
const BUDGET_LEAST: u64 = 64 << 20;

/// Descriptors that an open input takes, at most, and as much for what else is open.
const DESCRIPTORS_EACH: usize = 4;

/// Descriptors that a sort needs at least: for one input, for an output, and for its directory.
const INPUT_FILES: usize = 1;
const OUTPUT_FILES: usize = 3;

/// State that a sort begins with.
pub struct Opened {
    /// The engine that will be used.
    pub engine: Engine,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// Coders that expand inputs and compress the output.
    pub coders: Coders,
    /// The inputs.
    pub input: pipeline::JobInput,
    /// Header at the top of the inputs.
    pub header: Header,
    /// The columns that the top shows.
    pub columns: Option<Columns>,
    /// Conditions on records.
    pub asked: Asked,
}

/// Opens what a sort reads, and looks at its top.
pub fn open_inputs(job: &SortJob, order: &TextOrder, progress: &Progress) -> Result<Opened> {
    limits::raise_open_files();
    let output_files = if job.output.path().is_some() { OUTPUT_FILES } else { 0 };
    limits::check_open_files(limits::open_files_left(), INPUT_FILES + output_files)?;
    let engine = job.levers.probe(job.engine)?;
    let budget = budget(job)?;
    let mut coders = job.coders(order, budget);
    // Before anything is read.
    job.compress.of(job.output.path())?;
    job.select.check()?;
    match job.select.split {
        Some(_) => destinations::check_parts(&job.output)?,
        None => destinations::check_output(&job.output, job.force)?,
    }
    let heading = Heading::of(job.format, &job.header)?;
    let early = heading.early(|| job.asking().asked(order, None))?;
    let look = Look::new(job.decompress, job.format, false, progress);
    let in_turn = coders.in_turn(&job.inputs, &look)?;
    let united = union::of_sort(job, &in_turn, &heading, &mut coders, progress)?;
    let (input, (header, columns)) = match united {
        Some(united) => united,
        None => {
            let input = open_sources(job, &in_turn, engine, heading.clone(), progress)?;
            let header = header(&heading, &input, progress)?;
            (input, header)
        }
    };
    let asked = early.map_or_else(|| job.asking().asked(order, columns.as_ref()), Ok)?;
    Ok(Opened { engine, budget, coders, input, header, columns, asked })
}

/// Returns the ceiling of memory: where nothing was said, no more than was found to be there.
fn budget(job: &SortJob) -> Result<ByteSize> {
    let budget = job.memory.resolve()?;
    let memory = job.profile.as_ref().and_then(|profile| profile.memory.as_ref());
    let limit = memory.filter(|memory| memory.is_limit);
    let usable = limit.map_or(u64::MAX, |memory| memory.usable_bytes);
    Ok(match job.memory {
        Budget::Auto => budget.min(ByteSize(usable.max(BUDGET_LEAST))),
        Budget::Bytes(_) | Budget::Percent(_) => budget,
    })
}

/// Opens all inputs: as files if all of them are, else as one stream after the other.
pub fn open_sources(
    job: &SortJob,
    inputs: &[Input],
    engine: Engine,
    heading: Heading,
    progress: &Progress,
) -> Result<pipeline::JobInput> {
    let framing = job.format.framing();
    let direct = if engine.is_mapping() { Direct::Off } else { job.direct.input };
    let FoundInputs { inputs, has_streams } = look(inputs, progress)?;
    let inputs = &*inputs;
    if has_streams {
        let readers = readers(inputs, framing, progress)?;
        let stream = pipeline::InputStream::new(readers, framing, heading);
        return Ok(pipeline::JobInput::Stream(Arc::new(Mutex::new(stream))));
    }
    if let Some((names, bytes)) = read_in_order(job, inputs, progress)? {
        let stream = pipeline::InputStream::of_files(names, bytes, framing, heading)?;
        return Ok(pipeline::JobInput::Stream(Arc::new(Mutex::new(stream))));
    }
    let mut files = Vec::with_capacity(inputs.len());
    for input in inputs {
        let file = match input {
            Input::File(path) => {
                let file = File::open_read(path, direct)?;
                if !job.in_place {
                    file.check_whole()?;
                }
                file
            }
            Input::Striped(path) => File::open_stripes(path, direct)?,
            Input::Stdin | Input::Supplied(_) => unreachable!("streams were seen to"),
        };
        if let Framing::Fixed(length) = framing {
            check_length(file.path(), file.len(), length as u64)?;
        }
        files.push(file);
    }
    Ok(pipeline::JobInput::Files(files))
}

/// Returns readers of inputs of which some are streams. Where there are too many to be open at
/// once, files are opened one after the other.
fn readers(
    inputs: &[Input],
    framing: Framing,
    progress: &Progress,
) -> Result<Vec<pipe::PipeReader>> {
    let are_too_many = inputs.len() > limits::open_files_left() / DESCRIPTORS_EACH;
    let reader = |input: &Input| match input {
        Input::Stdin => pipe::PipeReader::stdin(),
        Input::File(path) if are_too_many => match place(input, framing, progress)? {
            place @ SortedPlace::File { .. } => {
                let stream = Supplied::new(path, AfterTop::File(place));
                Ok(pipe::PipeReader::supplied(stream))
            }
            _ => pipe::PipeReader::open(path),
        },
        Input::File(path) => pipe::PipeReader::open(path),
        Input::Striped(path) => Supplied::striped(path).map(pipe::PipeReader::supplied),
        Input::Supplied(supplied) => Ok(pipe::PipeReader::supplied(supplied.clone())),
    };
    inputs.iter().map(reader).collect()
}

/// Returns the names of files that are read one after the other, as if they were one, and their
/// bytes: more files than may be open at once, or many that are small, each of which would take
/// pages of a load for itself.
/// That they are all there, and of whole records, is seen to beforehand.
fn read_in_order(
    job: &SortJob,
    inputs: &[Input],
    progress: &Progress,
) -> Result<Option<(Names, u64)>> {
    let is_resumed = job.in_place || job.resume != Resume::Off;
    let are_plain = inputs.iter().all(|input| matches!(input, Input::File(_)));
    let most = limits::open_files_left();
    if is_resumed && inputs.len() > most {
        return Err(too_many_to_resume(inputs.len(), most));
    }
    if is_resumed || !are_plain {
        return Ok(None);
    }
    let are_too_many = inputs.len() > 1 && inputs.len() >= most / DESCRIPTORS_EACH;
    if inputs.len() < MANY_INPUTS && !are_too_many {
        return Ok(None);
    }
    let (mut names, mut bytes) = (Names::default(), 0);
    for input in inputs {
        let place = place(input, job.format.framing(), progress)?;
        if let SortedPlace::File { path, bytes: more, .. } = place {
            bytes += more;
            names.push(&path);
        }
    }
    let length = job.format.framing().fixed_length().unwrap_or(LINE_LENGTH);
    let least = file_least(bytes.min(budget(job)?.bytes()), length).max(SMALL_INPUT);
    let are_small = bytes / (names.count() as u64).max(1) < least;
    Ok((are_small || are_too_many).then_some((names, bytes)))
}

fn too_many_to_resume(inputs: usize, most: usize) -> Error {
    config!(
        ConfigErrorKind::OpenFileLimit { least: None },
        "a sort that can be resumed keeps all of its inputs open, but of {} only {} can be open; \
         raise the limit (ulimit -n), join some of the files, or leave {} out",
        inputs,
        most,
        Setting::Resume,
    )
}

/// Returns what stands at the top of all inputs, and the columns that it shows, if it is a row.
fn header(
    heading: &Heading,
    input: &pipeline::JobInput,
    progress: &Progress,
) -> Result<(Header, Option<Columns>)> {
    let files = match input {
        pipeline::JobInput::Files(_) if *heading == Heading::Nothing => {
            return Ok(Default::default());
        }
        pipeline::JobInput::Files(files) => files,
        pipeline::JobInput::Stream(stream) => {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let is_row = matches!(heading, Heading::Row(_));
            let top = if is_row { stream.open_top(progress)? } else { None };
            return Ok((Header::default(), top.and_then(|top| top.columns(heading))));
        }
    };
    let mut header = Header::default();
    let mut first: Option<Top> = None;
    for file in files {
        let top = top_of(heading, file)?;
        header.sizes.push(top.size);
        note_top(&mut first, top, heading)?;
    }
    let columns = first.as_ref().and_then(|first| first.columns(heading));
    header.bytes = first.map(|first| first.bytes).unwrap_or_default();
    Ok((header, columns))
}

/// Returns what stands at the top of all inputs, which are opened one after the other, and their
/// columns. Bytes that were read of a stream go before the rest of it.
pub fn tops(
    heading: &Heading,
    places: &mut [SortedPlace],
    progress: &Progress,
) -> Result<(Vec<u8>, Option<Columns>)> {
    if *heading == Heading::Nothing {
        return Ok((Vec::new(), None));
    }
    let mut first: Option<Top> = None;
    for place in places {
        let mut reader = match place {
            SortedPlace::File { .. } => {
                let top = top_of(heading, &*place.open_file(Direct::Off)?)?;
                place.pass(top.size);
                note_top(&mut first, top, heading)?;
                continue;
            }
            SortedPlace::Stdin => pipe::PipeReader::stdin()?,
            SortedPlace::Stream(path) => pipe::PipeReader::open(path)?,
            SortedPlace::Supplied { stream, .. } => pipe::PipeReader::supplied(stream.clone()),
            SortedPlace::Spilled(_) => continue,
        };
        let name = reader.name().to_owned();
        let (top, rest) = heading.read(&name, |buffer| reader.fill_some(buffer, progress))?;
        let source = reader.as_supplied().and_then(Supplied::source);
        let stream = Supplied::new(&name, BegunStream::new(rest, Some(reader))).made_from(source);
        *place = SortedPlace::Supplied { stream, top: top.size };
        note_top(&mut first, top, heading)?;
    }
    let columns = first.as_ref().and_then(|first| first.columns(heading));
    Ok((first.map(|first| first.bytes).unwrap_or_default(), columns))
}

/// Keeps the first top that is not empty, and checks that others are like it.
fn note_top(first: &mut Option<Top>, top: Top, heading: &Heading) -> Result<()> {
    match first {
        Some(first) => first.check_same(&top, heading),
        None => {
            *first = (!top.is_nothing(heading)).then_some(top);
            Ok(())
        }
    }
}

/// Returns what stands at the top of a file.
pub fn top_of(heading: &Heading, file: &File) -> Result<Top> {
    let mut offset = 0;
    let fill = |buffer: &mut [u8]| {
        let read = file.read_at(buffer, offset)?;
        offset += read as u64;
        Ok(read)
    };
    heading.read(file.path(), fill).map(|(top, _)| top)
}

/// Returns the places of inputs, for jobs that open them one after the other. Inputs that cannot be
/// opened are reported before work is spent on the others.
pub fn sorted_places(
    inputs: &[Input],
    framing: Framing,
    progress: &Progress,
) -> Result<Vec<SortedPlace>> {
    inputs.iter().map(|input| place(input, framing, progress)).collect()
}

fn place(input: &Input, framing: Framing, progress: &Progress) -> Result<SortedPlace> {
    let path = match input {
        Input::File(path) => path,
        Input::Striped(path) => {
            let bytes = File::open_stripes(path, Direct::Off)?.len();
            if let Framing::Fixed(length) = framing {
                check_length(path, bytes, length as u64)?;
            }
            return Ok(SortedPlace::File {
                path: path.clone(),
                bytes,
                top: TopSize::default(),
                is_striped: true,
                records: None,
            });
        }
        Input::Stdin => return Ok(SortedPlace::Stdin),
        Input::Supplied(supplied) => {
            return Ok(SortedPlace::Supplied { stream: supplied.clone(), top: TopSize::default() });
        }
    };
    let data = fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    if data.is_dir() {
        return Err(Error::io("read", path, Errno::ISDIR));
    }
    check_whole_at(path)?;
    access(path, Access::READ_OK).map_err(|e| Error::io("open", path, e))?;
    match InputKind::of(path, progress)? {
        InputKind::Offsets => {}
        InputKind::Order => return Ok(SortedPlace::Stream(path.clone())),
        InputKind::Begun(stream) => {
            return Ok(SortedPlace::Supplied { stream, top: TopSize::default() });
        }
    }
    if let (Framing::Fixed(length), true) = (framing, data.is_file()) {
        check_length(path, data.len(), length as u64)?;
    }
    Ok(SortedPlace::File {
        path: path.clone(),
        bytes: data.len(),
        top: TopSize::default(),
        is_striped: false,
        records: None,
    })
}

/// Returns the number of bytes per record; where records differ, their average over some pages of
/// the input.
pub fn record_length(input: &pipeline::JobInput, framing: Framing) -> Result<usize> {
    match (framing, input) {
        (Framing::Fixed(length), _) => Ok(length),
        (_, pipeline::JobInput::Files(files)) => pipeline::average_length(files, framing),
        (_, pipeline::JobInput::Stream(stream)) => {
            let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(stream.extent().map_or(LINE_LENGTH, Extent::average))
        }
    }
}

/// Returns whether every input can be read at known offsets.
pub fn are_files(inputs: &[Input]) -> Result<bool> {
    Ok(!look(inputs, &Progress::new())?.has_streams)
}

/// Inputs as they are found.
pub struct FoundInputs<'i> {
    /// Standard input by its name, where it is a file; and what has begun to be read.
    pub inputs: Cow<'i, [Input]>,
    /// True if any has to be read in order.
    has_streams: bool,
}

/// Looks how inputs can be read.
pub fn look<'i>(inputs: &'i [Input], progress: &Progress) -> Result<FoundInputs<'i>> {
    let mut looked = FoundInputs { inputs: Cow::Borrowed(inputs), has_streams: false };
    for (number, input) in inputs.iter().enumerate() {
        let found = match input {
            Input::Striped(_) => continue,
            Input::Supplied(_) => None,
            Input::Stdin => match redirect::input() {
                Some(path) => {
                    looked.inputs.to_mut()[number] = Input::File(path);
                    continue;
                }
                None => None,
            },
            Input::File(path) => match InputKind::of(path, progress)? {
                InputKind::Offsets => continue,
                InputKind::Order => None,
                InputKind::Begun(stream) => Some(Input::Supplied(stream)),
            },
        };
        looked.has_streams = true;
        if let Some(found) = found {
            looked.inputs.to_mut()[number] = found;
        }
    }
    Ok(looked)
}

fn check_length(path: &Path, bytes: u64, record_length: u64) -> Result<()> {
    let excess = bytes % record_length;
    if excess == 0 {
        return Ok(());
    }
    Err(Error::Malformed {
        path: path.to_owned(),
        message: Message::from(format!(
            "{bytes} bytes are not a multiple of the record length {record_length}: {excess} \
             byte{} left after record {}; check the record length",
            if excess == 1 { " is" } else { "s are" },
            bytes / record_length
        ))
        .at(RecordPosition::new(bytes / record_length + 1, bytes - excess)),
    })
}
