//! Free space of file systems for this user, and the files that share one.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::{StatVfs, fstatvfs, stat, statvfs};

use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Returns the system's directory for temporary files: that of `TMPDIR`, unless it is empty.
pub fn temporary_directory() -> PathBuf {
    let named = std::env::temp_dir();
    if named.as_os_str().is_empty() { PathBuf::from("/var/tmp") } else { named }
}

/// Returns the free bytes of the file system that holds `directory`, as far as this user may fill
/// them.
pub fn free(directory: &Path) -> Result<ByteSize> {
    let asked = statvfs(directory).map(|system| room(&system));
    asked.map_err(|e| Error::io("ask for the free space of", directory, e))
}

/// Returns the free bytes of the file system that holds an open file, called `name` in messages.
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
