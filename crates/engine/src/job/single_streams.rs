//! Streams, which can be read once: no two inputs may be the same one.
//!
//! Two readers of one pipe would each get a part of its bytes, cut anywhere. A descriptor of a file
//! at its start is not a stream: the file is opened again by its name.

use std::collections::{HashMap, HashSet};
use std::os::fd::RawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::endpoints::Input;
use crate::error::{ConfigErrorKind, Result, config};
use crate::io::inherited::{self, STDIN};
use crate::io::redirect;

/// Identity of a stream.
#[derive(PartialEq, Eq, Hash)]
enum StreamIdentity {
    /// Pipe or socket, by its file system and inode.
    Pipe(u64, u64),
    /// Descriptor that the process has inherited, which has one place in its file.
    Descriptor(RawFd),
}

/// Refuses two inputs that are one stream.
///
/// # Errors
///
/// [`ConfigErrorKind::InvalidPath`], with both names.
pub fn check_streams(inputs: &[Input]) -> Result<()> {
    if inputs.len() < 2 {
        return Ok(());
    }
    let mut known: HashMap<StreamIdentity, &Path> = HashMap::new();
    for input in inputs {
        let (Some(stream), name) = (StreamIdentity::of(input), name(input)) else { continue };
        let Some(earlier) = known.insert(stream, name) else { continue };
        if earlier == name {
            return Err(config!(
                ConfigErrorKind::InvalidPath,
                "'{}' is given twice, and a stream can be read once",
                name.display(),
            ));
        }
        return Err(config!(
            ConfigErrorKind::InvalidPath,
            "'{}' and '{}' are one stream, which can be read once",
            earlier.display(),
            name.display(),
        ));
    }
    Ok(())
}

/// Returns the inputs without those that are the same stream as an earlier one. Read one after the
/// other, they would be at their ends.
pub fn distinct_streams(inputs: impl IntoIterator<Item = Input>) -> Vec<Input> {
    let mut known = HashSet::new();
    let is_new =
        |input: &Input| StreamIdentity::of(input).is_none_or(|stream| known.insert(stream));
    inputs.into_iter().filter(is_new).collect()
}

fn name(input: &Input) -> &Path {
    match input {
        Input::File(path) | Input::Striped(path) => path,
        Input::Supplied(supplied) => supplied.name(),
        Input::Stdin => Path::new("-"),
    }
}

impl StreamIdentity {
    /// Returns the stream that an input is, if it can be one twice.
    fn of(input: &Input) -> Option<Self> {
        match input {
            Input::Stdin => Some(Self::of_descriptor(STDIN)),
            Input::File(path) => match inherited::look(path).ok()? {
                Ok(file) if file.file_type().is_fifo() || file.file_type().is_socket() => {
                    Some(Self::Pipe(file.dev(), file.ino()))
                }
                Err(number) if !redirect::file_at_start(number, path) => {
                    Some(Self::of_descriptor(number))
                }
                Ok(_) | Err(_) => None,
            },
            Input::Striped(_) | Input::Supplied(_) => None,
        }
    }

    fn of_descriptor(number: RawFd) -> Self {
        match inherited::pipe_identity(number) {
            Some((device, inode)) => Self::Pipe(device, inode),
            None => Self::Descriptor(number),
        }
    }
}
