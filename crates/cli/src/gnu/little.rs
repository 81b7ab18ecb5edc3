//! Inputs that are little: for a page of lines, what a sort of gigabytes begins with takes longer
//! than to sort them. They are read here, whole, and sorted where they lie.
//!
//! What a pipe brings is not known before it is read. So its beginning is read first; a pipe that
//! ends within it is as good as a small file, and of any other the job reads the beginning from
//! memory and the rest from the pipe. Of files nothing is lost by looking: whatever is in the way
//! of one is left for the job to find, and to complain about.

use std::fs::File;
use std::io::Read;

use sortwell::Progress;
use sortwell::unstable::io::pipe::PipeReader;
use sortwell::unstable::io::{BegunStream, inherited, redirect};
use sortwell::{Input, Output, Result, Supplied};

/// Twice as much takes one thread about as long as a job with two, be it by bytes or by keys that
/// have to be made; 100 KB took it a third less.
const LITTLE_BYTES: usize = 256 << 10;

/// Returns all lines of small inputs, each with its end where another follows; `None` for other
/// inputs. If a pipe is the only input, reads its beginning to find its size. A larger pipe is then
/// replaced by an input that begins with these bytes. A pipe is not read if the output is a file:
/// an error about the output should be reported before the pipe delivers data.
pub fn lines(inputs: &mut [Input], output: &Output, terminator: u8) -> Result<Option<Vec<u8>>> {
    if let [only @ Input::Stdin] = inputs
        && *output == Output::Stdout
        && redirect::input().is_none()
    {
        let reader = PipeReader::stdin()?;
        let name = reader.name().to_owned();
        let (beginning, rest) = begin(reader)?;
        if rest.is_none() {
            return Ok(Some(beginning));
        }
        *only = Input::Supplied(Supplied::new(&name, BegunStream::new(beginning, rest)));
        return Ok(None);
    }
    Ok(lines_of_files(inputs, terminator))
}

/// Returns whether inputs are small files together.
pub fn are_files(inputs: &[Input]) -> bool {
    let mut bytes = 0;
    inputs.iter().all(|input| {
        let Input::File(path) = input else { return false };
        let Ok(data) = path.metadata() else { return false };
        bytes += data.len();
        data.is_file() && bytes <= LITTLE_BYTES as u64
    })
}

/// Returns all lines of inputs that are small files, and can be read.
fn lines_of_files(inputs: &[Input], terminator: u8) -> Option<Vec<u8>> {
    let mut lines = Vec::new();
    for input in inputs {
        let path = match input {
            Input::File(path) => path.clone(),
            Input::Stdin => redirect::input()?,
            Input::Striped(_) | Input::Supplied(_) => return None,
        };
        if lines.last().is_some_and(|last| *last != terminator) {
            lines.push(terminator);
        }
        let room = LITTLE_BYTES.checked_sub(lines.len())? as u64;
        // Asked before opening, because opening a pipe would wait for its other end.
        let is_named = matches!(input, Input::File(_));
        let data = match inherited::look(&path).ok()? {
            Ok(data) => data,
            // Standard input is at its start; where other descriptors stand, the job finds out.
            Err(_) if is_named => return None,
            Err(_) => path.metadata().ok()?,
        };
        if !data.is_file() || data.len() > room {
            return None;
        }
        // It may have grown since, or have no length, as in /proc.
        let read = File::open(path).ok()?.take(room + 1).read_to_end(&mut lines).ok()?;
        if read as u64 > room {
            return None;
        }
    }
    Some(lines)
}

/// Reads the beginning of a stream; and what is left of it, unless that was all.
fn begin(mut reader: PipeReader) -> Result<(Vec<u8>, Option<PipeReader>)> {
    let mut beginning = vec![0; LITTLE_BYTES + 1];
    let read = reader.fill(&mut beginning, &Progress::new())?;
    let is_whole = read < beginning.len();
    beginning.truncate(read);
    Ok((beginning, (!is_whole).then_some(reader)))
}

#[cfg(test)]
mod tests;
