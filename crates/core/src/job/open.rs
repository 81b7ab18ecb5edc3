//! Looking at the world: what a job's names stand for on this machine.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::{Input, Output, SortJob};
use crate::error::{Error, Result};
use crate::io::{Direct, Engine, File, pipe};
use crate::output::{self, directory_of};
use crate::pipeline;

/// Opens all inputs: as files if all of them are, else as one stream after the other.
pub fn inputs(job: &SortJob, engine: Engine, record_length: usize) -> Result<pipeline::Input> {
    // The mmap engine reads through the page cache whatever the file would allow.
    let direct = if engine == Engine::Mmap { Direct::Off } else { job.direct };
    if job.inputs.iter().any(is_stream) {
        let readers: Result<Vec<pipe::Reader>> = job
            .inputs
            .iter()
            .map(|input| match input {
                Input::Stdin => pipe::Reader::stdin(),
                Input::File(path) => pipe::Reader::open(path),
            })
            .collect();
        let stream = pipeline::Stream::new(readers?, record_length);
        return Ok(pipeline::Input::Stream(Mutex::new(stream)));
    }
    let mut files = Vec::with_capacity(job.inputs.len());
    for input in &job.inputs {
        if let Input::File(path) = input {
            let file = File::open_read(path, direct)?;
            check_length(&file, record_length as u64)?;
            files.push(file);
        }
    }
    Ok(pipeline::Input::Files(files))
}

/// Whether an input has to be read in order.
fn is_stream(input: &Input) -> bool {
    match input {
        Input::Stdin => true,
        Input::File(path) => fs::metadata(path).is_ok_and(|data| {
            let kind = data.file_type();
            kind.is_fifo() || kind.is_char_device() || kind.is_socket()
        }),
    }
}

fn check_length(file: &Arc<File>, record_length: u64) -> Result<()> {
    let excess = file.len() % record_length;
    if excess == 0 {
        return Ok(());
    }
    Err(Error::Malformed {
        path: file.path().to_owned(),
        message: format!(
            "{} bytes are not a multiple of the record length {record_length}: {excess} bytes are \
             left after record {}; is the record length right?",
            file.len(),
            file.len() / record_length
        ),
    })
}

/// Opens the output: a temporary file beside the final name, or a stream.
pub fn output(job: &SortJob) -> Result<output::Output> {
    match &job.output {
        Output::Stdout => Ok(output::Output::Stream(Some(pipe::Writer::stdout()?))),
        Output::File(path) => match fs::metadata(path) {
            Ok(data) if !data.is_file() && !data.is_dir() => {
                Ok(output::Output::Stream(Some(pipe::Writer::open(path)?)))
            }
            _ => output::Output::file(path, job.direct),
        },
    }
}

/// Where runs go: where the user said, else beside the output, else where temporary files go.
pub fn temp(job: &SortJob) -> Vec<PathBuf> {
    if !job.temp.is_empty() {
        return job.temp.clone();
    }
    match &job.output {
        Output::File(path) => vec![directory_of(path).to_owned()],
        Output::Stdout => vec![std::env::temp_dir()],
    }
}
