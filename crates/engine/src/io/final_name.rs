//! Names of outputs: where a rename to a path leads, and what can have a file's name.
//!
//! An output gets its name at the end of a job. A name that no file can have is refused at the
//! start, before the job has spent hours.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, FileType, accessat, stat};
use rustix::io::Errno;

use super::inherited::named_by;
use crate::error::{ConfigErrorKind, Error, Result, config};

/// Most symbolic links that are followed one after the other: as many as Linux follows.
pub(super) const LINKS_MAX: usize = 40;

/// Checks that a file can be made at `path`, or that something is there already: its directory
/// exists, and its name is one that a file can have.
///
/// # Errors
///
/// [`Error::Config`] for a path that does not end in a name; [`Error::Io`] for a name that is too
/// long, and for a directory that is missing.
pub fn check_name(path: &Path) -> Result<()> {
    if named_by(path).is_some() {
        return Ok(()); // It is open already.
    }
    let target = rename_target(path)?;
    stat(directory_of(&target)).map_err(|e| Error::io("write", path, e))?;
    type_at(path, &target).map(drop)
}

/// Returns the target of a rename to `final_path`, and its file name.
pub(super) fn checked_target(final_path: &Path) -> Result<(PathBuf, OsString)> {
    let target = rename_target(final_path)?;
    match type_at(final_path, &target)? {
        Some(FileType::RegularFile) | None => {}
        Some(FileType::Directory) => {
            return Err(Error::io("write", final_path, Errno::ISDIR));
        }
        Some(_) => {
            return Err(config!(
                ConfigErrorKind::InvalidPath,
                "{} is a pipe or device; write to standard output instead",
                final_path.display(),
            ));
        }
    }
    let name = target.file_name().unwrap_or_default().to_owned();
    Ok((target, name))
}

/// Returns the type of the file at `target`, to which a rename to `path` leads. `None` if nothing
/// is there, and a file can have the name.
fn type_at(path: &Path, target: &Path) -> Result<Option<FileType>> {
    match stat(target) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT) if ends_in_name(target) => Ok(None),
        Err(Errno::NOENT) => Err(config!(
            ConfigErrorKind::InvalidPath,
            "{} does not name a file; end it with the name of one",
            path.display(),
        )),
        // A name may be too long for this file system, or the directory a file.
        Err(e) => Err(Error::io("write", path, e)),
    }
}

/// Returns whether a path ends in a name, with nothing after it: `file/` and `file/.` do not.
fn ends_in_name(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    path.file_name().is_some_and(|name| bytes.ends_with(name.as_bytes()))
}

/// Returns the path a rename must go to so that a symbolic link stays and its target is replaced,
/// or made where it is missing.
///
/// # Errors
///
/// [`Error::Io`] for links that lead in a circle.
pub fn rename_target(path: &Path) -> Result<PathBuf> {
    if let Ok(target) = std::fs::canonicalize(path) {
        return Ok(target);
    }
    let mut target = path.to_owned();
    for _ in 0..LINKS_MAX {
        match std::fs::read_link(&target) {
            Ok(link) => target = directory_of(&target).join(link),
            Err(_) => return Ok(target),
        }
    }
    Err(Error::io("write", path, Errno::LOOP))
}

/// Checks that a file may be replaced: it is missing, or may be written. A rename would replace it
/// anyway, but the user who took away the permission wants the file to stay.
///
/// # Errors
///
/// [`Error::WriteProtected`] for a file without write permission; [`Error::Io`] for one of a file
/// system that is read-only; those of a name that no file can have.
pub fn check_replaceable(path: &Path) -> Result<()> {
    if named_by(path).is_some() {
        return Ok(());
    }
    let is_file = type_at(path, &rename_target(path)?)? == Some(FileType::RegularFile);
    match accessat(CWD, path, Access::WRITE_OK, AtFlags::EACCESS) {
        Err(Errno::ACCESS | Errno::PERM) if is_file => {
            Err(Error::WriteProtected { path: path.to_owned() })
        }
        Err(Errno::ROFS) if is_file => Err(Error::io("replace", path, Errno::ROFS)),
        // Whatever else is the matter shows when it is written.
        _ => Ok(()),
    }
}

/// Returns the directory a file is in.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests;
