//! Streams, which can be read once: no two inputs may be the same one.
//!
//! Two readers of one pipe would each get a part of its bytes, cut anywhere.

use std::collections::HashMap;
use std::os::fd::RawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use super::endpoints::Input;
use crate::error::{ConfigErrorKind, Result, config};
use crate::io::inherited::{self, STDIN};

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
        let (name, stream) = match input {
            Input::Stdin => (Path::new("-"), Some(of_descriptor(STDIN))),
            Input::File(path) => (path.as_path(), of_path(path)),
            Input::Striped(_) | Input::Supplied(_) => continue,
        };
        let Some(earlier) = stream.and_then(|stream| known.insert(stream, name)) else { continue };
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

fn of_path(path: &Path) -> Option<StreamIdentity> {
    match inherited::look(path).ok()? {
        Ok(file) if file.file_type().is_fifo() || file.file_type().is_socket() => {
            Some(StreamIdentity::Pipe(file.dev(), file.ino()))
        }
        Ok(_) => None,
        Err(number) => Some(of_descriptor(number)),
    }
}

fn of_descriptor(number: RawFd) -> StreamIdentity {
    match inherited::pipe_identity(number) {
        Some((device, inode)) => StreamIdentity::Pipe(device, inode),
        None => StreamIdentity::Descriptor(number),
    }
}
