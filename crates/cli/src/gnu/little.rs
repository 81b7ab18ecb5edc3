//! Inputs that are little: for a page of lines, what a sort of gigabytes begins with takes longer
//! than to sort them.
//!
//! What a pipe brings is not known before it is read. So its beginning is read first; a pipe that
//! ends within it is as good as a small file, and of any other the job reads the beginning from
//! memory and the rest from the pipe.

use std::io::{self, Read};

use memchr::memchr_iter;
use sortwell::Result;
use sortwell::io::pipe::Reader;
use sortwell::io::{Extent, Supplied, Supply, redirect};
use sortwell::job::{Input, Output};
use sortwell::stats::Progress;

/// One thread sorts as much in a millisecond, about as long as starting threads, rings and counters
/// takes.
const LITTLE_BYTES: u64 = 128 << 10;

/// Whether inputs are little. The beginning of a pipe that is the only one is read to see, and is
/// in its place then; not where there is a file to be written, which may be in a bad place, and
/// whoever named it should hear of that before the pipe has brought anything.
pub fn are_little(inputs: &mut [Input], output: &Output, terminator: u8) -> Result<bool> {
    if let [only @ Input::Stdin] = inputs
        && *output == Output::Stdout
        && redirect::input().is_none()
    {
        let (begun, is_little) = begin(Reader::stdin()?, terminator)?;
        *only = Input::Supplied(begun);
        return Ok(is_little);
    }
    let mut bytes = 0;
    Ok(inputs.iter().all(|input| {
        let path = match input {
            Input::File(path) => Some(path.clone()),
            Input::Stdin => redirect::input(),
            Input::Supplied(_) => None,
        };
        let Some(Ok(data)) = path.map(|path| path.metadata()) else { return false };
        bytes += data.len();
        data.is_file() && bytes <= LITTLE_BYTES
    }))
}

/// The stream of a reader, and whether it is little.
fn begin(mut reader: Reader, terminator: u8) -> Result<(Supplied, bool)> {
    let mut beginning = vec![0; LITTLE_BYTES as usize + 1];
    let read = reader.fill(&mut beginning, &Progress::new())?;
    let is_little = read < beginning.len();
    beginning.truncate(read);
    let lines = memchr_iter(terminator, &beginning).count();
    let extent = Extent { bytes: read as u64, records: lines as u64 + 1 };
    let name = reader.name().to_owned();
    let rest = (!is_little).then_some(reader);
    let begun = Supplied::new(&name, Begun { beginning: io::Cursor::new(beginning), rest });
    Ok((if is_little { begun.with_extent(extent) } else { begun }, is_little))
}

/// A stream whose beginning is in memory.
struct Begun {
    beginning: io::Cursor<Vec<u8>>,
    /// None where it has ended: a terminal would be asked for more.
    rest: Option<Reader>,
}

impl Supply for Begun {
    fn fill(&mut self, buffer: &mut [u8], progress: &Progress) -> Result<usize> {
        // Reading memory cannot fail.
        let begun = self.beginning.read(buffer).unwrap_or_default();
        match &mut self.rest {
            Some(rest) => Ok(begun + rest.fill(&mut buffer[begun..], progress)?),
            None => Ok(begun),
        }
    }
}

#[cfg(test)]
mod tests;
