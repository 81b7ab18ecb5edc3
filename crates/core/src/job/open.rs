//! Looking at the world: what a job's names stand for on this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use super::{Input, Output, SortJob};
use crate::error::{Error, Result};
use crate::format::Framing;
use crate::io::{Direct, Engine, Extent, File, directory_of, pipe, redirect, sweep};
use crate::output;
use crate::pipeline::sorted::Place;
use crate::pipeline::{self, HEADER_MAX, Header, header_too_long};
use crate::stats::Progress;

/// What lines are taken to be as long as, before any was seen.
const LINE_LENGTH: usize = 64;

/// Opens all inputs: as files if all of them are, else as one stream after the other.
pub fn inputs(
    job: &SortJob,
    inputs: &[Input],
    engine: Engine,
    framing: Framing,
) -> Result<pipeline::Input> {
    // The mmap engine reads through the page cache whatever the file would allow.
    let direct = if engine == Engine::Mmap { Direct::Off } else { job.direct };
    let inputs: Vec<Input> = inputs.iter().map(without_redirection).collect();
    if inputs.iter().any(is_stream) {
        let readers: Result<Vec<pipe::Reader>> = inputs
            .iter()
            .map(|input| match input {
                Input::Stdin => pipe::Reader::stdin(),
                Input::File(path) => pipe::Reader::open(path),
                Input::Supplied(supplied) => Ok(pipe::Reader::supplied(supplied.clone())),
            })
            .collect();
        let stream = pipeline::Stream::new(readers?, framing, job.header_lines);
        return Ok(pipeline::Input::Stream(Mutex::new(stream)));
    }
    let mut files = Vec::with_capacity(inputs.len());
    for input in &inputs {
        if let Input::File(path) = input {
            let file = File::open_read(path, direct)?;
            if let Framing::Fixed(length) = framing {
                check_length(file.path(), file.len(), length as u64)?;
            }
            files.push(file);
        }
    }
    Ok(pipeline::Input::Files(files))
}

/// The first lines of every file, as many as the job leaves in place.
pub fn header(job: &SortJob, input: &pipeline::Input, framing: Framing) -> Result<Header> {
    let pipeline::Input::Files(files) = input else { return Ok(Header::default()) };
    if job.header_lines == 0 {
        return Ok(Header::default());
    }
    let Framing::Terminated(end) = framing else {
        let message = "a header is lines, and records of fixed length have none; leave it out";
        return Err(Error::Usage(message.to_owned()));
    };
    let mut header = Header::default();
    for (number, file) in files.iter().enumerate() {
        let lines = first_lines(file, end, job.header_lines)?;
        header.skips.push((lines.len() as u64).min(file.len()));
        if number == 0 {
            header.bytes = lines;
        }
    }
    Ok(header)
}

/// The first `count` lines of a file, each with its end.
fn first_lines(file: &File, end: u8, count: u64) -> Result<Vec<u8>> {
    let failed = |e| Error::io("read", file.path(), e);
    let opened = fs::File::open(file.path()).map_err(failed)?;
    let mut reader = BufReader::new(opened.take(HEADER_MAX as u64 + 1));
    let mut lines = Vec::new();
    for _ in 0..count {
        if reader.read_until(end, &mut lines).map_err(failed)? == 0 {
            break;
        }
    }
    if lines.len() > HEADER_MAX {
        return Err(header_too_long(file.path()));
    }
    if lines.last().is_some_and(|last| *last != end) {
        lines.push(end);
    }
    Ok(lines)
}

/// What inputs are, for jobs that open them one after the other: those that cannot be opened at all
/// are heard of before work is spent on the others.
pub fn places(inputs: &[Input], framing: Framing) -> Result<Vec<Place>> {
    inputs.iter().map(|input| place(input, framing)).collect()
}

fn place(input: &Input, framing: Framing) -> Result<Place> {
    let path = match input {
        Input::File(path) => path,
        Input::Stdin => return Ok(Place::Stdin),
        Input::Supplied(supplied) => return Ok(Place::Supplied(supplied.clone())),
    };
    let data = fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    if data.is_dir() {
        return Err(Error::io("read", path, Errno::ISDIR));
    }
    access(path, Access::READ_OK).map_err(|e| Error::io("open", path, e))?;
    if is_stream(input) {
        return Ok(Place::Stream(path.clone()));
    }
    if let (Framing::Fixed(length), true) = (framing, data.is_file()) {
        check_length(path, data.len(), length as u64)?;
    }
    Ok(Place::File(path.clone(), data.len()))
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
    !inputs.iter().map(without_redirection).any(|input| is_stream(&input))
}

/// An input by its name as a file, where standard input is one.
fn without_redirection(input: &Input) -> Input {
    match (input, redirect::input()) {
        (Input::Stdin, Some(path)) => Input::File(path),
        _ => input.clone(),
    }
}

/// Whether an input has to be read in order.
fn is_stream(input: &Input) -> bool {
    match input {
        Input::Stdin | Input::Supplied(_) => true,
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
        Output::Pipe(outlet) => Ok(output::Output::Stream(Some(outlet.writer()?))),
        Output::File(path) => match fs::metadata(path) {
            Ok(data) if !data.is_file() && !data.is_dir() => {
                Ok(output::Output::Stream(Some(pipe::Writer::open(path, progress)?)))
            }
            _ => output::Output::file(path, direct),
        },
    }
}

/// Where runs go: where the user said, with `is_checked` if that is any good, else beside the
/// output, else where temporary files go.
pub fn temp(temp: &[PathBuf], is_checked: bool, output: &Output) -> Result<Vec<PathBuf>> {
    for place in temp.iter().filter(|_| is_checked) {
        check_directory(place).map_err(|e| Error::io("spill to", place, e))?;
    }
    let places = match output {
        _ if !temp.is_empty() => temp.to_vec(),
        Output::File(path) => vec![directory_of(path).to_owned()],
        Output::Stdout | Output::Pipe(_) => vec![std::env::temp_dir()],
    };
    Ok(places)
}

/// Removes what jobs that were killed have left where this one will leave files.
pub fn tidy(places: &[PathBuf]) -> Result<()> {
    for place in places.iter().filter(|place| place.is_dir()) {
        sweep(place)?;
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
