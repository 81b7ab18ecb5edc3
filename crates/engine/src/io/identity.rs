//! Identity of paths, independent of their spelling: `d/e`, `./d/e` and a path through a symbolic
//! link are one name of one file.
//!
//! Paths are compared by the device and inode of the directory they lead to. The text of a path
//! decides only where that directory is not there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::fs::stat;

use super::final_name::{directory_of, rename_target};

/// Identity of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DirectoryIdentity {
    /// A directory that exists, by its device and inode.
    Existing(u64, u64),
    /// A missing directory, by its absolute path.
    Missing(PathBuf),
}

impl DirectoryIdentity {
    /// Returns the identity of the directory at `path`.
    pub fn of(path: &Path) -> Self {
        match stat(path) {
            Ok(stat) => Self::Existing(stat.st_dev, stat.st_ino),
            Err(_) => Self::Missing(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())),
        }
    }
}

/// A name in a directory, whether or not a file has it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NameIdentity {
    directory: DirectoryIdentity,
    name: OsString,
}

impl NameIdentity {
    /// Returns the identity of the name at the end of `path`, which may be that of a symbolic link.
    pub fn of(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_owned();
        Self { directory: DirectoryIdentity::of(directory_of(path)), name }
    }

    /// Returns the identity of the name that a file written to `path` gets, with symbolic links
    /// followed.
    pub fn behind_links(path: &Path) -> Self {
        // Links in a circle lead nowhere else.
        Self::of(&rename_target(path).unwrap_or_else(|_| path.to_owned()))
    }
}

/// Returns the `items` whose identity no earlier item has, in their order.
pub fn distinct<T, I: Eq + std::hash::Hash>(
    items: impl IntoIterator<Item = T>,
    identity: impl Fn(&T) -> I,
) -> Vec<T> {
    let mut known = std::collections::HashSet::new();
    items.into_iter().filter(|item| known.insert(identity(item))).collect()
}

#[cfg(test)]
mod tests;
