//! Looking at the world: what a job's names stand for on this machine.

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::coders::Coders;
use super::{Budget, Input, Output, Resume, SortJob, in_place};
use crate::error::{Error, Result};
use crate::format::{CsvFormat, Framing};
use crate::io::{
    Begun, Direct, Engine, Extent, File, SpillPlace, Supplied, directory_of, limits, pipe,
    redirect, sweep,
};
use crate::output;
use crate::pipeline::sorted::Place;
use crate::pipeline::{self, Columns, Header, Heading, Names, Top};
use crate::stats::Progress;
use crate::units::ByteSize;

/// What lines are taken to be as long as, before any was seen.
const LINE_LENGTH: usize = 64;

/// Fewer inputs can always be open at once; so many may be small ones, and are looked at before.
const FEW_INPUTS: usize = 8;
const MANY_INPUTS: usize = 256;

/// Inputs smaller than this, on average, are small.
const SMALL_INPUT: u64 = 64 << 10;

/// A machine that has less is not measured.
const BUDGET_LEAST: u64 = 64 << 20;

/// Descriptors that an open input takes, at most, and as much for what else is open.
const DESCRIPTORS_EACH: usize = 4;

/// What a sort begins with.
pub struct Opened {
    /// The engine that will be used.
    pub engine: Engine,
    /// Ceiling of the process's resident size.
    pub budget: ByteSize,
    /// What expands inputs and compresses the output.
    pub coders: Coders,
    /// The inputs.
    pub input: pipeline::Input,
    /// What stands at the top of them, and the columns it shows.
    pub header: (Header, Option<Columns>),
}

/// Opens what a sort reads, and looks at its top.
pub fn sort(job: &SortJob, progress: &Progress) -> Result<Opened> {
    limits::raise_open_files();
    let engine = job.engine.probe()?;
    let budget = budget(job)?;
    let mut coders = job.coders(budget);
    let in_turn = coders.in_turn(&job.inputs, job.decompress)?;
    let heading = Heading::of(job.format, job.header_lines)?;
    let input = inputs(job, &in_turn, engine, heading)?;
    let header = header(heading, &input, progress)?;
    Ok(Opened { engine, budget, coders, input, header })
}

/// The ceiling of memory: where nothing was said, no more than was found to be there.
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
pub fn inputs(
    job: &SortJob,
    inputs: &[Input],
    engine: Engine,
    heading: Heading,
) -> Result<pipeline::Input> {
    let framing = job.format.framing();
    let direct = if engine.is_mapping() { Direct::Off } else { job.direct.input };
    let inputs = &*without_redirection(inputs);
    if inputs.iter().any(is_stream) {
        let readers: Result<Vec<pipe::Reader>> = inputs
            .iter()
            .map(|input| match input {
                Input::Stdin => pipe::Reader::stdin(),
                Input::File(path) => pipe::Reader::open(path),
                Input::Striped(path) => Supplied::striped(path).map(pipe::Reader::supplied),
                Input::Supplied(supplied) => Ok(pipe::Reader::supplied(supplied.clone())),
            })
            .collect();
        let stream = pipeline::Stream::new(readers?, framing, heading);
        return Ok(pipeline::Input::Stream(Arc::new(Mutex::new(stream))));
    }
    if let Some(names) = read_in_order(job, inputs)? {
        let stream = pipeline::Stream::of_files(names, framing, heading)?;
        return Ok(pipeline::Input::Stream(Arc::new(Mutex::new(stream))));
    }
    let mut files = Vec::with_capacity(inputs.len());
    for input in inputs {
        let file = match input {
            Input::File(path) => {
                let file = File::open_read(path, direct)?;
                if !job.in_place {
                    in_place::refuse_marked(path)?;
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
    Ok(pipeline::Input::Files(files))
}

/// The names of files that are read one after the other, as if they were one: more than may be open
/// at once, or many that are small, each of which would take pages of a load for itself. That they
/// are all there, and of whole records, is seen to beforehand.
fn read_in_order(job: &SortJob, inputs: &[Input]) -> Result<Option<Names>> {
    let is_resumed = job.in_place || job.resume != Resume::Off;
    let are_plain = inputs.iter().all(|input| matches!(input, Input::File(_)));
    let most = limits::open_files_left();
    if is_resumed && inputs.len() > most {
        return Err(too_many_to_resume(inputs.len(), most));
    }
    if inputs.len() < FEW_INPUTS || is_resumed || !are_plain {
        return Ok(None);
    }
    let are_too_many = inputs.len() > most / DESCRIPTORS_EACH;
    if inputs.len() < MANY_INPUTS && !are_too_many {
        return Ok(None);
    }
    let (mut names, mut bytes) = (Names::default(), 0);
    for input in inputs {
        if let Place::File { path, bytes: more, .. } = place(input, job.format.framing())? {
            bytes += more;
            names.push(&path);
        }
    }
    let are_small = bytes / (names.count() as u64).max(1) < SMALL_INPUT;
    Ok((are_small || are_too_many).then_some(names))
}

fn too_many_to_resume(inputs: usize, most: usize) -> Error {
    Error::Usage(format!(
        "a sort that can be resumed holds all of its inputs open, and of {inputs} no more than \
         {most} can be; raise the limit (ulimit -n), make fewer files of them, or leave --resume \
         out"
    ))
}

/// What stands at the top of all inputs, and the columns that it shows, if it is a row.
fn header(
    heading: Heading,
    input: &pipeline::Input,
    progress: &Progress,
) -> Result<(Header, Option<Columns>)> {
    let columns = |top: &Top| match heading {
        Heading::Row(csv) => top.columns(csv),
        Heading::Nothing | Heading::Lines { .. } => None,
    };
    let files = match input {
        pipeline::Input::Files(_) if heading == Heading::Nothing => return Ok(Default::default()),
        pipeline::Input::Files(files) => files,
        pipeline::Input::Stream(stream) => {
            let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            let is_row = matches!(heading, Heading::Row(_));
            let top = if is_row { stream.open_top(progress)? } else { None };
            return Ok((Header::default(), top.and_then(columns)));
        }
    };
    let mut header = Header::default();
    let mut first: Option<Top> = None;
    for file in files {
        let top = top_of(heading, file)?;
        header.skips.push(top.skip);
        match &first {
            Some(first) => {
                if let Heading::Row(csv) = heading {
                    first.check_same(&top, csv)?;
                }
            }
            None if !top.is_nothing(heading) && file.len() > 0 => {
                header.bytes.clone_from(&top.bytes);
                first = Some(top);
            }
            None => {}
        }
    }
    Ok((header, first.as_ref().and_then(columns)))
}

/// The same for inputs that are opened one after the other. What was read of streams goes before
/// the rest of them.
pub fn tops(
    heading: Heading,
    places: &mut [Place],
    progress: &Progress,
) -> Result<(Vec<u8>, Option<Columns>)> {
    let Heading::Row(csv) = heading else { return Ok((Vec::new(), None)) };
    let mut first: Option<Top> = None;
    for place in places {
        let mut reader = match place {
            Place::File { .. } => {
                let top = top_of(heading, &*place.open_file(Direct::Off)?)?;
                place.pass(top.skip);
                note_top(&mut first, top, csv)?;
                continue;
            }
            Place::Stdin => pipe::Reader::stdin()?,
            Place::Stream(path) => pipe::Reader::open(path)?,
            Place::Supplied { stream, .. } => pipe::Reader::supplied(stream.clone()),
            Place::Spilled(_) => continue,
        };
        let name = reader.name().to_owned();
        let (top, rest) = heading.read(&name, |buffer| reader.fill(buffer, progress))?;
        let stream = Supplied::new(&name, Begun::new(rest, Some(reader)));
        *place = Place::Supplied { stream, skip: top.skip };
        note_top(&mut first, top, csv)?;
    }
    let columns = first.as_ref().and_then(|first| first.columns(csv));
    Ok((first.map(|first| first.bytes).unwrap_or_default(), columns))
}

/// Keeps the first top that is not empty, and checks that others are like it.
fn note_top(first: &mut Option<Top>, top: Top, csv: CsvFormat) -> Result<()> {
    match first {
        Some(first) => first.check_same(&top, csv),
        None => {
            *first = (!top.first_row.is_empty()).then_some(top);
            Ok(())
        }
    }
}

/// What stands at the top of a file.
fn top_of(heading: Heading, file: &File) -> Result<Top> {
    let mut offset = 0;
    let fill = |buffer: &mut [u8]| {
        let read = file.read_at(buffer, offset)?;
        offset += read as u64;
        Ok(read)
    };
    heading.read(file.path(), fill).map(|(top, _)| top)
}

/// What inputs are, for jobs that open them one after the other: those that cannot be opened at all
/// are heard of before work is spent on the others.
pub fn places(inputs: &[Input], framing: Framing) -> Result<Vec<Place>> {
    inputs.iter().map(|input| place(input, framing)).collect()
}

fn place(input: &Input, framing: Framing) -> Result<Place> {
    let path = match input {
        Input::File(path) => path,
        Input::Striped(path) => {
            let bytes = File::open_stripes(path, Direct::Off)?.len();
            if let Framing::Fixed(length) = framing {
                check_length(path, bytes, length as u64)?;
            }
            return Ok(Place::File { path: path.clone(), bytes, skip: 0, is_striped: true });
        }
        Input::Stdin => return Ok(Place::Stdin),
        Input::Supplied(supplied) => {
            return Ok(Place::Supplied { stream: supplied.clone(), skip: 0 });
        }
    };
    let data = fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    if data.is_dir() {
        return Err(Error::io("read", path, Errno::ISDIR));
    }
    in_place::refuse_marked(path)?;
    access(path, Access::READ_OK).map_err(|e| Error::io("open", path, e))?;
    if is_stream(input) {
        return Ok(Place::Stream(path.clone()));
    }
    if let (Framing::Fixed(length), true) = (framing, data.is_file()) {
        check_length(path, data.len(), length as u64)?;
    }
    Ok(Place::File { path: path.clone(), bytes: data.len(), skip: 0, is_striped: false })
}

/// Bytes per record; where records differ, their average over some pages of the input.
pub fn record_length(input: &pipeline::Input, framing: Framing) -> Result<usize> {
    match (framing, input) {
        (Framing::Fixed(length), _) => Ok(length),
        (_, pipeline::Input::Files(files)) => pipeline::average_length(files, framing),
        (_, pipeline::Input::Stream(stream)) => {
            let stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(stream.extent().map_or(LINE_LENGTH, Extent::average))
        }
    }
}

/// Whether every input can be read at known offsets.
pub fn are_files(inputs: &[Input]) -> bool {
    !without_redirection(inputs).iter().any(is_stream)
}

/// Inputs by their names as files, where standard input is one.
fn without_redirection(inputs: &[Input]) -> Cow<'_, [Input]> {
    let Some(path) = inputs.contains(&Input::Stdin).then(redirect::input).flatten() else {
        return Cow::Borrowed(inputs);
    };
    let named = |input: &Input| match input {
        Input::Stdin => Input::File(path.clone()),
        _ => input.clone(),
    };
    inputs.iter().map(named).collect()
}

/// Whether an input has to be read in order.
fn is_stream(input: &Input) -> bool {
    match input {
        Input::Stdin | Input::Supplied(_) => true,
        Input::Striped(_) => false,
        Input::File(path) => fs::metadata(path).is_ok_and(|data| {
            let kind = data.file_type();
            kind.is_fifo() || kind.is_char_device() || kind.is_socket()
        }),
    }
}

fn check_length(path: &Path, bytes: u64, record_length: u64) -> Result<()> {
    let excess = bytes % record_length;
    if excess == 0 {
        return Ok(());
    }
    Err(Error::Malformed {
        path: path.to_owned(),
        message: format!(
            "{bytes} bytes are not a multiple of the record length {record_length}: {excess} bytes \
             are left after record {}; is the record length right?",
            bytes / record_length
        ),
    })
}

/// Opens the output: a temporary file beside the final name, or a stream.
pub fn output(output: &Output, direct: Direct, progress: &Progress) -> Result<output::Output> {
    match output {
        Output::Stdout => match redirect::output() {
            Some(path) => output::Output::redirected(&path, direct),
            None => Ok(output::Output::Stream(Some(pipe::Writer::stdout()?))),
        },
        Output::Striped(path) => output::Output::striped(path, direct),
        Output::Pipe(outlet) => Ok(output::Output::Stream(Some(outlet.writer()?))),
        Output::File(path) => match fs::metadata(path) {
            Ok(data) if !data.is_file() && !data.is_dir() => {
                Ok(output::Output::Stream(Some(pipe::Writer::open(path, progress)?)))
            }
            _ => output::Output::file(path, direct),
        },
    }
}

/// Opens an output that is split into files.
pub fn parts(output: &Output, direct: Direct) -> Result<output::Output> {
    match output {
        Output::File(path) => output::Output::parts(path, direct),
        Output::Striped(path) => Err(Error::Usage(format!(
            "{} is a striped file; an output that is split needs another name",
            path.display()
        ))),
        Output::Stdout | Output::Pipe(_) => {
            let message = "an output that is split needs a name that those of its files are made \
                           of; give one with --output";
            Err(Error::Usage(message.to_owned()))
        }
    }
}

/// Where runs go: where the user said, with `is_checked` if that is any good, else beside the
/// output, else where temporary files go.
pub fn temp(temp: &[PathBuf], is_checked: bool, output: &Output) -> Result<Vec<SpillPlace>> {
    if temp.is_empty() {
        return Ok(vec![match output {
            Output::File(path) | Output::Striped(path) => SpillPlace::directory(directory_of(path)),
            Output::Stdout | Output::Pipe(_) => SpillPlace::directory(&std::env::temp_dir()),
        }]);
    }
    let places: Vec<SpillPlace> =
        temp.iter().map(|path| SpillPlace::at(path)).collect::<Result<_>>()?;
    for (directory, _) in places.iter().filter(|_| is_checked).flat_map(SpillPlace::directories) {
        check_directory(directory).map_err(|e| Error::io("spill to", directory, e))?;
    }
    Ok(places)
}

/// Removes what jobs that were killed have left where this one will leave files.
pub fn tidy(places: &[SpillPlace]) -> Result<()> {
    let directories = places.iter().flat_map(SpillPlace::directories).map(|(path, _)| path);
    for directory in directories.filter(|directory| directory.is_dir()) {
        sweep(directory)?;
    }
    Ok(())
}

/// Checks that files can be made and found in a directory.
fn check_directory(place: &Path) -> std::io::Result<()> {
    if !fs::metadata(place)?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(access(place, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK)?)
}
