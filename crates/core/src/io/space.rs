//! How much room a file system has left for this user.

use std::path::Path;

use crate::error::{Error, Result};
use crate::units::ByteSize;

/// Free bytes of the file system that holds `directory`, as far as this user may fill them.
pub fn free(directory: &Path) -> Result<ByteSize> {
    let system = rustix::fs::statvfs(directory)
        .map_err(|e| Error::io("ask for the free space of", directory, e))?;
    Ok(ByteSize(system.f_bavail.saturating_mul(system.f_frsize)))
}

#[cfg(test)]
mod tests;
