//! How much room a file system has left for this user, and which files share one.

use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{StatVfs, fstatvfs, stat, statvfs};

use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Free bytes of the file system that holds `directory`, as far as this user may fill them.
pub fn free(directory: &Path) -> Result<ByteSize> {
    let asked = statvfs(directory).map(|system| room(&system));
    asked.map_err(|e| Error::io("ask for the free space of", directory, e))
}

/// The same of the one that holds an open file, which messages call `name`.
pub fn free_around(file: impl AsFd, name: &Path) -> Result<ByteSize> {
    let asked = fstatvfs(file).map(|system| room(&system));
    asked.map_err(|e| Error::io("ask for the free space of", name, e))
}

fn room(system: &StatVfs) -> ByteSize {
    match system.f_blocks {
        // This is how some network file systems say that they do not know.
        0 => ByteSize(u64::MAX),
        _ => ByteSize(system.f_bavail.saturating_mul(system.f_frsize)),
    }
}

/// Returns a number that is the same for paths on one file system.
pub fn device(path: &Path) -> Result<u64> {
    stat(path).map(|stat| stat.st_dev).map_err(|e| Error::io("ask for the free space of", path, e))
}

#[cfg(test)]
mod tests;
